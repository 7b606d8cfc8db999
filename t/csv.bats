#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# CSV (RFC 4180) and TSV with a header.

load helper

setup() {
	begin "$BATS_TEST_TMPDIR"
	printf '%s\n' 'no,text,q' '1,"To be, or ""not""' 'to be",3' '2,"To be, or ""not""' 'to be",4' \
		'"3",Something else,5' >in
}

@test "quoted fields may have commas, quotes and line ends; the header and records are written unchanged" {
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

@test "a byte order mark and DOS line ends are written unchanged" {
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
	printf '%s\r\n' 'no,text,q,dup,dup_similarity,dup_measure' '1,"To be, or ""not""' 'to be",3,,,' \
		'2,"To be, or ""not""' 'to be",4,1,1.0000,jaccard' '"3",Something else,5,,,' >expected
	try 'shdedup -q --csv -f no,text --mark dup dos'
	exits 0
	same expected out
	shdedup -q --csv -f no,text --dry-run --report report dos
	try 'shdrop --csv -f no,text --mark dup -d report dos'
	exits 0
	same expected out
}

@test "the common header of several files is written once, and in each file of -O" {
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
	says "shdedup: other:1: the header differs from that of 'in'"
}

@test "a last record without a line end is read, and a file with a header only has no records" {
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

@test "a bad record gives a message with file and line" {
	printf 'id,text\n1,"a\nb"\n2,"c\nd\n' >bad
	try 'shdedup -q --csv bad'
	exits 2
	says 'shdedup: bad:4: CSV: field 2 has no closing quote (--rejects FILE collects such records)'
	printf 'id,text\n1,"a\nb"\n2,"c\nd"\n3,a,b\n4,e\n' >bad
	try 'shdedup -q --csv bad'
	exits 2
	says 'shdedup: bad:6: CSV: 3 fields, expected 2 as in the header (--rejects FILE collects such records)'
	printf 'id,text\n1,a "b" c\n' >bad
	try 'shdrop --csv -d /dev/null bad'
	exits 2
	says 'shdrop: bad:2: CSV: quote within field 2 (expected quotes around the whole field, and two for each one in it)'
	printf 'id,body\n1,a\n' >bad
	try 'shdedup -q --csv bad'
	exits 2
	says "shdedup: bad:1: no column \"text\" in the header 'id,body' (name the fields of id and text with -f ID,TEXT)"
	printf 'id,text\n1,a\n2\n3,"b\nc"\n' >bad
	try 'shdedup -q --csv --rejects aside bad'
	gives 'id,text' '1,a' '3,"b' 'c"'
	[ "$(cat aside)" = 2 ]
}

@test "--csv is refused with --json, -l, --crlf and --trailer" {
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

@test "random tables: Python's csv reads from the output the records that it wrote, with any number of threads" {
	python3 - <<'END'
import csv, io, random, subprocess
random.seed(4180)
pieces = ['"', ',', '\r', '\n', '\r\n', '', ' ', 'a', 'word ', '中文', "'", ';', '""', '\\n']
for turn in range(24):
    rows = []
    n = random.choice([0, 1, 5, 60, 600]) if turn else 30000 # of which several threads read parts
    for i in range(n):
        cell = lambda k: ''.join(random.choices(pieces, k=random.randrange(k)))
        rows.append([cell(6), str(i), cell(9) + ' n%d' % random.randrange(1 + n // 2), cell(4)])
    table = io.StringIO(newline='')
    # With LF line ends, QUOTE_MINIMAL does not quote a CR, and the reader of the module ends the record at the CR.
    end, quoting = random.choice([('\n', csv.QUOTE_ALL), ('\r\n', csv.QUOTE_ALL), ('\r\n', csv.QUOTE_MINIMAL)])
    writer = csv.writer(table, lineterminator=end, quoting=quoting)
    head = ['a "quoted", name', 'id', 'text\nbody', '']
    writer.writerows([head] + rows)
    mark = random.choice(['', '\ufeff'])
    data = (mark + table.getvalue()).encode()
    # shdedup must remove the same documents from TSV with escapes.
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

# forms: writes the same documents as TSV with escapes, as CSV, and as TSV with a header and other columns.
forms() {
	python3 - <<'END'
import csv
rows = [line.rstrip('\n').split('\t') for line in open('docs.tsv', encoding='utf-8', newline='\n')]
escape = {'\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t'}
rows = [(i, text + '\n"quoted", and more\\' if n % 3 == 0 else text) for n, (i, text) in enumerate(rows)]
with open('docs.csv', 'w', encoding='utf-8', newline='') as f:
    f.write('\ufeff')
    csv.writer(f).writerows([('body', 'a "key"', 'n')] + [(t, i, n) for n, (i, t) in enumerate(rows)])
text = [''.join(escape.get(c, c) for c in t) for _, t in rows]
with open('docs.tsv', 'w', encoding='utf-8', newline='') as f:
    f.writelines('%s\t%s\n' % (i, t) for (i, _), t in zip(rows, text))
with open('head.tsv', 'w', encoding='utf-8', newline='') as f:
    f.write('\ufeffbody\ta "key"\tn\n')
    f.writelines('%s\t%s\t%d\n' % (t, i, n) for n, ((i, _), t) in enumerate(zip(rows, text)))
import json
with open('docs.jsonl', 'w', encoding='utf-8') as f:
    f.writelines(json.dumps({'body': t, 'a "key"': i, 'n': 1}, ensure_ascii=n % 2 == 0) + '\n' for n, (i, t) in enumerate(rows))
with open('dos.tsv', 'w', encoding='utf-8', newline='') as f:
    f.write(open('head.tsv', encoding='utf-8', newline='').read().replace('\n', '\r\n'))
END
}

@test "each program that reads documents gives the same from TSV, CSV, and TSV with a header" {
	head -n 60 "$T_DATA/en_dev.tsv" >docs.tsv
	forms
	shdedup -q --report groups docs.tsv >/dev/null
	shfp docs.tsv | shjoin >pairs
	for run in 'shtok' 'shtok -n 2 -j 3' 'shfp' 'shfp -j 2 --keys=4x2' 'shfp --bare -p seomoz' 'shspan --all --pairs' \
		'shspan --count | cut -f 1,4' 'shspan -n 3 --exact 9 --every-copy | cut -f 1' 'shspan -n 3 -d QUERIES --pairs' 'shseed | cut -f 1-3' \
		'shverify pairs -d' 'shgroup --link star --keep longest pairs -d' 'shreport pairs -d' 'shdrop -d groups | cut -f 1' \
		'shdedup -q --report report >/dev/null && cat report'; do
		for form in docs.tsv 'docs.csv --csv' 'head.tsv --header' 'dos.tsv --header --crlf'; do
			command=${run%%[|>]*} rest=${run#"${run%%[|>]*}"}
			command=${command/QUERIES/${form%% *}}
			given=$form
			[ "$form" = docs.tsv ] || given="$given -f 'a \"key\",body'"
			[[ $run != shreport* ]] || rest=' | grep -v "^<title"'
			# shdrop writes documents. Only the texts are compared.
			[[ $run != shdrop* || $form != *.csv* ]] ||
				rest='| python3 -c "import csv, sys; [print(r[1]) for r in list(csv.reader(sys.stdin))[1:]]"'
			[[ $run != shdrop* || $form != *header* ]] || rest='| tail -n +2 | cut -f 2'
			try "$command $given $rest"
			exits 0
			[ "$form" != docs.tsv ] || mv out expected
			[ "$form" = docs.tsv ] || same expected out || { echo "$command $given $rest"; return 1; }
			[ -s expected ] || { echo "nothing: $command $given $rest"; return 1; }
		done
	done
}

@test "--header: writes the header, names the columns of --mark and --keep, and needs --crlf for DOS files" {
	printf '%s\n' 'no	q	body' '1	3	To be, or not to be, that is it' '2	4	To be, or not to be, that is it' '3	5	Something else' >in
	try 'shdedup -q --header -f no,body --keep=max:q in'
	exits 0
	says
	sed 2d in >expected
	same expected out
	try 'shdedup -q --header -f no,body --mark dup in'
	exits 0
	gives 'no\tq\tbody\tdup\tdup_similarity\tdup_measure' '1\t3\tTo be, or not to be, that is it\t\t\t' \
		'2\t4\tTo be, or not to be, that is it\t1\t1.0000\tjaccard' '3\t5\tSomething else\t\t\t'
	mv out expected
	shdedup -q --header -f no,body --dry-run --report report in
	try 'shdrop --header -f no,body --mark dup -d report in'
	exits 0
	same expected out
	(head -n 1 in; printf '4\t6\tQuite another text\n') >more
	shdedup -q --header -f no,body -O shards in more
	same more shards/more
	(sed 3d in; tail -n 1 more) >expected
	printf '\357\273\277' | cat - in >marked
	(printf '\357\273\277'; cat expected) >marked.expected
	for run in 'in more:expected' 'marked more:marked.expected'; do
		try "shdedup -q --header -f no,body ${run%:*}"
		exits 0
		same "${run#*:}" out
	done
	sed 's/$/\r/' in >dos
	try 'shdedup -q --header -f no,body dos'
	exits 2
	says 'shdedup: dos:1: carriage return at the end of the line (--crlf removes the CR of DOS line ends)'
	try 'shdrop --crlf --header -f no,body -d report dos'
	exits 0
	sed 3d in >expected
	same expected out
}

@test "--header: refuses a line with another number of fields, and a header without the names of -f" {
	printf 'id\ttext\tq\n1\ta\tb\n2\tc\n' >in
	try 'shfp --header in'
	exits 2
	says 'shfp: in:3: 2 fields, expected 3 as in the header (--rejects FILE collects such records)'
	printf '1\tx\t0\t1.0\n' >pairs
	try 'shverify --header -d in </dev/null'
	exits 2
	says 'shverify: in:3: 2 fields, expected 3 as in the header (--rejects FILE collects such records)'
	try 'shtok --header -f id,body in'
	exits 2
	says "shtok: in:1: no column \"body\" in the header 'id	text	q' (name the fields of id and text with -f ID,TEXT)"
	try 'shgroup --header -f id,body -d in </dev/null'
	exits 2
	for option in --json -l --trailer; do
		try "shtok --header $option in"
		exits 2
		[[ $(cat err) == *"--header and $option c"* ]]
	done
	printf 'id\ttext\n1\ta b c\n2\td\n' >in
	printf 'text\tid\na b c\t1\n' >other
	for run in 'shfp --header in other' 'shverify --header -d in -d other /dev/null' 'shspan --header in other' \
		'shgroup --header -d in -d other /dev/null'; do
		try "$run"
		exits 2
		grep -qx "${run%% *}: other:1: the header differs from that of 'in'" err
	done
}

@test "shcut removes the same passages from CSV, JSON and TSV with a header, and keeps all other fields" {
	head -n 60 "$T_DATA/en_dev.tsv" >docs.tsv
	forms
	for form in docs.tsv 'docs.csv --csv' 'head.tsv --header' 'dos.tsv --header --crlf' 'docs.jsonl --json'; do
		given=$form
		[ "$form" = docs.tsv ] || given="$given -f 'a \"key\",body'"
		for replace in '' '--replace [...]'; do
			try "shspan --exact 9 $given | shcut $replace -d - $given"
			exits 0
			python3 - "$form" "$replace" <<'END'
import csv, json, re, sys
form, replace = sys.argv[1:]
out = open('out', encoding='utf-8', newline='').read()
unescape = lambda t: re.sub(r'\\(.)', lambda m: {'t': '\t', 'n': '\n', 'r': '\r'}.get(m[1], m[1]), t)
if '--json' in form:
    docs = [(d['a "key"'], d['body']) for d in map(json.loads, out.splitlines(True))]
elif '--csv' in form:
    rows = list(csv.reader(out.lstrip('\ufeff').splitlines(True)))
    assert rows[0] == ['body', 'a "key"', 'n'] and out[0] == '\ufeff' and out.endswith('\r\n')
    docs = [(r[1], r[0]) for r in rows[1:]]
elif '--header' in form:
    lines = out.split('\n')
    assert lines[0] == '\ufeffbody\ta "key"\tn' and '\r' not in out
    docs = [(l.split('\t')[1], unescape(l.split('\t')[0])) for l in lines[1:-1]]
else:
    docs = [(l.split('\t')[0], unescape(l.split('\t')[1])) for l in out.split('\n')[:-1]]
name = 'expected' + replace
if form == 'docs.tsv':
    json.dump(docs, open(name, 'w'))
    assert len(docs) == 60
else:
    assert json.load(open(name)) == [list(d) for d in docs], form
END
		done
	done
	printf '%s\n' '{"id":1,"text":["a","b"]}' >list
	printf '1\t0\t1\n' >spans
	try 'shcut --json -d spans list'
	exits 2
	says 'shcut: list:1: JSON: field "text" is an array: passages are cut out of strings only'
}
