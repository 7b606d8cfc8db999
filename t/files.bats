#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Files as people have them: wrong declarations, broken boundaries, blank lines, binary files.

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

@test "charsets: 1,800 texts of 24 charsets are read right, declared rightly, wrongly, not at all or twice" {
	needs HTML
	charset GB18030
	charset CP932
	! shdoc --help | grep -q 'without.*guesses' || skip 'a build without libuchardet'
	python3 "$BATS_TEST_DIRNAME/charset-table.py"
	[ "$(wc -l <expected.tsv)" -gt 1800 ]
	try 'shdoc files'
	exits 0
	same expected.tsv out
}

@test "charsets: text that is UTF-8 is read as UTF-8 whatever is declared" {
	needs HTML
	charset GB18030
	try "printf '<meta charset=gb2312><p>中央银行宣布调整货币政策，市场反应平稳</p>' | shdoc --format html"
	exits 0
	gives '-\t中央银行宣布调整货币政策，市场反应平稳'
	says
	try "printf '<meta charset=iso-8859-1><p>café' | shdoc --format html --verbose"
	gives '-\tcafé'
	says 'shdoc: -: html, UTF-8 (well-formed; the declared charset does not fit)'
	# Alphabets beyond the first letters of Unicode, under the charsets of the same languages.
	while IFS='|' read -r declared text; do
		try "printf '<meta charset=$declared><p>$text' | shdoc --format html"
		gives "-\t$text"
	done <<-'END'
	windows-1256|سلام دنیا
	windows-1256|یہ اردو ہے
	windows-1256|؟ كيف
	windows-1255|שָׁלוֹם
	iso-8859-2|Ștefan și țară
	windows-1251|Қазақ тілі
	windows-1254|Bakı şəhəri
	windows-1258|người ta
	windows-1251|Café
	END
	# Words of three letters in CP866 and in Thai are sequences of UTF-8 by chance.
	try "printf '<meta charset=ibm866><p>\341\240\244' | shdoc --format html"
	gives '-\tсад'
	try "printf '<meta charset=tis-620><p>\341\274\271' | shdoc --format html"
	gives '-\tแผน'
	# shellcheck disable=SC1111 # quotes of the text
	try "printf '<meta charset=tis-620><p>“ไทย”' | shdoc --format html"
	gives '-\t“ไทย”'
	# One pair of bytes of GB 2312, and one capital before a symbol, are UTF-8 only by chance.
	try "printf '<meta charset=gb2312><p>\xd2\xbb' | shdoc --format html"
	gives '-\t一'
	try "printf '<meta charset=iso-8859-1><p>NESTL\xc9\xae' | shdoc --format html"
	gives '-\tNESTLÉ®'
}

@test "charsets: shifts to other sets are read in files without a declaration, too" {
	needs HTML
	for name in ISO-2022-KR ISO-2022-CN ISO-2022-JP ISO-2022-JP-2; do charset $name; done
	for bytes in 'ISO-2022-KR|\33$)C\16>H3g\17, \16<<0h\17|안녕, 세계' 'ISO-2022-CN|\33$)A\16VPNDNDWV\17|中文文字' \
	    'ISO-2022-JP|\33$BF|K\134\33(B|日本' 'ISO-2022-JP-2|\33$BF|K\134\33$AVPND\33(B|日本中文'; do
		name=${bytes%%|*}
		text=${bytes##*|}
		bytes=${bytes#*|}
		printf "${bytes%|*}" >plain
		(printf '<p>'; cat plain) >page
		(printf 'From: a\nTo: b\nSubject: c\nMessage-ID: <m>\n\n'; cat plain) >mail
		try 'shdoc plain page mail'
		exits 0
		gives "plain\t$text" "page\t$text" "m\t$text"
		says "shdoc: 3 texts taken for $name (detected)"
	done
}

@test "charsets: aliases and code pages are known by any spelling; a name that nobody knows gets a note" {
	charset CP850
	mail() { printf 'From: a\nTo: b\nSubject: c\nMessage-ID: <1>\nContent-Type: text/plain; charset=%s\n\n%b\n' "$1" "$2"; }
	for name in cp-850 CP850 ibm850 IBM00850 x-ibm-850 850; do
		try "$(declare -f mail); mail $name 'd\202j\205 vu' | shdoc 2>/dev/null"
		gives '1\tdéjà vu'
	done
	for name in win1251 windows-1251 WINDOWS_1251 cp-1251 x-cp1251; do
		try "$(declare -f mail); mail $name '\317\360\350\342\345\362' | shdoc 2>/dev/null"
		gives '1\tПривет'
	done
	for name in hz-gb-2312 HZ; do
		try "$(declare -f mail); mail $name '~{<:Ky2;S{#,NpJ)l6HK!#~}Bye~~.' | shdoc 2>/dev/null"
		gives '1\t己所不欲，勿施於人。Bye~.'
	done
	try "$(declare -f mail); mail klingon 'Grüße' | shdoc"
	gives '1\tGrüße'
	says "shdoc: 1 text taken for UTF-8 (well-formed; the declared charset 'klingon' is unknown)"
	for name in unknown-8bit x-unknown default us-ascii; do
		try "$(declare -f mail); mail $name 'Grüße' | shdoc"
		gives '1\tGrüße'
		says
	done
}

# response TYPE BODY [URI]: prints a WARC record of an HTTP response.
response() {
	local block
	block=$(printf 'HTTP/1.1 200 OK\r\nContent-Type: %s\r\n\r\n%b.' "$1" "$2")
	block=${block%.}
	printf 'WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n' \
	    "${3:-u}" "${#block}" "$block"
}

@test "HTTP: the bytes decide when the Content-Type is no media type" {
	needs HTML
	charset WINDOWS-1251
	for type in html text HTML '"text/html"' 'text/html charset=windows-1251' charset=windows-1251 '(null)' none \
	    txt/html x-text/html text/htm text/xhtml text/unknown 'text//html' text/ '*/*' '"text/html; charset=windows-1251"'; do
		response "$type" '<html><p>x  y<p>\317\360\350\342\345\362, \354\350\360' >a.warc
		try 'shdoc a.warc 2>/dev/null'
		exits 0
		gives 'u\tx y\\nПривет, мир'
	done
	response html 'a < b' >a.warc
	try 'shdoc a.warc'
	gives 'u\ta < b'
	response '(null)' '\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\1' >a.warc
	try 'shdoc a.warc'
	exits 0
	gives
	response text/plain '<html>a' >a.warc
	try 'shdoc a.warc'
	gives 'u\t<html>a'
}

@test "mail: base64 ends before the footer of a list, with and without padding" {
	text='Dear all, the meeting takes place on Monday at ten, in the usual room. Bring the papers, please, and tell the others'
	(printf 'From: a\nTo: b\nSubject: c\nMessage-ID: <1>\nContent-Transfer-Encoding: base64\n\n'
	    printf %s "$text" | base64 | tr -d =) >coded
	for footer in '_______________________________________________\nlist mailing list\nlist@example.org\nhttp://example.org/listinfo' \
	    '\nUnsubscribe\nhttp://example.org' '\n-- \nJoe' 'Sent by mail.example.org' '\n\n\nTo unsubscribe, write to us.'; do
		(cat coded; printf "$footer\n") >a.eml
		try 'shdoc a.eml'
		exits 0
		gives "1\t$text"
	done
	# Line ends, blank lines and noise within the data do no harm.
	(sed -n 1,6p coded; printf %s "$text" | base64 | sed 's/$/ \r/; 1s/$/\n\r/') >a.eml
	try 'shdoc a.eml'
	gives "1\t$text"
	(sed -n 1,6p coded; printf %s "$text" | base64 | sed '2,$s/^/  /') >a.eml
	try 'shdoc a.eml'
	gives "1\t$text"
}

@test "mbox: a whole 'From ' line before a header begins a message, without an empty line before it, too" {
	message() { printf 'From a@b Sat Nov 21 10:00:00 2026\nFrom: x\nMessage-ID: <%s>\n\n%b\n' "$@"; }
	(message 1 one; message 2 two; message 3 'three\nFrom here on 10:00\nFrom a@b Sat Nov 21 10:00:00 2026\nno field') >box
	try 'shdoc box'
	exits 0
	gives '1\tone' '2\ttwo' '3\tthree\\nFrom here on 10:00\\nFrom a@b Sat Nov 21 10:00:00 2026\\nno field'
	python3 -c 'import mailbox; print(*[m["Message-ID"] for m in mailbox.mbox("box") if m["Message-ID"]], sep="\n")' >python
	cut -f 1 out | sed 's/.*/<&>/' | cmp - python
	# Other programs write other dates.
	for date in 'Sat, 21 Nov 2026 10:00:00 +0100' '2026-11-21T10:00:00' '21/Nov/2026 10:00'; do
		(message 1 'one\nFrom a@b in 2026\nx: y\nFrom here on 10:00 in 2026\nx: y'; message 2 two) | sed "s|Sat Nov 21 10:00:00 2026|$date|" >box
		try 'shdoc box'
		gives '1\tone\\nFrom a@b in 2026\\nx: y\\nFrom here on 10:00 in 2026\\nx: y' '2\ttwo'
	done
	# A message that is too large ends there, too.
	(message 1 "$(printf '%03000d' 0)"; message 2 two) >box
	try 'shdoc --max-size 2K --rejects bad box'
	gives '2\ttwo'
}

@test "mbox and WARC: blank lines before the first message or record make no document" {
	for blank in '\n' '\r\n\r\n' ' \n\t\n\n' '\xef\xbb\xbf\n'; do
		(printf "$blank"; printf 'From a@b Sat Nov 21 10:00:00 2026\nMessage-ID: <1>\n\none\n\n') >box
		try 'shdoc box'
		exits 0
		gives '1\tone'
		(printf "$blank"; printf 'From: a\nTo: b\nSubject: c\nMessage-ID: <1>\n\none\n') | tee one.eml >one
		try 'shdoc one one.eml'
		gives '1\tone' '1\tone'
		(printf "$blank"; response text/plain one) >w
		for how in 'shdoc w' 'shdoc -j 2 w' 'gzip <w | shdoc'; do
			try "$how"
			exits 0
			gives 'u\tone'
			says
		done
	done
}

# members FILE...: prints each file as a gzip member of its own; the member of a file named bad* is damaged.
members() {
	python3 - "$@" <<-'END'
		import gzip, sys
		for name in sys.argv[1:]:
		    data = bytearray(gzip.compress(open(name, "rb").read(), mtime=0))
		    if "bad" in name:
		        for i in range(len(data) // 2, len(data) // 2 + 8):
		            data[i] ^= 0x55
		    sys.stdout.buffer.write(data)
	END
}

@test "gzip: behind a damaged member the next member is read, what is lost is counted, and the status is 2" {
	needs zlib
	mkdir w j m
	for i in 1 2bad 3 4bad 5; do
		text=$(seq -s ' ' "${i%bad}" 1500)
		response text/plain "$text" "u$i" >w/$i
		printf '{"id":"u%s","text":"%s"}\n' "$i" "$text" >j/$i
		printf 'From a@b Sat Nov 21 10:00:00 2026\nMessage-ID: <u%s>\n\n%s\n\n' "$i" "$text" >m/$i
	done
	for form in w j m; do
		members $form/* >$form.gz
		for how in "shdoc $form.gz" "shdoc -j 2 $form.gz" "cat $form.gz | shdoc"; do
			try "$how"
			exits 2
			[ "$(cut -f 1 out | paste -sd ' ')" = 'u1 u3 u5' ]
			[ "$(grep -cE 'the gzip data are damaged at byte [0-9]+ or before; [0-9]+ bytes up to the next frame are lost$' err)" = 2 ]
		done
		# The last member is damaged, so nothing is behind it.
		members $form/1 $form/2bad >$form.gz
		try "shdoc $form.gz"
		exits 2
		[ "$(cut -f 1 out | paste -sd ' ')" = u1 ]
		grep -q 'the gzip data are damaged at byte [0-9]* or before; the file was not read to its end$' err
	done
	# Programs that read lines stop there: a result without some documents would look whole.
	for i in 1 2bad 3; do seq -f "$i%g	text" 3000 >m/$i; done
	members m/1 m/2bad m/3 >l.gz
	for how in 'shtok l.gz' 'shtok -j 2 l.gz' 'shdedup -q l.gz' 'shdedup -q -o whole l.gz'; do
		try "$how"
		exits 2
		grep -qE '(the gzip data are damaged at byte [0-9]+ or before; the file was not read to its end|l.gz:[0-9]+: .*expected.*)$' err
		[ ! -e whole ]
		[ "$(grep -c ^3 out)" = 0 ]
	done
	try 'shdoc j.gz --trailer | tail -n 1 | cut -f 1'
	gives u1
}

@test "WARC: behind a broken record the next record is read, what is lost is counted, and the status is 2" {
	(response text/plain one u1; response text/plain two u2 | sed 's/^Content-Length: ../Content-Length: 13/'
	    response text/plain three u3; response text/plain four u4 | sed 's/^Content-Length: ../Content-Length: x/'
	    response text/plain five u5; response text/plain six u6 | sed 's/^Content-Length: ../Content-Length: 9999/'
	    response text/plain seven u7) >a.warc
	for how in 'shdoc --rejects bad a.warc' 'shdoc --rejects bad -j 2 a.warc' 'gzip <a.warc | shdoc --rejects bad'; do
		try "$how"
		exits 2
		[ "$(cut -f 1 out | paste -sd ' ')" = 'u1 u2 u3 u5 u7' ]
		[ "$(grep -cE 'bytes up to the next record are lost$' err)" = 3 ]
	done
}

@test "a log with a few NULs is text; files that are left out are named, the first ten of many, with the way in" {
	mkdir f
	printf 'line one\nline two\0\nline three\n' >f/log
	(seq 500; head -c 3000 /dev/zero; seq 3) >f/crash
	try 'shdoc f | cut -f 1'
	exits 0
	gives crash log
	says
	printf '\0\1\2\3\4\5\6' >f/x
	try 'shdoc f | wc -l'
	gives 2
	says 'shdoc: f/x: left out: file without text (--format text reads it)' \
	    'shdoc: left out: file without text (--format text reads it): 1'
	try 'shdoc --format text f/x | tr -d "\0"'
	gives 'f/x\t\1\2\3\4\5\6'
	for i in $(seq 30); do cp f/x f/x$i; done
	try 'shdoc f >/dev/null'
	[ "$(grep -c '^shdoc: f/x' err)" = 10 ]
	grep -qx 'shdoc: left out: file without text (--format text reads it): 31' err
}

@test "HTML: CDATA is a comment, and text within <svg> and <math>, as in browsers" {
	needs HTML
	page() { printf "$1" | shdoc --format html | cut -f 2; }
	[ "$(page '<p>a<![CDATA[b]]>c')" = ac ]
	[ "$(page '<p>a<![CDATA[ x > y ]]>c')" = 'a y ]]>c' ]
	[ "$(page '<p>a<![CDATA[b')" = a ]
	[ "$(page '<svg><text><![CDATA[b<c&amp;]]></text></svg>d<![CDATA[e]]>f')" = 'b<c&amp;df' ]
	# HTML within <foreignObject> has comments; directly within it, as within <text>, stands XML.
	[ "$(page '<svg><foreignObject><p>a<![CDATA[b]]></p></foreignObject><text><![CDATA[c]]></text></svg>')" = $'a\\nc' ]
	[ "$(page '<svg><foreignObject><![CDATA[b]]><br><![CDATA[c]]></foreignObject></svg>')" = 'b\nc' ]
	[ "$(page '<svg><desc><b><![CDATA[b]]></b></desc></svg>a<svg/><![CDATA[c]]>d')" = ad ]
	[ "$(page '<svg>a<p>b<![CDATA[c]]>d')" = 'a\nbd' ]
	[ "$(page '<script>//<![CDATA[\nx\n//]]></script>t')" = t ]
}

@test "HTML: named references have the characters of html5, with and without semicolon" {
	needs HTML
	python3 - <<-'END'
		import html
		from html.entities import html5
		blank = " \t\n\r\f"
		names = [n for n in html5 if html5[n] not in blank]
		# A reference without semicolon goes on with letters that are text.
		names += [n.rstrip(";") + tail for n in names for tail in ("it;", "1", " ")]
		names = sorted(n for n in set(names) if n.strip() == n)
		with open("page", "w") as page, open("expected", "w") as expected:
		    for name in names:
		        page.write("<p>a&%s b</p>\n" % name)
		        expected.write("a%s b\n" % html.unescape("&" + name))
	END
	try 'shdoc --format html page | cut -f 2 | sed "s/\\\\n/\n/g; s/\\\\\\\\/\\\\/g"'
	exits 0
	[ "$(wc -l <out)" -gt 6000 ]
	same expected out
}

@test "tokens: colours and titles of a terminal and the key of a keycap emoji are no part of words" {
	printf 'a\t\33[31mred\33[0m \33[1;32mgr\33[mey\33[K \33]0;title\7x \33]8;;http://x\33\\link\33]8;;\33\\ \33(B1\xef\xb8\x8f\xe2\x83\xa3 #\xef\xb8\x8f\xe2\x83\xa3\n' >in
	try 'shtok -n 1 in | cut -f 2 | paste -sd " "'
	exits 0
	gives 'red gr ey x link 1'
	try "printf 'red grey\n\33[31mred\33[0m grey\n' | shdedup -l --dry-run --report -"
	[ "$(cut -f 1-2 out)" = $'2\t1' ]
}

@test "Parquet, PDF, Avro and others are no lines of text: each program says so, and what makes records of them" {
	printf 'PAR1\25\4\n\25' >parquet
	printf 'Obj\1\4\26avro\n' >avro
	printf '%%PDF-1.4\n' >pdf
	printf 'SQLite format 3\0\20\0\n' >sqlite
	printf 'ARROW1\0\0\n' >arrow
	printf 'ORC\21\0\n' >orc
	printf 'PK\3\4\24\0\0\0\10\0            xl/workbook.xml\n' >xlsx
	printf '{\\rtf1\\ansi a\\par}\n' >rtf
	printf '%%!PS-Adobe-3.0\n' >ps
	printf 'ID3\3\0\0\n' >mp3
	for form in parquet:Parquet avro:Avro pdf:PDF sqlite:SQLite arrow:Arrow orc:ORC 'xlsx:an Excel workbook' rtf:RTF \
	    ps:PostScript mp3:sound; do
		file=${form%%:*}
		for how in "shdedup $file" "shdedup -l $file" "shdedup --json $file" "shtok $file" "shtok -l - <$file" \
		    "shfp -l $file" "shfp $file" "shspan $file" "shseed -l $file" "shcut -d /dev/null $file" "shdrop -d /dev/null $file"; do
			try "$how"
			exits 2
			gives
			grep -qE "^${how%% *}: ($file|-): the file is ${form#*:}, not lines of text \(.+\)$" err
		done
	done
	# Text that begins with the same letters is text.
	printf 'PAR1\tsome text\nORCA\tanother text about whales\n' >docs
	try 'shdedup docs'
	exits 0
	same docs out
}

@test "blank lines in JSONL, CSV and TSV are passed over, and counted, in every program that reads documents" {
	printf '{"id":"a","text":"one two three four"}\n\n{"id":"b","text":"five six seven"}\n \t\r\n\n' >in.jsonl
	printf 'id,text\n\na,one two three four\n\r\nb,five six seven\n\n' >in.csv
	tr , '\t' <in.csv | sed '2s/$/  /' >in.header
	grep . in.jsonl | grep a >kept.jsonl
	printf 'a\tb\t0\n' >pairs
	for form in json csv header; do
		file=in.${form/json/jsonl}
		for how in shdedup 'shdedup --link single' 'shdrop -d /dev/null' 'shcut -d /dev/null'; do
			try "$how --$form $file"
			exits 0
			grep -v '^[[:space:]]*$' $file | cmp - out
			grep -qx "${how%% *}: 3 blank lines passed over" err
		done
		for how in 'shtok -n 1' shfp shspan shseed "shverify -d $file pairs"; do
			try "${how/ -d/ --$form -d} $([[ $how = shverify* ]] || echo "--$form $file")"
			exits 0
			grep -qx "${how%% *}: 3 blank lines passed over" err
		done
		try "gzip -c $file | shtok -n 1 --$form | wc -l"
		gives 7
	done
	# A line of TABs is a record, blank lines may precede the header, and shards have none.
	try "printf 'id\ttext\n\t\n' | shtok --header"
	exits 2
	grep -q '^shtok: -:2: ' err
	try "printf '\n\nid\ttext\n\na\tb\n' | shtok -n 1 --header"
	exits 0
	gives 'a\tb\t1'
	for form in json csv header; do
		try "shdedup -q --$form -O shards in.${form/json/jsonl} && grep -v '^[[:space:]]*$' in.${form/json/jsonl} | cmp - shards/in.*"
		exits 0
		rm -r shards
	done
	# Numbers of lines count them.
	try 'shtok -n 9 --json -l in.jsonl'
	gives '1\tone two three four\t1' '3\tfive six seven\t1'
	try "printf '{\"id\":1,\"text\":\"a\"}\n\n{\n' | shtok --json"
	exits 2
	grep -q '^shtok: -:3: JSON' err
}

@test "CSV: --delimiter and a line sep= part the fields; a message names the delimiter that the header seems to have" {
	printf 'id;text;n\r\n1;"a; ""b"", c";x\r\n2;d e;y\r\n' >semicolon.csv
	(printf 'sep=;\r\n'; cat semicolon.csv) >excel.csv
	# shellcheck disable=SC2089
	for how in '--delimiter ";" semicolon.csv' 'excel.csv' '--delimiter=";" excel.csv'; do
		try "shtok -n 1 --csv $how"
		exits 0
		gives '1\ta\t1' '1\tb\t1' '1\tc\t1' '2\td\t1' '2\te\t1'
		try "shdedup -q --csv $how"
		exits 0
		same "${how##* }" out
	done
	try "shdedup -q --csv --delimiter ';' --mark dup semicolon.csv"
	[ "$(head -n 1 out | tr -d '\r')" = 'id;text;n;dup;dup_similarity;dup_measure' ]
	try 'shtok --csv semicolon.csv'
	exits 2
	says "shtok: semicolon.csv:1: no column \"id\" in the header 'id;text;n'; its fields seem to be separated by ';': --delimiter ';' (name the fields of id and text with -f ID,TEXT)"
	try "printf '\"id\";\"text\"\n\"1\";\"a; b\"\n' | shtok --csv"
	exits 2
	says "shtok: -:1: CSV: quote within field 1 (expected quotes around the whole field, and two for each one in it); its fields seem to be separated by ';': --delimiter ';'"
	try "printf 'id\ttext\n1\ta\n' | shtok --csv"
	grep -q 'its fields seem to be separated by tabs: --header reads them' err
	try "printf 'id|text\n1|a b\n' | shtok -n 2 --csv --delimiter '|'"
	gives '1\ta b\t1'
	for bad in '' ab '"'; do
		try "shtok --csv --delimiter '$bad' semicolon.csv"
		exits 2
		grep -qF "shtok: --delimiter '$bad': expected one character" err
	done
	try 'shtok --delimiter x semicolon.csv'
	exits 2
	grep -q '^shtok: --delimiter is for --csv, which is not given' err
}

@test "CSV and TSV: two columns with the name of -f are refused by name" {
	printf 'id,text,text\n1,a,b\n' >a.csv
	try 'shdedup --csv a.csv'
	exits 2
	says 'shdedup: a.csv:1: 2 columns of the header have the name "text": expected one (name the fields of id and text with -f ID,TEXT)'
	tr , '\t' <a.csv >a.tsv
	try 'shtok --header a.tsv'
	exits 2
	grep -q '2 columns of the header have the name "text"' err
	# Other columns may have one name.
	printf 'id,text,x,x\n1,a,b,c\n' >b.csv
	try 'shtok -n 1 --csv b.csv'
	gives '1\ta\t1'
}

@test "JSON: NaN and infinity in another field do no harm; as id or text they are named" {
	printf '{"id":1,"text":"a b","score":NaN,"x":[-Infinity,{"y":Infinity}]}\n{"id":2,"text":"c","z":-1}\n' >in
	try 'shtok -n 1 --json in'
	exits 0
	gives '1\ta\t1' '1\tb\t1' '2\tc\t1'
	try 'shdoc in'
	exits 0
	gives '1\ta b' '2\tc'
	try 'shdedup -q --json in'
	same in out
	try "echo '{\"id\":1,\"text\":NaN}' | shtok --json"
	exits 2
	grep -q 'field "text" is not a string' err
	for bad in nan -NaN Inf +Infinity; do
		try "echo '{\"id\":1,\"text\":\"a\",\"x\":$bad}' | shtok --json"
		exits 2
	done
}

@test "JSON: an asterisk in a path names all items of an array, as the contents of a chat; -l takes several texts" {
	cat >chat <<-'END'
	{"messages":[{"role":"user","content":"Hello there"},{"role":"tool","content":null},{"role":"assistant","content":"Good \u00e9vening"}]}
	{"messages":[]}
	{"messages":[{"content":["one","two"]},{"role":"x"},{"content":"three"}]}
	END
	try 'shdoc -l -f "messages.*.content" --format jsonl chat'
	exits 0
	gives 'chat#1\tHello there\\n\\nGood évening' 'chat#2\t' 'chat#3\tone\\n\\ntwo\\n\\nthree'
	try 'shtok --json -l -n 5 -f "/messages/*/content" chat'
	exits 0
	gives '1\thello there good évening\t1' '2\t\t0' '3\tone two three\t1'
	try 'shtok --json -l -n 1 -f messages.0.role chat | head -n 1'
	gives '1\tuser\t1'
	try "echo '{\"id\":1,\"t\":[{\"p\":[{\"x\":\"a\"},{\"x\":\"b\"}]},{\"p\":[{\"x\":\"c\"}]}]}' | shdoc -f 'id,t.*.p.*.x' --format jsonl"
	gives '1\ta\\n\\nb\\n\\nc'
	# Contents of one chat may be strings, and arrays of parts that are text or pictures.
	cat >parts <<-'END'
	{"id":1,"messages":[{"content":"one"},{"content":[{"type":"text","text":"two"},{"type":"image_url","image_url":{"url":"u"}},{"text":"three"}]},{"content":null}]}
	{"id":2,"messages":[{"content":[{"type":"image_url"}]}],"content":[{"type":"input_text","text":"four"},"five"]}
	END
	try 'shtok --json -n 9 -f "id,messages.*.content" parts'
	exits 0
	gives '1\tone two three\t1' '2\t\t0'
	try 'tail -n 1 parts | shtok --json -n 9 -f id,content'
	gives '2\tfour five\t1'
	try "echo '{\"id\":1,\"text\":[{\"text\":\"a\"},{\"body\":\"b\"}]}' | shtok --json"
	exits 2
	grep -q 'field "text" is an array, and not all its items are strings' err
	try "echo '{\"id\":1,\"m\":[{\"c\":{\"type\":\"text\",\"text\":\"a\"}},{\"c\":{\"type\":\"x\"}}]}' | shtok --json -f 'id,m.*.c'"
	gives '1\ta\t1'
	# A text that is no string is not left out.
	try "echo '{\"id\":1,\"m\":[{\"c\":[{\"type\":\"text\",\"text\":{\"value\":\"a\"}}]}]}' | shtok --json -f 'id,m.*.c'"
	exits 2
	# Only arrays have items; a field may be called *.
	try "echo '{\"id\":1,\"t\":{\"*\":\"a\"}}' | shdoc -f 'id,t.*' --format jsonl"
	gives '1\ta'
	try 'shtok --json -l -f messages.content chat'
	exits 2
	says 'shtok: chat:1: JSON: no field "messages.content", there are items of an array, all of which * names (-f TEXT names it)'
	try 'shtok --json -l -f "messages.*.contents" chat'
	exits 2
	says 'shtok: chat:1: JSON: no item of the array has a field "messages.*.contents"'
	try "echo '{\"instruction\":\"Add\",\"output\":\"3\"}' | shtok --json -l -n 2 -f instruction,output"
	gives '1\tadd 3\t1'
}

@test "only the byte order mark of the file goes, not one that begins the first record behind a header" {
	mark='\xef\xbb\xbf'
	printf "${mark}id,text\n${mark}1,a\n" >a.csv
	tr , '\t' <a.csv >a.tsv
	for how in '--csv a.csv' '--header a.tsv'; do
		try "shtok -n 1 $how"
		exits 0
		gives "${mark}1\ta\t1"
		try "shdedup -q $how"
		same "${how#* }" out
		try "shdedup -q --keep longest $how"
		same "${how#* }" out
	done
	printf "${mark}1\ta\n${mark}2\tb\n" >b.tsv
	try 'shtok -n 1 b.tsv'
	gives '1\ta\t1' "${mark}2\tb\t1"
}

@test "shdoc --json writes lines of JSON, the same with several threads" {
	mkdir f
	printf 'a "q"\\\t\nb\1\303\251' >'f/x"y'
	printf '{"id":1e3,"text":"c\\u00e9"}\n{"id":"","text":""}\n{"id":"z\\"","text":"\\n"}\n' >f/z.jsonl
	try 'shdoc --json --rejects bad f'
	exits 0
	python3 -c 'import json; print([json.loads(l) for l in open("out")] == [{"id": "x\"y", "text": "a \"q\"\\\t\nb\x01\u00e9"}, {"id": "1e3", "text": "c\u00e9"}, {"id": "z\"", "text": "\n"}])' >ok
	grep -qx True ok
	cp out expected
	try 'shdoc --json --rejects bad -j 3 f'
	same expected out
	try 'shdoc --json -j 2 f f --rejects bad >/dev/null'
	grep -q '^shdoc: 3 repeated ids' err
	try 'shdoc --json f --rejects bad | shtok --json -n 1 | wc -l'
	gives 6
}

@test "shdoc --json: an id that is not UTF-8 is replaced, and counted" {
	mkdir f
	printf 'one' >f/$'caf\xe9'
	printf '{"id":"x\xff","text":"two"}\n' >f/z.jsonl
	printf 'From: a\nTo: b\nSubject: c\nMessage-ID: <\xe9\xe8@x>\n\nthree\n' >f/m.eml
	for j in 1 2; do
		try "shdoc --json -j $j f"
		exits 0
		gives '{"id":"caf\xef\xbf\xbd","text":"one"}' '{"id":"\xef\xbf\xbd\xef\xbf\xbd@x","text":"three"}' \
		    '{"id":"x\xef\xbf\xbd","text":"two"}'
		says 'shdoc: 4 ill-formed sequences replaced by U+FFFD'
	done
	# Records may have any bytes.
	try 'shdoc f | cut -f 1'
	gives 'caf\xe9' '\xe9\xe8@x' 'x\xff'
}

@test "--mark names file and line of a record that has the field already" {
	printf '{"id":1,"text":"a b c"}\n\n{"id":2,"text":"a b c d"}\n' >a
	printf '{"id":3,"text":"x"}\n{"id":4,"text":"y","dup":1}\n' >b
	gzip -k b
	for file in b b.gz; do
		try "shdedup -q --json --mark dup a $file"
		exits 2
		grep -qx "shdedup: $file:2: JSON: the object has a field \"dup\" already (give the mark another name)" err
	done
}

@test "--mark refuses a column that the header has already" {
	printf 'id,text,dup\n1,a b c,x\n' >a.csv
	tr , '\t' <a.csv >a.tsv
	for how in '--csv a.csv' '--header a.tsv'; do
		try "shdedup -q --mark dup $how"
		exits 2
		says "shdedup: ${how##* }: the header has a column \"dup\" already (give the mark another name)"
	done
}

@test "-O writes no document into its list of finished files" {
	printf '1\ta b c\n' | tee .simhash-shards >.simhash-shards.lock
	for name in .simhash-shards .simhash-shards.lock; do
		try "shdedup -q -O out $name"
		exits 2
		grep -qx "shdedup: -O: no output can be named after the input '$name'" err
		[ ! -e out/$name ]
	done
}

@test "more operands than a process may have open files are read, one open file at a time beyond the first thousand" {
	for i in $(seq 1300); do printf '%d\ttext number %d of many words here\n' $i $i >$i; done
	seq 1300 | xargs cat >expected
	for how in 'shdedup -q' 'shdedup -q -j 3' 'shcut -d /dev/null' 'shdrop -d /dev/null'; do
		try "ulimit -n 1060; $how {1..1300}"
		exits 0
		same expected out
	done
	try 'ulimit -n 1060; shspan {1..1300}'
	exits 0
	for how in 'shdedup -q' 'shcut -d /dev/null'; do
		try "ulimit -n 120; $how {1..1300}"
		exits 0
		same expected out
	done
}
