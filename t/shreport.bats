#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shreport: makes an HTML page of pairs, reports or spans.
load helper

setup() {
	begin "$BATS_TEST_TMPDIR"
	printf '%s\t%s\n' a 'The quick brown fox jumps' b 'The quick red fox jumps' c 'The quick red fox' >docs
	printf 'b\ta\t5\t0.7143\tjaccard\nc\ta\t2\t0.9000\tedit\nd\tb\t0\n' >report
}

# reads: writes the text that the page in the file out shows to the file got.
reads() {
	"$BATS_TEST_DIRNAME/shreport-page.py" out >got
}

# shows LINE...: the page shows these lines in this order, perhaps with other lines between.
shows() {
	printf '%b\n' "$@" >expected
	grep -xFf expected got >lines || true
	same expected lines
}

@test "a report: the page has counts, bars, groups, the least similar pairs first, words that differ, and rows" {
	try 'shreport -d docs report'
	exits 0
	says 'shreport: at least one document of 1 pair is missing: its text is not shown (-d)'
	reads
	shows 'title\tNear-duplicates' 'count\tpairs\t3' 'count\tdocuments in pairs\t4' 'count\tgroups\t1' \
		'count\tdocuments in the largest\t4' 'bar\t0.90 – 0.95\t1' 'bar\t0.85 – 0.90\t0' 'bar\t0.75 – 0.80\t0' \
		'bar\t0.70 – 0.75\t1' 'group\tb\t4\t0.7143' 'pair\tb\ta' 'mark\tred' 'mark\tbrown' 'pair\tc\ta' \
		'mark\tred' 'mark\tbrown' 'mark\tjumps' 'pair\td\tb' 'gap\tThe first document is not among the documents' \
		'row\tb\ta\t5\t7143\tjaccard' 'row\tc\ta\t2\t9000\tedit' 'row\td\tb\t0\t-1\t'
	grep -q 'Without a similarity: 1 pair' out
}

@test "without -d the page has counts and rows" {
	try 'shreport report'
	exits 0
	says 'shreport: the page has no texts: the documents were not given (-d DOCS)'
	reads
	run ! grep -q '^pair' got
	[ "$(grep -c '^row' got)" -eq 3 ]
	grep -q 'The documents were not given' out
	try 'shreport </dev/null'
	exits 0
	reads
	[ "$(grep -c '	0$' got)" -eq 4 ]
}

@test "pairs with distances, similarities or coverage are accepted" {
	for record in 'a\tb\t3' 'a\tb\t-' 'a\tb\t40\t0.5000\t0.8000' 'a\tb\t3\t1e-1\tedit' 'a\tb\t0.8000\tedit' 'a\tb\t0.8000\tedit\t2'; do
		try "printf '$record\n' | shreport -d docs"
		exits 0
		reads
		shows 'pair\ta\tb' 'mark\tbrown' 'mark\tred'
	done
}

@test "spans: the page has passages side by side with context and coverage, the most covered pair first" {
	printf 'x\t%s\n' "one two three four five six" >docs
	printf 'y\t%s\nz\t%s\n' "zero one two 3 four" 'one\ttwo' >>docs
	printf 'y\t5\t19\tx\t0\t18\t3\t0.75\nz\t0\t8\tx\t0\t7\t2\t1\nz\t0\t8\tx\t0\t7\t2\t1\nz\t0\t3\tx\t0\t3\t1\t1\n' >spans
	try 'shreport -d docs spans'
	exits 0
	says
	reads
	shows 'title\tShared passages' 'count\tpairs\t2' 'count\tshared passages\t4' 'pair\tz\tx' 'pair\ty\tx' 'mark\t3' \
		'mark\tthree' 'row\tz\tx\t3\t10000\t2592' 'row\ty\tx\t1\t5526\t5000'
	grep -qF '<span class="around">zero </span>one two <mark>3</mark> four' out
	grep -qF 'one two <mark>three</mark> four<span class="around"> five six</span>' out
	grep -qF 'one	two' out
	[ "$(grep -o '<rect' out | wc -l)" -eq 8 ]
}

@test "spans: a verbatim passage comes before a longer one with other words, and queries make no groups" {
	printf '%s\t%s\n' d1 'Which of the following is true about the bridge over the river?' \
		d2 'It says: how many of the elements are left in it? Discuss.' >docs
	printf '%s\t%s\n' q1 'Which of the following is true about the rain in the north?' \
		q2 'how many of the elements are left in it?' >queries
	printf 'd1\t0\t62\tq1\t0\t58\t9\t0.7500\nd2\t9\t48\tq2\t0\t39\t9\t1.0000\n' >spans
	try 'shreport -d docs -d queries spans'
	exits 0
	says
	reads
	shows 'count\tpairs\t2' 'count\tdocuments\t2' 'count\tqueries or earlier documents\t2' 'pair\td2\tq2' 'pair\td1\tq1' \
		'row\td2\tq2\t1\t6724\t9750' 'row\td1\tq1\t1\t7380\t7372'
	run ! grep -q '^group\|count	groups' got
	printf 'd2\t0\t10\td1\t0\t10\t3\t1\n' >>spans
	try 'shreport -d docs -d queries spans'
	reads
	shows 'count\tgroups\t1'
}

@test "spans without -d, or beyond the text of a document, are refused; a missing document is named on the page" {
	printf 'a\t0\t3\tb\t0\t3\t1\t1\n' >spans
	try 'shreport spans'
	exits 2
	gives
	says 'shreport: spans need the documents (add -d DOCS)'
	printf 'a\t0\t30\tb\t0\t3\t1\t1\n' >spans
	try 'shreport -d docs -o new spans'
	exits 2
	says "shreport: a span ends at byte 30, and the text of 'a' has 25 bytes: the spans are of other documents"
	[ ! -e new ]
	printf 'a\t0\t3\tnone\t0\t3\t1\t1\n' >spans
	try 'shreport -d docs spans'
	exits 0
	says 'shreport: at least one document of 1 pair is missing: its text is not shown (-d)'
	reads
	shows 'pair\ta\tnone' 'gap\tThe second document is not among the documents' 'row\ta\tnone\t1\t1200\t-1'
}

@test "records that are neither pairs nor spans, and a mix of both, are refused" {
	try "printf 'a\tb\n' | shreport"
	exits 2
	grep -q '^shreport: -:1: ' err
	try "printf 'a\tb\t1\na\t0\t3\tb\t0\t3\t1\t1\n' | shreport"
	exits 2
	grep -q '^shreport: -:2: ' err
	printf 'a\t0\t3\tb\t0\t3\t1\t1\n%s\n' 'a	b	1' 'a	3	0	b	0	3	1	1' 'a	0	3	b	0	x	1	1' >spans
	try 'shreport --rejects bad -d docs spans'
	exits 0
	[ "$(wc -l <bad)" -eq 3 ]
	try 'shreport -d docs spans'
	says "shreport: spans:2: expected id1<TAB>start1<TAB>end1<TAB>id2<TAB>start2<TAB>end2<TAB>matched<TAB>identity, as in the first record"
	try 'sed 2,3d spans | shreport -d docs'
	says 'shreport: -:2: start1 and end1: expected numbers of bytes, start first'
}

@test "HTML in documents, ids and titles is escaped" {
	python3 - <<-'END'
	evil = ['</script><script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "' onclick='alert(1)", '<!--', ']]>',
	    '&lt;b&gt; &amp; &#60;', '</details></main>', '<style>*{display:none}', '\u2028\u2029', '\x00\x01\x1b[31m\x7f',
	    '\u202e\u2066', '<svg/onload=alert(1)>', '<\x00script>', '{{x}} ${x} `x`', '<!DOCTYPE', '<base target=x>']
	with open('docs', 'w') as docs, open('report', 'w') as report, open('spans', 'w') as spans:
	    for i, x in enumerate(evil):
	        docs.write(f'{i}{x}\t{x} one {i}\n{x}{i}\t{x} two {x}\n')
	        report.write(f'{i}{x}\t{x}{i}\t1\t0.5000\tedit\n')
	        spans.write(f'{i}{x}\t0\t1\t{x}{i}\t0\t1\t1\t1\n')
	with open('docs', 'ab') as docs, open('report', 'a') as report:
	    docs.write(b'ill\t\xff\xfe<b>\xed\xa0\x80\xc0\xbc one\nill2\t\xf4\x90\xbc<\n')
	    report.write('ill\till2\t1\t0.5000\tedit\n')
	END
	for input in report spans; do
		try "shreport --title '</title><script>alert(1)</script>' -d docs $input"
		exits 0
		reads
		[ "$(grep -ci '<script' out)" -eq 2 ]
		run ! grep -qi '<img\|<base\|<svg/\|<!--\|]]>' out
		grep -q '^title	</title><script>alert(1)</script>$' got
		[ "$(grep -c '^pair' got)" -ge 16 ]
		grep -qxF 'pair	0</script><script>alert(1)</script>	</script><script>alert(1)</script>0' got
		iconv -f UTF-8 -t UTF-8 out >/dev/null
	done
}

@test "Chinese: the page marks characters that differ, and names the language of each text" {
	printf 'x\t%s\ny\t%s\nz\t%s\n' 今天天气很好，我们去公园。 今天天气不好，我们去公园。 'きょうはいい天気です。' >docs
	printf 'x\ty\t1\nx\tz\t30\n' >pairs
	try 'shreport --title 重复文档 -d docs pairs'
	exits 0
	reads
	grep -q '<h1 lang="zh">' out
	grep -q 'class="cell" lang="zh">今天天气<mark>很</mark>好，我们去公园。<' out
	grep -q '^lang	ja$' got
}

@test "long passages in common are omitted, and long texts are cut" {
	seq 300 | tr '\n' ' ' >many
	printf 'x\t%send\ny\tbegin %s\n' "$(cat many)" "$(cat many)" >docs
	printf 'x\ty\t1\n' >pairs
	try 'shreport -d docs pairs'
	exits 0
	reads
	shows 'mark\tbegin' 'gap\t933 characters alike' 'mark\tend'
	seq 20000 | tr '\n' ' ' >many
	printf 'x\t%s\ny\t%s\n' "$(cat many)" "$(cat many) end" >docs
	try 'shreport -d docs pairs'
	reads
	grep -q '^gap	177,792 bytes more are not shown$' got
	run ! grep -q '^mark' got
	[ "$(wc -c <out)" -lt 60000 ]
}

@test "--texts and --list limit the page, which reports the omitted pairs" {
	seq 2 1500 | awk '{ printf "d%d\td1\t%d\t0.%04d\tedit\n", $1, $1 % 7, 9000 - $1 }' >report
	try 'shreport --texts 5 --list 1000 -d docs report'
	exits 0
	reads
	[ "$(grep -c '^pair' got)" -eq 5 ]
	[ "$(grep -c '^row' got)" -eq 1000 ]
	grep -q 'Texts are shown for 5 of 1,499 pairs' out
	grep -q 'The first 1,000 of 1,499 pairs' out
	[ "$(grep -m 1 '^row' got)" = "$(printf 'row\td1500\td1\t2\t7500\tedit')" ]
	grep -qx 'group	d1	1,500	0.7500' got
}

@test "-d reads documents as JSON, as lines, with other fields, from a pipe, compressed and in several files" {
	printf '%s\n' '{"i":"a","t":"one\ttwo \\n"}' '{"i":"b","t":"one three \\n"}' >json
	printf 'a\tb\t1\n' >pairs
	try 'shreport --json -f i,t -d json pairs'
	exits 0
	reads
	shows 'mark\ttwo' 'mark\tthree'
	grep -qF '\n' out
	printf 'one two\none three\n' >lines
	try 'printf "1\t2\t1\n" | shreport -l -d lines'
	reads
	shows 'mark\ttwo' 'mark\tthree'
	printf 'x\ta\tone two\n' >1
	printf 'x\tb\tone three\n' | gzip >2
	try 'cat 1 | shreport -f 2,3 -d - -d 2 pairs'
	exits 0
	reads
	shows 'mark\ttwo' 'mark\tthree'
	printf 'a\tone\\ttwo\nb\tone\\tthree\n' >docs
	try 'shreport --raw -d docs pairs'
	grep -qF 'one\<mark>ttwo' out
	try 'shreport -l -f 1,2 -d docs pairs'
	exits 2
}

@test "the page is the same with any number of threads" {
	awk 'BEGIN { for (i = 0; i < 40000; i++) print "i" i % 39000 "\tThe quick red fox jumps " i }' >docs
	printf 'i%d\ti%d\t0\n' 3 4 38999 20000 999 1 >report
	try 'shreport -j 1 -d docs report'
	exits 0
	says 'shreport: 1000 documents with the id of an earlier document: ignored'
	reads
	shows 'pair\ti3\ti4' 'mark\t3' 'mark\t4' 'pair\ti38999\ti20000' 'mark\t38999' 'mark\t20000' \
		'pair\ti999\ti1' 'mark\t999' 'mark\t1'
	mv out expected
	for j in 2 5; do
		try "shreport -j $j -d docs report"
		exits 0
		same expected out
	done
}

@test "the output of shdedup and shspan gives the same page in each run, in English and in Chinese" {
	for lang in en zh; do
		shdedup -q --report report -o /dev/null "$T_DATA/${lang}_dev.tsv"
		shspan "$T_DATA/${lang}_dev.tsv" >spans
		for input in report spans; do
			try "shreport -d \$T_DATA/${lang}_dev.tsv $input"
			exits 0
			says
			reads
			[ "$(grep -c '^pair' got)" -gt 100 ]
			shreport -j 3 -d "$T_DATA/${lang}_dev.tsv" <$input >again
			same out again
		done
	done
	cut -f 1-2 report | sort >expected
	shreport report >out
	reads
	sed -n 's/^row\t//p' got | cut -f 1-2 | sort >rows
	same expected rows
}

@test "the page contains page.css and page.js, and allows only this script, by its SHA-256" {
	report=$BATS_TEST_DIRNAME/../lib/report
	printf 'a\tb\t1\t0.9\tedit\n' | shreport >page
	python3 - "$report" <<-'END'
		import base64, hashlib, sys
		page = open("page").read()
		script = open(sys.argv[1] + "/page.js").read()
		digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
		assert open(sys.argv[1] + "/page.css").read() in page
		assert "<script>" + script + "</script>" in page
		assert "sha256-" + digest in page
	END
}

# browse PAGE WORD...: uses the page in a browser as a reader does.
browse() {
	command -v chromium >/dev/null || skip 'no chromium'
	timeout 20 chromium --headless --no-sandbox --disable-gpu --dump-dom about:blank >/dev/null 2>&1 || skip 'chromium does not run here'
	try "python3 '$BATS_TEST_DIRNAME/shreport-browser.py' $*"
	exits 0
	cat out
	[ "$(wc -l <out)" = 6 ]
}

@test "in a browser: search, sorting and more rows work at three widths, light and dark, and no script of a text runs" {
	{
		printf 'd%d\td1\t%d\t0.%04d\tedit\n' 2 1 9000 3 9 9500 4 5 8000
		printf '文档%d\t第%d页\t3\t0.9\tedit\n' 1 7 2 7
		printf 'Ärger\tx\t2\t0.85\tedit\n'
		seq 5 400 | awk '{ printf "d%d\td1\t%d\t0.%d\tedit\n", $1, $1 % 13, 7000 + $1 % 50 }'
	} >report
	printf '%s\t%s\n' d1 'one <script>document.title="broken"</script>' d2 'one two' d3 'ONE three' 文档1 '北京银行的利率' 第7页 '北京银行 的 利率' >docs
	shreport -d docs report >page.html
	browse page.html one 银行 文档 ärger '"<script>"' nothing
}

@test "in a browser: a page of 100,000 rows works" {
	[ "${SOAK:-}" ] || skip 'long: make soak'
	seq 100000 | awk '{ printf "d%d\td%d\t%d\t0.%d\n", $1, $1 % 1000, $1 % 13, 7000 + $1 % 3000 }' >report
	seq 0 100000 | awk '{ printf "d%d\tone text of %d\n", $1, $1 % 999 }' >docs
	shreport -d docs report >page.html
	browse page.html d777 'text' nothing
}
