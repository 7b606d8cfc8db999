#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shtok: makes features of documents.

load helper

@test "--keep-words alpha drops words of marks only; --keep-words thai keeps them" {
	# The text has a vowel sign of Devanagari, a point of Hebrew, a combining accent, and words with letters.
	printf 'a\tका \340\244\276 \326\260 x\340\244\276 \314\201\n' >docs
	try 'shtok -n 1 --keep-words alpha docs'
	gives 'a\tका\t1' 'a\tx\0340\0244\0276\t1'
	printf 'a\t\340\270\261\n' >docs
	try 'shtok -n 1 --keep-words thai docs'
	gives 'a\t\0340\0270\0261\t1'
}

@test "U+11A7 behind a Hangul syllable is not composed with it" {
	printf 'a\t가\341\206\247\nb\t가\nc\t\341\204\200\341\205\241\341\206\247\n' >docs
	try 'shtok -n 1 docs'
	gives 'a\t가\0341\0206\0247\t1' 'b\t가\t1' 'c\t가\0341\0206\0247\t1'
}

@test "writes each token as a feature of weight 1, in the order of the text" {
	try 'printf "d1\tTo be, or NOT to be\nd 2\tone\n" | shtok -n 1'
	exits 0
	says
	gives 'd1\tto\t1' 'd1\tbe\t1' 'd1\tor\t1' 'd1\tnot\t1' 'd1\tto\t1' 'd1\tbe\t1' 'd 2\tone\t1'
}

@test "writes an empty feature of weight 0 for a document without tokens" {
	try 'printf "a\t\nb\t.,;\nc\t\\\\n\n" | shtok -n 1'
	exits 0
	gives 'a\t\t0' 'b\t\t0' 'c\t\t0'
}

@test "words are runs of letters, marks and digits, folded and normalised" {
	try 'printf "a\tÉcole NAÏVE naïve x_y 3.14 don’t ﬁne Ⅷ ＡＢＣ\n" | shtok -n 1'
	gives 'a\técole\t1' 'a\tnaïve\t1' 'a\tnaïve\t1' 'a\tx\t1' 'a\ty\t1' 'a\t3\t1' 'a\t14\t1' \
		'a\tdon\t1' 'a\tt\t1' 'a\tfine\t1' 'a\tviii\t1' 'a\tabc\t1'
}

@test "scripts written without spaces are split into characters, and Hangul is not" {
	try 'printf "a\t中文ABC、テスト 한국어 ไทย\n" | shtok -n 1'
	gives 'a\t中\t1' 'a\t文\t1' 'a\tabc\t1' 'a\tテ\t1' 'a\tス\t1' 'a\tト\t1' 'a\t한국어\t1' \
		'a\tไ\t1' 'a\tท\t1' 'a\tย\t1'
}

@test "-n N: writes n-grams of N tokens, joined by one space" {
	try 'printf "a\tone two three four\n" | shtok -n 3'
	gives 'a\tone two three\t1' 'a\ttwo three four\t1'
	try 'printf "a\t中文字 two\n" | shtok --ngram 2'
	gives 'a\t中 文\t1' 'a\t文 字\t1' 'a\t字 two\t1'
}

@test "-n N-M: writes n-grams of every length from N to M, the short ones first" {
	try 'printf "a\tone two three\n" | shtok -n 1-3'
	gives 'a\tone\t1' 'a\ttwo\t1' 'a\tthree\t1' 'a\tone two\t1' 'a\ttwo three\t1' \
		'a\tone two three\t1'
	try 'printf "a\tone two\n" | shtok -n 1-255'
	gives 'a\tone\t1' 'a\ttwo\t1' 'a\tone two\t1'
}

@test "-n N: a document of fewer than N tokens is one feature of all its tokens" {
	try 'printf "a\tone two\nb\tone two three\nc\t\n" | shtok -n 3'
	gives 'a\tone two\t1' 'b\tone two three\t1' 'c\t\t0'
}

@test "-u char: writes characters, with _ between words and none at the ends" {
	try 'printf "a\t Ab,  c!\n" | shtok -u char -n 2'
	gives 'a\tab\t1' 'a\tb_\t1' 'a\t_c\t1'
	try 'printf "a\t中文 x\n" | shtok --unit char -n 1'
	gives 'a\t中\t1' 'a\t文\t1' 'a\t_\t1' 'a\tx\t1'
	try 'printf "a\tx\n" | shtok -n 1 -u char -u word'
	gives 'a\tx\t1'
}

@test "-u char: the character _ within a word is a character" {
	try 'printf "a\ta_ b _c d_\n" | shtok -n 1 -u char --split fields | cut -f 2 | tr -d "\n"; echo'
	gives 'a__b__c_d_'
	try 'printf "a\tab_\n" | shtok -u char --split go-words -n 2'
	gives 'a\tab\t1' 'a\tb_\t1'
	try 'printf "a\t_\nb\t x y \n" | shtok -n 1 -u char --split blanks'
	gives 'a\t_\t1' 'b\tx\t1' 'b\t_\t1' 'b\ty\t1'
}

@test "--stop: drops the words of a file, folded like the text, and n-grams join the words beside them" {
	printf '\357\273\277the\r\n  OF \n\nÉTÉ\n' >stop
	try 'printf "a\tThe end of the été\nb\tof\n" | shtok -n 2 --stop stop'
	exits 0
	gives 'a\tend\t1' 'b\t\t0'
	try 'printf "a\tThe end of it\n" | shtok -n 2 --stop stop'
	gives 'a\tend it\t1'
	try 'printf "a\tthe OF x\n" | shtok -n 1 --no-fold --stop stop'
	gives 'a\tx\t1'
	# Words are folded as --split folds the text, also with --no-fold.
	printf 'The\nStraße\nc:\\x\ntwo words\n' >stop
	printf 'a\tThe the THE Straße STRASSE c:\\\\x two words\n' >docs
	for o in '' --no-fold; do
		for split in blanks fields; do
			try "shtok -n 1 --split $split $o --stop stop docs | cut -f 2"
			gives the THE STRASSE two words
		done
		try "shtok -n 1 --split alpha $o --stop stop docs | cut -f 2"
		gives the THE Stra e STRASSE c x two words
		try "shtok -n 1 --split go-words $o --stop stop docs | cut -f 2"
		gives stra e strasse c x two words
		try "shtok -n 1 --split go-letters $o --stop stop docs | cut -f 2"
		gives strasse c x two words
	done
}

@test "--stop several times: drops the words of all files" {
	printf 'a\tthe end of the line is here\n' >docs
	printf 'the' >one
	printf '\357\273\277of\r\n' >two
	try 'echo is | shtok -n 1 --stop one --stop two --stop - docs | cut -f 2'
	exits 0
	gives end line here
	# shfp gives the same result.
	try 'cat one >three; echo >>three; cat two >>three; echo is >>three; shtok -n 1 --stop three docs | shweight | shfp --bare'
	mv out once
	try 'echo is | shfp -n 1 --bare --stop one --stop two --stop - docs'
	same once out
	printf 'two words\n' >three
	try 'shtok -n 1 --stop one --stop three --stop two docs | cut -f 2'
	gives end line is here
	says "shtok: three: lines that are several tokens drop nothing: 1, the first 'two words'"
	try 'shtok -n 1 --stop one --stop nowhere docs'
	exits 2
	says "shtok: cannot open 'nowhere': No such file or directory"
}

@test "--stop: lines of several tokens give a warning, because they drop nothing" {
	printf 'a\tI don\047t know 一下\n' >docs
	printf 'I\ndon\047t\n\n一下\n' >stop
	try 'shtok -n 1 --stop stop docs'
	exits 0
	gives 'a\tdon\t1' 'a\tt\t1' 'a\tknow\t1' 'a\t一\t1' 'a\t下\t1'
	says "shtok: stop: lines that are several tokens drop nothing: 2, the first 'don't'"
	sed -i 2d stop
	try 'shtok -n 1 -u char --stop stop docs'
	says "shtok: stop: lines that are several tokens drop nothing: 1, the first '一下' (--segment jieba makes words of Chinese)"
	sed -i 3d stop
	try 'shtok -n 1 --stop stop docs'
	says
	[ -e "$SIMHASH_JIEBA" ] || [ -e "$(dirname "$(command -v shtok)")/jieba.dict" ] || skip 'no dictionary of jieba'
	echo 一下 >>stop
	try 'shtok -n 1 --segment jieba --stop stop docs'
	says
}

@test "--stop: a file in another encoding gives a warning, because its words drop nothing" {
	printf 'a\tder für\n' >docs
	printf 'der\nfür\n' | iconv -f UTF-8 -t UTF-16 >stop
	try 'shtok -n 1 --stop stop docs'
	exits 2
	gives
	grep -q '^shtok: stop: the text is UTF-16.., not UTF-8 (convert it: iconv -f UTF-16.. -t UTF-8)' err
	printf 'der\nf\374r\n' >stop
	try 'shtok -n 1 --stop stop docs'
	exits 0
	gives 'a\tfür\t1'
	says 'shtok: stop: not UTF-8: its words drop nothing (convert it with iconv)'
	try 'printf "a\tder f\374r\n" | shtok -n 1 --split blanks --stop stop'
	gives 'a\t\t0'
	run ! grep 'not UTF-8' err
}

@test "--min-chars drops words of fewer characters, but no characters of scripts without spaces" {
	try 'printf "a\tab éa é 中 abc\n" | shtok -n 1 --min-chars 2'
	gives 'a\tab\t1' 'a\téa\t1' 'a\t中\t1' 'a\tabc\t1'
	try 'printf "a\tab c\n" | shtok -n 1 --min-chars 0'
	gives 'a\tab\t1' 'a\tc\t1'
}

@test "--keep-words keeps words that have a character of a named kind" {
	try 'printf "a\tab 12 中 a1 한 テ ก\n" | shtok -n 1 --keep-words han,digit'
	gives 'a\t12\t1' 'a\t中\t1' 'a\ta1\t1'
	try 'printf "a\tab 12 中 a1 한 テ ก\n" | shtok -n 1 --keep-words alpha,kana'
	gives 'a\tab\t1' 'a\ta1\t1' 'a\tテ\t1'
}

@test "--no-fold keeps case and form" {
	try 'printf "a\tÉcole ABC ﬁne\n" | shtok -n 1 --no-fold'
	gives 'a\tÉcole\t1' 'a\tABC\t1' 'a\tﬁne\t1'
}

@test "--mask-digits replaces each run of digits by 0" {
	try 'printf "a\tv2 build 1234 x10y20 ٣٤\n" | shtok -n 1 --mask-digits'
	gives 'a\tv0\t1' 'a\tbuild\t1' 'a\t0\t1' 'a\tx0y0\t1' 'a\t0\t1'
}

# words OPTIONS TEXT: prints the words of a document between slashes
words() {
	printf 'a\t%s\n' "${@: -1}" | shtok -n 1 "${@:1:$#-1}" | cut -f 2 | paste -sd /
}

@test "--fold-marks leaves out Arabic and Syriac vowel signs, tatweel, Hebrew points" {
	[ "$(words --fold-marks 'كِتَابٌ كتاب كـتـاب كِتـَاب')" = كتاب/كتاب/كتاب/كتاب ]
	[ "$(words 'كِتَابٌ كتاب كـتـاب')" = كِتَابٌ/كتاب/كـتـاب ]
	# Quranic signs, the superscript alef and Persian's hamza on heh go; a composed alef with hamza stays in both forms.
	[ "$(words --fold-marks "ٱلرَّحۡمَـٰنِ خانهٔ أخ ا$(printf '\331\224')خ")" = ٱلرحمن/خانه/أخ/أخ ]
	[ "$(words --fold-marks "שָׁלוֹם שלום $(printf '\357\254\252\327\234') בְּרֵאשִׁ֖ית")" = שלום/שלום/של/בראשית ]
	[ "$(words --fold-marks 'ܫܠܳܡܳܐ ܫܠܡܐ')" = ܫܠܡܐ/ܫܠܡܐ ]
	# Marks of other scripts are letters of their words. A mark alone is no word, and begins none.
	[ "$(words --fold-marks "हिन्दी é ไม้ $(printf '\331\216 \331\200x')")" = हिन्दी/é/ไ/ม/้/x ]
	[ "$(words --fold-marks --no-fold 'Bكِتَابٌ')" = Bكتاب ]
	[ "$(words --fold-marks --split fields '«كِتَابٌ»')" = «كتاب» ]
	[ "$(words --fold-marks -u char 'بَـتٌ كَ')" = ب/ت/_/ك ]
	# Stop words are folded in the same way.
	printf 'فِي\n' >stop
	[ "$(words --fold-marks --stop stop 'كتاب في فـي')" = كتاب ]
}

@test "--join-hyphens joins words that a hyphen cuts at a line end" {
	[ "$(words --join-hyphens 'The co-\nefficient of an eigen-  \r\n\t value')" = the/coefficient/of/an/eigenvalue ]
	[ "$(words 'co-\nefficient')" = co/efficient ]
	# The hyphens that people and OCR write: U+00AD, U+2010, U+00AC, U+2E17.
	[ "$(words --join-hyphens "a$(printf '\302\255')\nb c$(printf '\342\200\220')\nd e¬\nf g⸗\nh")" = ab/cd/ef/gh ]
	# Not joined: a capital behind a small letter, digits, dashes, bullets, paragraphs, and hyphens inside of lines.
	[ "$(words --join-hyphens 'Jean-\nPaul CHAP-\nTER 1990-\n95 yes--\nno\n-\nso x-\n\ny up-to self- \nmade')" = \
		jean/paul/chapter/1990/95/yes/no/so/x/y/up/to/selfmade ]
	[ "$(words --join-hyphens '中文-\n中文 ไทย-\nไทย')" = 中/文/中/文/ไ/ท/ย/ไ/ท/ย ]
	[ "$(words --join-hyphens 'naï-\nve Straſ-\nse')" = naïve/strasse ]
	# An escaped backslash before an n is no line end, and the n of an escape is no letter.
	[ "$(words --join-hyphens 'a-\\nb c\n-\nd')" = a/nb/c/d ]
	[ "$(words --join-hyphens --no-fold --split fields 'co-\nEff Co-\neff.')" = co-/Eff/Coeff. ]
	[ "$(words --join-hyphens -u char 'a-\nb c')" = a/b/_/c ]
	try 'printf "{\"id\":1,\"text\":\"co-\\\\nefficient\"}\n" | shtok -n 1 --json --join-hyphens'
	gives '1\tcoefficient\t1'
	try 'printf "id,text\n1,\"co-\nefficient\"\n" | shtok -n 1 --csv --join-hyphens'
	gives '1\tcoefficient\t1'
}

@test "escapes separate words; with --raw or -l a backslash begins no escape" {
	printf '%s\n' 'a	one\ttwo\nthree\\four\rfive\xsix' >docs
	try 'shtok -n 1 docs'
	gives 'a\tone\t1' 'a\ttwo\t1' 'a\tthree\t1' 'a\tfour\t1' 'a\tfive\t1' 'a\txsix\t1'
	try 'shtok -n 1 --raw docs'
	gives 'a\tone\t1' 'a\tttwo\t1' 'a\tnthree\t1' 'a\tfour\t1' 'a\trfive\t1' 'a\txsix\t1'
	try 'cut -f 2 docs | shtok -n 1 -l'
	gives '1\tone\t1' '1\tttwo\t1' '1\tnthree\t1' '1\tfour\t1' '1\trfive\t1' '1\txsix\t1'
}

@test "-l numbers all lines of plain text across files, also empty lines" {
	printf 'One\ttwo\n\n' >first
	printf 'three' >second
	try 'shtok -n 1 -l first second'
	exits 0
	gives '1\tone\t1' '1\ttwo\t1' '2\t\t0' '3\tthree\t1'
}

@test "-f chooses the fields of id and text, in any order" {
	printf 'x\ty\tone\tid\n' >docs
	try 'shtok -n 1 -f 4,3 docs'
	gives 'id\tone\t1'
	try 'shtok -n 1 --fields 1,2 docs'
	gives 'x\ty\t1'
	try 'shtok -n 1 -f 1,5 docs'
	exits 2
	says 'shtok: docs:1: 4 fields, expected at least 5 (-f)'
	try 'echo x | shtok -n 1 -f 2,1'
	exits 2
	says 'shtok: -:1: 1 field, expected at least 2 (-f; fields are separated by tabs)'
	for csv in 'id,text' '1;"a text, in quotes"'; do
		try "printf '%s\n' '$csv' | shtok -n 1"
		exits 2
		says 'shtok: -:1: 1 field, expected id<TAB>text (--csv reads CSV with a header; -l numbers plain lines)'
	done
	try "echo '[{\"id\":1},' | shtok -n 1"
	says 'shtok: -:1: 1 field, expected id<TAB>text (shdoc reads JSON arrays)'
	try 'echo "Prose, with commas; and more." | shtok -n 1'
	says 'shtok: -:1: 1 field, expected id<TAB>text (-l numbers plain lines)'
	try 'printf "one.txt\\0000644\\0\\n" | shtok -n 1'
	exits 2
	says 'shtok: -:1: binary data, expected id<TAB>text (shdoc reads tar, ZIP and other files)'
}

@test "a record with another number of fields gives a message with its place and the remedy" {
	printf 'a\tone\nline\n' >docs
	try 'shtok -n 1 docs'
	exits 2
	gives 'a\tone\t1'
	says 'shtok: docs:2: 1 field, expected id<TAB>text (-l numbers plain lines)'
	try 'printf "a\tb\tc\n" | shtok -n 1'
	exits 2
	gives
	says 'shtok: -:1: 3 fields, expected id<TAB>text (-f ID,TEXT chooses two of them)'
	try 'printf "a\tb\n\n" | shtok -n 1'
	exits 2
	says 'shtok: -:2: 1 field, expected id<TAB>text (-l numbers plain lines)'
}

@test "ids have 1 to 4096 bytes of any value, and are written unchanged" {
	try 'printf "\tb\n" | shtok -n 1'
	exits 2
	says 'shtok: -:1: empty id'
	try 'printf "%04096d\tx\n" 0 | shtok -n 1'
	exits 0
	printf '%04096d\tx\t1\n' 0 >expected
	same expected out
	try 'printf "%04097d\tx\n" 0 | shtok -n 1'
	exits 2
	gives
	says 'shtok: -:1: id of 4097 bytes, at most 4096'
	try 'printf " A\\\\t \377\0\xC3 \tx\n" | shtok -n 1'
	exits 0
	printf ' A\\t \377\0\xC3 \tx\t1\n' >expected
	same expected out
	try 'printf "a\rb\tx\n" | shtok -n 1'
	exits 2
	says 'shtok: -:1: carriage return in an id'
}

@test "two documents with one id are two documents" {
	try 'printf "a\tx\na\ty\n" | shtok -n 1'
	gives 'a\tx\t1' 'a\ty\t1'
}

@test "a CR in a text is an error; in a plain line it separates words" {
	try 'printf "a\tb\rc\n" | shtok -n 1'
	exits 2
	says "shtok: -:1: carriage return in the text (a field writes it as \\r; tr '\\r' '\\n' makes lines of an old Mac file)"
	try 'printf "b\rc\r\n" | shtok -n 1 -l'
	exits 0
	gives '1\tb\t1' '1\tc\t1'
}

@test "NUL separates words" {
	try 'printf "a\tx\0y\n" | shtok -n 1'
	exits 0
	gives 'a\tx\t1' 'a\ty\t1'
}

@test "ill-formed UTF-8 separates words and is counted; --strict makes it an error" {
	printf 'a\tx\377y \300\200z\nb\tfine\n' >docs
	try 'shtok -n 1 docs'
	exits 0
	gives 'a\tx\t1' 'a\ty\t1' 'a\tz\t1' 'b\tfine\t1'
	says 'shtok: 3 ill-formed UTF-8 sequences replaced (--strict makes them errors)'
	try 'shtok -n 1 --strict docs'
	exits 2
	gives
	says 'shtok: docs:1: 3 ill-formed UTF-8 sequences (--strict)'
	try 'shtok -n 1 --strict --rejects bad docs'
	exits 0
	gives 'b\tfine\t1'
	says 'shtok: 1 record rejected, see bad'
	head -n 1 docs >expected
	same expected bad
	try 'printf "a\tx\377\n" | shtok -n 1 --strict'
	says 'shtok: -:1: 1 ill-formed UTF-8 sequence (--strict)'
	try 'printf "a\tx\377\n" | shtok -n 1'
	says 'shtok: 1 ill-formed UTF-8 sequence replaced (--strict makes them errors)'
}

@test "a byte order mark at the beginning of a file is removed; at other places it is ignored" {
	printf '\357\273\277a\tx\nb\t\357\273\277y\n' >docs
	try 'shtok -n 1 docs docs'
	exits 0
	gives 'a\tx\t1' 'b\ty\t1' 'a\tx\t1' 'b\ty\t1'
}

@test "UTF-16 and GB18030 are refused with the iconv command that converts them" {
	try 'shtok -n 1 -l "$T_DATA/bad/utf16le_bom.txt"'
	exits 2
	gives
	says "shtok: $T_DATA/bad/utf16le_bom.txt: the text is UTF-16LE, not UTF-8 (convert it: iconv -f UTF-16LE -t UTF-8)"
	try 'shtok -n 1 -l "$T_DATA/bad/gb18030.txt"'
	exits 2
	gives
	says "shtok: $T_DATA/bad/gb18030.txt: the text is GB18030, not UTF-8 (convert it: iconv -f GB18030 -t UTF-8)"
	try 'iconv -f GB18030 -t UTF-8 "$T_DATA/bad/gb18030.txt" | shtok -n 1 -l --strict | tail -n 1'
	exits 0
	[ -s out ]
}

@test "options out of range are refused with the expected values" {
	refuses() {
		try "shtok -n 1 $1 </dev/null"
		exits 2
		gives
		says "shtok: $2" "Try 'shtok --help' or 'man shtok'."
	}
	refuses '-n 0' "-n: n-grams '0': expected 1 <= N <= M <= 255"
	refuses '-n 256' "-n: n-grams '256': expected 1 <= N <= M <= 255"
	refuses '-n 2-1' "-n: n-grams '2-1': expected 1 <= N <= M <= 255"
	refuses '-n x' "-n: n-grams 'x': expected N or N-M, as in 3 or 1-2"
	refuses '-n 1-' "-n: n-grams '1-': expected N or N-M, as in 3 or 1-2"
	refuses '-u line' "-u 'line': expected word or char"
	refuses '--keep-words latin' "--keep-words: no kind of word 'latin': expected alpha, digit, han, kana, hangul, thai, lao, khmer, myanmar or tibetan (or any, alone)"
	refuses '--keep-words any,han' "--keep-words: no kind of word 'any': expected alpha, digit, han, kana, hangul, thai, lao, khmer, myanmar or tibetan (or any, alone)"
	refuses '--min-chars x' "--min-chars 'x': expected a whole number from 0 to 1000000"
	refuses '-f 1' "-f: fields '1': expected two field numbers ID,TEXT, as in 1,3 (names need --json, --csv or --header)"
	refuses '-f 1,1' "-f: fields '1,1': expected different numbers from 1 to 1024"
	refuses '-f 0,1' "-f: fields '0,1': expected different numbers from 1 to 1024"
	refuses '-f 1,1025' "-f: fields '1,1025': expected different numbers from 1 to 1024"
	refuses '-l -f 1,2' '-l and -f contradict each other: with -l the whole line is text'
	refuses '--segment char --split fields' '--segment and --split contradict each other: both say how text is cut'
	refuses '--split words --segment jieba' '--segment and --split contradict each other: both say how text is cut'
	echo the >words
	for o in '--keep-words alpha' '--min-chars 2' '--stop words' --mask-digits --fold-marks --join-hyphens '--stem english'; do
		refuses "$o --split python" "${o%% *}: needs words, but --split python gives characters"
		refuses "-p pysimhash $o" "${o%% *}: needs words, but -p pysimhash gives characters"
		try "printf 'a\tThe 22nd x\n' | shtok -p pysimhash $o --split blanks"
		exits 0
	done
	refuses '-p tfidf128 --split python' '-p tfidf128 needs words, but --split python gives characters'
	refuses '-p jieba-tags --split python' '-p jieba-tags needs words, but --split python gives characters'
	try 'shtok -n 1 --stop nowhere </dev/null'
	exits 2
	says "shtok: cannot open 'nowhere': No such file or directory"
}

@test "--min-chars with jieba: counts folded words, and drops words of one character" {
	shtok -n 1 --segment jieba </dev/null >/dev/null 2>&1 || skip 'no dictionary of jieba'
	try 'printf "a\tﬁ 我 我们 a ﬃ\n" | shtok -n 1 --segment jieba --min-chars 2'
	gives 'a\tfi\t1' 'a\t我们\t1' 'a\tffi\t1'
	try 'printf "a\tﬁ 我 我们 a ﬃ\n" | shtok -n 1 --segment jieba --min-chars 3'
	gives 'a\tffi\t1'
	try 'printf "a\tﬁ 我 我们 a ﬃ\n" | shtok -n 1 --segment jieba --no-fold --min-chars 2'
	gives 'a\t我们\t1'
}

@test "--dict refuses a compiled dictionary with a message that names SIMHASH_JIEBA" {
	shtok -n 1 --segment jieba </dev/null >/dev/null 2>&1 || skip 'no dictionary of jieba'
	printf '\211shjieba and more' >compiled
	try 'echo "北京" | shtok -n 1 -l --segment jieba --dict compiled'
	exits 2
	gives
	says 'shtok: compiled: a compiled dictionary, expected a list of words (SIMHASH_JIEBA=FILE names a compiled one)'
	printf '北京 3 n\n\t上海\t\n1\t北京大学\n' >docs
	try 'echo "北京" | shtok -n 1 -l --segment jieba --dict docs'
	exits 2
	says 'shtok: docs:3: a TAB in the word: expected WORD or WORD FREQUENCY, separated by a space (is this a file of documents?)'
}

@test "--split python: a long text has the tokens of Python, wherever its steps end" {
	python3 - <<-'END'
		import random, re
		r = random.Random(3)
		for i, n in enumerate([10, 16000, 20000, 60000]):
		    text = "".join(r.choice("ΣΣaBé. İ'中😀_ß") for _ in range(n))
		    print(i, text, sep="\t", file=open("docs", "a"))
		    words = re.sub(r"\W", "", text.lower())
		    open("expected", "a").writelines(f"{i}\t{c}\t1\n" for c in words)
	END
	try 'shtok -n 1 --split python docs'
	exits 0
	same expected out
}

@test "--stem: a word of more than 200 characters is not stemmed, and takes linear time" {
	printf 'a\t%s\n' "$(printf '%194srunning' '' | tr ' ' x)" "$(printf '%193srunning' '' | tr ' ' x)" >docs
	try 'shtok -n 1 --stem english docs | cut -f 2 | grep -o ".......$"'
	gives running xxxxrun
	awk 'BEGIN { printf "b\t"; for (i = 0; i < 1000000; i++) printf "y"; print "" }' >docs
	try 'ulimit -t 10; shtok -n 1 --stem english docs | wc -c'
	exits 0
	gives 1000005
}

# tokens OPTION...: checks the rows of standard input, TEXT => TOKENS, with printf's escapes. The tokens are joined by |.
tokens() {
	local text
	: >docs
	: >expected
	while IFS= read -r text; do
		printf '%s\t%b\n' $((++row)) "${text% => *}" >>docs
		printf '%s\t%b\n' $row "${text##* => }" >>expected
	done
	try "shtok -n 1 $* docs"
	exits 0
	awk -F '\t' '{ printf "%s%s", $1 == last ? "|" : (NR > 1 ? "\n" : "") $1 "\t", $2; last = $1 } END { print "" }' out >joined
	same expected joined
}

@test "examples of many scripts: what is a word, what folds, what separates" {
	row=0
	printf '\357\273\277The\n  of \r\n\nStraße\n\303\211a\n的\nlast' >stop
	tokens <<-'END'
	 => 
	 -- ... — \\n => 
	The quick, brown fox's 2 tails! => the|quick|brown|fox|s|2|tails
	mp3 4x4 x86_64 => mp3|4x4|x86|64
	你好，世界！ => 你|好|世|界
	用C语言abc写 => 用|c|语|言|abc|写
	二〇二四年 => 二|〇|二|四|年
	東京タワーへ行く => 東|京|タ|ワ|ー|へ|行|く
	ｶﾞｷﾞ => ガ|ギ
	한국어 문장입니다. => 한국어|문장입니다
	한국 => 한국
	ไทย => ไ|ท|ย
	الع\xd9\x8eر\xd9\x8eب\xd9\x90ي\xd9\x8e\xd9\x91ة لغة => الع\xd9\x8eر\xd9\x8eب\xd9\x90ي\xd9\x8e\xd9\x91ة|لغة
	हिन\xe0\xa5\x8dदी भाषा। => हिन\xe0\xa5\x8dदी|भाषा
	ＡＢＣ１２３ => abc123
	Cafe\xcc\x81 A\xcc\x8angstro\xcc\x88m => café|ångström
	eﬃcient ﬁn => efficient|fin
	Straße STRASSE ẞ => strasse|strasse|ss
	İstanbul => i\xcc\x87stanbul
	ΟΔΟΣ οδος => οδοσ|οδοσ
	co\xc2\xadoperate a\xe2\x80\x8db => cooperate|ab
	a👩\xe2\x80\x8d👩\xe2\x80\x8d👧\xe2\x80\x8d👦b ❤\xef\xb8\x8f => a|b
	a\xc2\xa0b\xe3\x80\x80c\xe2\x80\xa8d => a|b|c|d
	e\xe2\x80\x8d\xcc\x81 => é
	a <\xcc\xb8 b => a|b
	ab\xffcd\xe4\xbd => ab|cd
	\xe3\x81e\xcc\x81 => é
	a\\tb\\nc\\rd\\\\e => a|b|c|d|e
	a\\xb\\ => a|xb
	a\\\\tb => a|tb
	a\\t\xcc\x81b => a|\xcc\x81b
	a\xee\x80\x80b\xcd\xb8c => a|b|c
	END
	tokens -u char <<-'END'
	 => 
	Abc => a|b|c
	ab, cd => a|b|_|c|d
	 (ab)  => a|b
	你好a世 界 => 你|好|a|世|_|界
	a_b__c => a|_|b|_|c
	ﬁ Ǆ => f|i|_|d|ž
	END
	tokens --raw <<-'END'
	a\\tb \\\\n => a|tb|n
	END
	tokens --no-fold <<-'END'
	Straße ＡＢ e\xcc\x81 İ => Straße|ＡＢ|e\xcc\x81|İ
	Ab你\\tC => Ab|你|C
	a\xc0b => a|b
	END
	tokens --mask-digits <<-'END'
	v12 a1b22c 2024-05-01 ３４ => v0|a0b0c|0|0|0|0
	x٣٤y ๑ => x0y|0
	END
	tokens -u char --mask-digits <<-'END'
	ab12 3 => a|b|0|_|0
	END
	tokens --min-chars 3 <<-'END'
	a ab abc 我 né 가 가나다 => abc|我|가나다
	END
	tokens --keep-words han,digit <<-'END'
	漢字 abc 123 a1 かな 한글 ไ => 漢|字|123|a1
	END
	tokens -u char --stop stop <<-'END'
	ab the cd 我的书 => a|b|_|c|d|_|我|_|书
	the ab THE => a|b
	END
	tokens --stop stop <<-'END'
	The cat, straße STRASSE éa of => cat
	END
}
