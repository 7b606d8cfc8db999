#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shdoc: makes documents of files.

load helper

# needs WHAT...: skips the test when this build lacks the library for WHAT.
needs() {
	! shdoc --help | grep -q "without.*$1" || skip "a build without $1"
}

# charset NAME: skips the test when iconv(3) has no tables of this charset, as in programs linked statically.
charset() {
	printf '' | shdoc --from-charset "$1" >scrap 2>&1 || skip "iconv does not know $1"
	rm -f scrap
}

@test "a text file becomes a document: the id is its name, line ends become \n, the end of the text has none" {
	printf 'one\r\n\ttwo\\three\rfour \n\n' >a.txt
	try 'shdoc a.txt'
	exits 0
	says
	gives 'a.txt\tone\\n\\ttwo\\\\three\\nfour'
	try 'shdoc < a.txt'
	gives '-\tone\\n\\ttwo\\\\three\\nfour'
	try 'shdoc --format text a.txt - < /dev/null'
	gives 'a.txt\tone\\n\\ttwo\\\\three\\nfour' '-\t'
}

@test "a folder's files are read in the bytewise order of paths, and ids are paths below the folder" {
	mkdir -p f/b f/.hidden f/empty
	for file in f/b-c f/b/x f/b/.y f/b.d f/B f/.hidden/z f/é; do echo "$file" >"$file"; done
	try 'shdoc f/'
	exits 0
	(cd f && find . -type f | sed 's/^..//' | sort | awk '{ print $0 "\tf/" $0 }') >expected
	same expected out
	try 'shdoc f/b f f/B'
	exits 0
	(printf '%s\tf/b/%s\n' .y .y x x; cat expected; printf 'f/B\tf/B\n') >both
	same both out
	says
}

@test "symbolic links in folders are counted and not followed; --follow follows them, without circles" {
	mkdir f other
	echo a >f/a
	echo b >other/b
	ln -s a f/to-file
	ln -s ../other f/to-folder
	ln -s .. f/circle
	mkfifo f/fifo
	try 'shdoc f'
	exits 0
	gives 'a\ta'
	says 'shdoc: 3 symbolic links not followed (--follow)' 'shdoc: 1 special file left out'
	rm f/circle
	ln -s . f/circle
	try 'shdoc --follow f'
	exits 0
	gives 'a\ta' 'to-file\ta' 'to-folder/b\tb'
	says 'shdoc: 1 symbolic link not followed to folders that were read before' 'shdoc: 1 special file left out'
	ln -s gone other/gone
	mkfifo other/fifo
	try 'shdoc f other'
	exits 0
	gives 'a\ta' 'b\tb'
	says 'shdoc: 4 symbolic links not followed (--follow)' 'shdoc: 2 special files left out'
	ln -s f link # a link as operand is followed
	try 'shdoc link 2>/dev/null'
	gives 'a\ta'
}

@test "--follow reads each folder once, and leaves temporary files of outputs out" {
	mkdir -p f/a f/b other
	echo x >other/x
	ln -s ../../other f/a/link
	ln -s ../../other f/b/link
	echo own >f/.own.config
	echo part >f/.out.tsv.aB3dEf
	try 'shdoc --follow f'
	exits 0
	gives '.own.config\town' 'a/link/x\tx'
	says 'shdoc: 1 symbolic link not followed to folders that were read before' \
		'shdoc: 1 temporary file (.NAME.XXXXXX) left out'
}

@test "a file that becomes a FIFO or a link while its folder is read is left out, without waiting" {
	command -v strace >/dev/null || skip 'no strace'
	mkdir f
	for i in 1 2 3; do echo $i >f/$i; done
	echo secret >secret
	# strace delays the program after it has listed the folder, and the test replaces entries meanwhile.
	# The leak checker does not work under strace.
	local pid
	ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 strace -f -o trace -e trace=getdents64 -e inject=getdents64:delay_exit=3000000:when=2 shdoc f >out 2>err &
	pid=$!
	sleep 1.5
	rm f/2 f/3
	mkfifo f/2
	ln -s ../secret f/3
	wait $pid
	gives '1\t1'
	says 'shdoc: 1 symbolic link not followed (--follow)' 'shdoc: 1 special file left out'
}

@test "an unreadable file gives a message and status 2, and other files are read" {
	mkdir f f/closed
	echo a >f/a
	echo z >f/z
	ln -s nowhere f/dangling
	try 'shdoc --follow f missing f/a'
	exits 2
	gives 'a\ta' 'z\tz' 'f/a\ta'
	says 'shdoc: f/dangling: cannot open the file: No such file or directory' \
	    'shdoc: missing: cannot open the file: No such file or directory' \
	    'shdoc: 2 files or folders could not be read'
	[ "$(id -u)" -ne 0 ] || skip 'root reads all'
	chmod 0 f/closed f/a
	try 'shdoc f'
	chmod 700 f/closed f/a
	exits 2
	gives 'z\tz'
	says 'shdoc: f/a: cannot open the file: Permission denied' \
	    'shdoc: f/closed/: cannot open the folder: Permission denied' \
	    'shdoc: 1 symbolic link not followed (--follow)' \
	    'shdoc: 2 files or folders could not be read'
}

@test "compressed files are recognised by their first bytes" {
	echo text >plain
	for with in gzip zstd bzip2 xz lz4; do
		command -v $with >/dev/null || continue
		$with -c <plain >packed
		try 'shdoc packed'
		exits 0
		gives 'packed\ttext'
		try 'cat packed | shdoc' # a pipe cannot seek back
		exits 0
		gives '-\ttext'
		gzip -c <packed >twice
		try 'shdoc - <twice'
		gives '-\ttext'
		try 'cat twice | shdoc'
		gives '-\ttext'
	done
	(gzip -c plain; gzip -c plain) >members
	try 'shdoc members'
	gives 'members\ttext\\ntext'
	echo 'BZh, he said' >plain
	try 'shdoc plain'
	gives 'plain\tBZh, he said'
}

@test "a compressed file that is cut short gives a message with its name, and the next file is read" {
	seq 100000 | awk '{ print "{\"id\":" $1 ",\"text\":\"t\"}" }' >lines
	for with in gzip zstd bzip2 xz lz4; do
		command -v $with >/dev/null || continue
		$with -c <lines | head -c 30000 >cut
		try 'shdoc cut lines'
		exits 2
		grep -q "^shdoc: cut: the $with data are cut short; the file was not read to its end" err
		tail -n 100000 out >rest
		seq 100000 | sed 's/$/\tt/' >expected
		same expected rest # the next file
		try 'cat cut | shdoc --format jsonl'
		exits 2
		grep -q "^shdoc: -: the $with data are cut short" err
	done
}

@test "JSONL: decodes escapes and surrogates, keeps numbers as written; -f names the fields" {
	cat >in <<-'END'
		{"text":"a\tb\\\"\u00e9\ud83d\ude00\ud800","id":"x"}

		{"id":1e3,"text":"","more":[{}]}
		{"id":"crlf","text":"a\r\nb\n"}
	END
	try 'shdoc in'
	exits 0
	says 'shdoc: 1 ill-formed sequence replaced by U+FFFD'
	gives 'x\ta\\tb\\\\"é😀\xef\xbf\xbd' '1e3\t' 'crlf\ta\\r\\nb\\n'
	try 'shdoc -f more,id in'
	exits 2
	says 'shdoc: in:1: JSON: no field "more", there are "text", "id" (-f ID,TEXT names the two; -l numbers the lines)'
	echo '{"url":"u","body":"b"}' >in
	try 'shdoc -f url,body in'
	gives 'u\tb'
}

@test "JSON without ids: -l makes ids FILE#NUMBER" {
	mkdir f
	printf '%s\n' '{"text":"a"}' '' '{"text":"b","id":7}' '{"no":1}' '{"text":"c"}' | gzip >f/lines.gz
	printf '[{"text":"d"},\n{"no":1}, {"text":"e"}]' >f/array
	printf 'plain' >f/text
	try 'shdoc -l --rejects bad f'
	exits 0
	gives 'array#1\td' 'array#3\te' 'lines.gz#1\ta' 'lines.gz#3\tb' 'lines.gz#5\tc' 'text\tplain'
	printf '{"no":1}\n{"no":1}\n' | cmp - bad
	try 'printf "{\"body\":\"x\"}" | shdoc -l -f body'
	exits 0
	gives '-#1\tx'
	try 'printf "{\"a\":\"x\",\"b\":\"y\"}" | shdoc -l -f a,b'
	exits 0
	gives '-#1\tx y'
}

@test "a bad JSON line ends the program; --rejects writes it to a file and reads on" {
	printf '%s\n' '{"id":1,"text":"a"}' '{"id":2,"text":}' '{"id":"a\tb","text":""}' '{"id":4,"text":"d"}' >in.jsonl
	try 'shdoc in.jsonl'
	exits 2
	gives '1\ta'
	says 'shdoc: in.jsonl:2: JSON: byte 16: expected a value'
	try 'shdoc --rejects bad in.jsonl'
	exits 0
	gives '1\ta' '4\td'
	says 'shdoc: 2 records rejected, see bad'
	sed -n 2,3p in.jsonl >expected
	same expected bad
}

# arrays SEED: writes random documents to in.jsonl, and as one array with random white space to in.json.
arrays() {
	python3 - "$1" <<-'END'
		import json, random, sys
		r = random.Random(int(sys.argv[1]))
		blank = lambda: "".join(r.choice(" \t\r\n") for _ in range(r.choice([0, 0, 1, 3])))
		def value(depth):
		    kind = r.randrange(6 if depth < 4 else 3)
		    if kind == 3:
		        return [value(depth + 1) for _ in range(r.randrange(3))]
		    if kind > 3:
		        return {string(): value(depth + 1) for _ in range(r.randrange(3))}
		    return [string(), r.randrange(100), None][kind]
		string = lambda: "".join(r.choice('ab"\\\\[]{},: \té水') for _ in range(r.randrange(8)))
		docs = []
		for i in range(r.randrange(60)):
		    fields = [("id", "d%d" % i), ("text", string()), ("more", value(0)), ("x" * r.randrange(9), value(0))]
		    r.shuffle(fields)
		    docs.append(dict(fields))
		if docs and r.random() < 0.3:
		    r.choice(docs)["text"] += "long " * 40000
		texts = [json.dumps(d, ensure_ascii=r.random() < 0.5, indent=r.choice([None, 0, 2])) for d in docs]
		lines = [json.dumps(d) + "\n" for d in docs]
		open("in.jsonl", "w").writelines(lines)
		body = ",".join(blank() + t + blank() for t in texts)
		open("in.json", "w").write(blank() + "[" + (body or blank()) + "]" + blank())
	END
}

@test "a JSON array of objects gives the documents of the same objects in lines" {
	for seed in $(seq "$(fewer 20 6)"); do
		arrays "$seed"
		shdoc --format jsonl in.jsonl >expected
		try 'shdoc --format jsonl in.json'
		exits 0
		same expected out
		says
		if [ -s in.jsonl ]; then
			try 'gzip <in.json | shdoc'
			exits 0
			same expected out
		fi
		# An array that is cut anywhere is an error, after its whole objects are written.
		head -c $((seed * 7919 % ($(tr -d '\n ' <in.json | wc -c)))) in.json >cut
		try 'shdoc --format jsonl cut'
		[ ! -s cut ] || exits 2
		head -n "$(wc -l <out)" expected | cmp - out
	done
}

@test "an error in a JSON array names the line; --rejects collects bad objects" {
	printf '[\n{"id":1,\n"text":"a"},\n{"id":2},{"id":3,"text":"c"}]\n' >in.json
	try 'shdoc in.json'
	exits 2
	gives '1\ta'
	says 'shdoc: in.json:4: JSON: no field "text", there are "id" (-f ID,TEXT names the two)'
	try 'shdoc --rejects bad in.json'
	exits 0
	gives '1\ta' '3\tc'
	echo '{"id":2}' >expected
	same expected bad
	refuses() {
		printf "$1" >in.json
		try 'shdoc --format jsonl in.json'
		exits 2
		says "shdoc: in.json:$2" 'shdoc: 1 file or folder could not be read'
	}
	refuses '[' '1: the file ends within its JSON array, expected an object: it is cut short'
	refuses '[\n1]' '2: JSON array: expected an object'
	refuses '[\0]' '1: JSON array: expected an object'
	refuses '[{"id":1,"text":""}' '1: the file ends within its JSON array, expected a comma or ]: it is cut short'
	refuses '[{"id":1,"text":""},]' '1: JSON array: expected an object'
	refuses '[{"id":1,"text":""}{' '1: JSON array: expected a comma or ]'
	refuses '[{"id":1,"text":""}]\n]' '2: JSON array: expected nothing behind it'
	refuses '[{"id":1,"text":""},\n{"a":"]}' \
		'2: the file ends within its JSON array, expected the end of an object: it is cut short'
	printf '[{"id":1,"text":""},{"id":2,"text":"%05000d"}]' 0 >in.json
	try 'shdoc --max-size 1K in.json'
	exits 2
	gives '1\t'
	says 'shdoc: in.json:1: an object of the JSON array is longer than 1024 bytes (--max-size SIZE allows more)' \
		'shdoc: 1 file or folder could not be read'
}

@test "CSV, TSV and arrays of other objects become one text each, with a warning that names the remedy" {
	printf 'id,text\n1,a\n' | tee a.csv >B.CSV
	gzip <a.csv >c.csv.gz
	printf '1\ta\n' >d.tsv
	printf '[{"url":"u","body":"b"}]' >e.json
	: >empty.csv
	try 'shdoc *.*'
	exits 0
	[ "$(cut -f 1 out | paste -sd ' ')" = 'B.CSV a.csv c.csv.gz d.tsv e.json empty.csv' ]
	says 'shdoc: 3 files taken for one text each: CSV (a document a row: other programs read it as it is, with --csv)' \
		'shdoc: 1 file taken for one text: TSV (a document a row: other programs read it as it is, with -f ID,TEXT the numbers of columns, or with --header)' \
		'shdoc: 1 file taken for one text: a JSON array whose first object lacks the fields of a document (-f ID,TEXT names the two)'
	try 'shdoc --format text a.csv e.json'
	exits 0
	says
	try 'shdoc -f url,body e.json'
	gives 'u\tb'
	printf '[1, {"id":1,"text":"a"}]' >list
	try 'shdoc list'
	gives 'list\t[1, {"id":1,"text":"a"}]'
	says
}

@test "--max-size: a larger record is a bad record, in JSONL and in plain text" {
	big=$(printf '%05000d' 0)
	printf '{"id":1,"text":"a"}\n{"id":2,"text":"%s"}\n{"id":3,"text":"c"}' "$big" >in.jsonl
	echo "$big" >in.txt
	try 'shdoc --max-size 1K --rejects bad in.jsonl in.txt'
	exits 0
	gives '1\ta' '3\tc'
	(sed -n 2p in.jsonl | head -c 1024; echo; echo in.txt) >expected
	same expected bad
	try 'shdoc --max-size 1K in.txt'
	exits 2
	says 'shdoc: in.txt: the file is larger than 1024 bytes (--max-size SIZE allows more)'
	try 'shdoc --max-size 5001 in.txt'
	exits 0
	try 'shdoc --max-size 5000 in.txt' # with its line end
	exits 2
	try 'shdoc --max-size 1000M in.txt'
	exits 0
	try 'shdoc --max-size 1048576001 in.txt'
	exits 2
	says "shdoc: --max-size '1048576001': at most 1000M" "Try 'shdoc --help' or 'man shdoc'."
}

@test "HTML becomes its visible text, and each block element ends a line" {
	needs HTML
	cat >a.html <<-'END'
		<!DOCTYPE html><html><head><title>T</title><meta name=x content=y><style>p{}</style></head>
		<body><script>var s = "<p>no";</script><noscript>no</noscript><template>no</template>
		<div><div><section><h1>Head</h1>one <b>b</b>old
		  <i>word</i><p>two<ul><li>three<li>four</ul></section></div>five</div>
		<table><tr><th>a<th>b<tr><td>c<td>d</table>&eacute;&#x4e2d;&lt;&nbsp;&amp;amp;<br>six
		<p hidden>no<b>no</b></p><span style="COLOR:red;display : none">no<p>no</p></span>
		<p style="background:none;visibility:hidden">no</p><pre>a
		  b</pre>
		END
	try 'shdoc a.html'
	exits 0
	gives 'a.html\tHead\\none bold word\\ntwo\\nthree\\nfour\\nfive\\na b\\nc d\\né中<\xc2\xa0&amp;\\nsix\\na\\n  b'
}

@test "HTML with 10,000 nested elements keeps its text" {
	needs HTML
	awk 'BEGIN { for (i = 0; i < 5000; i++) printf "<div>%d<span>", i; print "end" }' >deep.html
	try 'shdoc deep.html'
	exits 0
	awk 'BEGIN { printf "deep.html\t"; for (i = 0; i < 5000; i++) printf "%s%d", i ? "\\n" : "", i; print "end" }' >expected
	cmp expected out
}

@test "HTML in a build without libxml2 is refused with a message that names libxml2" {
	shdoc --help | grep -q 'without.*libxml2' || skip 'this build has it'
	echo '<html>x' >a.html
	try 'shdoc a.html'
	exits 2
	says 'shdoc: a.html: HTML: built without libxml2 (install libxml2-dev and build again; --format text takes it as it is)'
	try 'shdoc --format text a.html'
	gives 'a.html\t<html>x'
}

@test "a message says for each charset whether a byte order mark, a declaration, an option or a guess gave it" {
	charset UTF-16LE
	charset WINDOWS-1251
	printf '\xff\xfeh\0\xe9\0' >utf-16
	printf '\xef\xbb\xbfmark' >utf-8
	printf 'caf\xe9, d\xe9j\xe0 vu: no\xebl, \xe7a va, fran\xe7ais, l\x27\xe9t\xe9, o\xf9, tr\xe8s' >latin
	try 'shdoc utf-16 utf-8 latin'
	exits 0
	gives 'utf-16\thé' 'utf-8\tmark' "latin\tcafé, déjà vu: noël, ça va, français, l'été, où, très"
	grep -q '^shdoc: 1 text taken for UTF-16LE (by its byte order mark)$' err
	grep -qE '^shdoc: 1 text taken for (WINDOWS-1252|ISO-8859-15?) \((detected|assumed)\)$' err
	printf '\xcf\xf0\xe8\xe2\xe5\xf2' >cyrillic
	try 'shdoc --from-charset windows-1251 cyrillic'
	gives 'cyrillic\tПривет'
	says 'shdoc: 1 text taken for WINDOWS-1251 (--from-charset)'
	try 'shdoc --from-charset no-such cyrillic'
	exits 2
	grep -q "^shdoc: --from-charset 'no-such': iconv does not know it" err
	# labels without a letter or digit
	try 'timeout 60 shdoc --from-charset % cyrillic'
	exits 2
	grep -q "^shdoc: --from-charset '%': iconv does not know it" err
	printf '<meta charset="_"><p>caf\303\251' >page.html
	try 'timeout 60 shdoc page.html'
	gives 'page.html\tcafé'
}

@test "HTML is decoded by its declared charset, unless the bytes contradict it" {
	needs HTML
	charset WINDOWS-1251
	printf '<html><meta charset="windows-1251"><p>\xcf\xf0\xe8\xe2\xe5\xf2' >a.html
	printf '<html><!-- <meta charset=koi8-r> --><meta http-equiv=Content-Type content="text/html; charset=windows-1251"><p>\xcf\xf0\xe8\xe2\xe5\xf2' >b.html
	printf '<html><meta charset=utf-8><p>\xd0\x9f \xff \xd0\x9f \xd0\x9f' >c.html
	printf '<html><meta charset=no-such-charset><p>\xd0\x9f' >d.html
	try 'shdoc a.html b.html c.html d.html'
	exits 0
	gives 'a.html\tПривет' 'b.html\tПривет' 'c.html\tП \xef\xbf\xbd П П' 'd.html\tП'
	says 'shdoc: 2 texts taken for WINDOWS-1251 (declared)' \
	    "shdoc: 1 text taken for UTF-8 (well-formed; the declared charset 'no-such-charset' is unknown)" \
	    'shdoc: 1 ill-formed sequence replaced by U+FFFD'
}

@test "files that are not text are left out and counted by kind, with the command that converts them" {
	mkdir f
	head -c 4000 "$(command -v cat)" >f/program
	printf '%%PDF-1.4 and text' >f/pdf
	printf 'PK\3\4....................  \23\0..[Content_Types].xml' >f/docx
	printf 'PK\3\4......................\10\0..mimetypeapplication/epub+zip' >f/epub
	printf '\320\317\021\340\241\261\032\341\0' >f/doc
	printf '{\\rtf1\\ansi text}' >f/rtf
	echo text >f/text
	: >f/empty
	try 'shdoc f'
	exits 0
	gives 'empty\t' 'text\ttext'
	says 'shdoc: f/doc: left out: old office document (soffice --convert-to txt)' \
	    'shdoc: f/docx: left out: office document or e-book (convert it with pandoc -t plain)' \
	    'shdoc: f/epub: left out: office document or e-book (convert it with pandoc -t plain)' \
	    'shdoc: f/pdf: left out: PDF (convert it with pdftotext)' \
	    'shdoc: f/program: left out: a program (it holds no text)' \
	    'shdoc: f/rtf: left out: RTF (convert it with pandoc -t plain)' \
	    'shdoc: left out: old office document (soffice --convert-to txt): 1' \
	    'shdoc: left out: office document or e-book (convert it with pandoc -t plain): 2' \
	    'shdoc: left out: PDF (convert it with pdftotext): 1' \
	    'shdoc: left out: a program (it holds no text): 1' \
	    'shdoc: left out: RTF (convert it with pandoc -t plain): 1'
	try 'shdoc --verbose f'
	grep -qx 'shdoc: f/pdf: left out: PDF (convert it with pdftotext)' err
}

@test "repeated ids are kept and counted; ids with a TAB or LF are refused" {
	mkdir a b
	echo 1 >a/x
	echo 2 >b/x
	try 'shdoc a b'
	exits 0
	gives 'x\t1' 'x\t2'
	says 'shdoc: 1 repeated id: other programs need distinct ids (shdoc of the folder above them makes them differ)'
	cp a/x x
	try 'shdoc x x'
	says 'shdoc: 1 repeated id: other programs need distinct ids'
	mkdir c
	echo 4 >c/y
	try 'shdoc a b b c'
	says 'shdoc: 2 repeated ids: other programs need distinct ids (shdoc of the folder above them makes them differ)'
	echo 3 >a/$'tab\tname'
	try 'shdoc a'
	exits 2
	says $'shdoc: a/tab\tname: tab or line feed in the id: a record cannot contain it (rename the file, or --rejects FILE collects such records)'
	try 'shdoc --rejects bad a'
	exits 0
	gives 'x\t1'
	printf 'a/tab\tname\n' | cmp - bad
}

@test "--trailer writes a trailer; --trailer=in is refused" {
	echo a >a
	try 'shdoc --trailer a | shfp --trailer=in'
	exits 0
	try 'shdoc --trailer=in a'
	exits 2
	gives
}

@test "--trailer writes no trailer when a file could not be read" {
	echo a >a
	seq 1000 | gzip | head -c 1000 >cut.gz
	try 'shdoc --trailer a cut.gz a'
	exits 2
	gives 'a\ta' 'a\ta'
	try 'shdoc --trailer a cut.gz | shfp --trailer=in -o a.fp'
	exits 2
	grep -q '^shfp: -: no trailer' err
	[ ! -e a.fp ]
	try 'shdoc --trailer missing a'
	gives 'a\ta'
}

@test "shdoc FOLDER | shdedup keeps the documents that shdedup keeps of the same records" {
	mkdir f
	(cd f && awk -F '\t' 'NR <= 60 { gsub(/\\n/, "\n", $2); gsub(/\\t/, "\t", $2); print $2 > $1; close($1) }' "$T_DATA/en_dev.tsv")
	try 'shdoc f | shdedup -T 0.8'
	exits 0
	head -n 60 "$T_DATA/en_dev.tsv" | sort >records
	shdedup -T 0.8 records 2>/dev/null | cut -f 1 >expected
	cut -f 1 out >got
	same expected got
	[ "$(wc -l <got)" -lt 60 ]
}

# oracle WHAT SEED N: makes N random files and, in expected.tsv, the documents that Python's libraries read from them.
oracle() {
	local flags=()
	! shdoc --help | grep -q 'without.*HTML' || flags+=(no-html)
	! (printf '' | shdoc --from-charset GB18030) >scrap 2>&1 && flags+=(no-charsets)
	shdoc --help | grep -q 'without.*zlib' || flags+=(zlib)
	python3 "$BATS_TEST_DIRNAME/shdoc-oracle.py" "$@" "${flags[@]}"
	[ "$(wc -l <expected.tsv)" -gt 20 ]
}

@test "mail: gives the texts of Python's mailbox and email, and prefers plain text" {
	for seed in $(fewer '1 2 3' 1); do
		mkdir "$seed" && cd "$seed"
		oracle mail $seed 50
		try 'shdoc mail.mbox'
		exits 0
		same expected.tsv out
		cd ..
	done
}

@test "WARC: decodes chunks, content codings and charsets, also with one gzip member a record" {
	for seed in $(fewer '1 2 3' 1); do
		mkdir "$seed" && cd "$seed"
		oracle http $seed 80
		try 'shdoc pages.warc'
		exits 0
		same expected.tsv out
		try 'shdoc pages.warc.gz'
		same expected.tsv out
		cd ..
	done
}

@test "HTML: every character reference gives the character that Python gives" {
	needs HTML
	cat >make.py <<-'END'
	from html import unescape
	from html.entities import html5
	references = ["&" + name for name in sorted(html5)]
	blank = {ord("\n"): " ", ord("\t"): " "}
	print(*("<p>[%s]" % r for r in references), file=open("page.html", "w"))
	print(*("[%s]" % unescape(r).translate(blank) for r in references), sep="\n",
	      file=open("expected", "w", encoding="utf-8"))
	END
	python3 make.py
	[ "$(wc -l <expected)" = 2231 ]
	shdoc page.html | cut -f 2 | sed 's/\\n/\n/g; s/\\\\/\\/g' >text
	cmp expected text
}

@test "HTML: gives the text of Python's html.parser" {
	needs HTML
	oracle html 1 60
	try 'shdoc html'
	exits 0
	same expected.tsv out
}

# message ID BODY: prints a message as it stands in an mbox file. Each two arguments are one message.
message() {
	printf 'From a@b Sat Nov 21 10:00:00 2026\nMessage-ID: <%s>\n\n%b\n\n' "$@"
}

@test "mbox: a message begins at a 'From ' line with a time after an empty line; quoting is removed" {
	(message 1 'one\nFrom a@b Sat Nov 21 10:00:00 2026\n\nFrom here on\n>From x\n>>From y\n>Fromage\nContent-Length: 9'
	    message 2 two) >box
	try 'shdoc box'
	exits 0
	gives '1\tone\\nFrom a@b Sat Nov 21 10:00:00 2026\\n\\nFrom here on\\nFrom x\\n>From y\\n>Fromage\\nContent-Length: 9' \
	    '2\ttwo'
	sed 's/$/\r/' box >dos
	cp out expected
	try 'shdoc dos'
	same expected out
}

@test "mail: a single message, one without an id, one without a header and one without text are read" {
	printf 'From: a\nTo: b\nSubject: c\n\ntext\n' >cur:2,S
	printf 'Content-Type: image/png\n\nabc' >picture.eml
	printf 'no field here\n\nat all\n' >body.eml
	try 'shdoc cur:2,S picture.eml body.eml'
	exits 0
	gives 'cur:2,S#1\ttext' 'picture.eml#1\t' 'body.eml#1\tno field here\\n\\nat all'
	says 'shdoc: left out: mail part image/png: 1'
}

@test "mail: a message that is too large or nested too deep is a bad record, and --rejects keeps its bytes" {
	deep=$(for i in $(seq 70); do printf 'Content-Type: message/rfc822\n\n'; done)
	(message 1 one; message 2 "$(printf '%03000d' 0)\n\nFrom x 10:00"; message 3 three) >box
	printf 'From a 10:00\n%s\n\nFrom b 10:00\nMessage-ID: <5>\n\nfive\n' "$deep" >>box
	try 'shdoc --max-size 2500 --rejects bad box'
	exits 0
	gives '1\tone' 'box#3\t' '3\tthree' '5\tfive'
	head -c 2500 bad | grep -q 'Message-ID: <2>'
	try 'shdoc box'
	exits 2
	says 'shdoc: box: message 5: MIME: parts nested deeper than 64'
}

# record TYPE URI BLOCK [FIELD]: prints a record of a WARC file.
record() {
	printf 'WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: %s\r\n%bContent-Length: %d\r\n\r\n' \
	    "$1" "$2" "${4-}" "$(printf '%b' "$3" | wc -c)"
	printf '%b\r\n\r\n' "$3"
}

@test "WARC: a bad page is a bad record; bad framing ends the file, and the next file is read" {
	(record response u1 'HTTP/1.1 200 OK\r\n\r\none'
	    record response u2 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ntwo\r\nx\r\n'
	    record response u3 'no status line'
	    record response u4 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnot chunked after all'
	    record response u5 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nfiv' 'WARC-Truncated: length\r\n') >pages.warc
	try 'shdoc pages.warc'
	exits 2
	gives 'u1\tone'
	grep -q '^shdoc: pages.warc: WARC record at byte [0-9]*, u2: HTTP: byte 9 of the body: expected the size of a chunk$' err
	try 'shdoc --rejects bad.warc pages.warc'
	exits 0
	gives 'u1\tone' 'u4\tnot chunked after all' 'u5\tfiv'
	(record response u2 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\ntwo\r\nx\r\n'
	    record response u3 'no status line') >expected
	same expected bad.warc
	for bytes in 130 180; do # within a header, within a block
		head -c $bytes pages.warc >cut.warc
		try 'shdoc cut.warc pages.warc --rejects bad.warc'
		exits 2
		gives 'u1\tone' 'u1\tone' 'u4\tnot chunked after all' 'u5\tfiv'
		grep -q '^shdoc: cut.warc: WARC: the record at byte [0-9]*: the file ends within i.*; what follows cannot be read$' err
	done
	(record response u1 'HTTP/1.1 200 OK\r\n\r\none' | sed 's/^Content-Length: ../Content-Length: 17/'; cat pages.warc) >wrong.warc
	try 'shdoc wrong.warc'
	exits 2
	gives 'u1\t' 'u1\tone'
	grep -q 'expected WARC/ (perhaps the Content-Length before is wrong)' err
}

@test "WARC: decodes pages in brotli and zstd" {
	printf '\x0b\x02\x80hello\x03' >br
	for coding in br zstd; do
		! shdoc --help | grep -q "without.*${coding/#br/brotli}" || continue
		[ $coding = br ] || { command -v zstd && printf hello | zstd -qc >zstd; } || continue
		(printf 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Encoding: %s\r\n\r\n' $coding; cat $coding) >block
		(printf 'WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: u\r\nContent-Length: %d\r\n\r\n' "$(wc -c <block)"
		    cat block; printf '\r\n\r\n') >a.warc
		try 'shdoc a.warc'
		exits 0
		gives 'u\thello'
	done
}

@test "HTML: a page with 100,000 unmatched end tags is a bad record, because its parsing takes hours" {
	needs HTML
	awk 'BEGIN { printf "<html>x"; for (i = 0; i < 100000; i++) printf "<b>"; for (i = 0; i < 100000; i++) printf "</i>" }' >a.html
	try 'shdoc a.html'
	exits 2
	grep -qx 'shdoc: a.html: HTML: too many unmatched end tags, with 10000[0-9] elements open, to be read in time' err
	echo '<p>b' >b.html
	try 'shdoc --rejects bad a.html b.html -j 2'
	exits 0
	gives 'b.html\tb'
	echo a.html | cmp - bad
}

@test "HTML: 290,000 attributes in one tag are refused in linear time; 110,000 unknown tags are read" {
	needs HTML
	awk 'BEGIN { printf "<html><p>a<b "; for (i = 0; i < 290000; i++) printf "a%x ", i; print ">c" }' >a.html
	try 'ulimit -t 10; shdoc a.html'
	exits 2
	says 'shdoc: a.html: HTML: a tag has more than 2816 attributes'
	awk 'BEGIN { printf "<html><p>a<b "; for (i = 0; i < 2800; i++) printf "a%x ", i; print ">c" }' >a.html
	try 'shdoc a.html'
	exits 0
	gives 'a.html\tac'
	awk 'BEGIN { printf "<div>"; for (i = 0; i < 110000; i++) printf "<x-%d>w", i; print "</div><p>end" }' >b.html
	try 'ulimit -t 10; shdoc b.html | tail -c 10'
	exits 0
	gives 'wwww\\nend'
}

@test "a reader that ends early ends shdoc by SIGPIPE, without a message" {
	seq 300000 | awk '{ print "{\"id\":" $1 ",\"text\":\"some text that is long enough\"}" }' | gzip >in
	try 'shdoc in | head -n 1; [ "${PIPESTATUS[0]}" -eq 141 ]'
	exits 0
	gives '1\tsome text that is long enough'
	says
	try 'shdoc in -o /dev/full'
	exits 2
	grep -q '^shdoc: cannot write to /dev/full: ' err
}

@test "decompression: a wide window, three layers and a bomb are refused with a message" {
	needs zstd
	# zstd writes the window size of --long into a stream of unknown size.
	head -c 1M /dev/zero | zstd -q -1 --long=30 >wide.zst
	try 'shdoc wide.zst'
	exits 2
	grep -qx 'shdoc: wide.zst: the zstd data need a window of more than 128 MiB (zstd -dc --long=31 reads them, SIMHASH_WINDOW=2G raises the limit)' err
	echo a | gzip | gzip | gzip >thrice
	try 'shdoc thrice'
	exits 2
	grep -qx 'shdoc: thrice: compressed more than 2 times' err
	head -c 28M /dev/zero | tr '\0' '\n' | gzip >member
	cat member member member member member member member member member member >bomb.jsonl.gz
	try 'ulimit -t 20; shdoc bomb.jsonl.gz'
	exits 2
	grep -q '^shdoc: bomb.jsonl.gz: decompressed more than 1000 times its size, and more than 256 MiB' err
	rm bomb.jsonl.gz
}

@test "SIMHASH_WINDOW raises and lowers the limit on window memory, in other programs too" {
	needs zstd xz
	seq 200000 | awk '{ print $1 "\ttext of several words" }' >docs
	zstd -q -3 --long=31 <docs >docs.zst
	xz --lzma2=preset=0,dict=192MiB -c docs >docs.xz
	md5sum <docs >expected
	for file in docs.zst docs.xz; do
		try "shcut -d /dev/null $file | md5sum"
		exits 2
		grep -q "need a window of more than 128 MiB (.*SIMHASH_WINDOW=2G raises the limit)$" err
		for size in 2G 4T; do
			try "SIMHASH_WINDOW=$size shcut -d /dev/null $file | md5sum"
			exits 0
			same expected out
		done
	done
	try 'SIMHASH_WINDOW=256M shcut -d /dev/null docs.xz | md5sum'
	exits 0
	try 'SIMHASH_WINDOW=1G shcut -d /dev/null docs.zst | md5sum'
	exits 2
	grep -q 'need a window of more than 1024 MiB' err
	seq 100000 >small
	zstd -q -c --long=20 small >small.zst
	try 'SIMHASH_WINDOW=64K shfp -l small.zst'
	exits 2
	grep -q 'need a window of more than 0 MiB' err
	try 'SIMHASH_WINDOW= shfp -l small.zst'
	exits 0
	for size in x 0 -1 2GG; do
		for p in shfp shtok shband shdoc; do
			try "SIMHASH_WINDOW=$size $p small.zst"
			exits 2
			head -n 1 err | grep -qx "$p: SIMHASH_WINDOW '$size': expected a size such as 2G"
		done
	done
}

@test "--progress counts decompressed bytes, also of blank lines" {
	head -c 20000000 /dev/zero | tr '\0' '\n' | gzip -1 >blank.jsonl.gz
	try 'shdoc --progress blank.jsonl.gz'
	exits 0
	grep -q '20.0 MB' err
}

@test "an output in the folder that is read is left out of the input" {
	mkdir f
	echo a >f/a
	echo old >f/out
	try 'shdoc f -o f/out --rejects f/bad'
	exits 0
	printf 'a\ta\n' | cmp - f/out
	[ "$(grep -c 'left out: the output is written to it$' err)" -ge 1 ]
	# The outputs of an earlier run, which this run replaces, are left out too.
	try 'shdoc f -o f/out --rejects f/bad'
	exits 0
	printf 'a\ta\n' | cmp - f/out
	for name in out bad; do
		grep -qx "shdoc: f/$name: left out: the output is written to it" err
	done
	try 'cd f && shdoc . > now'
	exits 0
	printf 'a\ta\nbad\t\nout\ta\\ta\n' | cmp - f/now
}

@test "the first bytes decide the form of a file; the name decides when the bytes fit several forms" {
	needs HTML
	mkdir f
	printf '<p align=center>x  y</p>\n' | tee f/a.md f/b.html >f/c.txt
	printf '<!DOCTYPE HTML><p>x  y' >f/d.txt
	printf '{"id":"json","text":"x  y"}\n' >f/e.txt
	printf '{\n"id":"json","text":"x  y"}\n' >f/g.json
	printf '{"name":"x  y"}\n' >f/g2.json
	printf 'x  y' >f/h.html
	printf 'WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: u\r\nContent-Length: 4\r\n\r\nx  y\r\n\r\n' >f/i.txt
	try 'shdoc f'
	exits 0
	gives 'a.md\t<p align=center>x  y</p>' 'b.html\tx y' 'c.txt\t<p align=center>x  y</p>' 'd.txt\tx y' \
	    'json\tx  y' 'g.json\t{\\n"id":"json","text":"x  y"}' 'g2.json\t{"name":"x  y"}' 'h.html\tx y' 'u\tx  y'
	for format in text html; do
		try "shdoc --format $format f/d.txt"
		exits 0
	done
	gives 'f/d.txt\tx y'
	try 'shdoc --format warc f/a.md'
	exits 2
	grep -q '^shdoc: f/a.md: WARC: the record at byte 0: expected WARC/' err
	(cat f/g2.json; echo '{"name":2}') >lines.json
	try 'shdoc lines.json'
	exits 2
	says 'shdoc: lines.json:1: JSON: no field "id", there are "name" (-f ID,TEXT names the two; -l numbers the lines)'
	try 'shdoc --format csv f'
	exits 2
	grep -q "^shdoc: --format 'csv': expected auto, text, html, jsonl, warc or mbox" err
}

@test "mail: only a whole boundary line ends a part, and the last part needs no boundary" {
	printf 'Content-Type: multipart/mixed; boundary=a\n\nno\n--a\n\n--ab\n --a\n--a-\n--a \t\n\ntwo\n--a--x\n\n--a\n\nthree\n' >cut.eml
	printf 'Content-Type: multipart/mixed; boundary="a b"\n\n--a b\r\n\r\none\r\n--a b--\r\nno\r\n--a b\r\n\r\nno' >end.eml
	printf 'Content-Type: multipart/mixed; boundary=a\n\nno part at all\n' >none.eml
	try 'shdoc cut.eml end.eml none.eml'
	exits 0
	gives 'cut.eml#1\t--ab\\n --a\\n--a-\\ntwo\\n--a--x\\nthree' 'end.eml#1\tone' 'none.eml#1\tno part at all'
}

@test "GB18030 is detected in a text of two characters, and French in Latin-1 is not taken for GB18030" {
	printf '\xc4\xe3\xba\xc3\n' >in
	try 'shdoc in'
	exits 0
	gives 'in\t你好'
	says 'shdoc: 1 text taken for GB18030 (detected)'
	printf 'un caf\xe9 cr\xe8me, s\x27il vous pla\xeet: l\xe0-bas\n' >in
	try 'shdoc in'
	gives "in\tun café crème, s'il vous plaît: là-bas"
}

@test "compressed standard input: a damaged pipe gives the message of a file, and a slow writer is read to its end" {
	seq 200000 >lines
	for with in gzip zstd bzip2 xz lz4; do
		command -v $with >/dev/null || continue
		# The pipe still has much data when the program ends.
		($with -c <lines; seq 100000) >packed
		try 'shdoc <packed'
		exits 2
		sed -i 's/^shdoc: -: //' err
		cp err expected
		try 'cat packed | shdoc'
		exits 2
		sed -i 's/^shdoc: -: //' err
		same expected err
		grep -qE "^the $with data are (cut short|damaged)" err
	done
	cat >slow.py <<-'END'
		import fcntl, os, subprocess, sys, time
		data = open(sys.argv[1], "rb").read()
		out, into = os.pipe()
		fcntl.fcntl(out, fcntl.F_SETFL, os.O_NONBLOCK)
		shdoc = subprocess.Popen(["shdoc"], stdin=out)
		os.close(out)
		for at in range(0, len(data), 10):
		    os.write(into, data[at:at + 10])
		    time.sleep(0.01)
		os.close(into)
		sys.exit(shdoc.wait())
	END
	printf '{"id":%d,"text":"a"}\n' 1 2 3 >three
	for file in three three.gz; do
		[ -e $file ] || gzip three
		try "python3 slow.py $file"
		exits 0
		gives '1\ta' '2\ta' '3\ta'
	done
}

@test "zstd: skippable frames before and behind the data are skipped" {
	command -v zstd || skip 'no zstd'
	(printf '\x50\x2a\x4d\x18\x04\0\0\0abcd'; echo text | zstd -qc; printf '\x5f\x2a\x4d\x18\0\0\0\0') >packed
	try 'shdoc packed'
	exits 0
	gives 'packed\ttext'
}

@test "JSONL, JSON arrays and mail are recognised behind a byte order mark" {
	mark='\xef\xbb\xbf'
	try "printf '$mark"'{"id":1,"text":"a"}\n{"id":2,"text":"b"}\n'"' | shdoc"
	gives '1\ta' '2\tb'
	try "printf '$mark"'[{"id":1,"text":"a"},\n{"id":2,"text":"b"}]'"' | shdoc"
	gives '1\ta' '2\tb'
	try "printf '$mark"'[{"a":1}]'"' | shdoc"
	says 'shdoc: 1 file taken for one text: a JSON array whose first object lacks the fields of a document (-f ID,TEXT names the two)'
	(printf "$mark"; message 1 one; message 2 two) >box
	try 'shdoc box'
	gives '1\tone' '2\ttwo'
	printf "${mark}From: a\nTo: b\nSubject: c\nMessage-ID: <3>\n\nthree" | tee a.eml >alone
	try 'shdoc a.eml alone'
	gives '3\tthree' '3\tthree'
}

@test "JSONL is recognised wherever the first read from a pipe ends" {
	cat >slow.py <<-'END'
		import array, fcntl, subprocess, sys, termios, time
		line = b'{"id":1,"text":"' + b"a " * 60000 + b'"}\n'
		data = b"\n" * int(sys.argv[1]) + line + b'{"id":2,"text":"b"}\n'
		shdoc = subprocess.Popen(["shdoc"], stdin=subprocess.PIPE)
		shdoc.stdin.write(data[:65536])
		shdoc.stdin.flush()
		unread = array.array("i", [1])
		while unread[0]:
		    time.sleep(0.01)
		    fcntl.ioctl(shdoc.stdin, termios.FIONREAD, unread)
		shdoc.communicate(data[65536:])
	END
	for blank in 0 1 2; do # the first read ends at a space, a letter, a space
		try "python3 slow.py $blank"
		[ "$(cut -f 1 out | paste -sd ' ')" = '1 2' ]
	done
}

# response URI FIELDS FILE: prints a WARC record of an HTTP response whose body is FILE.
response() {
	(printf 'HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n%b\r\n' "$2"; cat "$3") >block
	printf 'WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nContent-Length: %d\r\n\r\n' "$1" "$(wc -c <block)"
	cat block
	printf '\r\n\r\n'
}

@test "WARC: codings in several fields and transfer codings are decoded; damage behind the first member is an error" {
	needs zlib
	printf one | gzip >gz
	gzip <gz >twice
	(printf '%x\r\n' "$(wc -c <gz)"; cat gz; printf '\r\n0\r\n\r\n') >chunked
	(cat gz; printf '\x1f\x8b\x08\0\0\0\0\0\0\3garbage') >damaged
	(response u1 'Content-Encoding: gzip\r\nX: y\r\ncontent-encoding: gzip\r\n' twice
	    response u2 'Transfer-Encoding: gzip, chunked\r\n' chunked
	    response u3 'Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n' chunked
	    response u4 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n' chunked
	    response u5 'Content-Encoding: gzip\r\n' damaged) >a.warc
	try 'shdoc a.warc'
	exits 2
	gives 'u1\tone' 'u2\tone' 'u3\tone' 'u4\tone'
	grep -q 'u5: HTTP: the body is damaged, or not in its Content-Encoding, gzip$' err
}

@test "WARC: a message cuts a long URI between its characters" {
	local uri=汉
	for _ in 1 2 3 4 5 6; do uri=$uri$uri; done
	printf "5\r\nhello\r\nx\r\n" >bad
	response "ab$uri" 'Transfer-Encoding: chunked\r\n' bad >a.warc
	try 'shdoc a.warc'
	exits 2
	says "shdoc: a.warc: WARC record at byte 0, ab${uri:0:117}: HTTP: byte 11 of the body: expected the size of a chunk"
}

@test "WARC: --max-size limits the decompressed body, to the byte, in gzip and zstd" {
	for with in gzip zstd; do
		! shdoc --help | grep -q "without.*${with/#gzip/zlib}" || continue
		command -v $with >/dev/null || continue
		for size in 65535 65536 65537 131072; do
			printf "%0${size}d" 0 >zeros
			$with -c <zeros >packed
			response "u$size" "Content-Encoding: $with\r\n" packed >a.warc
			try "shdoc --max-size $size a.warc"
			exits 0
			(printf 'u%d\t' $size; cat zeros; echo) >expected
			same expected out
			try "shdoc --max-size $((size - 1)) a.warc"
			exits 2
			says "shdoc: a.warc: WARC record at byte 0, u$size: the body is larger than $((size - 1)) bytes when decompressed (--max-size SIZE allows more)"
		done
	done
}

@test "WARC: DNS answers are left out, and only the first segment of a segmented record is read" {
	(record response dns:a 'a. 300 IN A 1.2.3.4\n' 'Content-Type: text/dns\r\n'
	    record response u 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nfir' 'WARC-Segment-Number: 1\r\n'
	    record continuation u 'stpart\r\n0\r\n\r\n' 'WARC-Segment-Number: 2\r\n') >a.warc
	try 'shdoc a.warc'
	exits 0
	gives 'u\tfir'
	says 'shdoc: left out: text/dns: 1' 'shdoc: left out: WARC continuation: 1'
}

@test "UTF-16: half of a surrogate pair is replaced by one U+FFFD, and the text behind it is read" {
	charset UTF-16LE
	printf '\xff\xfeh\0\x00\xd8i\0j\0' >in
	try 'shdoc in'
	exits 0
	gives 'in\th\xef\xbf\xbdij'
	says 'shdoc: 1 text taken for UTF-16LE (by its byte order mark)' 'shdoc: 1 ill-formed sequence replaced by U+FFFD'
}

@test "the last line of a large file is read without a newline" {
	for n in 3000 3001 5000 9000; do
		seq $n | sed 's/.*/{"id":&,"text":"some text of a document"}/' | head -c -1 >in
		seq $n | sed 's/$/\tsome text of a document/' >expected
		# MALLOC_PERTURB_ overwrites freed memory. Without mmap(2), realloc(3) moves blocks.
		for how in A=1 MALLOC_PERTURB_=165 'MALLOC_MMAP_THRESHOLD_=1000000000 MALLOC_PERTURB_=165'; do
			try "env $how shdoc in"
			exits 0
			same expected out
			try "cat in | env $how shdoc"
			exits 0
			same expected out
		done
	done
}

@test "mail: '>From ' stays in a single message; in an mbox file, '>From ' lines before the header are skipped" {
	printf 'From: a\nTo: b\nSubject: c\n\n>From here\n>>From there\n' >alone
	try 'shdoc alone'
	exits 0
	gives 'alone#1\t>From here\\n>>From there'
	printf 'From a@b Sat Nov 21 10:00:00 2026\n>From c Sat Nov 21 09:00:00 1987 remote from d\nMessage-ID : <1>\n\n>From here\n' >box
	try 'shdoc box'
	exits 0
	gives '1\tFrom here'
}

@test "mail: a boundary in several parameters (RFC 2231) is joined and decoded" {
	printf 'Content-Type: multipart/mixed;\n boundary*0="a b";\n boundary*1*=%%3Dc\n\nno\n--a b=c\n\none\n--a b=c\nContent-Type: image/png\n\nno\n--a b=c--\nno\n' >in.eml
	try 'shdoc in.eml'
	exits 0
	gives 'in.eml#1\tone'
	says 'shdoc: left out: mail part image/png: 1'
}

@test "damaged standard input is reported while the writer still holds the pipe open" {
	cat >open.py <<-'END'
		import subprocess, sys
		shdoc = subprocess.Popen(["shdoc"], stdin=subprocess.PIPE)
		try:  # a little more than one input buffer of the gzip decoder
		    shdoc.stdin.write(b"\x1f\x8b\x08\0\0\0\0\0\0\x03" + b"\xff" * 262144)
		    shdoc.stdin.flush()
		except BrokenPipeError:
		    pass
		sys.exit(shdoc.wait(timeout=120))
	END
	try 'python3 open.py'
	exits 2
	grep -q '^shdoc: -: the gzip data are damaged at byte [0-9]* or before; the file was not read to its end' err
}

@test "JSON objects on several lines, JSON in UTF-16 and ARC files become one text each, with a warning" {
	charset UTF-16LE
	printf '{\n"id":1,\n"text":"a"}\n{\n"id":2,\n"text":"b"}\n' >a.json
	printf '{"id":1,"text":"a"}{"id":2,"text":"b"}\n' >b
	printf '{\n"id":1,\n"text":"a"}\n' >b1
	printf '{\n"name":1}\n' >c
	printf 'filedesc://a.arc 0.0.0.0 20010101000000 text/plain 9\n1 0 a\n\n\n' | gzip >d.arc.gz
	printf '\xff\xfe{\0}\0\n\0' >e
	printf '\xfe\xff\0[\0]' >f
	printf '\xff\xfea\0' >g
	try 'shdoc a.json b b1 c d.arc.gz e f g 2>&1 >out.tsv | grep -v "taken for UTF" >&2'
	exits 0
	[ "$(cut -f 1 out.tsv | paste -sd ' ')" = 'a.json b b1 c d.arc.gz e f g' ]
	says 'shdoc: 3 files taken for one text each: JSON objects that are not one a line (a document an object: jq -c . FILE | shdoc)' \
		'shdoc: 1 file taken for one text: an ARC file (a document a page: warcio recompress makes WARC of it)' \
		'shdoc: 2 files taken for one text each: JSON in UTF-16 (convert it: iconv -f UTF-16 -t UTF-8 FILE | shdoc)'
}

@test "JSON: a byte order mark overrides --from-charset for the whole file" {
	charset WINDOWS-1251
	printf '\xef\xbb\xbf{"id":1,"text":"\xc3\xa9"}\n{"id":2,"text":"\xc3\xa9"}\n' >marked
	printf '\xef\xbb\xbf[{"id":3,"text":"\xc3\xa9"}]\n' >array
	printf '{"id":4,"text":"\xdf"}\n{"id":5,"text":"\xdf"}\n' >cyrillic
	try 'shdoc --from-charset windows-1251 marked array cyrillic'
	exits 0
	gives '1\té' '2\té' '3\té' '4\tЯ' '5\tЯ'
	says
}

@test "a compressed file that is cut short: all whole records are written before the error" {
	python3 - <<-'END'
		import gzip, json, random, zlib
		r = random.Random(8)
		docs = ["".join(chr(r.randrange(97, 123)) for _ in range(r.choice([9, 900, 90000]))) for _ in range(60)]
		objects = [json.dumps({"id": i, "text": t}) for i, t in enumerate(docs)]
		for name, whole in (("lines", "".join(o + "\n" for o in objects)), ("array", "[" + ",".join(objects) + "]")):
		    open(name, "wb").write(gzip.compress(whole.encode())[:-20000])
		    seen = zlib.decompressobj(31).decompress(open(name, "rb").read()).decode()
		    ends = [seen.find(o) + len(o) for o in objects]
		    whole = [i for i, o in enumerate(objects) if o in seen and (name == "array" or len(seen) > ends[i])]
		    open(name + ".expected", "w").writelines("%d\t%s\n" % (i, docs[i]) for i in whole)
	END
	for form in lines array; do
		for how in "shdoc $form" "cat $form | shdoc"; do
			try "$how"
			exits 2
			same $form.expected out
			grep -qE 'data are (cut short|damaged)' err
		done
	done
}

@test "a small compressed file that is damaged: all whole records are written before the error" {
	damaged() { # FILE: compresses standard input, with a wrong checksum
		gzip >"$1"
		printf 'bad!' | dd of="$1" bs=1 seek=$(($(wc -c <"$1") - 8)) conv=notrunc 2>/dev/null
	}
	printf '{"id":1,"text":"a"}\n{"id":2,"text":"b"}\n' | damaged lines
	printf '[{"id":1,"text":"a"},{"id":2,"text":"b"}]' | damaged array
	printf 'WARC/1.0\nWARC-Type: resource\nWARC-Target-URI: 1\nContent-Length: 1\n\na\n\nWARC/1.0\nWARC-Type: resource\nWARC-Target-URI: 2\nContent-Length: 1\n\nb\n\n' | damaged warc
	for file in lines array warc; do
		for how in "shdoc $file" "cat $file | shdoc"; do
			try "$how"
			exits 2
			gives '1\ta' '2\tb'
			grep -qE 'data are (cut short|damaged)' err
		done
	done
	# A damaged file that is one document gives no document. A damaged file that is no text is an error, too.
	printf 'text' | damaged text
	printf '\1\2\3\4' | damaged picture
	try 'shdoc text picture lines'
	exits 2
	gives '1\ta' '2\tb'
	[ "$(grep -cE 'data are (cut short|damaged)' err)" = 3 ]
	grep -q '^shdoc: 3 files or folders could not be read$' err
}

@test "--from-charset UTF-16LE: reads a text of any length, leaves noise out, and refuses JSON" {
	for charset in UTF-16LE UTF-16BE UTF-32LE; do
		charset $charset
		printf 'h\303\251\n\344\270\255\n' | iconv -f UTF-8 -t $charset >a.txt
		try "shdoc --from-charset $charset a.txt"
		exits 0
		gives 'a.txt\thé\\n中'
		head -c 7 a.txt >cut.txt
		try "shdoc --from-charset $charset cut.txt 2>&1 >out.tsv | tail -n 1 >&2"
		says 'shdoc: 1 ill-formed sequence replaced by U+FFFD'
	done
	python3 -c 'import random, sys; sys.stdout.buffer.write(random.Random(1).randbytes(3000))' >noise
	try 'shdoc --from-charset UTF-16LE noise'
	exits 0
	gives
	says 'shdoc: noise: left out: file without text (--format text reads it)' \
	    'shdoc: left out: file without text (--format text reads it): 1'
	printf '{"id":1,"text":"a"}\n' | iconv -f UTF-8 -t UTF-16LE >a.jsonl
	try 'shdoc --from-charset utf-16le a.jsonl'
	exits 2
	says 'shdoc: a.jsonl: JSON is read as UTF-8, not as utf-16le (iconv -f utf-16le -t UTF-8 makes it so)' \
		'shdoc: 1 file or folder could not be read'
	printf 'WARC/1.0\nWARC-Type: resource\nWARC-Target-URI: u\nContent-Type: text/plain; charset=utf-16\nContent-Length: 6\n\nh\0i\0\n\0\n\n' >warc
	try 'shdoc warc'
	exits 0
	gives 'u\thi'
}

@test "HTML in UTF-16 is recognised without the name .html" {
	needs HTML
	charset UTF-16LE
	for charset in UTF-16 UTF-16LE UTF-16BE; do
		printf '<!DOCTYPE html><p>x   y</p>\n' | iconv -f UTF-8 -t $charset >page
		try 'shdoc page'
		exits 0
		gives 'page\tx y'
	done
}

@test "JSON text sequences (RFC 7464) are read like JSONL; texts on several lines give a warning" {
	printf '\36{"id":1,"text":"a"}\n\36\n\36{"id":2,"text":"b"}\n' >one
	try 'shdoc one'
	exits 0
	gives '1\ta' '2\tb'
	says
	printf '\36{"id":1,\n"text":"a"}\n\36{"id":2,\n"text":"b"}\n' >several
	try 'shdoc several'
	exits 0
	gives 'several\t\36{"id":1,\\n"text":"a"}\\n\36{"id":2,\\n"text":"b"}'
	says 'shdoc: 1 file taken for one text: JSON texts that are not one a line (a document a text: jq --seq -c . FILE | shdoc)'
	command -v jq >/dev/null || skip 'no jq'
	try 'jq --seq -c . several | shdoc'
	gives '1\ta' '2\tb'
}

@test "JSON with an error in its first object becomes one text, with a warning" {
	printf '{"id":1,"text":"a","score":nan}\n{"id":2,"text":"b"}\n' >a
	printf ' [ { "id":1,"text":"a\tb"},\n{"id":2,"text":"b"}]\n' >b
	printf '\xef\xbb\xbf{"id":1,"text":"\\x"}\r\n' >c
	printf '{"n":nan,\n"m":1}\n' >d
	printf '{x}\n{}\n{"{"\n' >e
	try 'shdoc a b c d e'
	exits 0
	[ "$(cut -f 1 out | paste -sd ' ')" = 'a b c d e' ]
	says 'shdoc: 3 files taken for one text each: JSON with an error in its first object (to see the error: shdoc --format jsonl FILE)'
	try 'shdoc --format jsonl a'
	exits 2
	says 'shdoc: a:1: JSON: byte 28: expected a value'
}

@test "a JSON object that holds an array of documents becomes one text, with a warning" {
	printf '{"n":[1],"docs": [\n{"id":1,"text":"a"},{"id":2,"text":"b"}]}\n' >a.json
	printf '{"n":"[{","docs":["a"],"\\"[{":[]}' >b.json
	printf '{[{' >c.json
	try 'shdoc a.json b.json c.json'
	exits 0
	[ "$(cut -f 1 out | paste -sd ' ')" = 'a.json b.json c.json' ]
	says "shdoc: 1 file taken for one text: a JSON object with an array of objects (a document of each: jq -c '.NAME[]' FILE | shdoc -f ID,TEXT)"
	(printf '{\n"docs": ['; seq -f '{"id":%.0f,"text":"a"},' 9999; echo '{}]}') >large.json
	try 'shdoc large.json | cut -c 1-20'
	gives 'large.json\t{\\n"docs"'
	grep -q 'array of objects' err
	command -v jq >/dev/null || skip 'no jq'
	try "jq -c '.docs[]' a.json | shdoc"
	gives '1\ta' '2\tb'
}

@test "ISO-2022-JP is decoded with the extensions of Windows: circled digits, half-width katakana" {
	charset CP932
	printf 'Message-ID: <1@a>\nContent-Type: text/plain; charset=ISO-2022-JP\n\n\33$BBh-!>O\33(B, \33(I16\33(B\n' >mail
	try 'shdoc --format mbox mail 2>/dev/null'
	exits 0
	gives '1@a\t第①章, ｱｶ'
}

@test "mail: parts of message/news, message/global and text/x-amp-html are read" {
	needs HTML
	for type in rfc822 global news; do
		printf 'Message-ID: <1@a>\nContent-Type: message/%s\n\nSubject: x\n\nwithin\n' $type >a.eml
		try 'shdoc a.eml'
		exits 0
		gives '1@a\twithin'
		says
	done
	printf 'Message-ID: <1@a>\nContent-Type: multipart/alternative; boundary=b\n\n--b\n\n\n--b\nContent-Type: text/x-amp-html\n\n<p>x  y</p>\n--b--\n' >a.eml
	try 'shdoc a.eml'
	gives '1@a\tx y'
}

@test "mail: format=flowed with delsp=yes joins the lines of a paragraph" {
	message() { # PARAMETERS LINES
		printf "Message-ID: <1@a>\r\nContent-Type: text/plain; charset=utf-8; $1\r\n\r\n$2" >a.eml
	}
	folded='中文分 \r\n词  \r\nab\r\n> q \r\n> r \r\n>> s \r\n -- \r\n-- \r\nsig \r\n  x \r\n'
	message 'Format=Flowed; DelSp="Yes"' "$folded"
	try 'shdoc a.eml'
	exits 0
	gives '1@a\t中文分词 ab\\n> qr\\n>> s\\n -- \\n-- \\nsig x'
	message 'format=flowed' "$folded"
	try 'shdoc a.eml'
	gives '1@a\t中文分 \\n词  \\nab\\n> q \\n> r \\n>> s \\n -- \\n-- \\nsig \\n  x'
}

# Containers: tar, ZIP, 7z.

@test "containers: give the members that Python's tarfile and zipfile find, in their order" {
	needs libarchive
	for seed in $(fewer '1 2 3' 1); do
		mkdir "$seed" && cd "$seed"
		oracle containers "$seed" 30
		try 'shdoc ustar.tar pax.tar stored.zip deflated.zip lzma.zip bzip2.zip'
		exits 0
		says
		same expected.tsv out
		# A compressed container in a pipe cannot be read at random.
		for form in pax.tar deflated.zip; do
			grep "^$form#" expected.tsv | sed "s/^$form#/-#/" >expected.pipe
			try "gzip <$form | shdoc"
			exits 0
			same expected.pipe out
			try "{ read -rn 3; cat; } <<<'123$form' >scrap; shdoc - <$form"
			same expected.pipe out
		done
		cd ..
	done
}

@test "containers: member names are the same in each locale" {
	needs libarchive
	oracle containers 4 30
	for locale in C C.UTF-8; do
		try "LC_ALL=$locale shdoc ustar.tar pax.tar stored.zip deflated.zip lzma.zip bzip2.zip"
		exits 0
		same expected.tsv out
	done
}

@test "containers: 7z files of each method of 7-Zip are read, and encrypted ones refused" {
	needs libarchive
	command -v 7zz >/dev/null || skip 'needs 7zz'
	oracle containers 5 30
	(cd members && for method in lzma lzma2 ppmd bzip2 deflate copy; do 7zz a -bd -m0=$method ../$method.7z . >/dev/null; done)
	shdoc members | sort >wanted
	for method in lzma lzma2 ppmd bzip2 deflate copy; do
		try "shdoc $method.7z"
		exits 0
		says
		sed "s/^$method.7z#//" out | sort | cmp - wanted
		try "cat $method.7z | shdoc | wc -l"
		gives 30
	done
	7zz a -bd -psecret secret.7z members >/dev/null
	7zz a -bd -psecret -mhe=on hidden.7z members >/dev/null
	try 'shdoc secret.7z'
	exits 2
	grep -q '^shdoc: secret.7z#members/.*: the member is encrypted$' err
	try 'shdoc hidden.7z'
	exits 2
	grep -qx 'shdoc: hidden.7z: the 7z file is encrypted; what follows cannot be read' err
}

@test "containers: a member's form is recognised; links and nested containers are left out" {
	needs libarchive
	needs zlib
	needs HTML
	mkdir m
	printf '<html><title>no</title><p>Hi<p>there' >m/b.html
	printf '{"text":"x"}\n{"text":"y"}\n' | gzip >m/c.jsonl.gz
	printf 'From: a@b\nDate: x\nSubject: s\n\nbody\n' >m/d.eml
	printf 'caf\351 cr\350me br\373l\351e' >m/e.txt
	: >m/f
	head -c 4000 "$(command -v cat)" >m/g
	ln -s e.txt m/h
	ln m/b.html m/i
	mkfifo m/j
	printf 'a\n' >m/k
	tar -C m -cf m/l.tar k
	tar -C m --sort=name -cf m.tar b.html c.jsonl.gz d.eml e.txt f g h i j l.tar
	try 'shdoc -l m.tar'
	exits 0
	gives 'm.tar#b.html\tHi\\nthere' 'm.tar#c.jsonl.gz#1\tx' 'm.tar#c.jsonl.gz#2\ty' 'm.tar#d.eml#1\tbody' \
	    'm.tar#e.txt\tcafé crème brûlée' 'm.tar#f\t'
	grep -qx 'shdoc: left out: link in a container: 2' err
	grep -qx 'shdoc: left out: special file in a container: 1' err
	grep -qx 'shdoc: left out: a program (it holds no text): 1' err
	grep -qx 'shdoc: left out: container within a container (unpack it first): 1' err
	try 'shdoc -l --verbose m.tar'
	grep -qx 'shdoc: m.tar#g: left out: a program (it holds no text)' err
	mkdir t && mv m.tar t/
	try 'shdoc --format text t | cut -f 1'
	[ "$(head -n 1 out)" = 'm.tar#b.html' ]
	try "cat t/m.tar | shdoc --max-size 7 --rejects bad | cut -f 1"
	exits 0
	grep -qx -- '-#b.html' bad
}

@test "containers: a container that is cut gives its complete members and then an error" {
	needs libarchive
	oracle containers 6 6
	for form in ustar.tar pax.tar stored.zip deflated.zip; do
		size=$(stat -c %s $form)
		shdoc $form | sed 's/^[^#]*//' >whole
		# A tar file ends with two blocks of zeros, and more zeros up to a multiple of 10240 bytes.
		end=$(python3 -c "d = open('$form', 'rb').read(); print(len(d.rstrip(b'\0')))")
		for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
			head -c $((512 + i * 7919 * 512 % (end - 512))) $form >cut
			try 'shdoc cut'
			exits 2
			grep -Eq '^shdoc: cut.*: the (tar|ZIP) file is (damaged or )?cut short' err
			sed 's/^[^#]*//' out >got
			head -n "$(wc -l <got)" whole | cmp - got
		done
	done
}

@test "containers: a damaged or encrypted ZIP member gives a message with its name, and the other members are read" {
	needs libarchive
	python3 - <<-'END'
		import struct, zipfile
		with zipfile.ZipFile('x.zip', 'w') as z:
		    for name in 'abc':
		        z.writestr(name, 'text %s\n' % name)
		data = bytearray(open('x.zip', 'rb').read())
		damaged = data.replace(b'text b', b'test b')
		open('damaged.zip', 'wb').write(damaged)
		at = data.find(b'PK\1\2', data.find(b'PK\1\2') + 1)
		local = struct.unpack_from('<I', data, at + 42)[0]
		data[at + 8] |= 1
		data[local + 6] |= 1
		open('encrypted.zip', 'wb').write(data)
	END
	try 'shdoc damaged.zip'
	exits 2
	gives 'damaged.zip#a\ttext a' 'damaged.zip#c\ttext c'
	grep -q '^shdoc: damaged.zip#b: the ZIP file is damaged or cut short (ZIP bad CRC' err
	try 'shdoc encrypted.zip'
	exits 2
	gives 'encrypted.zip#a\ttext a' 'encrypted.zip#c\ttext c'
	says 'shdoc: encrypted.zip#b: the member is encrypted' 'shdoc: 1 file or folder could not be read'
	# The compressed data of a tar file are cut behind the end of the tar file.
	echo a >a
	tar -cf - a | gzip >a.tar.gz
	head -c -4 a.tar.gz >cut.tar.gz
	try 'shdoc cut.tar.gz'
	exits 2
	gives 'cut.tar.gz#a\ta'
	grep -q '^shdoc: cut.tar.gz: the gzip data are cut short' err
}

@test "containers: concatenated tar files are read to the end; a bad header ends a tar file" {
	needs libarchive
	for i in a b c; do
		echo $i >$i
		tar -cf $i.tar $i
	done
	cat a.tar b.tar >two.tar
	try 'shdoc two.tar'
	exits 0
	gives 'two.tar#a\ta' 'two.tar#b\tb'
	tar -cf three.tar a b c
	printf 'X' | dd of=three.tar bs=1 seek=1124 conv=notrunc status=none
	try 'shdoc three.tar'
	exits 2
	gives 'three.tar#a\ta'
	grep -q '^shdoc: three.tar: the tar file is damaged or cut short (.*); what follows cannot be read$' err
}

@test "containers: bombs are refused by ratio, directory size and memory, within limits of time and memory" {
	needs libarchive
	! sanitized || skip 'sanitizers need more address space than the limits leave'
	python3 - <<-'END'
		import struct, zipfile
		with zipfile.ZipFile('bomb.zip', 'w', zipfile.ZIP_DEFLATED, compresslevel=9) as z:
		    for i in range(3):
		        z.writestr('m%d' % i, b'\n' * 100_000_000)
		entry = struct.pack('<IHHHHHHIIIHHHHHII', 0x02014b50, 20, 20, 0, 8, 0, 33, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0) + b'a'
		n = 2_000_000
		open('directory.zip', 'wb').write(b'PK\3\4' + b'\0' * 27 + entry * n +
		    struct.pack('<IHHHHIIH', 0x06054b50, 0, 0, 65535, 65535, n * len(entry), 31, 0))
	END
	for form in text jsonl; do
		try "ulimit -t 20 -v 2000000; shdoc --format $form bomb.zip >/dev/null"
		exits 2
		grep -q '^shdoc: bomb.zip.*: the members of the ZIP file have more than 1000 times its size, and more than 256 MiB: a decompression bomb?$' err
	done
	try 'ulimit -t 20 -v 1500000; shdoc directory.zip'
	exits 2
	grep -qE '^shdoc: directory.zip: the directory of the ZIP file is larger than 64 MiB' err
	echo a >a
	truncate -s 8G holes && echo b >>holes
	tar -S -cf holes.tar a holes
	rm holes
	try 'ulimit -t 20 -v 1500000; shdoc --format jsonl --rejects bad holes.tar'
	exits 2
	grep -q '^shdoc: holes.tar.*: the members of the tar file have more than 1 times its size' err
	command -v 7zz >/dev/null || return 0
	head -c 300M /dev/zero | tr '\0' '\n' >lines
	7zz a -bd -mx1 lines.7z lines a >/dev/null
	rm lines
	try 'ulimit -t 20 -v 1500000; shdoc lines.7z >/dev/null'
	exits 2
	grep -q '^shdoc: lines.7z.*: the members of the 7z file have more than 1000 times its size' err
	seq 100 >a
	7zz a -bd -mhc=off -m0=ppmd:mem=16m memory.7z a >/dev/null
	python3 - <<-'END'
		import struct, zlib
		data = bytearray(open('memory.7z', 'rb').read())
		at = data.index(b'\x03\x04\x01\x05') + 5 # behind the coder, the size of its properties and the order
		data[at:at + 4] = struct.pack('<I', 1 << 30)
		offset, size = struct.unpack_from('<QQ', data, 12)
		struct.pack_into('<I', data, 28, zlib.crc32(data[32 + offset:32 + offset + size]))
		struct.pack_into('<I', data, 8, zlib.crc32(data[12:32]))
		open('memory.7z', 'wb').write(data)
	END
	[ -z "${SAN-}" ] || return 0 # the allocator of the sanitizer ends the program
	try 'shdoc memory.7z'
	exits 2
	grep -qx 'shdoc: memory.7z#a: the 7z file needs more than 512 MiB of memory' err
}

@test "containers: --max-size limits the size of a ZIP or 7z file in a pipe" {
	needs libarchive
	oracle containers 7 20
	try 'cat stored.zip | shdoc --max-size 1K --rejects bad'
	exits 2
	grep -q '^shdoc: -: the ZIP file is no regular file, and larger than 1024 bytes (--max-size SIZE allows more)$' err
	try 'shdoc stored.zip | wc -l'
	gives 20
}

@test "containers: a build without libarchive refuses them with a message that names libarchive" {
	shdoc --help | grep -q 'without.*libarchive' || skip 'this build has it'
	echo a >a
	tar -cf a.tar a
	try 'shdoc a.tar a'
	exits 2
	gives 'a\ta'
	grep -qx 'shdoc: a.tar: a tar file: built without libarchive (install libarchive-dev and build again)' err
}

@test "the output, messages, status and --rejects are the same with 1, 2, 3, 8 and 16 threads" {
	record() { # TYPE BLOCK
		printf 'WARC/1.0\r\nWARC-Type: %s\r\nWARC-Target-URI: http://e.org/%s\r\n' "$1" "$((++records))"
		printf 'Content-Type: application/http\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n' "${#2}" "$2"
	}
	records=0
	mkdir in
	for i in 1 2 3 4 5 6 7 8; do
		printf '<meta charset=windows-1252><p>page \344 %d' "$i" >in/$i.html
		printf 'text %d \377\376' "$i" >in/$i.txt
		printf '\0\1\2\3%d' "$i" >in/$i.bin
		printf '{"id":"%d","text":"line"}\n{"id":1}\n' "$i" >in/$i.jsonl
	done
	while [ "$records" -lt 300 ]; do
		record response "HTTP/1.1 200 OK"$'\r\n'"Content-Type: text/html"$'\r\n\r\n'"<p>$(seq -s ' ' 3000)"
		record response "HTTP/1.1 404 Gone"$'\r\n\r\n'
		record response "HTTP/1.1 200 OK"$'\r\n'"Content-Type: text/html; charset=klingon"$'\r\n\r\n'"<p>text"
		record revisit ""
	done >in/a.warc
	gzip -c in/a.warc >in/b.warc.gz
	head -c 9000 in/b.warc.gz >in/cut.warc.gz
	head -c 30000 in/a.warc >in/cut.warc
	(head -c 30000 in/a.warc; echo; echo amid; cat in/a.warc) >in/damaged.warc
	tar cf in/all.tar in/1.html in/2.txt
	tar czf in/all.tar.gz in/1.html in/2.txt in/3.jsonl in/3.bin
	for i in html txt bin jsonl; do
		gzip -c in/1.$i >in/packed.$i.gz
		bzip2 -c in/2.$i | gzip >in/twice.$i.bz2.gz
	done
	(cat in/b.warc.gz; echo more) >in/damaged.warc.gz
	for options in '--verbose --rejects bad' '-f id,text --rejects bad --trailer=out' '--max-size 5K --rejects bad' ''; do
		for j in 1 $(fewer '2 3 8 16' 8); do
			rm -f bad
			try "shdoc -j $j $options in"
			echo "$status" >status
			for f in out err bad status; do
				[ ! -e "$f" ] || mv "$f" "$f.$j"
			done
			tried="shdoc -j $j $options"
			same out.1 out.$j
			same err.1 err.$j
			same status.1 status.$j
			[ ! -e bad.1 ] || same bad.1 bad.$j
		done
		[ -s out.1 ]
	done
}

@test "small compressed files with much text give the same output with 1, 3 and 8 threads" {
	text=$(printf 'text %.0s' {1..200})
	mkdir in
	for i in 1 2 3; do
		awk -v i=$i -v text="$text" 'BEGIN { while (n < 20000) printf "{\"id\":\"%d.%d\",\"text\":\"%s\"}\n", i, ++n, text }' |
		    gzip -1 >in/$i.jsonl.gz
	done
	[ "$(wc -c <in/1.jsonl.gz)" -lt 4000000 ]
	shdoc in >expected
	[ "$(wc -l <expected)" -eq 60000 ]
	for j in $(fewer '3 8' 8); do
		try "shdoc -j $j in"
		exits 0
		same expected out
		[ ! -s err ]
	done
}
