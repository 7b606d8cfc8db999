#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shfp: makes fingerprints of documents or features.

load helper

@test "a document of one token has the hash of the token, which stays the same in all versions" {
	try 'printf "a\tone\nb\tOne!\n" | shfp --bare'
	exits 0
	says
	gives '5216fcaabac157b8\ta' '5216fcaabac157b8\tb'
}

@test "-b: a fingerprint of 32, 64 or 128 bits is the beginning of the one of 256 bits" {
	printf 'a\tto be or not to be\nb\tone\n' >docs
	shfp --bare -b 256 docs >256
	for bits in 32 64 128; do
		try "shfp --bare -b $bits docs"
		exits 0
		paste <(cut -c 1-$((bits / 4)) 256) <(cut -f 2 256) >expected
		same expected out
	done
	[ "$(head -n 1 256 | cut -f 1 | wc -c)" = 65 ]
	try 'shfp --bare docs'
	cut -c 1-16 256 | paste - <(cut -f 2 256) >expected
	same expected out
}

@test "-H md5 and xxh3 give the hashes of other programs" {
	try 'printf "a\tone\n" | shfp --bare -H md5 -b 128'
	gives "$(printf one | md5sum | cut -d ' ' -f 1)\ta"
	try 'printf "a\tone\n" | shfp --bare -H md5 -b 32'
	gives 'f97c5d29\ta'
	try 'printf "a\tone two\n" | shfp --bare -H md5 -n 2'
	gives "$(printf 'one two' | md5sum | cut -c 1-16)\ta"
	try 'printf "a\tone\n" | shfp --bare --hash xxh3 -b 128'
	gives '0a1c6d4cf41eb499911faba7321fe1a0\ta'
}

@test "--seed: each seed gives other fingerprints, and 0 is the default" {
	printf 'a\tone two three\n' >docs
	shfp --bare docs >plain
	try 'shfp --bare --seed 0 docs'
	same plain out
	for hash in mix xxh3 md5; do
		try "(shfp --bare -H $hash docs; shfp --bare -H $hash --seed 1 docs; shfp --bare -H $hash --seed 18446744073709551615 docs) | sort -u | wc -l"
		gives 3
	done
}

@test "-x: writes hexadecimal digits, bits or a decimal number" {
	printf 'a\tone\n' >docs
	try 'shfp --bare -x hex -b 32 docs'
	gives '5216fcaa\ta'
	try 'shfp --bare -x bin -b 32 docs'
	gives '01010010000101101111110010101010\ta'
	try 'shfp --bare --format dec -b 32 docs'
	gives '1377238186\ta'
	try 'shfp --bare -x dec docs'
	gives '5915192970805598136\ta'
	shfp --bare -b 256 docs | cut -f 1 >hex
	try 'shfp --bare -b 256 -x bin docs | cut -f 1'
	for ((i = 0; i < 256; i += 32)); do
		printf '%08x' "$((2#$(cut -c $((i + 1))-$((i + 32)) out)))"
	done >expected
	echo >>expected
	same expected hex
}

@test "features give the fingerprint of their document, and are recognised by the first record" {
	printf 'a\tto be or not to be\nb\t中文 and more\n' >docs
	for w in set tf freq log; do
		shfp --bare -w $w docs >expected
		try "shtok docs | shweight -w $w | shfp --bare"
		exits 0
		same expected out
	done
	try 'shtok docs | shfp --bare'
	shfp --bare -w tf docs >expected
	same expected out
}

@test "each bit is the sign of the sum of weights, and 0 on a tie" {
	one=5216fcaabac157b8
	try 'printf "a\tone\t3\na\ttwo\t2.999999\n" | shfp --bare'
	gives "$one\ta"
	two=$(printf 'x\ttwo\n' | shfp --bare | cut -f 1)
	try 'printf "a\tone\t1\na\ttwo\t1\n" | shfp --bare'
	printf '%016x\ta\n' $((0x$one & 0x$two)) >expected
	same expected out
	try 'printf "a\tone\t0\na\ttwo\t0.000001\n" | shfp --bare'
	gives "$two\ta"
}

@test "weights up to the largest are summed, and a sum that overflows is an error" {
	try 'printf "a\tone\t9223372036854.775807\n" | shfp --bare'
	exits 0
	gives '5216fcaabac157b8\ta'
	try 'printf "b\tone\t1\na\tone\t9223372036854.775807\na\ttwo\t0.000001\n" | shfp --bare'
	exits 2
	gives '5216fcaabac157b8\tb'
	says "shfp: -:3: the document's weights sum to more than 9223372036854.775807"
}

@test "the features of a document may stand in two files" {
	printf 'a\tone\t1\n' >first
	printf 'a\ttwo\t1\n' >second
	cat first second >both
	shfp --bare both >expected
	try 'shfp --bare first second'
	same expected out
}

@test "documents without features are skipped, with a message for each and their number" {
	printf 'a\t.\nb\tone\nc\t\n' >docs
	try 'shfp --bare docs'
	exits 0
	gives '5216fcaabac157b8\tb'
	says "shfp: docs:1: document 'a' has no features: skipped" \
		"shfp: docs:3: document 'c' has no features: skipped" \
		'shfp: 2 documents without features skipped'
	try 'shtok docs | shfp --bare'
	exits 0
	gives '5216fcaabac157b8\tb'
	says "shfp: -:1: document 'a' has no features: skipped" \
		"shfp: -:3: document 'c' has no features: skipped" \
		'shfp: 2 documents without features skipped'
}

@test "messages show ten documents without features, and count all" {
	try 'seq 1000 | sed "s/$/\t/" | shfp --bare'
	exits 0
	gives
	(
		for i in 1 2 3 4 5 6 7 8 9 10; do
			echo "shfp: -:$i: document '$i' has no features: skipped"
		done
		echo 'shfp: 990 more notes'
		echo 'shfp: 1000 documents without features skipped'
	) >expected
	same expected err
	try 'seq 10 | sed "s/$/\t/" | shfp --bare'
	(
		head -n 10 expected
		echo 'shfp: 10 documents without features skipped'
	) >ten
	same ten err
}

@test "--empty=zero gives a fingerprint of zeros; --empty=error ends the program" {
	printf 'b\tone\na\t.\nc\ttwo\n' >docs
	try 'shfp --bare --empty zero docs | head -n 2'
	exits 0
	says
	gives '5216fcaabac157b8\tb' '0000000000000000\ta'
	try 'shfp --bare --empty=error docs'
	exits 2
	gives '5216fcaabac157b8\tb'
	head -n 1 err | grep -qE "^shfp: docs:2: document 'a' has no features \(--empty=skip\|zero"
	try 'shfp --bare --empty=error --rejects bad docs'
	exits 0
	[ "$(cat bad)" = 'a	.' ]
	try 'shtok docs | shfp --bare --empty=error'
	exits 2
	gives '5216fcaabac157b8\tb'
	grep -q "^shfp: -:2: document 'a' has no features" err
	try 'shtok docs | head -n 2 | shfp --bare --empty=error'
	exits 2
	grep -q "^shfp: -:2: document 'a' has no features" err
}

@test "features of weight 0 count as no features: --empty decides the output" {
	printf 'a\tx\t0\na\ty\t0\nb\tx\t1\n' >weightless
	printf 'a\t\t0\nb\tx\t1\n' >none
	for o in '-b 64' '-b 256' '-H md5 -b 256'; do
		for rule in zero ones text skip; do
			try "shfp --bare $o --empty $rule none"
			exits 0
			mv out expected
			try "shfp --bare $o --empty $rule weightless"
			exits 0
			same expected out
		done
		try "shfp --bare $o --empty error weightless"
		exits 2
		gives
		grep -q "^shfp: weightless:2: document 'a' has no features" err
	done
	try 'shfp --bare --empty ones weightless | head -n 1'
	gives 'ffffffffffffffff\ta'
}

@test "a first record of three fields with any number last is a feature, also a number that is no weight" {
	for weight in -1 +1 1e3 .5 1E-3 nan; do
		try "printf 'a\tone\t$weight\nb\tone\t1\n' | shfp --bare"
		exits 2
		gives
		says "shfp: -:1: weight '$weight': expected digits, and perhaps a point and digits, as in 0.25"
		try "printf 'a\tone\t$weight\nb\tone\t1\n' | shfp --bare --rejects bad"
		exits 0
		gives '5216fcaabac157b8\tb'
	done
	try "printf '\tone\t1\n' | shfp --bare"
	exits 2
	says 'shfp: -:1: empty id'
	try "printf 'a\tone\t1\r\n' | shfp --bare"
	exits 2
	says 'shfp: -:1: carriage return at the end of the line (--crlf removes the CR of DOS line ends)'
	try "printf 'a\tone\t-1\r\n' | shfp --bare --crlf"
	exits 2
	grep -q "^shfp: -:1: weight '-1': " err
}

@test "records of another kind than the first record are errors" {
	expects='expected id<TAB>text (-f ID,TEXT chooses two of them)'
	try 'printf "a\tone\t1\nb\ttext\n" | shfp --bare'
	exits 2
	says 'shfp: -:2: 2 fields, expected id<TAB>feature<TAB>weight (shtok makes features of documents)'
	try 'printf "b\tone\na\tone\t1\n" | shfp --bare'
	exits 2
	gives '5216fcaabac157b8\tb'
	says "shfp: -:2: 3 fields, $expects"
	try 'printf "a\tone\tx\n" | shfp --bare'
	exits 2
	says "shfp: -:1: 3 fields, $expects or id<TAB>feature<TAB>weight, the last a number"
	try 'printf "\xef\xbb\xbfa\tone\tx\n" | iconv -f UTF-8 -t UTF-16LE | shfp --bare'
	exits 2
	says 'shfp: -: the text is UTF-16LE, not UTF-8 (convert it: iconv -f UTF-16LE -t UTF-8)'
	try 'printf "a\tone\t1\t1\n" | shfp --bare'
	exits 2
	says "shfp: -:1: 4 fields, $expects"
	try 'echo one | shfp --bare'
	exits 2
	says 'shfp: -:1: 1 field, expected id<TAB>text (-l numbers plain lines)'
}

@test "-f and -l read records that look like features as documents" {
	printf 'a\tone\t1\n' >docs
	try 'shfp --bare -f 1,2 docs'
	exits 0
	gives '5216fcaabac157b8\ta'
	try 'shfp --bare -l docs'
	exits 0
	printf '1\ta one 1\n' | shfp --bare >expected
	same expected out
}

@test "options for tokens and weights are refused when the input is features" {
	printf 'a\tone\t1\n' >features
	for option in '-w set' '-n 2' '-u char' --no-fold --strict; do
		try "shfp --bare $option features"
		exits 2
		gives
		says 'shfp: the input is features (three fields, the last a number), and -w or an option for documents was given: these options belong to shtok and shweight' \
			"Try 'shfp --help' or 'man shfp'."
	done
}

@test "every option for tokens has the effect that it has in shtok" {
	printf 'a\tThe QUICK fox 12 中文字\nb\tab\\tc the \377 1\nc\tco-\\nefficient بَـ\n' >docs
	printf 'the\n' >stop
	for options in '-n 2' '-n 1-3' '-u char' '-u char -n 3' '--stop stop' '--min-chars 3' \
		'--keep-words han' '--no-fold' '--mask-digits' --fold-marks --join-hyphens '--raw' '-l' '-f 2,1'; do
		try "shfp --bare $options docs"
		mv out fused
		try "shtok $options docs | shweight --features | shfp --features --bare"
		exits 0
		same out fused
	done
}

@test "ids of any bytes, up to 4096, are written unchanged" {
	(printf ' A\\t \377\0\303 \tone\n'; printf '%04096d\tone\n' 0) >docs
	try 'shfp --bare docs'
	exits 0
	sed 's/^/5216fcaabac157b8\t/; s/\tone$//' docs >expected
	same expected out
	try 'printf "%04097d\tx\n" 0 | shfp --bare'
	exits 2
	says 'shfp: -:1: id of 4097 bytes, at most 4096'
}

@test "ill-formed UTF-8 is replaced and counted; --strict makes it an error" {
	printf 'b\tone\na\tone \377\300\200\n' >docs
	try 'shfp --bare docs'
	exits 0
	gives '5216fcaabac157b8\tb' '5216fcaabac157b8\ta'
	says 'shfp: 3 ill-formed UTF-8 sequences replaced (--strict makes them errors)'
	try 'shfp --bare --strict docs'
	exits 2
	gives '5216fcaabac157b8\tb'
	says 'shfp: docs:2: 3 ill-formed UTF-8 sequences (--strict)'
}

@test "options out of range are refused with the expected values" {
	refuses() {
		try "shfp --bare $1 </dev/null"
		exits 2
		gives
		says "shfp: $2" "Try 'shfp --help' or 'man shfp'."
	}
	refuses '-b 48' '-b 48: expected 32, 64, 128 or 256'
	refuses '-p pysimhash -b 65' '-b 65: -p pysimhash has 8 to 128 bits, in steps of 8'
	refuses '-p yanyiwu -b 65' '-b 65: -p yanyiwu has 64 bits'
	refuses '-p seomoz -b 63' '-b 63: -p seomoz has 64 bits'
	refuses '-b 0' "-b '0': expected a whole number from 1 to 1024"
	refuses '--seed x' "--seed 'x': expected a whole number from 0 to 18446744073709551615"
	refuses '--seed 18446744073709551616' "--seed '18446744073709551616': expected a whole number from 0 to 18446744073709551615"
	refuses '-w tfidf' '-w tfidf: needs document frequencies (use shweight)'
	for option in "-H 'crc'" "-w 'weight'" "-x 'oct'" "--empty 'drop'"; do
		try "shfp --bare $option </dev/null"
		exits 2
		gives
		grep -q "^shfp: $option: expected [a-z]" err
		grep -qxF "Try 'shfp --help' or 'man shfp'." err
	done
}

@test 'lines of JSON without --json give a message that names --json' {
	printf '{"id": 1, "text": "one two"}\n' >docs
	try 'shfp --bare docs'
	exits 2
	gives
	says 'shfp: docs:1: 1 field, expected id<TAB>text (--json reads lines of JSON)'
}

@test "features of an id that returns make another fingerprint, with one warning that names the first place" {
	printf '%s\tx\t1\n' a b a b a b b >in
	try 'shfp --bare in | cut -f 2'
	exits 0
	gives a b a b a b
	says "shfp: in:3: id 'a' comes again after other ids and begins another document; 4 such documents in all (lines of one document: bring them together with LC_ALL=C sort -s -t \"\$(printf '\\t')\" -k 1,1; several documents: give each its own id)"
	# The id returns behind an empty document and a rejected line.
	printf 'a\tx\t1\nb\t\t0\nc\na\tx\t1\n' >in
	try 'shfp --bare --rejects bad in | cut -f 2'
	gives a a
	grep -q "^shfp: in:4: id 'a' comes again" err
}

@test "the first good record decides the kind of the input, also behind bad records" {
	printf 'a\tone two three\nb\ttwo three\n' >docs
	shtok -n 2 docs >features
	printf 'no tab\nid\tfeature\tweight\n\ttext\n' >head
	for kind in docs features; do
		shfp --bare $kind >expected
		try "cat head $kind | shfp --bare --rejects bad"
		exits 0
		says 'shfp: 3 records rejected, see bad'
		same expected out
		same head bad
	done
	# Text in UTF-16 ends the program, also with --rejects.
	printf 'no tab\na\tone\n' | iconv -f UTF-8 -t UTF-16LE >utf16
	try 'shfp --bare --rejects bad head utf16'
	exits 2
	grep -q '^shfp: utf16: the text is UTF-16LE' err
}

@test "messages cut a long id between its characters, and continue behind it" {
	local id=汉 i
	for i in 1 2 3 4 5; do id=$id$id; done
	try "printf '$id\t...\n' | shfp --bare"
	says "shfp: -:1: document '${id:0:78}' has no features: skipped" 'shfp: 1 document without features skipped'
	try "printf '%s\t一\t0.5\n' $id$id$id$id$id$id$id$id | shweight -w log"
	exits 2
	says "shweight: -:1: -w log needs whole counts, but document '${id:0:78}' has a count with a fraction"
	try "printf 'a\tb\t%s\n' $id | shgroup"
	exits 2
	says "shgroup: -:1: distance '${id:0:39}': not a number"
	try "printf '# %s\n' $id >stop; printf 'a\tx\n' | shtok --stop stop >/dev/null"
	says "shtok: stop: lines that are several tokens drop nothing: 1, the first '# ${id:0:36}'"
}

@test "fingerprints read as documents give a warning" {
	local warning='the input looks like fingerprints, which shband and shjoin read; it is read as documents of one word each'
	shfp --bare "$T_DATA/en_dev.tsv" >fps
	for P in shtok shfp 'shfp -j 2' shdedup; do
		try "$P fps fps"
		exits 0
		[ "$(grep -cFx "${P%% *}: fps:1: $warning" err)" = 2 ]
	done
	try 'sed "s/$/\r/" fps | shfp --bare --crlf -b 32 -x bare'
	says "shfp: -:1: $warning"
	# Numbers, two words, mixed widths and other ids give no warning.
	for docs in '1234567812345678\tone\n' '123456781234567a\tone two\n' '1234567a\tone\n12345678abcdefab\ttwo\n' \
		'bad\tone\n' '1234567a\tone\n1234567b\ttwo words\n'; do
		try "printf '$docs' >docs && shfp --bare docs"
		exits 0
		says
	done
}

@test "short text that may be GB18030 gives a warning with the command that converts it" {
	printf 'a\t\xc4\xe3\xba\xc3\n' >in
	try 'shfp --bare in'
	exits 0
	grep -qx 'shfp: in: not UTF-8, perhaps GB18030 (convert it: iconv -f GB18030 -t UTF-8)' err
	try 'iconv -f GB18030 -t UTF-8 in | shfp --bare'
	exits 0
	says
	printf 'a\tl\xe9\xe9 \xe9t\xe9\n' >in
	try 'shfp --bare in'
	grep -q '4 ill-formed' err
	run ! grep GB18030 err
}

@test "the third field is the tag of all settings; --bare, profiles, features and other formats have no tag" {
	printf 'a\tone two\nb\tthree\n' >docs
	try 'shfp docs'
	exits 0
	cut -f 3 out | sort -u >tags
	[ "$(wc -l <tags)" = 1 ]
	grep -qxE '[0-9a-f]{4}' tags
	shfp --bare docs >bare
	cut -f 1,2 out >expected
	same expected bare
	for o in '-p gomd5' '-p pysimhash' '-x dec' '-x bin' '-x nib' '-x bare'; do
		try "shfp $o docs"
		exits 0
		[ "$(head -n 1 out | tr -cd '\t' | wc -c)" = 1 ]
	done
	try 'shtok docs | shweight --features | shfp --features'
	same bare out
}

@test "the tag depends on each setting that decides a fingerprint, and on no other setting" {
	printf 'a\tone two\n' >docs
	printf 'one\n' >stop
	printf 'two\n' >stop2
	tag() {
		# shellcheck disable=SC2086
		shfp $1 docs | cut -f 3
	}
	for o in '' '-b 32' '-b 128' '-H xxh3' '--seed 1' '-w set' '-w tf' '-n 2' '-n 1-2' '-u char' '--split fields' \
		'--stem english' '--min-chars 2' '--keep-words alpha' '--keep-words han' '--keep-words any' --no-fold --mask-digits --fold-marks --join-hyphens '--stop stop' '--stop stop2'; do
		tag "$o"
	done >tags
	[ "$(wc -l <tags)" = "$(sort -u tags | wc -l)" ]
	for o in '-j 3' '--raw' '-f 1,2' '-b 64' '-w log' '-p default' '--strict' '--empty zero' '-x hex'; do
		[ "$(tag "$o")" = "$(tag '')" ]
	done
}

@test "texts with a number behind them are refused as features, with a message that names -f and --features" {
	printf '1\tRed shoes\t5\n2\tBlue hats\t5\n' >prose
	printf '1\tred shoes\t5\n2\tblue hats\t6.5\n' >numbers
	for file in prose numbers; do
		try "shfp $file"
		exits 2
		gives
		says "shfp: $file:1: this looks like a text followed by a number, not like a feature: each id stands once (-f 1,2 reads documents, --features reads features)"
		try "shfp --features $file | wc -l"
		gives 2
		try "shfp --bare -f 1,2 $file"
		exits 0
		mv out got
		cut -f 1,2 $file | shfp --bare >expected
		same expected got
	done
	# Features of shtok are read, also when one id has one feature.
	try 'printf "a\tred shoes\nb\tblue hats and\n" | shtok -n 2 | shfp | cut -f 2'
	exits 0
	gives a b
	(printf 'a\tx\t1\na\t'; seq -s ' ' 256; ) | sed '2s/$/\t1/' >wide
	try 'shfp wide'
	exits 2
	says 'shfp: wide:2: 256 words in the second field: a text, expected a feature of at most 255 words (-f 1,2 reads documents)'
}

@test "fingerprints with a tag are refused as documents by shfp and shtok" {
	printf 'a\tone two\nb\tone three\n' >docs
	for p in shfp shtok; do
		shfp docs >fps
		try "$p fps"
		exits 2
		grep -q 'shband and shjoin read fingerprints' err
	done
}

@test "--explain names the settings of fingerprints, bands and tables" {
	printf 'a\tone two\nb\tone three\n' >docs
	printf 'one\n' >stop
	all='-H mix --seed 0 -w log'
	usual='-u word --split words --min-chars 0'
	shfp -n 2 -b 128 docs >fps
	try 'shfp --explain fps'
	exits 0
	tag=$(head -n 1 fps | cut -f 3)
	gives "fps: 2 fingerprints of 128 bits, tag $tag: shfp -b 128 $all -n 2 $usual"
	shfp --stop stop docs >fps
	tag=$(head -n 1 fps | cut -f 3)
	try 'shfp --explain fps'
	gives "fps: 2 fingerprints of 64 bits, tag $tag: unknown settings, other than shfp -b 64 $all -n 1 $usual (tag $(shfp docs | head -n 1 | cut -f 3))"
	try 'shfp --explain --stop stop fps'
	grep -q "^fps: 2 fingerprints of 64 bits, tag $tag: shfp -b 64 .* --stop content:" out
	shfp --bare docs >fps
	try 'shfp --explain fps - <fps'
	gives 'fps: 2 fingerprints of 64 bits, no tag: made with --bare, by a profile other than default, or from features' \
		'-: 2 fingerprints of 64 bits, no tag: made with --bare, by a profile other than default, or from features'
	shfp docs | shband >bands
	try 'shfp --explain bands'
	gives "bands: 22 bands of 64 bits, tag ${tag2=$(shfp docs | head -n 1 | cut -f 3 | tail -c 3)}: perhaps shfp -b 64 $all -n 1 $usual"
	try 'shfp --explain -n 2 bands'
	gives "bands: 22 bands of 64 bits, tag $tag2: not shfp -b 64 $all -n 2 $usual"
	shtok -n 2 docs | shdf --features >table
	try 'shfp --explain table'
	gives 'table: table of 2 documents, features of up to 2 words (shtok -n 2)'
	printf 'x\tone two\n' >docs
	try 'shfp --explain docs'
	exits 2
	says 'shfp: docs:1: expected fingerprints, bands or a table of document frequencies'
}

@test '--permutations: documents and their features give the same signature, with 1 and 3 threads' {
	cut -f 1,2 "$T_DATA/en_dev.tsv" | head -n "$(fewer 60 15)" >docs
	cut -f 1,2 "$T_DATA/zh_dev.tsv" | head -n "$(fewer 60 15)" >>docs
	printf 'empty\t!\nesc\t\\\\ a\\tb\n' >>docs
	for o in '' '-n 3' '--split fields' '--split code-points -n 5' '-H xxh3' '-H mix -n 2'; do
		tok=$(sed 's/-H [a-z0-9]*//' <<<"$o")
		for s in '--permutations 128 --empty ones' '--permutations 33 --scheme legacy --seed 9 --empty text'; do
			try "shfp $o $s docs"
			exits 0
			mv out one
			try "shfp -j 3 $o $s docs"
			same one out
			try "shtok $tok docs | shfp --features $(grep -o -e '-H [a-z0-9]*' <<<"$o") $s"
			same one out
		done
	done
}

@test '--permutations: a signature has 8 digits a value and no tag, and other options are refused' {
	printf 'a\tone two three\n' >docs
	try 'shfp -n 1 --split fields --permutations 4 docs'
	gives '2f90c7d205d1124e46b08d8d7bd6f92e\ta'
	try 'shfp -n 1 --split fields --permutations 4 --scheme legacy docs'
	gives '092695edbc14d3767e5f61ef7e60b0a9\ta'
	# Seed 1 is the default, as in datasketch. Seed 0 gives another signature.
	try 'shfp -n 1 --split fields --permutations 4 --seed 1 docs'
	gives '2f90c7d205d1124e46b08d8d7bd6f92e\ta'
	try 'shfp -n 1 --split fields --permutations 4 --seed 0 docs | cut -f 1'
	[ "$(cat out)" != 2f90c7d205d1124e46b08d8d7bd6f92e ]
	printf 'a\t\n' >docs
	try 'shfp --permutations 2 docs'
	gives
	grep -F "document 'a' has no features" err
	try 'shfp --permutations 2 --empty ones docs; shfp --permutations 2 --empty zero docs'
	gives 'ffffffffffffffff\ta' '0000000000000000\ta'
	refuses() {
		try "shfp $1 docs"
		exits 2
		grep -qxF "shfp: $2" err
	}
	refuses '--scheme legacy' '--scheme needs --permutations'
	refuses '--permutations 4 -w tf' '-w has no effect on signatures: they are made of sets of features'
	refuses '--permutations 4 -x dec' '-x cannot be used with --permutations: signatures are hexadecimal'
	refuses '--permutations 4 --seed 4294967296' '--seed: expected 0 to 4294967295 with --permutations'
	refuses '--permutations 1025' "--permutations '1025': expected a whole number from 1 to 1024"
	refuses '--permutations 513 --scheme affine64' '--permutations: at most 512 with --scheme affine64'
	# A signature of 32 values has the form of a fingerprint of 1024 bits.
	printf 'a\tone two\n' >docs
	try 'shfp --permutations 32 docs >signatures'
	exits 0
	says 'shfp: signatures of up to 32 values have the form of fingerprints: read them with shband --rows only'
	try 'shfp --permutations 33 docs >signatures'
	exits 0
	says
}
