#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --json: documents as lines of JSON, in every program that reads documents.
load helper

@test "--json: the named fields give the result of the same text in TSV" {
	printf '%s\n' '{"id":"a","n":[1,{"id":"x"}],"text":"The quick\nbrown\tfox \u0061nd \ud83d\ude00 é\u0301"}' \
	    ' { "text" : "second" , "id" : 2.50 } ' >docs.jsonl
	printf 'a\tThe quick\\nbrown\\tfox and 😀 é\xcc\x81\n2.50\tsecond\n' >docs.tsv
	try 'shtok -n 1 --json docs.jsonl'
	exits 0
	shtok -n 1 docs.tsv >expected
	same expected out
	[ "$(wc -l <out)" -eq 7 ]
	try 'shfp --json docs.jsonl'
	exits 0
	shfp docs.tsv >expected
	same expected out
}

@test "--json: -f names the two fields, before or after other options" {
	echo '{"id":"no","url":"http://x/","body":"one two"}' >docs.jsonl
	printf 'http://x/\tone\t1\nhttp://x/\ttwo\t1\n' >expected
	try 'shtok -n 1 -f url,body --json docs.jsonl'
	exits 0
	same expected out
	try 'shtok -n 1 --json -f body docs.jsonl'
	exits 2
	grep -q 'the names of two fields' err
}

@test "--json -l: the id is the line number, and -f names only the text" {
	printf '%s\n' '{"text":"One two three four, five."}' '{"body":"no text"}' '' \
	    '{"text":"One two three four five!","id":7}' '{"text":"something else\naltogether"}' >docs.jsonl
	cp docs.jsonl more.jsonl
	try 'shdedup -q --json -l --rejects bad --report report docs.jsonl more.jsonl'
	exits 0
	sed -n '1p;5p' docs.jsonl >expected
	same expected out
	printf '4\t1\t1.0000\tjaccard\n6\t1\t1.0000\tjaccard\n9\t1\t1.0000\tjaccard\n10\t5\t1.0000\tjaccard\n' >expected
	same expected report
	sed -n 2p docs.jsonl >expected
	cat expected expected | cmp - bad
	printf '1\tOne two three four, five.\n4\tOne two three four five!\n5\tsomething else\\naltogether\n' >docs.tsv
	for program in shtok 'shfp -n 2'; do
		$program docs.tsv >expected
		try "$program -l --json --rejects bad docs.jsonl"
		exits 0
		same expected out
	done
	try 'shfp -l --json --rejects bad docs.jsonl | shjoin -k 64 | shverify -l --json -d docs.jsonl --rejects bad'
	exits 0
	shfp docs.tsv | shjoin -k 64 | shverify -d docs.tsv >expected
	same expected out
	try 'shtok -n 1 --json -l -f body docs.jsonl --rejects bad'
	exits 0
	gives '2\tno\t1' '2\ttext\t1'
	try 'shtok -n 1 --json -l docs.jsonl'
	exits 2
	says 'shtok: docs.jsonl:2: JSON: no field "text", there are "body" (-f TEXT names it)'
	try 'shtok -n 1 --json docs.jsonl'
	says "shtok: docs.jsonl:1: JSON: no field \"id\", there are \"text\" (-f ID,TEXT names the two; -l numbers the lines)"
	printf '{"title":"a","body":"b c"}\n' >fields.jsonl
	try 'shtok -n 3 --json -l -f title,body fields.jsonl'
	exits 0
	gives '1\ta b c\t1'
}

@test "--json: backslashes of the text are no escapes of records" {
	printf '%s\n' '{"id":"a","text":"path\\name"}' >docs.jsonl
	printf 'a\tpath\t1\na\tname\t1\n' >expected
	try 'shtok -n 1 --json docs.jsonl'
	exits 0
	same expected out
}

@test "--json: a bad line is an error with its place, and --rejects writes it unchanged" {
	cat >docs.jsonl <<-'END'
	{"id":"a","text":"one"}
	{"id":"b","text":"two"
	{"id":"c"}
	{"id":"d","text":4}
	{"id":null,"text":"five"}
	{"id":"t\tab","text":"six"}
	{"id":"","text":"seven"}

	{"id":"i","text":"nine"}
	END
	try 'shtok -n 1 --json docs.jsonl'
	exits 2
	grep -q '^shtok: docs.jsonl:2: JSON: the line ends, expected' err
	try 'shtok -n 1 --json --rejects bad docs.jsonl'
	exits 0
	printf 'a\tone\t1\ni\tnine\t1\n' >expected
	same expected out
	sed -n 2,7p docs.jsonl >expected
	same expected bad
	grep -q '6 records rejected' err
	grep -qx 'shtok: 1 blank line passed over' err
	for line in 3 4 5 6; do
		try "sed -n ${line}p docs.jsonl | shtok -n 1 --json"
		exits 2
	done
	try 'sed -n 3p docs.jsonl | shtok -n 1 --json'
	grep -q 'no field "text", there are "id" (-f ID,TEXT names the two)' err
	try 'sed -n 5p docs.jsonl | shtok -n 1 --json'
	grep -q 'field "id" is not a string or number (--rejects FILE puts bad records aside)' err
}

@test "--json: real documents give the fingerprints of TSV, with any number of threads" {
	python3 -c '
import json, sys
un = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}
for line in open(sys.argv[1], encoding="utf-8", newline="\n"):
    id, text = line.rstrip("\n").split("\t")
    out, i = [], 0
    while i < len(text):
        if text[i] == "\\" and text[i + 1:i + 2] in un:
            out.append(un[text[i + 1]]); i += 2
        else:
            out.append(text[i]); i += 1
    print(json.dumps({"meta": {"text": 1}, "id": id, "text": "".join(out)}, ensure_ascii=len(id) % 2))
' "$T_DATA/zh_dev.tsv" >zh.jsonl
	shfp -n 3 "$T_DATA/zh_dev.tsv" >expected
	try 'shfp -n 3 --json zh.jsonl'
	exits 0
	same expected out
	try 'shfp -n 3 --json -j 3 <zh.jsonl'
	exits 0
	same expected out
}

@test "--json: half of a surrogate pair counts as ill-formed UTF-8" {
	warned='1 ill-formed UTF-8 sequence replaced (--strict makes them errors)'
	strict='1 ill-formed UTF-8 sequence (--strict)'
	printf '%s\n' '{"id":"a","text":"one\ud800two \ud83d\ude00"}' >half.jsonl
	printf '{"id":"a","text":"one\xfftwo \\ud83d\\ude00"}\n' >byte.jsonl
	shtok -n 1 --json byte.jsonl 2>err >tokens
	for docs in half.jsonl byte.jsonl; do
		try "shtok -n 1 --json $docs"
		exits 0
		same tokens out
		says "shtok: $warned"
		try "shfp --json $docs"
		exits 0
		says "shfp: $warned"
		try "shdedup -q --json $docs"
		exits 0
		same "$docs" out
		says "shdedup: $warned"
		try "shdoc $docs"
		exits 0
		gives 'a\tone\xef\xbf\xbdtwo \xf0\x9f\x98\x80'
		says 'shdoc: 1 ill-formed sequence replaced by U+FFFD'
		for P in shtok shfp shdedup; do
			try "$P --json --strict $docs"
			exits 2
			says "$P: $docs:1: $strict"
		done
		printf 'a\ta\t0\n' >pairs
		try "shverify --strict --json -d $docs pairs"
		exits 2
		grep -q "ill-formed UTF-8 in document 'a' (--strict)" err
	done
	printf '%s\n' '{"id":"a","text":"\udc00\ud800\ud800 \ud800x \uD800\u0041"}' >more.jsonl
	try 'shtok -n 1 --json more.jsonl'
	exits 0
	says "shtok: 5 ill-formed UTF-8 sequences replaced (--strict makes them errors)"
}

@test "--json: half of a surrogate pair in an id is refused, because ids are never changed" {
	printf '%s\n' '{"id":"a\ud800","text":"one"}' >half.jsonl
	for P in shtok shfp shdedup; do
		try "$P --json half.jsonl"
		exits 2
		says "$P: half.jsonl:1: half a surrogate pair in the id: UTF-8 cannot encode it"
	done
	try 'shdoc --rejects bad half.jsonl'
	exits 0
	gives
	same half.jsonl bad
}

@test "--json: an array, or an object on several lines, gives a message that names jq" {
	printf '[{"id":1,"text":"a"}]\n' >in
	try 'shfp --json in'
	exits 2
	says "shfp: in:1: JSON: byte 1: expected {, not an array (jq -c '.[]' makes lines of its objects)"
	printf '{"id":1,\n"text":"a"}\n' >in
	try 'shtok -n 1 --json in'
	exits 2
	says 'shtok: in:1: JSON: the line ends, expected a string (jq -c . makes each object one line)'
}

@test "--json: -f finds fields in objects and arrays by a path or an RFC 6901 pointer" {
	cat >nested <<-'END'
	{"meta":{"id":8,"a.b":"dotted","tags":["x",{"t":"deep"}]},"body":{"text":"one two","x/y":"slash","m~n":"tilde"},"":"empty"}
	END
	reads() {
		try "shtok -n 1 --json -f '$1' nested | cut -f 1,2 | tr '\t\n' ': '"
		exits 0
		[ "$(<out)" = "$2" ] || { echo "$1: $(<out)"; return 1; }
	}
	reads meta.id,body.text '8:one 8:two '
	reads /meta/id,/body/text '8:one 8:two '
	reads meta.tags.0,meta.tags.1.t 'x:deep '
	reads /meta/tags/0,/meta/tags/1/t 'x:deep '
	reads /meta/a.b,/body/x~1y 'dotted:slash '
	reads /body/m~0n,/ 'tilde:empty '
	try 'shdedup -q --json -f meta.id,body.text --mark m nested | tail -c 11'
	gives ',"m":null}'
	# A field with the whole name precedes a path. The last of several fields of one name counts.
	printf '%s\n' '{"id":1,"a":{"b":"path"},"a.b":"name"}' '{"id":2,"a":{"b":"first"},"a":{"b":"x","b":"last"}}' >nested
	reads id,a.b '1:name 2:last '
	for bad in '/~2,text' 'id,/a~'; do
		try "shtok -n 1 --json -f '$bad' nested"
		exits 2
		grep -q "expected ~0 for a tilde and ~1 for a slash in a pointer" err
	done
}

@test "--json: a pointer finds the value that Python finds, in random objects" {
	python3 - >cases <<-'END'
	import json, random
	random.seed(5)
	NAMES = ["a", "b", "c.d", "e/f", "g~h", "0", "1", "", 'q"', "é"]
	def value(depth):
	    kind = random.random()
	    if depth == 0 or kind < .3:
	        return random.choice(["w%d" % random.randrange(99), 17, None, True, "x\n\\y"])
	    if kind < .5:
	        return [value(depth - 1) for _ in range(random.randrange(4))]
	    return {random.choice(NAMES): value(depth - 1) for _ in range(random.randrange(5))}
	def walk(v, path):
	    yield path, v
	    for k, w in (v.items() if isinstance(v, dict) else enumerate(v) if isinstance(v, list) else []):
	        yield from walk(w, path + "/" + str(k).replace("~", "~0").replace("/", "~1"))
	n = 0
	while n < 150:
	    v = value(4)
	    if not isinstance(v, dict):
	        continue
	    found = [(p, w) for p, w in walk(v, "") if p and isinstance(w, str) and "," not in p and w.startswith("w")]
	    if not found:
	        continue
	    path, text = random.choice(found)
	    v["id"] = "i"
	    print(path, text, json.dumps(v, ensure_ascii=random.random() < .5), sep="\t")
	    n += 1
	END
	while IFS=$'\t' read -r path text object; do
		printf '%s\n' "$object" >object
		got=$(shtok -n 1 --json -f "id,$path" object | cut -f 2)
		[ "$got" = "$text" ] || { echo "$path: '$got', expected '$text' in $object"; return 1; }
	done <cases
}

@test "--json: an array of strings is a text of paragraphs, and messages name the fields of the object" {
	printf '%s\n' '{"id":1,"text":["one two", "", "thr\u0065e"]}' '{"id":2,"text":[]}' >docs
	try 'shtok -n 1 --json docs'
	exits 0
	gives '1\tone\t1' '1\ttwo\t1' '1\tthree\t1' '2\t\t0'
	printf '1\tone two\\n\\n\\n\\nthree\n' >plain
	shseed -n 2 --window 1 plain | cut -f 1 >expected
	head -n 1 docs | shseed -n 2 --window 1 --json - | cut -f 1 >out
	same expected out
	try "echo '{\"id\":1,\"text\":[\"a\",2]}' | shtok -n 1 --json"
	exits 2
	says 'shtok: -:1: JSON: field "text" is an array, and not all its items are strings (text.*.NAME names a field of each item; --rejects FILE collects such lines)'
	try "echo '{\"id\":1,\"content\":{\"body\":\"x\",\"n\":2}}' | shtok -n 1 --json"
	says 'shtok: -:1: JSON: no field "text", there are "id", "content" (-f ID,TEXT names the two)'
	try "echo '{\"id\":1,\"content\":{\"body\":\"x\",\"n\":2}}' | shtok -n 1 --json -f id,content.text"
	says 'shtok: -:1: JSON: no field "content.text", there are "body", "n" (-f ID,TEXT names the two)'
	try "echo '{}' | shtok -n 1 --json"
	says 'shtok: -:1: JSON: no field "id" (-f ID,TEXT names the two; -l numbers the lines)'
	python3 -c 'import json; print(json.dumps({"field%d" % i: i for i in range(500)}))' >many
	try 'shtok -n 1 --json many'
	exits 2
	grep -q 'no field "id", there are "field0", .*, \.\.\. (-f' err
}

@test "-f with several text fields joins them by blanks, in TSV, JSON, CSV and with --header" {
	printf 'id\ttitle\tyear\tauthors\n1\tOne two\t1999\tA. Smith\n2\tThree\\nfour\t2000\tB, C\n' >header
	tail -n +2 header >docs
	printf '1\tOne two A. Smith\n2\tThree\\nfour B, C\n' >joined
	printf 'id,title,year,authors\n1,One two,1999,A. Smith\n2,"Three\nfour",2000,"B, C"\n' >csv
	printf '%s\n' '{"id":1,"title":"One two","x":{"authors":"A. Smith"}}' '{"id":"2","title":"Three\nfour","x":{"authors":"\u0042, C"}}' >json
	for o in '' '-n 3' '-u char -n 2'; do
		shtok -n 1 $o joined >expected
		for form in '-f 1,2,4 docs' '--header -f id,title,authors header' '--csv -f id,title,authors csv' '--json -f id,title,x.authors json'; do
			try "shtok -n 1 $o $form"
			exits 0
			same expected out
			shfp -n 3 joined >fps
			try "shfp -n 3 $form"
			same fps out
		done
	done
	shtok -n 1 -f 1,4,3,2 docs | cut -f 2 | paste -s -d ' ' >order
	[ "$(cat order)" = 'a smith 1999 one two b c 2000 three four' ]
}

@test "-f with several text fields: shdedup and shverify compare all of them" {
	seq 30 | awk '{ print "a" $1 "\ttitle " $1 % 3 " of a work on many things\tx\tauthor " $1 % 5 " and others of this place" }' >docs
	awk -F '\t' '{ print $1 "\t" $2 " " $4 }' docs >joined
	shdedup --dry-run --report - -q joined >expected
	[ "$(wc -l <expected)" -gt 10 ]
	try 'shdedup --dry-run --report - -q -f 1,2,4 docs'
	exits 0
	same expected out
	try 'shdedup -q -f 1,2,4 docs | cut -f 1'
	shdedup -q joined | cut -f 1 >ids
	same ids out
	try "shverify -f 1,2,4 -d docs <(printf 'a1\ta2\t0\na1\ta16\t0\n')"
	exits 0
	shverify -d joined <(printf 'a1\ta2\t0\na1\ta16\t0\n') >expected
	same expected out
	sharchive init arch
	try 'shdedup -q -a arch -f 1,2,4 docs | cut -f 1'
	exits 0
	same ids out
}

@test "-f with several text fields is refused by programs that write places; the same field twice is refused" {
	printf 'a\tb\tc\n' >docs
	for p in shseed shspan 'shcut -d docs'; do
		try "$p -f 1,2,3 docs"
		exits 2
		head -n 1 err | grep -qx "${p%% *}: -f: expected one field of text: passages are places in one field"
	done
	for f in 1,2,2 1,2,1 1,2,0 1,2,1025; do
		try "shtok -n 1 -f $f docs"
		exits 2
		head -n 1 err | grep -qx "shtok: -f: fields '$f': expected different numbers from 1 to 1024"
	done
	for f in '1,2,' 1,2,x 1,,2; do
		try "shtok -n 1 -f $f docs"
		exits 2
		head -n 1 err | grep -qx "shtok: -f: fields '$f': expected two field numbers ID,TEXT, as in 1,3 (names need --json, --csv or --header)"
	done
	try "shtok -n 1 -f $(seq -s , 18) docs"
	exits 2
	grep -q 'at most 16 fields of text' err
	try 'shtok -n 1 -f 1,2,4 docs'
	exits 2
	grep -q '^shtok: docs:1: 3 fields, expected at least 4 (-f)' err
	try "shtok -n 1 --json -f id,text,no <<<'{\"id\":1,\"text\":\"x\"}'"
	exits 2
	grep -q 'no field "no"' err
	try 'printf "id,text\n1,x\n" | shtok -n 1 --csv -f id,text,no'
	exits 2
	try "shtok -n 1 --json -f id,a,a docs"
	exits 2
}
