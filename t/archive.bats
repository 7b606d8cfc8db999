#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shdedup -a: compares documents with the documents of earlier runs.
load helper

# texts FROM TO N [SEED [PREFIX]]: prints N random documents of FROM to TO words. Each is new or an earlier one with
# words changed.
texts() {
	awk -v from="$1" -v to="$2" -v n="$3" -v seed="${4-1}" -v prefix="${5-d}" 'BEGIN {
		srand(seed)
		for (i = 1; i <= n; i++) {
			m = split(i > 1 && rand() < 0.5 ? text[1 + int(rand() * (i - 1))] : "", w, " ")
			if (!m) { m = from + int(rand() * (to - from + 1)); for (j = 1; j <= m; j++) w[j] = "w" int(rand() * 4000) }
			for (c = int(rand() * 3); c > 0; c--) w[1 + int(rand() * m)] = "w" int(rand() * 4000)
			t = w[1]; for (j = 2; j <= m; j++) t = t " " w[j]
			text[i] = t
			print prefix i "\t" t
		}
	}'
}

# records ARCHIVE: prints number, time, keeper, similarity, measure, id and postings of each document.
records() {
	python3 "$BATS_TEST_DIRNAME/soak/archive_records.py" "$1"
}

# doing WHAT: prints the command line of a sharchive command, or of a run over documents, on the archive.
doing() {
	local what=$1
	case $what in
	init* | check* | compact* | expire* | remove* | stats*)
		[ "${what#* }" = "$what" ] && echo "sharchive -q $what archive" || echo "sharchive -q ${what%% *} archive ${what#* }"
		;;
	*) echo "shdedup -q -a archive $what" ;;
	esac
}

# state ARCHIVE: prints the checksum of each file of the archive except the lock.
state() {
	(cd "$1" && find . -type f ! -name lock -exec sha256sum {} + | sort -k 2)
}

@test "four batches keep and drop the documents that one run over all drops, with exact comparison" {
	texts 3 18 600 >docs
	split -l 150 docs batch.
	for how in 'jaccard -T 0.8 -n 1' 'edit -T 0.75 -n 3' 'any -T 0.8,0.9 -n 3' 'any -T 0.6,0.7 -n 2' \
		'edit -T 0.9 -n 3 -u char'; do
		for store in sketch documents; do
			rm -rf archive
			sharchive init archive --store $store --measure $how
			: >kept
			: >dropped
			for batch in batch.*; do
				try "shdedup -q --measure $how -a archive --report report $batch"
				exits 0
				cat out >>kept
				cat report >>dropped
				# Neither merging nor an expiry of nothing changes a decision.
				[ $batch != batch.ab ] || { sharchive compact archive && sharchive -q expire archive 3000w; }
			done
			shdedup -q --measure $how docs >expected
			same expected kept
			# Each line of the report has the true similarity and names a document that stays.
			awk -F '\t' '{ print $1 "\t" $2 "\t-" }' dropped | shverify --measure $how -d docs |
			    cut -f 1,2,4,5 >expected
			same expected dropped
			cut -f 2 dropped | sort -u | comm -23 - <(cut -f 1 kept | sort) >bad
			[ ! -s bad ]
			try 'sharchive check archive'
			exits 0
			# A second run over all documents adds nothing.
			state archive >before
			try "shdedup -q --measure $how -a archive --report report docs"
			exits 0
			same kept out
			same dropped report
			state archive >after
			same before after
		done
	done
}

@test "documents in the archive add nothing and have the same outcome again, in batches of any size" {
	texts 5 60 400 >docs
	head -n 200 docs >first
	tail -n +201 docs >second
	sharchive init archive
	shdedup -q -a archive --report report.1 first >kept.1
	shdedup -q -a archive --report report.2 second >kept.2
	state archive >before
	for n in 1 2; do
		batch=$([ $n = 1 ] && echo first || echo second)
		try "shdedup -q -a archive --report report -j 3 $batch"
		exits 0
		same kept.$n out
		same report.$n report
	done
	try 'shdedup -q -a archive --report report docs'
	cat kept.1 kept.2 >expected
	same expected out
	cat report.1 report.2 >expected
	same expected report
	split -l 70 docs part.
	: >all
	for part in part.*; do
		shdedup -q -a archive "$part" >>all
	done
	cat kept.1 kept.2 >expected
	same expected all
	state archive >after
	same before after
}

@test "repeated documents, documents without features and an id with two texts have the same outcome again" {
	cat >docs <<-'END'
	x	one two three four five six seven eight nine ten eleven twelve
	x	one two three four five six seven eight nine ten eleven twelve
	e	!!
	e	!!
	x	something else that has nothing to do with the text above
	y	one two three four five six seven eight nine ten eleven twelve
	y	one two three four five six seven eight nine ten eleven twelve
	END
	for keep in first newest longest; do
		rm -rf archive
		sharchive init archive
		shdedup -q -a archive --keep $keep --report report.1 docs >kept
		try "shdedup -q -a archive --keep $keep --report report docs"
		exits 0
		same kept out
		same report.1 report
	done
	shdedup -q docs >kept
	rm -rf archive
	sharchive init archive
	try 'shdedup -q -a archive docs'
	same kept out
}

@test "ties are broken by the order of documents: in --keep, in records of one document, in keys" {
	printf '%s\n' 'x\tone text of some words that stands here twice' 'y\tanother text of other words, once' |
		while read -r line; do printf "$line\n"; done >two
	{ cat two; head -n 1 two; } >twins
	# The first of two equal documents stays, or the last, also when both are in the archive.
	for keep in first newest; do
		rm -rf archive
		sharchive init archive
		shdedup -q --keep $keep twins >expected
		for turn in new known; do
			try "shdedup -q -a archive --keep $keep twins"
			exits 0
			same expected out
		done
	done
	[ "$(cut -f 1 out | tr '\n' ' ')" = 'y x ' ]

	# A document is dropped and later protected. The archive has two records, and the later record counts.
	rm -rf archive
	sharchive init archive
	sed 's/^x/z/; s/twice/twice!/' two | head -n 1 >like
	echo z >ids
	shdedup -q -a archive two >/dev/null
	[ -z "$(shdedup -q -a archive like)" ]
	[ -n "$(shdedup -q -a archive --protect ids like)" ]
	try 'shdedup -q -a archive like'
	same like out
}

@test "--protect keeps a document, also when an earlier run dropped it" {
	sharchive init archive
	printf 'a\tone two three four five six seven eight nine ten eleven twelve\n' >one
	printf 'b\tone two three four five six seven eight nine ten eleven twelve!\n' >two
	echo b >ids
	shdedup -q -a archive one >/dev/null
	try 'shdedup -q -a archive two'
	gives
	try 'shdedup -q -a archive --protect ids two'
	same two out
	try 'shdedup -q -a archive --protect ids two'
	same two out
	try 'shdedup -q -a archive two'
	same two out
	sharchive -q check archive
}

@test "the keeper of a document dropped for a protected copy is the copy that is written" {
	sharchive init archive
	printf '%s\tone two three four five six seven eight nine ten eleven twelve%s\n' a '' a '' b ' thirteen' >docs
	echo a >ids
	for run in 1 2; do
		try 'shdedup -q -a archive --protect ids --keep newest --report report docs'
		exits 0
		grep a docs | same - out
		cut -f 1-3 report >dropped
		printf 'b\ta\t0.9091\n' | same - dropped
		try 'sharchive check archive'
		says 'sharchive: 2 documents in 1 segment, all good'
	done
}

@test "of equally similar documents of the archive, the report names the first" {
	sharchive init archive
	printf '%s\tone two three four five six seven\n' x y >docs
	cut -f 1 docs >ids
	try 'shdedup -q -a archive --protect ids docs'
	same docs out
	try 'shdedup -q -a archive --report report <(sed 1d docs | tr y z)'
	gives
	printf 'z\tx\t1.0000\tjaccard\n' | same - report
}

@test "stats: a sketch has 4 bytes a token; a stored text has its length" {
	awk 'BEGIN { for (i = 1; i <= 40; i++) { printf "d%d\t", i; for (j = 1; j <= 500; j++) printf "w%d ", 1000 * i + j; print "" } }' >docs
	for store in sketch documents; do
		sharchive init $store -n 1 --store $store
		shdedup -q -n 1 -a $store docs >/dev/null
		sharchive stats $store | awk -F '\t' '$1 == "bytes of documents" { print $2 }' >$store.bytes
	done
	[ "$(cat sketch.bytes)" -eq "$(cat sketch/*.bin | wc -c)" ]
	[ "$(cat sketch.bytes)" -eq $((40 * 500 * 4 + $(cut -f 1 docs | sed 's/$/\t/' | wc -c))) ]
	[ "$(cat documents.bytes)" -eq "$(wc -c <docs)" ]
}

@test "the documents of an archive with texts are records; a dropped document has no text" {
	texts 5 60 300 >docs
	split -l 60 docs batch.
	sharchive init archive --store documents
	for batch in batch.*; do
		shdedup -q -a archive "$batch" >>kept
	done
	awk -F '\t' 'NR == FNR { kept[$1]; next } { print $1 "\t" ($1 in kept ? $2 : "") }' kept docs >expected
	same expected <(cat archive/*.tsv)
	records archive | awk -F '\t' '$1 == $3 { print $6 }' | same <(cut -f 1 kept) -
}

@test "a run with another setting than the archive's is refused with the name of the setting" {
	echo 'the' >words
	sharchive init archive
	state archive >before
	while IFS='|' read -r options message; do
		try "shdedup -a archive $options $T_DATA/en_dev.tsv"
		exits 2
		grep -qF "shdedup: $message" err
		[ ! -s out ]
	done <<-'END'
	-T 0.75|--measure jaccard: the archive was made with --measure any (give it each time)
	-T 0.75,0.8|-T 0.75,0.8: the archive was made with -T 0.8,0.89
	-n 1-2|-n 1-2: the archive was made with -n 3
	-u char|-u char: the archive was made with -u word
	--seed 3|--seed 3: the archive was made with --seed 0
	--seed random|--seed random: the archive was made with --seed 0
	--stem english|--stem english: the archive was made without --stem
	--stop words|--stop content:
	--no-fold|--no-fold: the archive was made without --no-fold
	--mask-digits|--mask-digits: the archive was made without --mask-digits
	--fold-marks|--fold-marks: the archive was made without --fold-marks
	--join-hyphens|--join-hyphens: the archive was made without --join-hyphens
	--min-chars 2|--min-chars 2: the archive was made with --min-chars 0
	--keep-words han,alpha|--keep-words alpha,han: the archive was made without --keep-words
	--split alpha|--split alpha: the archive was made with --split words
	-p pysimhash|-p pysimhash: the archive was made with -p default
	END
	state archive >after
	same before after
	rm -rf archive
	sharchive init archive --no-fold --stem english
	try "shdedup -a archive --stem english $T_DATA/en_dev.tsv"
	grep -q 'without --no-fold: the archive was made with --no-fold (give it each time)$' err
	try "shdedup -a archive --no-fold $T_DATA/en_dev.tsv"
	grep -q 'without --stem: the archive was made with --stem english (give it each time)$' err
	sharchive init kinds --keep-words digit,han
	try "shdedup -a kinds $T_DATA/en_dev.tsv"
	grep -q 'without --keep-words: the archive was made with --keep-words digit,han (give it each time)$' err
	try 'shdedup -a kinds --keep-words any </dev/null'
	grep -q ': --keep-words any: the archive was made with --keep-words digit,han (give it each time)$' err
	try 'sharchive stats kinds | grep keep-words'
	gives '--keep-words\tdigit,han'
	try 'shdedup -q -a kinds --keep-words han,digit </dev/null'
	exits 0
	sharchive init secret --seed random
	try 'shdedup -a secret --seed 0 </dev/null'
	exits 2
	[ "$(head -n 1 err)" = 'shdedup: --seed 0: the archive was made with --seed random (give it each time)' ]
}

@test "a run warns when the archive was made with other versions of Unicode or Snowball" {
	tail='some words may differ from the words in the archive, and duplicates may be missed (make a new archive)'
	echo 'a	one two three four five six' >docs
	try 'sharchive init archive --stem english && shdedup -q -a archive --stem english docs'
	exits 0
	says
	same docs out
	unicode=$(sharchive stats archive | awk -F '\t' '$1 == "unicode" { print $2 }')
	[[ $unicode =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
	sharchive stats archive | grep -qE '^snowball	stems:[0-9a-f]{16}$'
	sed -i 's/^option unicode .*/option unicode 1.1.5/; s/^option snowball .*/option snowball stems:0123456789abcdef/' archive/manifest
	resum archive/manifest
	for _ in 1 2; do
		try 'shdedup -q -a archive --stem english docs'
		exits 0
		says "shdedup: the archive was made with Unicode 1.1.5, and this program has Unicode $unicode: $tail" \
			"shdedup: the archive was made with another version of Snowball: $tail"
		same docs out
	done
	# Without --stem the manifest has no version of Snowball.
	try 'sharchive init plain && sharchive stats plain | grep -c -e unicode -e snowball'
	gives 1
}

@test "init with an unknown stemmer is refused, and makes no folder" {
	try 'sharchive init archive --stem klingon'
	exits 2
	gives
	[[ $(<err) == "sharchive: --stem 'klingon': expected one of arabic, "* ]]
	[ ! -e archive ]
}

@test "the summary counts the keeper in the archive in the largest group, also in a second run" {
	printf '%s\t%s\n' a 'one two three four five six' z 'nothing of the kind at all, none' >old
	sharchive init archive
	shdedup -q -a archive old >out
	for i in 1 2 3; do printf '%s\n' "m$i	one two three four five six" "n$i	quite another text, new here"; done >new
	printf 'y\tnothing of the kind at all, none\n' >>new
	for known in 0 7; do
		try 'shdedup -a archive new'
		exits 0
		gives 'n1\tquite another text, new here'
		grep -q "^shdedup: archive: $known of these documents were known," err
		grep -q '; 3 groups, largest 4; ' err
	done
	# The keeper counts once when the run has it, too.
	try 'shdedup -a archive --dry-run new old'
	exits 0
	grep -q ' groups, largest 4; ' err
}

@test "--counts and stats --counts: for how many documents a keeper has stood over all runs" {
	sharchive init archive
	say() { printf '%s\tone two three four five six\n' "$@"; }
	say a1 a2 >1
	say b1 b2 b2 >2
	printf 'other\tnothing of the kind at all, none\n' >>2
	try 'shdedup -q -a archive --report - -o kept --counts 1'
	gives 'a2\ta1\t1.0000\tjaccard\t2'
	# Documents of one id and text are one.
	for run in 2 2; do
		try "shdedup -q -a archive --report - -o kept --counts $run"
		gives 'b1\ta1\t1.0000\tjaccard\t4' 'b2\ta1\t1.0000\tjaccard\t4' 'b2\ta1\t1.0000\tjaccard\t4'
	done
	try 'shdedup -q -a archive --report - --dry-run --counts 2 1 | tail -n 1'
	gives 'a2\ta1\t1.0000\tjaccard\t4'
	say c1 | shdedup -q -a archive --report - --dry-run --counts >out
	gives 'c1\ta1\t1.0000\tjaccard\t5'
	try 'sharchive stats --counts archive'
	exits 0
	gives 'a1\t4'
	echo b1 >ids
	sharchive -q remove archive ids
	try 'sharchive stats --counts archive'
	gives 'a1\t3'
	echo a1 >ids
	sharchive -q remove archive ids
	try 'sharchive stats --counts archive'
	gives
}

@test "--counts: the counts of any batches are those of one run" {
	sharchive init archive
	shdedup -q --dry-run --counts --report report "$T_DATA/en_dev.tsv"
	split -n l/7 "$T_DATA/en_dev.tsv" part.
	for part in part.*; do
		shdedup -q -a archive --counts --report "report.$part" "$part" >kept
	done
	cut -f 2,5 report | sort -u >expected
	[ "$(wc -l <expected)" -gt 100 ]
	sharchive stats --counts archive | sort | same - expected
	# The last report that names a keeper has its count.
	awk -F '\t' '{ n[$2] = $5 } END { for (k in n) print k "\t" n[k] }' report.part.* | sort | same - expected
}

@test "init refuses a folder with an archive, or with an archive without its manifest" {
	try 'sharchive init archive'
	exits 0
	try 'sharchive init archive'
	exits 2
	says "sharchive: there is an archive in 'archive' already"
	shdedup -q -a archive "$T_DATA/en_dev.tsv" >/dev/null
	rm archive/manifest
	for how in init check stats "$T_DATA/en_dev.tsv"; do
		try "$(doing $how)"
		exits 2
		says "$([ "${how#/}" = "$how" ] && echo sharchive || echo shdedup): 'archive' has lost its manifest: restore the archive from a backup"
	done
	try 'sharchive check nothing'
	exits 2
	says "sharchive: there is no archive in 'nothing' (sharchive init makes one)"
	try "shdedup -a nothing $T_DATA/en_dev.tsv"
	exits 2
	[ ! -e nothing ]
}

@test "init refuses a folder that is not empty, names a file in it, and leaves it unchanged" {
	mkdir dated hidden full
	echo mine | tee dated/20261122.txt >dated/20261122.doc
	echo mine | tee full/00000001.txt full/00000000.sum >full/manifest.new
	echo mine >hidden/.profile
	for case in "dated:'20261122.doc' and 1 more" "hidden:'.profile'" "full:'00000000.sum' and 2 more"; do
		state "${case%%:*}" >before
		try "sharchive init ${case%%:*}"
		exits 2
		says "sharchive: '${case%%:*}' is not empty: it holds ${case#*:} (an archive is made in a new or empty folder)"
		state "${case%%:*}" >after
		same before after
		[ ! -e "${case%%:*}/lock" ]
	done
	try 'sharchive check dated'
	says "sharchive: there is no archive in 'dated' (sharchive init makes one)"
	mkdir empty locked used
	: >locked/lock
	echo mine >used/lock
	try 'sharchive init empty && sharchive init locked'
	exits 0
	try 'sharchive init used'
	exits 2
	says "sharchive: 'used' is not empty: it holds 'lock' (an archive is made in a new or empty folder)"
}

@test "files are synced before the manifest names them; the lock is on a file open for writing, as NFS requires" {
	traceable
	sanitized && skip 'the sanitizers cannot be traced'
	mkdir above
	try 'strace -y -e trace=fsync -o trace sharchive init above/archive'
	exits 0
	grep -q '/above>) ' trace
	grep -q '/above/archive>) ' trace
	# The trace shows how the locked file was opened.
	try 'strace -e trace=openat,flock -o trace sharchive compact above/archive'
	exits 0
	printf 'a\tsome text\n' >docs
	shdedup -q -a above/archive docs >out
	# Files are removed after the manifest without them is synced.
	key=$(sed -n 's/^key \(.\{12\}\).*/\1/p' above/archive/manifest)
	echo leftover >above/archive/00000007.$key.index
	try 'strace -y -e trace=fsync,rename,renameat,renameat2,unlink,unlinkat -o trace.2 sharchive expire above/archive 1d'
	exits 0
	[ "$(sed -n 's/^\([a-z]*\).*/\1/p' trace.2 | head -n 2 | tr '\n' ' ')" = 'fsync unlinkat ' ]
	try 'strace -e trace=flock -e inject=flock:error=EBADF -o /dev/null sharchive compact above/archive'
	exits 2
	says "sharchive: cannot lock 'above/archive/lock': Permission denied"
	# A run that finds its documents in the archive syncs the folder before it omits them.
	try 'strace -y -e trace=fsync -o trace.3 shdedup -q -a above/archive docs'
	same docs out
	grep -q '/above/archive>) ' trace.3
	lock=$(sed -n 's/^flock(\([0-9]*\), LOCK_EX.* = 0$/\1/p' trace)
	grep -qE "\"lock\", O_RDWR.* = $lock\$" trace
}

@test "--dict of cppjieba: a run is refused when the content differs, not when the path differs" {
	# dictionary DIR WORD: makes a complete dictionary that has WORD.
	dictionary() {
		mkdir -p "$1"
		printf '%s 3 n\n中 5 n\n国 4 n\n' "$2" >"$1/jieba.dict.utf8"
		{
			printf '#\n-1 -3e100 -3e100 -1\n'
			printf '%s\n' '0 -1 -1 0' '-1 0 0 -1' '0 -1 -1 0' '-1 0 0 -1'
			for _ in B E M S; do echo '中:-1,国:-2'; done
		} >"$1/hmm_model.utf8"
	}
	long=$(printf '%064d' 0)
	dictionary a 中国
	dictionary "$long/a" 中国
	dictionary "$long/b" 北京
	printf '1\t中国\n' >docs
	how='shdedup -q --segment cppjieba -a archive'
	try "sharchive init archive --segment cppjieba --dict $long/a && $how --dict $long/a docs"
	exits 0
	for same in "$how --dict a" "$how --dict ./a/" "SIMHASH_CPPJIEBA=a $how"; do
		try "$same docs"
		exits 0
		same docs out
	done
	for other in "$how --dict $long/b" "SIMHASH_CPPJIEBA=$long/b $how"; do
		try "$other docs"
		exits 2
		gives
		head -n 1 err | grep -qE '^shdedup: --dict content:[0-9a-f]{16}: the archive was made with --dict content:[0-9a-f]{16} \(give it each time\)$'
	done
	for file in jieba.dict.utf8 hmm_model.utf8 user.dict.utf8; do
		rm -rf c
		cp -r a c
		tail -n 1 a/jieba.dict.utf8 >>c/$file
		[ $file != hmm_model.utf8 ] || sed -i 's/国:-2/国:-3/' c/$file
		try "$how --dict c docs"
		exits 2
		grep -q '^shdedup: --dict content:' err
	done
}

@test "dictionary of jieba: a run is refused when the words differ, not when the file differs" {
	data=${JIEBA_DATA:-/usr/lib/python3/dist-packages/jieba}
	[ -e "$SHBIN/jieba.dict" ] && [ -e "$data/dict.txt" ] || skip "no data of jieba's"
	printf '1\t中国人民\n' >docs
	how='shdedup -q --segment jieba -a archive'
	try "sharchive init archive --segment jieba && $how docs"
	exits 0
	try 'shdedup -a archive docs'
	exits 2
	[ "$(head -n 1 err)" = 'shdedup: --split words: the archive was made with --segment jieba (give it each time)' ]
	try 'sharchive init other --split fields && shdedup -a other --segment jieba docs'
	exits 2
	[ "$(head -n 1 err)" = 'shdedup: --segment jieba: the archive was made with --split fields (give it each time)' ]
	echo 中国人 >words
	try "$how --dict words docs"
	exits 2
	head -n 1 err | grep -qE '^shdedup: --dict content:[0-9a-f]{16}: the archive was made without --dict$'
	cp "$SHBIN/jieba.dict" same.dict
	try "SIMHASH_JIEBA=same.dict $how docs"
	exits 0
	same docs out
	printf '中国人 7\n' >words
	# Some words of the dictionary suffice.
	cp -r "$data" short
	(head -n 3000 "$data/dict.txt"; grep ^中国 "$data/dict.txt") >short/dict.txt
	data=short
	shdict --dict words -o other.dict "$data"
	try "SIMHASH_JIEBA=other.dict $how docs"
	exits 2
	gives
	head -n 1 err | grep -qE '^shdedup: SIMHASH_JIEBA total:[0-9]+ words:[0-9a-f]{16}: the archive was made with SIMHASH_JIEBA total:[0-9]+ words:[0-9a-f]{16} \(give it each time\)$'
	# The same words come in another order and without --dict.
	rm -rf archive
	SIMHASH_JIEBA=other.dict sharchive init archive --segment jieba
	cp -r "$data" data
	(tac "$data/dict.txt" && printf '中国人 7\n') >data/dict.txt
	shdict -o again.dict data
	cmp other.dict again.dict
	try "SIMHASH_JIEBA=again.dict $how docs"
	exits 0
	# Another word has the same frequency.
	printf '中国民 7\n' >words
	shdict --dict words -o typo.dict "$data"
	rm -rf archive
	SIMHASH_JIEBA=other.dict sharchive init archive --segment jieba
	try "SIMHASH_JIEBA=typo.dict $how docs"
	exits 2
}

@test "--stop and --dict from a pipe: a run is refused when the content differs" {
	printf 'a\tone two three four five six\n' >docs
	printf 'two\n' >stop
	try 'cat stop | sharchive init archive --stop /dev/stdin'
	exits 0
	try 'shdedup -q -a archive --stop stop docs'
	exits 0
	same docs out
	try 'echo six | shdedup -q -a archive --stop /dev/stdin docs'
	exits 2
	gives
	head -n 1 err | grep -qE '^shdedup: --stop content:[0-9a-f]{16}: the archive was made with --stop content:[0-9a-f]{16} \(give it each time\)$'
	rm -r archive
	printf 'three\n' >more
	try 'sharchive init archive --stop stop --stop more; shdedup -q -a archive --stop stop --stop /dev/stdin docs <more'
	exits 0
	for other in '--stop stop' '--stop more' '--stop more --stop stop'; do
		try "shdedup -q -a archive $other docs"
		exits 2
		grep -q '^shdedup: --stop content:' err
	done
	[ -e "$SHBIN/jieba.dict" ] || skip "no data of jieba's"
	printf '中国人 7\n' >words
	rm -r archive
	try 'cat words | sharchive init archive --segment jieba --dict /dev/stdin'
	exits 0
	try 'shdedup -q -a archive --segment jieba --dict words docs'
	exits 0
	try 'echo 中国民 7 | shdedup -q -a archive --segment jieba --dict /dev/stdin docs'
	exits 2
}

@test "-a with --sample or --link single is refused, and --wait without -a or -O" {
	sharchive init archive
	while IFS='|' read -r how message; do
		try "shdedup $how </dev/null"
		exits 2
		gives
		says "shdedup: $message" "Try 'shdedup --help' or 'man shdedup'."
	done <<-'END'
	--wait 3|--wait needs -a DIR or -O DIR
	-a archive --sample 3|--sample cannot be used with -a: an archive need not have the texts
	-a archive --link single|--link single cannot be used with -a: chains could pass through the archive (use --link star)
	END
}

@test "remove and expire remove the duplicates of a removed keeper; --dry-run only counts" {
	texts 5 60 300 >docs
	sharchive init archive
	head -n 100 docs | SOURCE_DATE_EPOCH=1000000 shdedup -q -a archive >/dev/null
	tail -n +101 docs | head -n 100 | SOURCE_DATE_EPOCH=2000000 shdedup -q -a archive >/dev/null
	tail -n +201 docs | shdedup -q -a archive >/dev/null
	records archive | cut -f 6 | sort >there
	records archive >before.records
	awk -F '\t' '$1 == $3 { print $6 }' before.records | head -n 5 >ids
	# Expects the documents that are neither in the list nor duplicates of a document in the list.
	awk -F '\t' 'NR == FNR { gone[$1]; next } FILENAME != last { last = FILENAME; pass++ }
		pass == 1 && $6 in gone { number[$1] } pass == 2 && !($1 in number) && !($3 in number) { print $6 }' \
	    ids <(cat before.records) <(cat before.records) | sort >expected
	state archive >before
	try 'sharchive remove archive ids --dry-run'
	exits 0
	grep -q 'documents removed (dry run), 5 of which had stayed' err
	state archive >after
	same before after
	try 'sharchive remove archive ids'
	exits 0
	grep -q ', 5 of which had stayed' err
	records archive | cut -f 6 | sort >got
	same expected got
	try 'sharchive check archive'
	exits 0
	# The documents of the first run are oldest.
	SOURCE_DATE_EPOCH=2000000 try 'sharchive expire archive 5d'
	exits 0
	[ -z "$(records archive | awk -F '\t' '$2 == 1000000')" ]
	[ -n "$(records archive | awk -F '\t' '$2 == 2000000')" ]
	try 'sharchive check archive'
	exits 0
	try 'sharchive expire archive 0s --dry-run'
	exits 0
	SOURCE_DATE_EPOCH=9000000000 try 'sharchive -q expire archive 1w'
	exits 0
	[ "$(ls archive)" = "lock
manifest" ]
	try 'sharchive check archive'
	says 'sharchive: 0 documents in 0 segments, all good'
	# Removed documents count as new.
	shdedup -q docs >expected
	try 'shdedup -q -a archive docs'
	same expected out
}

@test "merging segments and compact change no result; compact leaves one segment" {
	texts 5 40 640 >docs
	split -a 3 -l 10 docs batch.
	sharchive init archive
	local n=0
	for batch in batch.*; do
		shdedup -q -a archive "$batch" >>kept
		# Four segments of one size become one. The number of segments is the sum of the digits of n in base 4.
		n=$((n + 1))
		[ "$(grep -c ^segment archive/manifest)" -eq $((n / 64 + n / 16 % 4 + n / 4 % 4 + n % 4)) ]
	done
	[ "$(ls archive | wc -l)" -eq $((2 + 2 * $(grep -c ^segment archive/manifest))) ]
	try 'sharchive check archive -j 2'
	exits 0
	texts 5 40 640 1 n >changed
	awk -F '\t' '{ sub(/ [^ ]*$/, ""); print }' changed >new
	shdedup -q -a archive --dry-run --report expected.report new
	try 'sharchive compact archive'
	exits 0
	[ "$(grep -c ^segment archive/manifest)" -eq 1 ]
	try 'sharchive check archive'
	exits 0
	try 'shdedup -q -a archive --dry-run --report report new'
	same expected.report report
	[ "$(wc -l <report)" -gt 300 ]
	sharchive stats archive >stats
	[ "$(awk -F '\t' '$1 == "documents" { print $2 }' stats)" -eq 640 ]
	# A large segment is merged with the smaller segments before it.
	sharchive init other
	for lines in 1 2 3 '4,40'; do
		sed -n "${lines}p" docs | shdedup -q -a other >/dev/null
		grep -c ^segment other/manifest
	done >segments
	[ "$(paste -sd ' ' segments)" = '1 2 3 1' ]
}

@test "the same text in JSON and in TSV is one document, and the store has it with escapes" {
	sharchive init archive --store documents
	printf 'a\tone two three\\tfour five six seven eight nine ten eleven\n' >docs
	printf '{"id":"b","text":"one two three\\tfour five six seven eight nine ten eleven"}\n' >docs.jsonl
	printf '{"id":"c","text":"a\\\\tb \\n one more text, which has a backslash and ends here and there"}\n' >>docs.jsonl
	shdedup -q -a archive docs >/dev/null
	try 'shdedup -q -a archive --json --report report docs.jsonl'
	exits 0
	printf 'b\ta\t1.0000\tjaccard\n' >expected
	same expected report
	sharchive export archive | cut -f 2 >got
	{ cut -f 2 docs && printf 'a\\\\tb \\n one more text, which has a backslash and ends here and there\n'; } >expected
	same expected got
	printf '{"id":"d","text":"a\\\\tb \\n one more text, which has a backslash and ends here and there"}\n' >again
	try 'shdedup -q -a archive --json --report report again'
	printf 'd\tc\t1.0000\tjaccard\n' >expected
	same expected report
}

@test "a document of the archive is recognised in TSV with escapes, in JSON and with --raw" {
	cat >docs <<-'END'
	a	a tab\tand\na line feed in some words
	b	a backslash \\t and so on, some words
	d	another \q that is none of an escape\
	c	nothing that is to be escaped in this one
	END
	cat >docs.jsonl <<-'END'
	{"id":"a","text":"a tab\tand\na line feed in some words"}
	{"id":"b","text":"a backslash \\t and so on, some words"}
	{"id":"d","text":"another \\q that is none of an escape\\"}
	{"id":"c","text":"nothing that is to be escaped in this one"}
	END
	sed '1d; s/\\\\t/\\t/' docs >docs.raw
	# The bytes are those of b in docs, but the text differs.
	sed '1d; 3,$d; s/\\\\t/\\\\\\\\t/' docs.jsonl >other
	for first in docs 'docs.jsonl --json'; do
		rm -rf archive
		sharchive init archive
		shdedup -q -a archive $first >out
		state archive >before
		for again in docs 'docs.jsonl --json' 'docs.raw --raw'; do
			try "shdedup -q -a archive --report report $again"
			exits 0
			same "${again%% *}" out
			[ ! -s report ]
		done
		try 'shdedup -q -a archive --json --dry-run --report report other'
		[ "$(cut -f 1-2 report)" = 'b	b' ]
		state archive >after
		same before after
	done
}

@test "a run fails at once when another run uses the archive; with --wait it waits" {
	sharchive init archive
	texts 5 40 50 >docs
	shdedup -q docs >expected
	exec 8<>archive/lock
	flock 8
	try 'shdedup -q -a archive docs'
	exits 2
	says "shdedup: 'archive' is in use by another run (--wait SECONDS waits for it)"
	try 'sharchive -q check archive'
	exits 2
	sharchive check archive --wait 600 2>checked 3>&- 8>&- &
	local checking=$! adding
	shdedup -q -a archive --wait 600 docs >out 3>&- 8>&- &
	adding=$!
	for pid in $checking $adding; do
		until_true 60 has_open $pid lock
		until_true 60 asleep $pid "$(ps -o comm= $pid)"
	done
	exec 8>&-
	wait $adding
	same expected out
	wait $checking
	grep -q ', all good$' checked
	# Two commands may read the archive at the same time.
	try 'flock -s archive/lock sharchive -q check archive'
	exits 0
	try 'flock -s archive/lock shdedup -q -a archive --dry-run docs'
	exits 0
}

@test "remove locks the archive after it has read all ids, so that the program that writes them may use the archive" {
	printf 'a\tone two three four five six\n' >docs
	sharchive init archive
	shdedup -q -a archive docs >out
	mkfifo ids
	sharchive remove archive ids 2>removed &
	# The FIFO opens when remove reads the list.
	try 'timeout 300 bash -c "exec 7>ids && shdedup -q -a archive docs && echo a >&7"'
	exits 0
	wait $!
	same docs out
	echo 'sharchive: 1 document removed, 1 of which had stayed' | same - removed
}

@test "output that cannot be written leaves the archive unchanged; a second run writes all documents" {
	[ -e /dev/full ] || skip
	sharchive init archive
	state archive >before
	texts 5 40 50 >docs
	shdedup -q docs >expected
	for how in '>/dev/full' '--report /dev/full' '--report none/report' '| true'; do
		try "shdedup -q -a archive docs $how"
		[ "$how" = '| true' ] || exits 2
		[ "$how" = '| true' ] || { state archive >after && same before after; }
	done
	try 'shdedup -q -a archive docs'
	exits 0
	same expected out
}

@test "a disk that is full after any KiB gives status 2 and the old archive; with space the run succeeds" {
	texts 5 40 60 >docs
	head -n 30 docs >first
	sharchive init archive
	shdedup -q -a archive first >/dev/null
	state archive >before
	shdedup -q docs >expected
	full=0
	for size in 1 2 3 4 6 8 10 12 14 16; do
		try "(ulimit -f $size; exec shdedup -q -a archive docs) | cat"
		if [ "$status" -eq 0 ]; then break; fi
		exits 2
		grep -q "^shdedup: cannot write to archive/.*: File too large$" err
		full=$((full + 1))
		# The failed run has removed its files.
		state archive >after
		same before after
		sharchive -q check archive
		try 'shdedup -q -a archive first'
		exits 0
		state archive >after
		same before after
	done
	[ "$full" -ge 4 ]
	try 'shdedup -q -a archive docs'
	exits 0
	same expected out
	state archive >before
	printf 'd1\n' >ids
	for how in compact 'remove ids'; do
		try "(ulimit -f 1; exec $(doing "$how")) | cat"
		exits 2
		grep -q "^sharchive: cannot write to archive/.*: File too large$" err
		state archive >after
		same before after
	done
}

# cron_root: makes a folder with an archive for the cron script, which processes files of any age.
cron_root() {
	script=$BATS_TEST_DIRNAME/../share/cron/simhash-dedup
	export SIMHASH_MIN_AGE=0
	mkdir -p root/in
	sharchive init root/archive
}

@test "the cron script processes files in the order of their names, and goes on after an error" {
	cron_root
	texts 5 40 90 >docs
	head -n 30 docs >root/in/2026-01-01T00.tsv
	echo 'no document' >root/in/2026-01-01T01.tsv
	tail -n 30 docs >root/in/2026-01-01T02.tsv
	try "$script root"
	exits 2
	grep -q '2026-01-01T01.tsv:1: ' err
	[ "$(ls root/done)" = 2026-01-01T00.tsv ]
	[ "$(ls root/in | tr '\n' ' ')" = '2026-01-01T01.tsv 2026-01-01T02.tsv ' ]
	tail -n +31 docs | head -n 30 >root/in/2026-01-01T01.tsv
	# These files stay after kill -9.
	touch root/work/.new root/work/..new.a1B2c3 root/work/.dropped
	try "$script root -j 2"
	exits 0
	gives
	[ -z "$(ls root/in)" ]
	[ -z "$(ls -A root/work)" ]
	cat root/new/* | cut -f 1 | sort >got
	cat root/dropped/* | cut -f 1 | sort - got | cmp - <(cut -f 1 docs | sort)
	try "$script root"
	exits 0
	# A processed file comes again, and then another file with a name that was processed.
	cp root/new/2026-01-01T00.tsv kept
	cp root/done/2026-01-01T00.tsv root/in
	try "$script root"
	exits 0
	same kept root/new/2026-01-01T00.tsv
	for name in 2026-01-01T00.tsv 2026-01-01T00.jsonl; do
		printf 'z\tsomething else\n' >root/in/$name
		try "$script root"
		exits 2
		says "simhash-dedup: root/in/$name: another file of this name was processed, see root/done: rename this file"
		rm root/in/$name
	done
	same kept root/new/2026-01-01T00.tsv
}

@test "the cron script loses no file when another program replaces or changes a file during the run" {
	cron_root
	printf 'a\tsome text that is old\n' >root/in/1.tsv
	printf 'b\tanother text, quite new\n' >second
	mkdir wrapped
	cat >wrapped/shdedup <<-END
		#!/bin/sh
		[ ! -e second ] || mv second root/in/1.tsv
		"$SHBIN/shdedup" "\$@" || exit
		[ ! -e more ] || { cat more >>root/work/2.tsv && rm more; }
	END
	chmod +x wrapped/shdedup
	try "PATH=$PWD/wrapped:\$PATH $script root"
	exits 0
	printf 'a\tsome text that is old\n' | same - root/done/1.tsv
	printf 'b\tanother text, quite new\n' | same - root/in/1.tsv
	try "$script root"
	exits 2
	says 'simhash-dedup: root/in/1.tsv: another file of this name was processed, see root/done: rename this file'
	mv root/in/1.tsv root/in/2.tsv
	printf 'c\tthe third one of all these texts\n' >more
	try "PATH=$PWD/wrapped:\$PATH $script root"
	exits 2
	says 'simhash-dedup: root/work/2.tsv: changed while shdedup read it: the next run processes it again'
	[ ! -e root/new/2.tsv ]
	try "$script root"
	exits 0
	[ "$(cut -f 1 root/new/2.tsv | tr '\n' ' ')" = 'b c ' ]
	[ "$(wc -l <root/done/2.tsv)" -eq 2 ]
	# A file of a killed run is processed. A bad file stays in work when root/in has a new file of its name.
	printf 'd\tnothing like the others here\n' >root/work/3.tsv
	try "$script root"
	exits 0
	[ "$(cut -f 1 root/new/3.tsv)" = d ]
	echo bad >root/work/4.tsv
	echo good >root/in/4.tsv
	try "$script root"
	exits 2
	[ "$(tail -n 1 err)" = 'simhash-dedup: root/work/4.tsv: left in place, because root/in has a new file of this name' ]
	[ "$(cat root/in/4.tsv root/work/4.tsv)" = "$(printf 'good\nbad')" ]
}

@test "the cron script refuses a folder without an archive, and makes nothing there" {
	cron_root
	try "$script rooot"
	exits 2
	says 'simhash-dedup: rooot/archive: no such archive (sharchive init makes one)'
	[ ! -e rooot ]
	mkdir empty
	try "$script empty"
	exits 2
	[ -z "$(ls -A empty)" ]
}

@test "the cron script processes JSON and compressed files, names other files, and waits for uploads" {
	cron_root
	printf '{"id":"a","text":"some text of old"}\n' >root/in/1.jsonl
	printf 'b\tanother text of mine\n' | gzip >root/in/2.tsv.gz
	printf '{"id":"c","text":"the third text, unlike"}\n' | xz >root/in/3.jsonl.xz
	mkdir root/in/folder
	touch root/in/4.csv root/in/5.tsv.rar root/in/.hidden root/in/6.tsv.part root/in/.tsv
	try "$script root"
	exits 2
	says 'simhash-dedup: root/in/4.csv: not processed: expected *.tsv or *.jsonl (move it to another folder)' \
		'simhash-dedup: root/in/5.tsv.rar: not processed: expected *.tsv or *.jsonl (move it to another folder)' \
		'simhash-dedup: root/in/folder: not processed: expected *.tsv or *.jsonl (move it to another folder)'
	[ "$(ls root/done | tr '\n' ' ')" = '1.jsonl 2.tsv.gz 3.jsonl.xz ' ]
	[ "$(ls root/new | tr '\n' ' ')" = '1.jsonl 2.tsv 3.jsonl ' ]
	[ "$(ls root/dropped | tr '\n' ' ')" = '1.tsv 2.tsv 3.tsv ' ]
	printf 'b\tanother text of mine\n' | same - root/new/2.tsv
	printf '{"id":"c","text":"the third text, unlike"}\n' | same - root/new/3.jsonl
	rm -r root/in/folder root/in/4.csv root/in/5.tsv.rar
	# An incomplete upload is recognised by its time of change or by its missing trailer.
	printf 'd\tsome' >root/in/7.tsv
	touch -d '1 day ago' root/in/7.tsv
	try "SIMHASH_MIN_AGE=60 $script root"
	exits 0
	[ -e root/in/7.tsv ]
	printf 'd\tsome text of which there is more\n' >root/in/7.tsv
	try "$script root --trailer=in"
	exits 2
	grep -q 'no trailer: the input is incomplete' err
	[ -e root/in/7.tsv ]
	[ ! -e root/new/7.tsv ]
	try "$script root"
	exits 0
	[ -e root/done/7.tsv ]
}

@test "the cron script processes each compressed form, and returns a file that is cut short to root/in" {
	cron_root
	forms=
	for form in gz.gzip bz2.bzip2 xz.xz zst.zstd lz4.lz4; do
		command -v "${form#*.}" >/dev/null || continue
		forms+=" ${form%.*}"
		printf 'a%s\twords of %s alone, and no others\n' ${form%.*} "$form" >"${form%.*}"
		"${form#*.}" <"${form%.*}" >"root/in/${form%.*}.tsv.${form%.*}"
	done
	[[ $forms = *gz* ]]
	try "$script root"
	exits 0
	says
	[ -z "$(ls -A root/in root/work | grep tsv)" ]
	for form in $forms; do
		same "$form" "root/new/$form.tsv"
		[ -s "root/done/$form.tsv.$form" ]
	done
	head -c -6 root/done/gz.tsv.gz >root/in/cut.tsv.gz
	printf 'not processed' >root/in/1.tsv.Z
	try "$script root"
	exits 2
	says 'simhash-dedup: root/in/1.tsv.Z: not processed: expected *.tsv or *.jsonl (move it to another folder)' \
		'shdedup: root/work/cut.tsv.gz: the gzip data are cut short; the file was not read to its end'
	[ -s root/in/cut.tsv.gz ]
	[ ! -e root/new/cut.tsv ]
}

@test "the cron script refuses options that write no documents, and keeps its input" {
	cron_root
	printf 'a\tsome text\n' >root/in/1.tsv
	for option in --dry-run --dr -h --help -V --version -qV -qh -hq; do
		try "$script root $option -j 1"
		exits 2
		gives
		says "simhash-dedup: $option -j 1: shdedup writes no documents with these options: use them without this script"
		[ -s root/in/1.tsv ]
		[ -z "$(ls root/done root/new root/dropped | grep -v :)" ]
	done
	try "$script root --dict root/none"
	exits 2
	grep -q '^shdedup: --dict is for ' err
	[ -s root/in/1.tsv ]
}

@test "the cron script writes the bad records of each file to a file in root/rejects" {
	cron_root
	printf 'a\tsome text\nbad one\n' >root/in/1.tsv
	printf 'b\tanother text\n' >root/in/2.tsv
	printf 'bad two\nc\tthe third of all\n' >root/in/3.tsv
	for option in '--rejects all' --rejects=all --rej=all; do
		try "$script root -j 1 $option"
		exits 2
		says 'simhash-dedup: --rejects: cannot be used here, because all files would share FILE: mkdir root/rejects'
	done
	[ "$(ls root/in | wc -l)" -eq 3 ]
	mkdir root/rejects
	try "$script root"
	exits 0
	says 'shdedup: 1 record rejected, see root/work/.rejects' 'simhash-dedup: root/in/1.tsv: bad records, see root/rejects/1.tsv' \
		'shdedup: 1 record rejected, see root/work/.rejects' 'simhash-dedup: root/in/3.tsv: bad records, see root/rejects/3.tsv'
	[ -z "$(ls root/in)" ]
	[ "$(ls -A root/rejects | tr '\n' ' ')" = '1.tsv 3.tsv ' ]
	try 'cat root/rejects/*'
	gives 'bad one' 'bad two'
	try 'cat root/new/* | cut -f 1'
	gives a b c
}

@test "of two cron scripts one waits for the other, and processes no file again" {
	cron_root
	mkdir root/done
	printf 'a\tsome text that is new\n' >root/in/1.tsv
	exec 8>root/lock
	flock 8
	try "SIMHASH_WAIT=0 $script root 8>&-"
	exits 2
	says 'simhash-dedup: root: in use by another run; waited for 0 seconds'
	SIMHASH_WAIT=600 "$script" root >out 2>err 3>&- 8>&- &
	waits() { cat /proc/[0-9]*/stat 2>/dev/null | grep -q " (flock) S $1 "; }
	until_true 60 waits $!
	mv root/in/1.tsv root/done
	exec 8>&-
	status=0
	wait $! || status=$?
	exits 0
	says
	[ -z "$(ls root/new)" ]
}

@test "damage of each kind to each file is reported" {
	texts 5 40 40 >docs
	sharchive init archive
	shdedup -q -a archive docs >/dev/null
	cp -r archive good
	for file in archive/*.bin archive/*.index; do
		rm -rf archive
		cp -r good archive
		printf x >>$file
		try 'shdedup -a archive docs'
		exits 2
		grep -q "$file' has .* bytes, not" err
		truncate -s -2 $file
		try 'shdedup -a archive docs'
		exits 2
		rm $file
		try 'shdedup -a archive docs'
		exits 2
		says "shdedup: '$file' is missing: restore the archive from a backup"
	done
	rm -rf archive
	cp -r good archive
	sed -i 's/^option -n 3/option -n 4/' archive/manifest
	try 'shdedup -a archive docs'
	exits 2
	says "shdedup: 'archive/manifest': damaged: its checksum is another: restore the archive from a backup"
	sed -i 's/^simhash-archive 3/simhash-archive 1/' archive/manifest
	try 'shdedup -a archive docs'
	exits 2
	says "shdedup: 'archive/manifest': of another version of the programs: make a new archive from the documents"
	for edit in 's/$/\r/' '1s/$/\r/' ':a; N; $!ba; s/\n.*//'; do
		sed "$edit" good/manifest | head -c -1 >archive/manifest
		try 'shdedup -a archive docs'
		exits 2
		grep -q "^shdedup: 'archive/manifest': " err
	done
	# A manifest with other numbers and its right checksum.
	for edit in 's/^\(segment .* .* .*\) 40 /\1 39 /' 's/^\(segment .* .* .* 40\) [0-9]*/\1 7/' \
	    's/^\(segment .* .* \)00000027/\100000028/; s/^next-number .*/next-number 00000029/'; do
		rm -rf archive
		cp -r good archive
		sed -i "$edit" archive/manifest
		[ "$(cat good/manifest)" != "$(cat archive/manifest)" ]
		resum archive/manifest
		try 'sharchive check archive'
		exits 2
		grep -q "^sharchive: 'archive/00000000.* is damaged\|^sharchive: 'archive/00000000.* has .* bytes" err
	done
}

@test "a run that reads a changed byte fails, and writes nothing else than the whole archive's answer" {
	texts 5 40 40 >docs
	texts 5 40 60 >more
	sharchive init archive
	shdedup -q -a archive docs >/dev/null
	try 'shdedup -q --dry-run --report - -a archive more'
	cp out expected
	seed=${T_SEED:-$RANDOM}
	echo "seed $seed"
	RANDOM=$seed
	failed=0
	for ((i = 0; i < 60 / ${T_SHORT:-1}; i++)); do
		rm -rf damaged
		cp -r archive damaged
		files=(damaged/*.bin damaged/*.index)
		python3 - "${files[RANDOM % 2]}" $((RANDOM * 32768 + RANDOM)) <<-'END'
			import os, sys
			with open(sys.argv[1], "r+b") as f:
			    f.seek(int(sys.argv[2]) % os.path.getsize(sys.argv[1]))
			    byte = f.read(1)[0]
			    f.seek(-1, 1)
			    f.write(bytes([byte ^ 1 << int(sys.argv[2]) % 8]))
		END
		try 'shdedup -q --dry-run --report - -a damaged more'
		if [ "$status" -eq 0 ]; then
			same expected out
		else
			exits 2
			grep -q 'is damaged: ' err
			failed=$((failed + 1))
		fi
		try 'sharchive check damaged'
		exits 2
	done
	[ "$failed" -gt 0 ]
}

@test "an archive compares with the measure of init, and refuses another measure" {
	printf 'a\tone two three four five six seven eight nine ten\n' >docs
	printf 'b\tsix seven eight nine ten one two three four five\n' >moved
	printf 'c\tone two three four FIFTH six seven eight nine ten\n' >changed
	local want=
	for how in 'jaccard -T 0.5' 'edit -T 0.9' 'any -T 0.5,0.9'; do
		rm -rf archive
		sharchive init archive -n 1 --measure $how
		shdedup -q -n 1 --measure $how -a archive docs >/dev/null
		shdedup -q -n 1 --measure $how -a archive --report report moved >out
		want+="$how moved $(cut -f 2- report)
"
		shdedup -q -n 1 --measure $how -a archive --report report changed >out
		want+="$how changed $(cut -f 2- report)
"
	done
	printf '%s' "$want" | awk '{ print $1, $4, $5, $6 }' >out
	printf '%s\n' 'jaccard moved a 1.0000' 'jaccard changed a 0.8182' 'edit moved  ' 'edit changed a 0.9000' \
		'any moved a 1.0000' 'any changed a 0.8182' >expected
	same expected out
	try 'shdedup -n 1 --measure jaccard -a archive docs'
	exits 2
	says 'shdedup: --measure jaccard: the archive was made with --measure any (give it each time)' \
		"Try 'shdedup --help' or 'man shdedup'."
	try 'shdedup -n 1 --measure any -T 0.5,0.8 -a archive docs'
	exits 2
	says 'shdedup: -T 0.5,0.8: the archive was made with -T 0.5,0.9 (give it each time)' \
		"Try 'shdedup --help' or 'man shdedup'."
}

@test "remove reads ids from several files" {
	printf 'a\tone two three four five six\nb\tseven eight nine ten eleven\nc\ttwelve thirteen\n' >docs
	sharchive init archive
	shdedup -q -a archive docs >/dev/null
	echo a >these
	printf 'c\nx\n' >those
	try 'sharchive remove archive these those'
	exits 0
	says 'sharchive: 2 documents removed, 2 of which had stayed' \
		"sharchive: those:2: no document has the id 'x' (remove: 1 of 3 ids not found)"
	try 'sharchive check archive'
	says 'sharchive: 1 document in 1 segment, all good'
}

@test "remove reads ids of any bytes, with LF or CR LF, from a file or standard input, and counts unknown ids" {
	printf 'a\tone two three four five six\nodd \x01\xff\x7f\tseven eight nine ten eleven\nx\\ty\ttwelve thirteen\na\tother words, and the same id\nn\t\n' >docs
	sharchive init archive
	for run in 1 2; do
		try 'shdedup -q -a archive docs'
		exits 0
		same docs out
		try 'sharchive check archive'
		says 'sharchive: 5 documents in 1 segment, all good'
	done
	try 'printf "nobody\\n\\na\\n" | sharchive remove archive -'
	exits 0
	grep -q "^sharchive: 2 documents removed, 2 of which had stayed$" err
	grep -qx "sharchive: -:1: no document has the id 'nobody' (remove: 1 of 2 ids not found)" err
	printf 'odd \x01\xff\x7f\r\nx\\ty\r\n' >ids
	for crlf in --crlf ''; do
		rm -rf copy
		cp -r archive copy
		try "sharchive remove copy $crlf ids"
		exits 0
		says 'sharchive: 2 documents removed, 2 of which had stayed'
	done
	sharchive -q remove archive ids
	try 'printf "n\\n" | sharchive remove archive -'
	says 'sharchive: 1 document removed, 1 of which had stayed'
	try 'sharchive check archive'
	says 'sharchive: 0 documents in 0 segments, all good'
	try 'shdedup -q -a archive docs'
	same docs out
}

@test "an output that is a file of the archive is refused" {
	printf 'a\tone two three four five six\n' >docs
	sharchive init archive
	shdedup -q -a archive docs >out
	ln -s archive/manifest link
	for output in '-o link' '-o archive/manifest' '--report ./archive/lock' '--rejects archive//00000000.0123456789ab.bin' '-o archive/manifest.0123456789ab'; do
		try "shdedup -q -a archive $output docs"
		exits 2
		grep -q 'this is a file of the archive' err
	done
	# The last --report counts.
	try 'shdedup -q -a archive --report report --report archive/manifest docs'
	exits 2
	try 'shdedup -q -a archive --report archive/manifest --report archive/report -o manifest docs'
	exits 0
	try 'sharchive check archive'
	exits 0
}

@test "expire keeps documents of exactly the given age, and of a time in the future" {
	printf 'a\tone two three four five six\n' >docs
	sharchive init archive
	SOURCE_DATE_EPOCH=1000 shdedup -q -a archive docs >out
	for case in 4600:0 4601:1 4599:0 10:0; do
		try "SOURCE_DATE_EPOCH=${case%:*} sharchive expire archive 1h --dry-run"
		exits 0
		grep -q "^sharchive: ${case#*:} document" err
	done
}

@test "SOURCE_DATE_EPOCH with more than ten digits is refused before anything is written" {
	printf 'a\tone two three four five six\n' >docs
	sharchive init archive
	state archive >before
	for time in 10000000000 1763800000000 18446744073709551615 99999999999999999999 -1 now; do
		for how in docs 'expire 1d'; do
			how=$(doing "$how")
			try "SOURCE_DATE_EPOCH=$time $how"
			exits 2
			gives
			[ "$(head -n 1 err)" = "${how%% *}: SOURCE_DATE_EPOCH '$time': expected seconds since 1970, ten digits at most" ]
		done
	done
	state archive >after
	same before after
	for time in 9999999999 ''; do
		try "SOURCE_DATE_EPOCH=$time shdedup -q -a archive docs && sharchive -q check archive"
		exits 0
		same docs out
	done
	try 'sharchive stats archive'
	grep -qx 'newest	2286-11-20T17:46:39Z' out
}

@test "a clock out of range is an error, and the archive stays unchanged" {
	sanitized && skip 'the sanitizers are loaded first'
	unset SOURCE_DATE_EPOCH
	printf 'a\tone two three four five six\n' >docs
	sharchive init archive
	SOURCE_DATE_EPOCH=1000 shdedup -q -a archive docs >out
	state archive >before
	echo '#include <stdlib.h>
		#include <time.h>
		time_t time(time_t *t) { (void)t; return (time_t)atoll(getenv("CLOCK")); }' >clock.c
	${CC:-cc} -shared -fPIC -o clock.so clock.c
	for clock in -1 10000000000; do
		for how in 'expire 1d' docs; do
			how=$(doing "$how")
			try "CLOCK=$clock LD_PRELOAD=$PWD/clock.so $how"
			exits 2
			gives
			says "${how%% *}: the clock says $clock seconds since 1970: set it"
		done
	done
	state archive >after
	same before after
}

@test "stats: names the oldest and newest time, also 1970" {
	sharchive init archive
	try 'sharchive stats archive'
	[ "$(grep '^[on].*est' out)" = $'oldest\t-\nnewest\t-' ]
	for time in 0 100; do
		echo "$time	one two three $time" | SOURCE_DATE_EPOCH=$time shdedup -q -a archive >out
		try 'sharchive stats archive'
		grep -qx 'oldest	1970-01-01T00:00:00Z' out
	done
	grep -qx 'newest	1970-01-01T00:01:40Z' out
}

@test "a run fails when its archive was replaced by another, and changes neither" {
	printf 'a\tone two three four five six\n' >docs
	sharchive init archive
	cp -r archive copy
	mkfifo pipe
	shdedup -q -a archive <pipe >out 2>err &
	exec 7>pipe
	cat docs >&7
	# The run has read the manifest before it reads documents.
	until_true 60 has_open $! archive
	mv archive old
	mv copy archive
	exec 7>&-
	status=0
	wait $! || status=$?
	exits 2
	gives
	says "shdedup: 'archive' was replaced by another archive (run the command again)"
	for folder in archive old; do
		try "sharchive check $folder"
		says 'sharchive: 0 documents in 0 segments, all good'
	done
}

@test "a read-only archive is checked and compared with; a run that would add documents fails" {
	mkdir root
	unshare -rm true 2>/dev/null || skip 'no folder can be made read-only here'
	texts 5 40 40 >docs
	head -n 30 docs >some
	sharchive init root/archive
	shdedup -q -a root/archive some >kept
	cp -r root/archive root/without
	rm root/without/lock
	cat >script <<-'END'
	mount --bind root root && mount -o remount,bind,ro root || exit 77
	shdedup -q -a root/archive some | cmp - kept || exit 1
	shdedup -q --dry-run --report - -a root/archive docs >/dev/null && sharchive check root/archive && sharchive stats root/archive || exit 1
	shdedup -q -a root/archive docs
	[ $? -eq 2 ] || exit 1
	printf 'd1\n' | sharchive remove root/archive -
	[ $? -eq 2 ] || exit 1
	sharchive check root/without
	[ $? -eq 2 ] || exit 1
	END
	unshare -rm sh ./script >out 2>err || status=$?
	[ "${status-0}" -ne 77 ] || skip 'nothing can be mounted here'
	cat err
	[ "${status-0}" -eq 0 ]
	grep -q "^sharchive: cannot create 'root/archive/0000.*': Read-only file system$" err
	grep -q "^sharchive: cannot open 'root/without/lock': Read-only file system$" err
}

@test "a change removes the files of killed changes, and no other file" {
	texts 5 40 40 >docs
	sharchive init archive
	sharchive init other
	shdedup -q -a archive docs >/dev/null
	key=$(sed -n 's/^key \(.\{12\}\).*/\1/p' archive/manifest)
	their=$(sed -n 's/^key \(.\{12\}\).*/\1/p' other/manifest)
	for name in notes manifest.new 00000001.txt 20261122.doc 00000001.$their.index manifest.$their 00000001.$key.doc \
	    0000001.$key.index; do
		echo mine >archive/$name
	done
	state archive >before
	for how in 'docs >/dev/null' compact 'expire 1h' 'remove docs'; do
		for name in 00000001.$key.index 00000001.$key.bin 0000000a.$key.tsv manifest.$key; do
			echo leftover >archive/$name
		done
		try "sharchive -q check archive && shdedup -q -a archive --dry-run docs"
		exits 0
		[ -e archive/00000001.$key.bin ]
		try "$(doing "$how --dry-run")"
		[ -e archive/00000001.$key.bin ]
		[ "$how" != 'remove docs' ] || echo d1000 >docs
		try "$(doing "$how")"
		exits 0
		state archive >after
		same before after
	done
}

@test "a run killed at any system call that changes the folder leaves the old or the new archive" {
	traceable
	sanitized && skip 'the sanitizers cannot be traced'
	export SOURCE_DATE_EPOCH=1000
	texts 5 40 60 >docs
	split -l 15 docs part.
	# The archive has three segments, and the run merges them with a fourth.
	for how in '--measure jaccard' '--measure any -T 0.8,0.9'; do
		store=documents
		[ "$how" = '--measure jaccard' ] || store=sketch
		rm -rf three four
		sharchive init three --store $store $how
		for part in part.a[abc]; do shdedup -q $how -a three "$part" >/dev/null; done
		cp -r three four
		shdedup -q $how -a four part.ad >/dev/null
		state four >new
		sharchive -q check three
		for case in fsync:8:1 renameat:1:1 unlinkat:8:1 openat:25:20; do
			for ((n = ${case##*:}; ; n++)); do
				rm -rf archive
				cp -r three archive
				killed_at "${case%%:*}" $n shdedup -q -j 1 $how -a archive part.ad || break
				try "shdedup -q -j 1 $how -a archive part.ad"
				exits 0
				says
				state archive >after
				same new after
			done
			least=${case#*:}
			[ "$n" -gt "${least%:*}" ]
		done
	done
}

@test "init killed at any system call that changes the folder leaves an archive, or a folder for init" {
	traceable
	sanitized && skip 'the sanitizers cannot be traced'
	for case in fsync:3:1 renameat:1:1 openat:9:5; do
		for ((n = ${case##*:}; ; n++)); do
			rm -rf archive
			killed_at "${case%%:*}" $n sharchive init archive || break
			try 'sharchive init archive'
			[ "$status" -eq 0 ] || says "sharchive: there is an archive in 'archive' already"
			try 'sharchive -q compact archive'
			exits 0
			[ "$(cd archive && echo *)" = 'lock manifest' ]
		done
		least=${case#*:}
		[ "$n" -gt "${least%:*}" ]
	done
}

@test "a run killed at a random time leaves the old or the new archive, and a second run completes it" {
	"$BATS_TEST_DIRNAME/soak/archive" --kills 30 --rounds 2 --hours 12
}

@test "random operations give the results of a simple model of an archive" {
	"$BATS_TEST_DIRNAME/soak/archive-model" --sequences $((24 / ${T_SHORT:-1})) --operations 12 1
}
