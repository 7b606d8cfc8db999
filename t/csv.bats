#!/usr/bin/env bats
# CSV with a header (RFC 4180), in shdedup and shdrop.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	printf '%s\n' 'no,text,q' '1,"To be, or ""not""' 'to be",3' '2,"To be, or ""not""' 'to be",4' \
		'"3",Something else,5' >in
}

@test "records in quotes hold commas, quotes and line ends; header and records stay as they came" {
	try 'shdedup -q --csv -f no,text --report report in'
	exits 0
	says
	(head -n 3 in; tail -n 1 in) >expected
	same expected out
	gives_report=$(cut -f 1,2 report)
	[ "$gives_report" = $'2\t1' ]
	try 'shdrop --csv -f no,text -d report in'
	exits 0
	says
	same expected out
	try 'shdedup -q --csv -f no,text --keep=max:q in'
	exits 0
	sed 2,3d in >expected
	same expected out
}

@test "a byte order mark and DOS line ends stay" {
	printf '\357\273\277' >dos
	sed 's/$/\r/' in >>dos
	(head -n 3 dos; tail -n 1 dos) >expected
	for run in 'shdedup -q --csv -f no,text --report report dos' 'cat dos | shdedup -q --csv -f no,text' \
		'gzip <dos | shdedup -q --csv -f no,text' 'shdrop --csv -f no,text -d report dos'; do
		try "$run"
		exits 0
		says
		same expected out
	done
}

@test "--mark adds two columns" {
	sed 's/$/\r/' in >dos
	printf '%s\r\n' 'no,text,q,dup,dup_similarity' '1,"To be, or ""not""' 'to be",3,,' \
		'2,"To be, or ""not""' 'to be",4,1,1.0000' '"3",Something else,5,,' >expected
	try 'shdedup -q --csv -f no,text --mark dup dos'
	exits 0
	same expected out
	shdedup -q --csv -f no,text --dry-run --report report dos
	try 'shdrop --csv -f no,text --mark dup -d report dos'
	exits 0
	same expected out
}

@test "several files have one header, which is written once; files of -O have their own" {
	(head -n 1 in; echo '4,Quite another text,6') >more
	(head -n 3 in; tail -n 1 in; tail -n 1 more) >expected
	: >empty
	for run in 'shdedup -q --csv -f no,text --report report empty in more' \
		'shdrop --csv -f no,text -d report empty in more'; do
		try "$run"
		exits 0
		same expected out
	done
	shdedup -q --csv -f no,text -O shards in more
	same more shards/more
	(head -n 3 in; tail -n 1 in) >expected
	same expected shards/in
	echo 'no,text' >other
	try 'shdedup -q --csv -f no,text in other'
	exits 2
	says "shdedup: other:1: CSV: the header differs from that of 'in'"
}

@test "the last record may lack its line end, and a file may have no record" {
	printf 'id,text\n1,a' >short
	try 'shdedup -q --csv short'
	exits 0
	gives 'id,text' '1,a'
	printf 'id,text' >short
	for run in 'shdedup -q --csv short' 'shdrop --csv -d /dev/null short'; do
		try "$run"
		exits 0
		gives 'id,text'
	done
	try 'shdedup -q --csv /dev/null'
	exits 0
	gives
}

@test "bad records have file and line" {
	printf 'id,text\n1,"a\nb"\n2,"c\nd\n' >bad
	try 'shdedup -q --csv bad'
	exits 2
	says 'shdedup: bad:4: CSV: field 2 has no closing quote (--rejects FILE takes such records)'
	printf 'id,text\n1,"a\nb"\n2,"c\nd"\n3,a,b\n4,e\n' >bad
	try 'shdedup -q --csv bad'
	exits 2
	says 'shdedup: bad:6: CSV: 3 fields, expected 2 as in the header (--rejects FILE takes such records)'
	printf 'id,text\n1,a "b" c\n' >bad
	try 'shdrop --csv -d /dev/null bad'
	exits 2
	says 'shdrop: bad:2: CSV: quote within field 2 (expected quotes around the whole field, and two for each one in it)'
	printf 'id,body\n1,a\n' >bad
	try 'shdedup -q --csv bad'
	exits 2
	says 'shdedup: bad:1: CSV: no column "text" in the header (-f ID,TEXT names those of id and text)'
	printf 'id,text\n1,a\n2\n3,"b\nc"\n' >bad
	try 'shdedup -q --csv --rejects aside bad'
	gives 'id,text' '1,a' '3,"b' 'c"'
	[ "$(cat aside)" = 2 ]
}

@test "--csv contradicts --json, -l, --crlf and --trailer" {
	for option in --json -l; do
		try "shdedup --csv $option in"
		exits 2
		[[ $(cat err) == *"--csv and $option contradict each other"* ]]
	done
	for option in --crlf --trailer; do
		try "shdrop --csv -d in $option in"
		exits 2
		[[ $(cat err) == *"--csv"* ]]
	done
}

@test "random tables: Python's csv reads from the output what it wrote, for any number of threads" {
	python3 - <<'END'
import csv, io, random, subprocess
random.seed(4180)
pieces = ['"', ',', '\r', '\n', '\r\n', '', ' ', 'a', 'word ', '中文', "'", ';', '""', '\\n']
for turn in range(24):
    rows = []
    n = random.choice([0, 1, 5, 60, 3000])
    for i in range(n):
        cell = lambda k: ''.join(random.choices(pieces, k=random.randrange(k)))
        rows.append([cell(6), str(i), cell(9) + ' n%d' % random.randrange(1 + n // 2), cell(4)])
    table = io.StringIO(newline='')
    # With LF line ends, QUOTE_MINIMAL leaves a bare CR unquoted, and the module's own reader ends the record there.
    end, quoting = random.choice([('\n', csv.QUOTE_ALL), ('\r\n', csv.QUOTE_ALL), ('\r\n', csv.QUOTE_MINIMAL)])
    writer = csv.writer(table, lineterminator=end, quoting=quoting)
    head = ['a "quoted", name', 'id', 'text\nbody', '']
    writer.writerows([head] + rows)
    mark = random.choice(['', '\ufeff'])
    data = (mark + table.getvalue()).encode()
    # The same documents as TSV with escapes, which must lose the same ones.
    escape = {'\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t'}
    tsv = ''.join('%s\t%s\n' % (r[1], ''.join(escape.get(c, c) for c in r[2])) for r in rows)
    run = lambda *a, given: subprocess.run(a, input=given, stdout=subprocess.PIPE, check=True).stdout
    left = run('shdedup', '-q', given=tsv.encode()).decode().split('\n')[:-1]
    ids = {line.split('\t')[0] for line in left}
    for jobs in '1', '4':
        out = run('shdedup', '-q', '--csv', '-j', jobs, '-f', 'id,text\nbody', given=data)
        text = out.decode()
        assert text.startswith(mark), turn
        got = list(csv.reader(io.StringIO(text[len(mark):], newline='')))
        assert got == [head] + [r for r in rows if r[1] in ids], turn
        open('report', 'w').writelines('%s\tkeeper\n' % r[1] for r in rows if r[1] not in ids)
        assert run('shdrop', '--csv', '-j', jobs, '-f', 'id,text\nbody', '-d', 'report', given=data) == out, turn
END
}
