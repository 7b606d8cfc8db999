#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# -p PROFILE: shtok, shweight and shfp give the fingerprints of a published system. t/vectors.py has its
# vectors.
# shellcheck disable=SC2154 # status
load helper

# The profiles that need no dictionary.
plain='default gomd5 gemantic seomoz pysimhash mfonda clickhouse-ngram clickhouse-ngram-utf8-ci clickhouse-word-ci'

has_jieba() {
	shtok --segment jieba </dev/null >/dev/null 2>&1 || skip 'no dictionary of jieba'
}

documents() {
	cut -f 1,2 "$T_DATA/en_dev.tsv" | head -n "$(fewer 150 40)"
	cut -f 1,2 "$T_DATA/zh_dev.tsv" | head -n "$(fewer 100 25)"
	printf 'odd1\t\nodd2\t \\t \\n\nodd3\ta\\\\b \\\\ c\\\\\\\\d\nodd4\t\xff\xe4\xb8 x\xc3\n'
	printf 'odd5\t\xce\x91\xce\xa3 \xc4\xb0 \xe2\x84\xaa it'"'"'s http://a.b/c_d _ a_\nodd6\t_\n'
}

@test 'shfp gives the same fingerprints from documents and from features, for every profile' {
	documents >docs
	for p in $plain; do
		try "shfp --bare -p $p docs"
		exits 0
		mv out short
		try "shtok -p $p docs | shweight -p $p | shfp --bare -p $p"
		exits 0
		same short out
	done
}

@test 'shfp gives the same from documents and from features, also when hashes of words collide' {
	documents | head -n 20 >docs
	for o in '-p gemantic -b 8' '-p gemantic -b 128' '-p gemantic -b 256' '-p pysimhash -b 8' \
		'-H gemantic -b 64' '-H md5-nibbles -b 32' '-p clickhouse-ngram-utf8' '-H crc32c -b 32'; do
		p=default
		[ "${o%% *}" != -p ] || p=$(cut -d ' ' -f 2 <<<"$o")
		for w in set log freq; do
			try "shfp --bare $o -w $w docs"
			exits 0
			mv out short
			try "shtok -p $p docs | shweight -p $p -w $w | shfp --bare $o"
			exits 0
			same short out
		done
	done
}

@test '--empty text gives a document without features the fingerprint of the empty feature' {
	printf 'a\t!\nb\t?\n' >docs
	for o in '-H fnv1 -b 64' '-H gemantic -b 256' '-H md5 -b 64' '-H mix -b 256'; do
		try "shfp --bare $o --empty text docs"
		exits 0
		mv out short
		try "shtok docs | shfp --bare $o --empty text"
		same short out
		[ "$(cut -f 1 out | sort -u | wc -l)" = 1 ]
	done
}

@test 'profiles with a dictionary: the same from documents and from features; tfidf128 keeps at most 128 features' {
	has_jieba
	documents >docs
	shfp --bare -p angelo docs >short 2>err
	try 'shtok -p angelo docs | shweight -p angelo | shfp --bare -p angelo'
	exits 0
	same short out
	shtok -p tfidf128 docs | shdf >table
	try 'shtok -p tfidf128 docs | shweight -p tfidf128 -d table | tee weighted | shfp --bare -p tfidf128 | wc -l'
	exits 0
	cut -f 1 weighted | uniq -c | awk '$1 > 128' >out
	gives
}

@test 'options after -p override it, with the same result from documents and from features' {
	documents >docs
	for o in '-p seomoz -n 2' '-p gomd5 -n 1-2' '-p pysimhash -n 3' '-p mfonda --split fields' \
		'-p gomd5 --min-chars 3' '-p seomoz -u char' '-p pysimhash --no-fold' \
		'-p default --split python -n 3' '-p clickhouse-ngram-utf8 -n 1-4' '-p clickhouse-word -u char' \
		'-p clickhouse-ngram-ci --no-fold' '-p clickhouse-ngram-utf8 --split alpha -n 2'; do
		p=$(cut -d ' ' -f 2 <<<"$o")
		bash -c "shfp --bare $o docs" >short 2>err
		try "shtok $o docs | shweight -p $p | shfp --bare -p $p"
		exits 0
		same short out
	done
	for o in '-H mix' '-H xxh3' '-b 64 --empty skip'; do
		for p in seomoz gomd5 mfonda pysimhash clickhouse-ngram-utf8; do
			bash -c "shfp --bare -p $p $o docs" >short 2>err
			try "shtok -p $p docs | shweight -p $p | shfp --bare -p $p $o"
			exits 0
			same short out
		done
	done
}

@test '-p: the output is the same with 1 and 3 threads' {
	documents >docs
	for p in $plain; do
		shfp --bare -p "$p" docs >one 2>err
		try "shfp --bare -j 3 -p $p docs"
		same one out
	done
}

@test '-p with an unknown name gives a message with the names of the profiles' {
	for program in shtok shweight shfp; do
		try "$program -p nothing </dev/null"
		exits 2
		grep -F "'nothing': expected default, angelo, tfidf128, gomd5, gemantic, yanyiwu" err
		try "$program -p nothing --no-such-option </dev/null"
		exits 2
		says "$program: unrecognized option '--no-such-option'" "Try '$program --help' or 'man $program'."
		try "$program --help -p nothing"
		exits 0
	done
	try 'shfp --bare -b 128 -p angelo </dev/null'
	exits 2
	head -n 1 err | grep -qxF 'shfp: -b 128: -p angelo has 32 bits'
	try 'shfp --bare -p'
	exits 2
	try 'shfp --bare -- -p gomd5 </dev/null'
	exits 2
	says "shfp: cannot open '-p': No such file or directory"
}

# anywhere PROGRAM PROFILE FILE OPTIONS...: OPTIONS before or after -p give the same output, and other output than
# -p alone.
anywhere() {
	local program=$1 profile=$2 file=$3 o

	shift 3
	for o; do
		try "$program -p $profile $o $file"
		exits 0
		mv out first
		try "$program $o $file --profile=$profile"
		exits 0
		same first out
		try "$program -p angelo $o -p $profile $file"
		exits 0
		same first out
		try "$program -p $profile $file"
		if cmp -s first out; then
			echo "$program $o changes nothing of -p $profile"
			return 1
		fi
	done
}

@test 'options override the choices of -p, before or after -p' {
	printf 'a\tOne two, two two two 12 running four\nb\tone, two 3 five five\nc\t\n' >docs
	shtok docs >features
	shtok docs | shdf >table
	anywhere "shfp --bare" gemantic docs '-b 128' '-H md5' '-w set' '--empty zero' '-x dec' '-n 2' '-b 100 -n 2 -w set'
	anywhere "shfp --bare" pysimhash docs '-b 16' '-H xxh3'
	anywhere "shfp --bare" default docs '-H md5 --seed 3' '-b 256'
	anywhere shtok gomd5 docs '-n 2' '-u char' --mask-digits --split=alpha --stem=porter --min-chars=4 --keep-words=digit '-n 2 --min-chars 2'
	anywhere shtok default docs --no-fold
	anywhere shweight gomd5 features '-w set' '-t 1' '-w tfidf -d table' '-w tfidf -d table --max-df 1'
	printf 'a\tb\t9\n' >pairs
	anywhere shverify gomd5 '-T 0 -d docs pairs' '-n 2' '--measure cosine'
}

@test 'options that -p does not set, as -f and -x, have the same effect before and after -p' {
	printf 'One two\ta\n' >docs
	printf '{"text":"One two","id":"a"}\n' >docs.jsonl
	echo two >stop
	for p in $plain; do
		try "shfp --bare -p $p -f 2,1 -x dec docs"
		exits 0
		mv out after
		try "shfp --bare -x dec -f 2,1 --raw --strict -p $p docs"
		same after out
		try "shfp --bare --json -x dec -p $p docs.jsonl"
		same after out
	done
	try 'shfp --bare --stop stop -l -p gomd5 docs'
	exits 0
	mv out after
	try 'shfp --bare -p gomd5 -l --stop stop docs'
	same after out
	shtok -f 2,1 -p gomd5 docs | shdf >table
	try 'shtok -f 2,1 -p gomd5 docs | shweight -d table -p gomd5'
	gives 'a\tOne\t1' 'a\ttwo\t1'
}

@test 'seomoz: the text ends at its first NUL' {
	printf 'a\tone, two\0three\n' >docs
	try 'shtok -p seomoz docs'
	gives 'a\tone\t1' 'a\tone two\t1'
	try 'shfp --bare -p seomoz docs'
	mv out short
	printf 'a\tone, two\n' >docs
	try 'shfp --bare -p seomoz docs'
	same short out
	printf 'a\t\0one\n' >docs
	try 'shfp --bare -p seomoz docs'
	gives '0000000000000000\ta'
}

@test 'pysimhash: fractions of weights are rounded the same way from documents and from features' {
	printf '%s\n' 'a	rain rain plain' 'b	rain the plain plain plain the' >docs
	for w in freq log; do
		for o in '' '-b 24' '-b 128' '-H mix -b 128'; do
			try "shfp --bare -p pysimhash -w $w $o docs"
			exits 0
			mv out short
			try "shtok -p pysimhash docs | shweight -w $w | shfp --bare -p pysimhash $o"
			same short out
		done
	done
}

@test 'profiles that keep the heaviest features refuse documents in shfp, with any weight' {
	printf 'a\tone two\n' >docs
	for o in 'jieba-tags -w tf' 'jieba-tags -b 128' 'tfidf128 -w set'; do
		try "shfp --bare -p $o docs"
		exits 2
		grep -F -- "-p ${o%% *} takes the heaviest features of documents" err
	done
	try 'shfp --bare -p jieba-tags </dev/null'
	gives
	# Features need no dictionary.
	printf 'a\tx\t1\n' >features
	try 'unset SIMHASH_CPPJIEBA; shfp --bare -p yanyiwu -x dec features'
	exits 0
	mv out bare
	try 'shfp --bare -H jenkins -x dec features'
	same bare out
}

@test '-b: each profile has the widths of its system and refuses other widths' {
	printf 'a\tone two\n' >docs
	for b in 1 3 63 65 256; do
		try "shfp --bare -p gemantic -b $b docs | cut -f 1 | tr -d '\n' | wc -c"
		gives $(((b + 3) / 4))
	done
	for o in 'gemantic -b 257' 'pysimhash -b 4' 'pysimhash -b 20' 'pysimhash -b 136' 'gomd5 -b 32' \
		'angelo -b 64' 'default -b 40'; do
		try "shfp --bare -p $o docs"
		exits 2
		grep -F -- '-b' err
	done
}

@test '-x: a width that is no multiple of 4 is written as a number with leading zeros' {
	printf 'a\tsimhash\n' >docs
	try 'shfp --bare -p gemantic -b 63 -x dec docs'
	gives '1181937507429228474\ta'
	try 'shfp --bare -p gemantic -b 63 docs'
	gives "$(printf %016x 1181937507429228474)\ta"
	try 'shfp --bare -p gemantic -b 63 -x bare docs'
	gives "$(printf %x 1181937507429228474)\ta"
	try 'shfp --bare -p gemantic -b 63 -x nib docs | rev | cut -f 2 | tail -c 64'
	mv out bits
	try 'shfp --bare -p gemantic -b 63 -x bin docs | cut -f 1 | rev'
	same bits out
}

@test '--empty: documents without features get the fingerprint of the system, unless --empty says otherwise' {
	printf 'a\t\n' >docs
	try 'shfp --bare -p gemantic docs; shfp --bare -p mfonda docs; shfp --bare -p gomd5 docs; shfp --bare -p seomoz docs'
	gives 'ffffffffffffffff\ta' 'ffffffffffffffff\ta' '0000000000000000\ta' '0000000000000000\ta'
	try 'shfp --bare -p pysimhash docs'
	gives "$(printf '' | md5sum | cut -c 17-32)\ta"
	try 'shfp --bare -p mfonda --split fields -n 2 --empty text docs'
	gives 'cbf29ce484222325\ta'
	try 'shfp --bare -p gemantic --empty skip docs'
	gives
	grep -F "document 'a' has no features" err
	try 'shfp --bare -p gomd5 --empty ones docs'
	gives 'ffffffffffffffff\ta'
	# A profile counts features of weight 0 as features. With --empty they count as no features.
	printf 'a\tx\t0\n' >weightless
	try 'shfp --bare -p gemantic weightless; shfp --bare -p gomd5 weightless; shfp --bare -p pysimhash weightless'
	gives 'ffffffffffffffff\ta' '0000000000000000\ta' '0000000000000000\ta'
	try 'shfp --bare -p pysimhash --empty ones weightless; shfp --bare -p gemantic --empty error weightless'
	exits 2
	gives 'ffffffffffffffff\ta'
}

@test 'clickhouse: texts shorter than an n-gram get the fingerprints of the engine' {
	printf '%s\n' 'none	' 'two	ab' 'three	abc' 'four	abcd' >docs
	sed -i 's/\\t/\t/' docs
	for p in clickhouse-ngram clickhouse-ngram-utf8 clickhouse-word; do
		try "shfp -p $p -x dec docs"
		exits 0
		mv out "$p"
		try "shtok -p $p docs | shweight -p $p | shfp --features -p $p -x dec"
		same "$p" out
	done
	try 'cut -f 1 clickhouse-ngram | paste -sd " "'
	gives '18446744073709551615 492689097 3384066120 3232808960'
	try 'cut -f 1 clickhouse-ngram-utf8 | paste -sd " "'
	gives '18446744073709551615 492689097 0 3841129639'
	try 'cut -f 1 clickhouse-word | paste -sd " "'
	gives '0 0 0 1832383950'
	# shverify compares all n-grams of a text, also the first one.
	printf 'three\tother\t0\n' >pair
	printf 'other\tabc\n' >>docs
	try 'shverify -p clickhouse-ngram-utf8 -d docs pair'
	gives 'three\tother\t0\t1.0000\tjaccard'
	try 'shtok -p clickhouse-ngram-utf8 docs'
	gives 'none\t\t0' 'two\tab\t1' 'three\tabc\t0' 'four\tbcd\t1' 'other\tabc\t0'
}

@test 'clickhouse: -ci sets one bit of every byte, and words have at least four bytes' {
	printf 'a\tThe WORD caf\xc3\x89 abc 1a-2b3c\n' >docs
	try 'shtok -p clickhouse-word-ci -n 1 docs'
	gives 'a\tword\t1' 'a\tcaf\xe3\xa9\t1' 'a\t2b3c\t1'
	try 'shtok -p clickhouse-word -n 2 docs'
	gives 'a\tWORD caf\xc3\x89\t1' 'a\tcaf\xc3\x89 2b3c\t1'
	printf 'a\t\\t@\0\n' >docs
	try 'shtok -p clickhouse-ngram-ci -n 1 docs'
	gives 'a\t)\t1' 'a\t`\t1' 'a\t \t1'
}

@test 'features of gomd5 keep backslashes and other escaped characters' {
	printf 'a\tx\\\\ty \\\\\n' >docs
	try 'shtok -p gomd5 docs'
	gives 'a\tx\\\\ty\t1' 'a\t\\\\\t1'
	try 'shfp --bare -p gomd5 docs'
	mv out short
	try 'shtok -p gomd5 docs | shfp --bare -p gomd5'
	same short out
}

@test '-H: hashes of published systems refuse --seed and widths above their own' {
	printf 'a\tone\n' >docs
	try 'shfp --bare -H md5-last docs'
	gives "$(printf one | md5sum | cut -c 17-32)\ta"
	try 'shfp --bare -H fnv1 --seed 3 docs'
	exits 2
	grep -F 'hash fnv1 takes no seed' err
	try 'shfp --bare -H fnv1 -b 128 docs'
	exits 2
	grep -F 'hash fnv1 gives at most 64 bits' err
	try 'shfp --bare -H crc docs'
	exits 2
	grep -F 'expected mix, xxh3, md5, md5-last' err
}

@test '--split go-letters: normalises the text and then changes it to lower case' {
	printf 'a\t\xf0\x9d\x95\x8b\xf0\x9d\x95\x99\xf0\x9d\x95\x96 \xe2\x85\xa7 \xe3\x8f\x9c \xe2\x85\xab\xff\xe2\x84\xaa\n' >docs
	try 'shtok -p mfonda --split go-letters docs'
	gives 'a\tthe\t1' 'a\tviii\t1' 'a\tsv\t1' 'a\txii\t1' 'a\tk\t1'
}

@test '--segment jieba: gives the words of each mode, folds them, and takes user words' {
	has_jieba
	printf 'a\t小明硕士毕业于中国科学院计算所，ＡＢＣ后在日本京都大学深造\n' >docs
	words() { shtok -n 1 "$@" docs | cut -f 2 | paste -sd /; }
	[ "$(words --segment jieba)" = 小明/硕士/毕业/于/中国科学院/计算所/a/b/c/后/在/日本京都大学/深造 ]
	[ "$(words --segment jieba-search | tr / '\n' | head -n 9 | paste -sd /)" = \
		小明/硕士/毕业/于/中国/科学/学院/科学院/中国科学院 ]
	[ "$(words --segment jieba-all | tr / '\n' | grep -c 科学)" = 3 ]
	[ "$(words --segment jieba --keep-words any --no-fold | grep -c /，/)" = 1 ]
	# Folding makes letters of Kangxi radicals, Roman numerals and units. Some PDF files have radicals for characters.
	printf 'a\t⼀⽅⾯，Ⅲ类㎏★\n' >docs
	for way in jieba jieba-search; do
		[ "$(words --segment $way)" = 一/方/面/iii/类/kg ]
		[ "$(words --segment $way --keep-words any)" = 一/方/面/,/iii/类/kg/★ ]
		[ "$(words --segment $way --no-fold)" = 类 ]
	done
	# White space of any kind is no word.
	printf 'a\t\xe3\x80\x80中国\xe2\x80\xa8 \\t\xc2\xa0，\xe2\x80\x83\x1c北京\xe3\x80\x80\n' >docs
	for way in jieba jieba-nohmm jieba-all jieba-search; do
		[ "$(words --segment $way --keep-words any --no-fold)" = 中国/，/北京 ]
	done
	printf 'a\t小明硕士毕业于中国科学院计算所\n' >docs
	echo '硕士毕业 99999' >user
	[ "$(words --segment jieba --dict user | cut -d / -f 2)" = 硕士毕业 ]
	# Dictionaries are loaded in order, as in jieba: the last frequency of a word counts.
	echo '于中国 99999' >second
	echo '硕士毕业 0' >third
	[ "$(words --segment jieba --dict user --dict second | cut -d / -f 2-4)" = 硕士毕业/于中国/科学院 ]
	[ "$(words --segment jieba --dict user --dict second --dict third | cut -d / -f 2-4)" = 硕士/毕业/于中国 ]
	[ "$(words --segment jieba --dict third --dict second --dict user | cut -d / -f 2-4)" = 硕士毕业/于中国/科学院 ]
	try 'echo a 1x5 | tr x "\t" >bad; shtok --segment jieba --dict user --dict bad docs'
	exits 2
	grep -q '^shtok: bad:1: a TAB in the word' err
	try 'shtok --segment thai docs'
	exits 2
	# Each mode in the message exists.
	for way in $(head -n 1 err | sed 's/.*expected //; s/ or /, /; s/, / /g'); do
		try "SIMHASH_CPPJIEBA=/nowhere shtok --segment $way </dev/null"
		run ! grep -F expected err
	done
	try 'shtok --segment cppjieba-query docs'
	exits 2
	says "shtok: --segment 'cppjieba-query': expected char, jieba, jieba-nohmm, jieba-all, jieba-search, \
jieba-search-nohmm, cppjieba, cppjieba-nohmm, cppjieba-all, cppjieba-search or cppjieba-hmm" \
		"Try 'shtok --help' or 'man shtok'."
	try 'shtok --dict user docs'
	exits 2
}

@test 'features as input need no dictionary, and refuse --segment' {
	printf 'a\tx\t1\n' >features
	try 'SIMHASH_JIEBA=/nowhere shfp --bare -p angelo features'
	exits 0
	gives 'e838b112\ta'
	try 'SIMHASH_JIEBA=/nowhere shfp --bare -p angelo --segment jieba features'
	exits 2
	printf 'a\tx\n' >docs
	try 'SIMHASH_JIEBA=/nowhere shfp --bare -p angelo docs'
	exits 2
	gives
	says "shfp: cannot open '/nowhere': No such file or directory"
}

@test '--segment without a dictionary gives a message that says how to get one' {
	try 'SIMHASH_JIEBA=/nowhere shtok --segment jieba </dev/null'
	exits 2
	grep -F /nowhere err
	for how in 'unset SIMHASH_CPPJIEBA' 'SIMHASH_CPPJIEBA='; do
		try "$how; shtok --segment cppjieba </dev/null"
		exits 2
		grep -F 'SIMHASH_CPPJIEBA=DIR' err
	done
	[ -e "$SHBIN/jieba.dict" ] || skip 'no jieba.dict'
	try 'SIMHASH_JIEBA= shtok --segment jieba </dev/null'
	exits 0
}

# small_cppjieba: makes a small dictionary in the form of cppjieba. The expected results are those of cppjieba.
small_cppjieba() {
	mkdir cpp
	printf '%s\n' '中国 50 ns' '中国人 7 n' '国人 9 n' '人 80 n' 'c++ 3 nz' '若果 3 c' >cpp/jieba.dict.utf8
	printf '%s\n' '-0.26 -3.14e+100 -3.14e+100 -1.46' '-3.14e+100 -0.51 -0.91 -3.14e+100' \
		'-0.58 -3.14e+100 -3.14e+100 -0.80' '-3.14e+100 -0.33 -1.26 -3.14e+100' \
		'-0.72 -3.14e+100 -3.14e+100 -0.66' '人:-5.0,的:-9.0' '人:-5.0,们:-4.0' '人:-7.0' \
		'人:-6.0,的:-3.0' >cpp/hmm_model.utf8
	printf '若果 \n中国\n' >cpp/stop_words.utf8
	printf '若果 10.4\n国人 3.5\n' >cpp/idf.utf8
	export SIMHASH_CPPJIEBA=cpp
}

@test 'cppjieba-all: characters that the dictionary lacks are tokens, also behind long words' {
	small_cppjieba
	printf 'a\tc++鐞刻中国人的x\nb\t鐞刻c++abcdefg\n' >docs
	try 'shtok -n 1 --segment cppjieba-all --no-fold --keep-words any docs | cut -f 2 | paste -sd /'
	gives 'c++/鐞/刻/中国/中国人/国人/的/x/鐞/刻/c++/a/b/c/d/e/f/g'
}

@test 'cppjieba: a bad dictionary file is refused with name and line, also with NaN or infinity as a number' {
	small_cppjieba
	printf 'a\t中国人的中国\n' >docs
	cp -r cpp good
	for word in '的 1e999 x' '的 inf x' '的 nan x' '的 0 x' '的 x'; do
		printf '%s\n' "$word" '们 1 r' >>cpp/jieba.dict.utf8
		try 'shtok --segment cppjieba docs'
		exits 2
		says 'shtok: jieba.dict.utf8 of cppjieba: line 7: expected WORD FREQUENCY TAG'
		cp good/* cpp
	done
	printf '的 1e308 x\n们 1e308 x\n' >>cpp/jieba.dict.utf8
	try 'shtok --segment cppjieba docs'
	exits 2
	says 'shtok: jieba.dict.utf8 of cppjieba: line 8: frequencies too large'
	cp good/* cpp
	printf '的 4 x\n中国 inf x\n' >cpp/user.dict.utf8
	try 'shtok --segment cppjieba docs'
	exits 2
	says 'shtok: user.dict.utf8 of cppjieba: line 2: expected WORD [[FREQUENCY] TAG]'
	for file in user.dict.utf8 jieba.dict.utf8; do
		printf '中国人 5 x\n' | iconv -f UTF-8 -t GB18030 >cpp/$file
		try 'shtok --segment cppjieba docs'
		exits 2
		says "shtok: $file of cppjieba: line 1: ill-formed UTF-8 (convert other encodings with iconv)"
		rm -f cpp/user.dict.utf8
		cp good/* cpp
	done
	sed 's/-9.0/nan/' good/hmm_model.utf8 >cpp/hmm_model.utf8
	try 'shtok --segment cppjieba docs'
	exits 2
	says 'shtok: hmm_model.utf8 of cppjieba: line 6: expected character:number,...'
	cp good/* cpp
	: >cpp/jieba.dict.utf8
	try 'shtok --segment cppjieba docs'
	exits 2
	says 'shtok: jieba.dict.utf8 of cppjieba: no words'
}

@test 'yanyiwu: stop words are whole lines, with the blanks at their ends' {
	small_cppjieba
	printf 'a\t若果 国人中国\n' >docs
	try 'shtok -p yanyiwu --stop cpp/stop_words.utf8 docs | shweight -p yanyiwu --idf cpp/idf.utf8 |
		tee words | shfp --bare -p yanyiwu'
	gives '841ff3ba80847568\ta'
	[ "$(cut -f 2 words | paste -sd /)" = 若果/国人 ]
	# Without the profile the blank is no part of the stop word.
	printf 'b\t若果\n' >docs
	try 'shtok --segment cppjieba --stop cpp/stop_words.utf8 docs'
	gives 'b\t\t0'
}

@test 'yanyiwu: weights that no record can hold are scaled down with all weights of the document' {
	small_cppjieba
	word() { for ((i = 0; i < $1; i++)); do printf '%s ' "$2"; done; }
	{
		printf 'a\t' && word 2000 若果 && word 900 hello && word 3 国人 && printf 'c++\n'
		printf 'b\t' && word 700 hello && printf '国人\n'
	} >docs
	try 'shtok -p yanyiwu docs | shweight -p yanyiwu --idf cpp/idf.utf8 | shfp --bare -p yanyiwu'
	gives '841ff3ba80847568\ta' '34cbbc6e5c04b779\tb'
	printf 'a\t若果\t900000\na\t国人\t1\n' >features
	try 'shweight -p yanyiwu --idf cpp/idf.utf8 features'
	gives 'a\t若果\t5145714417991.68' 'a\t国人\t1924145.348608'
}

@test 'yanyiwu: a small weight beside a larger one has no effect, and counts with a fraction are refused' {
	small_cppjieba
	printf 'often 0.05\nseldom 3.5\n' >idf
	printf 'a\tseldom\t1\n' | shfp --bare -p yanyiwu >alone
	printf 'a\toften\t1\na\tseldom\t1\n' >features
	try 'shweight -p yanyiwu --idf idf features | shfp --bare -p yanyiwu'
	same alone out
	# With -w the weights are those of other profiles.
	for w in tf logidf; do
		try "shweight -p yanyiwu -w $w --idf idf features"
		exits 0
		[ -s out ]
		mv out systems
		try "shweight -t 200 -w $w --idf idf features"
		same systems out
	done
	printf 'a\toften\t1.5\n' >features
	try 'shweight -p yanyiwu --idf idf features'
	exits 2
	grep -F "document 'a' has a count with a fraction" err
}

@test '--stem: stems folded words, after stop words are removed and before n-grams are formed' {
	printf 'a\tIndexing the INDEXED ponies\n' >docs
	echo ponies >stop
	try 'shtok --stem english --stop stop -n 2 docs'
	gives 'a\tindex the\t1' 'a\tthe index\t1'
	try 'shfp --bare --stem english docs'
	mv out short
	try 'shtok --stem english docs | shweight | shfp --bare'
	same short out
	try 'shtok --stem klingon docs'
	exits 2
	grep -F 'english' err
}

@test 'two texts with the same set of words have distance 0 under -w set' {
	printf 'a\tRain is expected in the north.\n' >one
	printf 'b\tThe north is expected in rain!\n' >two
	try 'shfp --bare -w set -b 256 one two | shjoin -k 0'
	gives 'a\tb\t0'
	try 'cmp <(shtok -n 1 one | cut -f 2 | sort -u) <(shtok -n 1 two | cut -f 2 | sort -u) && echo equal'
	gives equal
	try 'shfp --bare -n 2 one two | shjoin -k 64 | cut -f 3'
	exits 0
	[ "$(cat out)" -gt 0 ]
}
