#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shdedup: removes near-duplicates from documents.
load helper

# oracle N T: prints the documents that stay by definition. It compares the sets of n-grams of all pairs, and forms
# stars in input order.
oracle() {
	cat >oracle.py <<-'END'
	import sys
	n, t, docs = int(sys.argv[1]), eval(sys.argv[2]), []
	for line in sys.stdin:
	    id, text = line.rstrip("\n").split("\t")
	    w = text.split()
	    docs.append((line, {tuple(w[i:i + n]) for i in range(len(w) - n + 1)} if len(w) >= n else {tuple(w)} - {()}))
	keeper = [None] * len(docs)
	for i, (line, x) in enumerate(docs):
	    if keeper[i] is not None: continue
	    keeper[i] = i
	    sys.stdout.write(line)
	    for j, (_, y) in enumerate(docs):
	        if keeper[j] is None and x and len(x & y) * 1000 >= t * 1000 * len(x | y): keeper[j] = i
	END
	python3 oracle.py "$@"
}

# texts FROM TO N [SEED]: prints N random documents of FROM to TO words. Each is new or an earlier one with words changed.
texts() {
	awk -v from="$1" -v to="$2" -v n="$3" -v seed="${4-1}" 'BEGIN {
		srand(seed)
		for (i = 1; i <= n; i++) {
			m = split(i > 1 && rand() < 0.7 ? text[1 + int(rand() * (i - 1))] : "", w, " ")
			if (!m) { m = from + int(rand() * (to - from + 1)); for (j = 1; j <= m; j++) w[j] = "w" int(rand() * 400) }
			for (c = int(rand() * 3); c > 0; c--) w[1 + int(rand() * m)] = "w" int(rand() * 400)
			t = w[1]; for (j = 2; j <= m; j++) t = t " " w[j]
			text[i] = t
			print "d" i "\t" t
		}
	}'
}

@test "a report of documents with one id gives a warning: removal by id would remove the keeper" {
	text='the quick brown fox jumps over the lazy dog'
	printf '%s\t%s\n' a "$text" a "$text" b "$text" b 'something else, which is no duplicate' >docs
	try 'shdedup -q --report report docs'
	exits 0
	gives "a\t$text" 'b\tsomething else, which is no duplicate'
	says 'shdedup: 1 document dropped for a keeper of the same id: the report cannot distinguish them'
	printf 'a\ta\t1.0000\tjaccard\nb\ta\t1.0000\tjaccard\n' | diff - report
	try "printf '{\"id\":\"\\u0061\",\"text\":\"$text\"}\n{\"id\":\"a\",\"text\":\"$text\"}\n' | shdedup -q --json --report report"
	exits 0
	says 'shdedup: 1 document dropped for a keeper of the same id: the report cannot distinguish them'
	try "printf '%s\t$text\n' a b c | shdedup -q --report report"
	exits 0
	says
}

@test "short documents: the documents that stay are those of a comparison of all pairs" {
	for seed in 1 2 3; do
		texts 3 18 400 $seed >docs
		for t in 0.8 0.5; do
			for n in 1 3; do
				oracle $n $t <docs >expected
				try "shdedup -q -n $n -T $t docs"
				exits 0
				same expected out
				[ "$(wc -l <out)" -lt 400 ]
			done
		done
	done
}

@test "short documents: the output and the report are the same with 1, 2 and 5 threads" {
	texts 3 18 2000 >docs
	for how in '' '--measure jaccard' '--measure edit -T 0.7'; do
		shdedup -q $how -j 1 --report expected.report docs >expected
		[ "$(wc -l <expected.report)" -gt 100 ]
		for j in 2 5; do
			try "shdedup -q $how -j $j --report report docs"
			exits 0
			same expected out
			same expected.report report
		done
	done
}

@test "long documents of one repeated passage: the documents that stay are those of a comparison of all pairs" {
	texts 3 18 300 4 | awk -F '\t' '{ printf "%s\t", $1; for (i = 0; i < 40; i++) printf "%s ", $2; print "" }' >docs
	for t in 0.8 0.5; do
		oracle 3 $t <docs >expected
		try "shdedup -q -T $t docs"
		exits 0
		same expected out
	done
}

@test "long documents: those of a comparison of all pairs stay, and at most 1 % of the others" {
	texts 40 80 400 >docs
	for t in 0.8 0.6 1; do
		oracle 3 $t <docs | sort >expected
		try "shdedup -q -T $t docs"
		exits 0
		sort out >got
		# A pair at the threshold has no common key by chance, with a probability of 0.2 %.
		[ -z "$(comm -23 expected got)" ]
		[ "$(comm -13 expected got | wc -l)" -le $(((400 - $(wc -l <expected)) / 100)) ]
		mv out expected
		try "shdedup -q -T $t -j 3 docs"
		exits 0
		same expected out
	done
}

@test "every document is written unchanged or reported with its exact similarity" {
	for set in en zh; do
		docs=$T_DATA/${set}_dev.tsv
		try "shdedup --report report $docs"
		exits 0
		[ -s report ]
		cut -f 1 report | cat - <(cut -f 1 out) | sort >got
		cut -f 1 "$docs" | sort >expected
		same expected got
		# The documents that stay are written in input order, byte for byte.
		awk -F '\t' 'NR == FNR { gone[$1]; next } !($1 in gone)' report "$docs" >expected
		same expected out
		# Keepers stay, and have the reported similarity.
		awk -F '\t' '$3 < ($4 == "edit" ? 0.89 : 0.8) { exit 1 }' report
		cut -f 2 report | sort -u | comm -23 - <(cut -f 1 out | sort) >bad
		[ ! -s bad ]
		cut -f 1,2 report | sed 's/$/\t-/' >pairs
		shverify -d "$docs" pairs | cut -f 1,2,4,5 >expected
		same expected report
	done
}

@test "the bundled documents: at most 1 % of the labelled pairs stay" {
	# Prints the labelled pairs of similarity 0.8 that stay, and all labelled pairs.
	for set in en.jac3 zh.jac4; do
		try "shdedup -q --link single --report report $T_DATA/${set%.*}_dev.tsv"
		exits 0
		awk -F '\t' 'NR == FNR { kept[$1]; next } $3 >= 0.8 { n++; left += $1 in kept && $2 in kept }
			END { print left + 0, n; exit !n || left > 0.01 * n }' out "$T_DATA/${set%.*}_dev.${set#*.}.tsv"
	done
}

@test "the output is the same with any number of threads, any memory, and files or pipes as input" {
	docs=$T_DATA/zh_dev.tsv
	shdedup -q --report expected.report "$docs" >expected
	head -n 500 "$docs" >first
	tail -n +501 "$docs" >second
	for how in "-j 4 $docs" "-S 1 $docs" "<$docs" "- <$docs" "first second" "first - <second" \
	    "<(cat first) second"; do
		try "shdedup -q --report report $how"
		exits 0
		same expected out
		same expected.report report
	done
	try "cat $docs | TMPDIR=. shdedup -q --report report"
	exits 0
	same expected out
	[ -z "$(find . -name 'simhash.*')" ]
}

@test "JSONL is written unchanged" {
	printf '%s\n' '{"url": "x1", "body": "a b c d e f g h i j k l m n", "n": 1.50}' \
	    '{"body":"a b c d e f g h i j k l m \u006e","url":"x2"}' \
	    ' {"url":3,"body":"something else entirely, which is long enough"} ' >docs.jsonl
	sed -n '1p;3p' docs.jsonl >expected
	try 'shdedup -q --json -f url,body --report report docs.jsonl'
	exits 0
	same expected out
	printf 'x2\tx1\t1.0000\tjaccard\n' >expected
	same expected report
	printf '{"url":"x4"\n' >>docs.jsonl
	try 'shdedup -q --json -f url,body docs.jsonl'
	exits 2
	[ ! -s out ]
	grep -q 'docs.jsonl:4: JSON' err
	try 'shdedup -q --json -f url,body --rejects bad docs.jsonl'
	exits 0
	[ "$(wc -l <out)" -eq 2 ]
	[ "$(cat bad)" = '{"url":"x4"' ]
}

@test "--keep first, longest, newest or FILE chooses the keeper; --protect keeps documents in any case" {
	cat >docs <<-'END'
	a	one two three four five six seven eight nine ten eleven twelve
	b	one two three four five six seven eight nine ten eleven twelve!!
	c	one two three four five six seven eight nine ten eleven twelve thirteen
	z	nothing of the kind
	END
	kept() { cut -f 1 out | paste -sd ''; }
	for case in 'first az' 'longest cz' 'newest cz' 'ranks bz'; do
		printf 'b\tbest\nz\n' >ranks
		try "shdedup -q --keep ${case% *} docs"
		exits 0
		[ "$(kept)" = "${case#* }" ]
	done
	printf 'b\nc\n' >ids
	try 'shdedup -q --protect ids --report report docs'
	exits 0
	[ "$(kept)" = bcz ]
	printf 'a\tb\t1.0000\tjaccard\n' >expected
	same expected report
	try 'shdedup -q --protect none docs'
	exits 2
}

@test "--keep longest counts an escape as one byte, as in JSON" {
	printf 'a\tone two three four five six seven eight nine ten  xx\n' >docs
	printf 'b\tone two three four five six seven eight nine ten\\n\\tyy\n' >>docs
	sed -E 's/(.*)\t(.*)/{"id":"\1","text":"\2"}/' docs >json
	printf 'a\tb\t1\n' >pairs
	for more in '' 'z'; do
		expected=$([ "$more" ] && echo b || echo a)
		sed -i "2s/yy/yy$more/" docs json
		for run in 'shdedup -q --keep longest docs | cut -f 1' \
		    'shdedup -q --keep longest --json json | cut -d \" -f 4' \
		    'shgroup --keep longest -d docs pairs | tail -n 1 | cut -f 2' \
		    'shgroup --keep longest --json -d json pairs | tail -n 1 | cut -f 2'; do
			try "$run"
			gives "$expected"
		done
	done
	# A backslash that begins no escape counts as a byte of its own, as every backslash does under --raw.
	sed -i '2s/ten.*/ten\\.yy/' docs
	try 'shdedup -q --keep longest docs | cut -f 1'
	gives a
	sed -i '2s/$/z/' docs
	try 'shdedup -q --keep longest docs | cut -f 1'
	gives b
	sed -i '2s/ten.*/ten\\n\\tyy/' docs
	try 'shdedup -q --keep longest docs | cut -f 1'
	gives a
	try 'shdedup -q --raw -T 0.5 --keep longest docs | cut -f 1'
	gives b
}

@test "--protect protects the ids of each file that it is given" {
	for id in a b c d; do printf '%s\tone two three four five six seven eight\n' $id; done >docs
	printf 'b\nx\n' >these
	printf 'y\nb\nd\n' >those
	for files in '--protect these --protect those' '--protect those --protect -'; do
		try "shdedup -q $files docs <these | cut -f 1"
		exits 0
		gives b d
	done
	try 'shdedup --protect these --protect those docs'
	grep -qx "shdedup: these:2: no document has the id 'x' (--protect: 2 of 4 ids not found)" err
	printf 'b\n' >these
	try 'shdedup --protect these --protect those docs'
	grep -qx "shdedup: those:1: no document has the id 'y' (--protect: 1 of 3 ids not found)" err
	try 'shdedup --protect these --protect nowhere docs'
	exits 2
	says "shdedup: cannot open 'nowhere': No such file or directory"
}

@test "ids of --keep and --protect without a document give a warning with the first place, not under -q" {
	printf 'a\tone two three\nb\tfour five six\n' >docs
	printf 'b\nx\tfor a reason\nx\ny\na\nb\n' >ids
	try 'shdedup --protect ids docs'
	exits 0
	head -n 1 err >first
	echo "shdedup: ids:2: no document has the id 'x' (--protect: 2 of 4 ids not found)" >expected
	same expected first
	try 'shdedup --keep ids docs'
	grep -qx "shdedup: ids:2: no document has the id 'x' (--keep: 2 of 4 ids not found)" err
	try 'shdedup -q --keep ids --protect ids docs'
	exits 0
	says
	printf 'a\nb\n' >all
	try 'shdedup -j 3 --keep all --protect all docs'
	[ "$(wc -l <err)" -eq 1 ]
}

@test "lists of ids: a byte order mark, DOS line ends and empty lines are no part of ids" {
	for id in a b c; do printf '%s\tone two three four five six seven eight\n' $id; done >docs
	printf '\357\273\277b\r\n\r\nc\tx\r\n' >ids
	try 'shdedup --protect ids docs | cut -f 1'
	exits 0
	gives b c
	[ "$(wc -l <err)" -eq 1 ]
	try 'shdedup --keep ids docs | cut -f 1'
	gives b
	[ "$(wc -l <err)" -eq 1 ]
	printf 'a\tb\t0\n' | shgroup --keep ids >out 2>err
	gives 'b\tb' 'a\tb'
}

@test "--link star joins no dissimilar documents; --link single joins them by a chain" {
	for i in 0 1 2 3 4 5; do
		echo "d$i	$(seq -s ' ' $i $((i + 40)))"
	done >docs
	try 'shdedup -q -n 1 -T 0.9 docs'
	exits 0
	printf 'd0\nd3\n' >expected
	cut -f 1 out >got
	same expected got
	try 'shdedup -q -n 1 -T 0.9 --link single --report report docs'
	exits 0
	[ "$(wc -l <out)" -eq 1 ]
	grep -q '^d5	d0	0.7826	jaccard$' report
}

@test "documents without features stay; --dry-run writes no document; empty input is no error" {
	printf 'a\t!!\nb\t!!\nc\t\nd\tx\ne\tX\n' >docs
	try 'shdedup docs'
	exits 0
	[ "$(cut -f 1 out | paste -sd '')" = abcd ]
	grep -q '5 documents, 4 stay, 1 dropped' err
	grep -q '3 without tokens' err
	try 'shdedup --dry-run --report report docs'
	exits 0
	[ ! -s out ]
	printf 'e\td\t1.0000\tjaccard\n' >expected
	same expected report
	try 'shdedup -q --dry-run --report - docs'
	exits 0
	same expected out
	try 'shdedup -q --report - docs'
	exits 2
	says 'shdedup: --report -: the documents are written to it (--dry-run writes none)' \
		"Try 'shdedup --help' or 'man shdedup'."
	# The report on standard output and the documents of -o are two outputs.
	for to in - /dev/stdout; do
		try "shdedup -q -o kept --report $to docs"
		exits 0
		same expected out
		shdedup -q docs | cmp - kept
	done
	rm kept
	try 'shdedup -q -o same --report ./same docs'
	exits 2
	try 'shdedup -q --dry-run -o same --report ./same docs'
	exits 0
	gives
	printf 'e\td\t1.0000\tjaccard\n' | cmp - same
	# --dry-run leaves a file of -o unchanged, also the input.
	cp docs before
	for options in '' '--report report' '--report -' '--trailer=out'; do
		try "shdedup -q --dry-run $options -o docs docs"
		exits 0
		cmp before docs
	done
	try 'shdedup -q --dry-run -o new docs'
	exits 0
	gives
	[ ! -e new ]
	[ "$(find . -name '.*.??????')" = '' ]
	try 'shdedup -q --dry-run -o none/new docs'
	exits 2
	sharchive init archive -o docs
	for how in 'check archive' 'compact archive' 'expire archive 1d' 'expire archive 1d --dry-run'; do
		try "sharchive -q $how -o docs"
		exits 0
		cmp before docs
	done
	try 'sharchive stats archive -o stats'
	exits 0
	grep -q '^documents' stats
	for to in '--report -' '--report /dev/stdout' '-o same --report same'; do
		try "shdedup -q --sample 1 $to docs"
		exits 2
		gives
		grep -qx "shdedup: --report ${to##* }: the sample is written to it" err
	done
	printf 'e\td\t1.0000\tjaccard\n' >expected
	try 'shdedup -q --sample 1 -o sample --report - docs'
	exits 0
	same expected out
	try 'shdedup -q </dev/null'
	exits 0
	[ ! -s out ]
	try 'shdedup -q none'
	exits 2
}

@test "a closed standard output is an error only when the run writes to it" {
	printf 'a\tto be or not to be\nb\tTo be, or not to be!\n' >docs
	sharchive init archive
	for command in 'shdedup -q -O new docs' 'shdedup -q -O new -a archive docs' 'shdedup -q --dry-run --report report docs' \
		'shdedup -q -a archive --dry-run docs' 'sharchive init other' 'sharchive -q check archive' \
		'sharchive -q compact archive' 'sharchive -q expire archive 1d'; do
		rm -rf new
		try "$command >&-"
		exits 0
		says
	done
	[ "$(cut -f 1 report)" = b ]
	# --dry-run without a report writes no trailer.
	try 'shdedup -q --dry-run --trailer=out docs'
	exits 0
	gives
	for command in 'shdedup -q --dry-run --report - docs' 'shdedup -q --dry-run -o - docs' 'sharchive stats archive'; do
		try "$command >&-"
		exits 2
		says "${command%% *}: cannot write to standard output: Bad file descriptor"
	done
}

@test "the summary counts documents, pairs and groups" {
	for i in $(seq 12); do
		printf '%s\tword%s and more of it\n' "a$i" "$i" "b$i" "$i"
	done >docs
	printf 'c\tword1 and more of it word1 and\nd\t!\n' >>docs
	try 'shdedup -n 1 docs | wc -l'
	exits 0
	gives 13
	[ "$(wc -l <err)" = 1 ]
	tail -n 1 err | grep -qE '^shdedup: 26 documents, 13 stay, 13 dropped; 12 with the tokens of another, [0-9]+ pairs? compared, 1 similar; 12 groups, largest 3; 1 without tokens; [0-9.]+ s$'
	try 'shdedup -n 1 --dry-run docs'
	exits 0
	gives
	grep -q '^shdedup: 26 documents, 13 stay, 13 dropped (dry run); ' err
	try 'shdedup -q -n 1 docs >out'
	says
	# Line numbers in the report count on from chunk to chunk.
	awk 'BEGIN { for (i = 1; i <= 40; i++) { for (j = 0; j < 8000; j++) printf "w%d ", j * j % 97 + 100 * (i % 39); print "" } }' >lines
	try 'shdedup -q -n 1 -l --report - --dry-run lines'
	exits 0
	gives '40\t1\t1.0000\tjaccard'
}

@test "a file that grows while it is read is an error, without output" {
	printf 'a\tone two three\n' >docs
	mkfifo pipe
	shdedup -q -o new docs pipe 2>err &
	exec 8>pipe # opens when the program has opened docs
	printf 'b\tone two three\n' | tee -a docs >&8
	exec 8>&-
	status=0
	wait $! || status=$?
	exits 2
	says "shdedup: 'docs' has changed while it was read"
	only docs pipe
}

@test "--exit-code: 1 when a document is dropped, 0 when none is, 2 for trouble" {
	text='the quick brown fox jumps over the lazy dog by the river'
	printf 'a\t%s\nb\tquite another text of some words\nc\t%s\n' "$text" "$text" >docs
	head -n 2 docs >none
	for options in '' '--dry-run' '--mark near' '--link single' '--report dropped' '-a archive' '-O folder'; do
		rm -rf archive folder
		sharchive init archive
		try "shdedup -q --exit-code $options none"
		exits 0
		says
		rm -rf archive folder
		sharchive init archive
		try "shdedup -q --exit-code $options docs"
		exits 1
		says
	done
	rm -rf archive
	sharchive init archive
	try 'shdedup -q docs'
	exits 0
	try 'tail -n 1 docs | shdedup -q --exit-code -a archive --every 1'
	exits 0
	gives "c\t$text"
	rm -rf archive
	sharchive init archive
	try 'head -n 1 docs | shdedup -q -a archive'
	try 'tail -n 1 docs | shdedup -q --exit-code -a archive --every 1'
	exits 1
	gives
	try 'shdedup --exit-code missing'
	exits 2
	try 'shdedup -q --exit-code docs >/dev/full'
	exits 2
}

@test "a mistyped option gets a suggestion, and --keep names all its values" {
	similar() {
		try "shdedup $1 </dev/null"
		exits 2
		says "shdedup: unrecognized option '${1%% *}'" "shdedup: did you mean '$2'?" "Try 'shdedup --help' or 'man shdedup'."
	}
	similar --threshhold=0.7 --threshold
	similar '--dryrun -q' --dry-run
	similar --ngarm=3 --ngram
	similar --jsno --json
	try 'shdedup --nonsense </dev/null'
	exits 2
	says "shdedup: unrecognized option '--nonsense'" "Try 'shdedup --help' or 'man shdedup'."
	try 'shdedup --keep best </dev/null'
	exits 2
	says "shdedup: --keep 'best': neither first, longest, newest, max:FIELD nor min:FIELD, nor an existing file" \
		"Try 'shdedup --help' or 'man shdedup'."
}

@test "values out of range are refused, with the expected values" {
	refuses() {
		try "shdedup $1 </dev/null"
		exits 2
		gives
		says "shdedup: $2" "Try 'shdedup --help' or 'man shdedup'."
	}
	for t in 0 1.000001 2 -1 x; do
		refuses "-T $t" "-T '$t': expected a number above 0 and up to 1, as in 0.8"
	done
	# Other programs print quotients with 16 decimal places.
	refuses '-T 0.7142857142857143' "-T '0.7142857142857143': more than 6 decimal places"
	refuses '--sample 0' "--sample '0': expected a whole number from 1 to 1000"
	refuses '--link chain' "--link 'chain': expected single or star"
}

@test "-l: lines keep their DOS line ends, a byte order mark is removed, a last line without a newline is read" {
	printf '\xef\xbb\xbfone two three\r\none two three\r\nfour' >docs
	printf 'one two three\r\nfour\n' >expected
	try 'shdedup -q -l --report report docs'
	exits 0
	same expected out
	printf '2\t1\t1.0000\tjaccard\n' >expected
	same expected report
}

@test "a full disk, an unwritable report and a bad record give status 2 and no report" {
	[ -e /dev/full ] || skip
	try "shdedup -q $T_DATA/en_dev.tsv >/dev/full"
	exits 2
	try "shdedup -q --report /dev/full $T_DATA/en_dev.tsv"
	exits 2
	try "shdedup -q --report none/report $T_DATA/en_dev.tsv"
	exits 2
	try "shdedup -q --report report <(echo no record)"
	exits 2
	[ -z "$(find . -name 'report*')" ]
}

@test "-S: documents beyond the memory go to temporary files, and the output is the same" {
	texts 5 40 1200 >docs
	for options in '' '--keep longest --link single' '--protect ids --measure edit'; do
		echo d7 >ids
		try "shdedup -q $options --report expected.report docs"
		exits 0
		mv out expected
		for memory in 1 20K 200K; do
			try "shdedup -q $options -S $memory -j 2 --report report docs"
			exits 0
			same expected out
			same expected.report report
		done
	done
	try 'TMPDIR=none shdedup -q -S 1 docs'
	exits 2
	grep -q "temporary file in 'none'" err
}

@test "-S 1M: 100,000 documents need less than 16 MB" {
	if grep -q __asan_init "$SHBIN/shdedup"; then skip "sanitizers take memory of their own"; fi
	awk 'BEGIN { for (i = 1; i <= 100000; i++) print i "\tw" i % 70001 " of " i % 60013 " and " i % 997 " words or so" }' >docs
	(ulimit -d 16000; try 'shdedup -q -j 1 docs'; exits 2; grep -q 'out of memory' err)
	try 'shdedup -q -j 1 docs'
	mv out expected
	(ulimit -d 16000; try 'shdedup -q -j 1 -S 1M docs'; exits 0)
	same expected out
}

@test "--sample N: shows at most N compared pairs for each 0.05 of similarity, the same pairs in every run" {
	docs=$T_DATA/zh_dev.tsv
	try "shdedup --measure jaccard -q --sample 2 --report report $docs"
	exits 0
	[ "$(wc -L <out)" -le 200 ]
	grep '^==' out >heads
	[ "$(wc -l <heads)" -ge 20 ]
	# At most two pairs for each 0.05, in descending order of similarity.
	awk '{ n[int($3 * 20 + 1e-6)]++ } END { for (i in n) if (n[i] > 2) exit 1 }' heads
	sort -c -k 3,3r heads
	# Each head has the measure and the similarity of the pair.
	sed 's/^== \([a-z]*\) \([0-9.]*\): \(.*\) | \(.*\)/\3\t\4\t-\t\2\t\1/' heads >expected
	cut -f 1-3 expected | shverify --measure jaccard -T 0 -d "$docs" >got
	same expected got
	mv out expected
	try "shdedup --measure jaccard -q -j 4 -S 1 --sample 2 $docs"
	same expected out
	try "shdedup -q --sample 2 --seed 5 $docs"
	exits 0
	[ "$(cmp -s out expected && echo same)" != same ]
	printf 'a\tone two three four five six seven eight nine ten 1\nb\tone two three four five six seven eight nine ten 2\n' >docs
	try 'shdedup -q -T 0.5 --sample 9 docs'
	grep -q '^one two three four five six seven eigh   one two three four five six seven eigh$' out
	grep -q '^t nine ten 1  *| t nine ten 2$' out
	# Shows at most six rows, from shortly before the first difference on. Control characters become ?.
	printf 'a\001\t%s one\\nline\nb\t%s two %s\n' "$(seq -s ' ' 100 130)" "$(seq -s ' ' 100 130)" \
		"$(seq -s ' ' 200 300)" >docs
	cat >expected <<-'END'
		116 117 118 119 120 121 122 123 124 12   116 117 118 119 120 121 122 123 124 12
		5 126 127 128 129 130 one line         | 5 126 127 128 129 130 two 200 201 202
		                                       | 203 204 205 206 207 208 209 210 211 21
		                                       | 2 213 214 215 216 217 218 219 220 221
		                                       | 222 223 224 225 226 227 228 229 230 23
		                                       | 1 232 233 234 235 236 237 238 239 240
	END
	try 'shdedup -q -n 1 -T 0.2 --sample 1 docs'
	sed '1d; $d' out >rows
	same expected rows
	grep -qE '^== jaccard 0.2296: a\? \| b$' out
	try 'tac docs | shdedup -q -n 1 -T 0.2 --sample 1'
	[ "$(wc -l <out)" -eq 8 ]
	[ "$(sed -n 3p out)" = '5 126 127 128 129 130 two 200 201 202  | 5 126 127 128 129 130 one line' ]
	printf 'a\t%s\nb\t%s tail\n' "$(seq -s ' ' 100 130)" "$(seq -s ' ' 100 130)" >docs
	try 'shdedup -q -n 1 -T 0.2 --sample 1 docs'
	[ "$(sed -n 3p out)" = '25 126 127 128 129 130                 | 25 126 127 128 129 130 tail' ]
}

@test "200 files are read with a soft limit of 64 open files" {
	[ "$(ulimit -Hn)" = unlimited ] || [ "$(ulimit -Hn)" -gt 300 ] || skip 'the system does not'
	local i of=()
	for i in {100..299}; do
		printf '%s\tone two three %s\n' "$i" "$i" >"$i.tsv"
		of+=(-d "$i.tsv")
	done
	try 'ulimit -Sn 64; shdedup -q *.tsv'
	exits 0
	same <(cat ./*.tsv) out
	try "ulimit -Sn 64; printf '100\\t299\\t1\\n' | shverify -n 1 -T 0 ${of[*]}"
	exits 0
	gives '100\t299\t1\t0.6000\tjaccard'
	for i in {100..299}; do printf '\t1\nw%s\t1\n' "$i" >"$i.df"; done
	try 'ulimit -Sn 64; shdf -m *.df | wc -l'
	exits 0
	gives 201
}

# edit_oracle JACCARD EDIT: prints the documents that stay by definition. It compares all pairs by edit distance and
# Jaccard similarity, and forms stars in input order.
edit_oracle() {
	cat >edit.py <<-'END'
	import sys
	jaccard, edit, docs = float(sys.argv[1]), float(sys.argv[2]), []
	def similarity(x, y):
	    row = list(range(len(y) + 1))
	    for i, a in enumerate(x, 1):
	        before, row = row, [i]
	        for j, b in enumerate(y, 1):
	            row.append(min(before[j] + 1, row[-1] + 1, before[j - 1] + (a != b)))
	    return 1 - row[-1] / max(len(x), len(y))
	for line in sys.stdin:
	    w = line.rstrip("\n").split("\t")[1].split()
	    docs.append((line, w, {tuple(w[i:i + 3]) for i in range(max(1, len(w) - 2))}))
	keeper = [None] * len(docs)
	for i, (line, x, s) in enumerate(docs):
	    if keeper[i] is not None: continue
	    keeper[i] = i
	    sys.stdout.write(line)
	    for j, (_, y, t) in enumerate(docs):
	        if keeper[j] is None and (len(s & t) / len(s | t) >= jaccard or similarity(x, y) > edit - 1e-9): keeper[j] = i
	END
	python3 edit.py "$@"
}

@test "--measure edit and any, short documents: the documents that stay are those of a comparison of all pairs" {
	for seed in 1 2; do
		texts 3 18 160 $seed >docs
		for t in 0.8 0.6; do
			edit_oracle 2 $t <docs >expected
			try "shdedup -q --measure edit -T $t docs"
			exits 0
			same expected out
			[ "$(wc -l <out)" -lt 160 ]
		done
		edit_oracle 0.5 0.7 <docs >expected
		try "shdedup -q --measure any -T 0.5,0.7 docs"
		exits 0
		same expected out
	done
}

@test "--measure edit and any find at least 99 % of what a comparison of all pairs finds, in the bundled documents" {
	[ "${T_SHORT:-1}" -lt 8 ] || skip 'long; sanitizers do not change a share of results'
	for set in en zh; do
		docs=$T_DATA/${set}_dev.tsv
		cut -f 1 "$docs" | awk '{ for (i = 1; i < NR; i++) print seen[i] "\t" $1 "\t-"; seen[NR] = $1 }' >all
		for options in '--measure edit -T 0.75' '--measure edit -n 1 -T 0.75' '--measure any -T 0.8,0.75' \
			'--measure any' '-T 0.4'; do
			shverify $options -d "$docs" all | shgroup -d "$docs" | awk -F '\t' '$1 != $2' >expected
			try "shdedup -q $options --report found '$docs' >/dev/null"
			exits 0
			cut -f 1,2 found >got
			echo "$set $options: $(wc -l <expected), $(comm -12 <(sort expected) <(sort got) | wc -l) found"
			[ "$(comm -12 <(sort expected) <(sort got) | wc -l)" -ge $(($(wc -l <expected) * 99 / 100)) ]
			shdedup -q $options -j 3 -S 1K --report again "$docs" >/dev/null
			same found again
		done
	done
}

@test "--measure edit finds at least 95 % of the edited copies of each kind, with at most 0.5 % wrong" {
	for set in en zh; do
		"$BATS_TEST_DIRNAME/quality/edited.py" $set "$T_DATA" >docs
		try "shdedup -q --measure edit -T 0.75 --dry-run --report - docs"
		exits 0
		awk -F '[-\t]' -v n="$(grep -c '^[0-9]*-0' docs)" '
			$1 != $3 { wrong++ }
			$1 == $3 { found[$2]++ }
			END {
				for (kind in found) print kind, found[kind] / n
				print "wrong", wrong + 0, NR
				exit !(found["w05"] >= .99 * n && found["w10"] >= .99 * n && found["w20"] >= .95 * n &&
				    found["c01"] >= .99 * n && found["c03"] >= .97 * n && wrong <= .005 * NR)
			}' out
	done
}

@test "--measure refuses containment, and two thresholds without any" {
	printf 'a\tone two three four\n' >docs
	try 'shdedup --measure containment docs'
	exits 2
	says "shdedup: --measure 'containment': expected jaccard, edit or any" \
		"Try 'shdedup --help' or 'man shdedup'."
	try 'shdedup --measure jaccard -T 0.8,0.7 docs'
	exits 2
	says 'shdedup: -T: two thresholds need --measure any, not --measure jaccard' \
		"Try 'shdedup --help' or 'man shdedup'."
}

@test "--mark drops no document and changes no other field" {
	for file in en_dev zh_dev; do
		shdedup -q --report gone "$T_DATA/$file.tsv" >/dev/null
		shdrop --mark dup -d gone "$T_DATA/$file.tsv" >expected
		try "shdedup -q -j 2 --mark dup --report again \$T_DATA/$file.tsv"
		exits 0
		same expected out
		same gone again
		tr -d '\000-\010\013-\037"' <"$T_DATA/$file.tsv" | awk -F '\t' '{ print "{\"id\":\"" $1 "\",  \"text\":\"" $2 "\",\"x\":1.50 }" }' >json
		shdedup -q --json --report gone json >/dev/null
		shdrop --json --mark dup -d gone json >expected
		try 'shdedup -q --json --mark dup json'
		exits 0
		same expected out
		sed -E 's/,"dup":(null|[{][^{}]*[}])[}]$/}/' out | cmp - json
	done
	printf 'a\tone two\r\nb\tone two\r\n' >dos
	try 'shdedup -q --crlf --mark m dos'
	gives 'a\tone two\t\t\t\r' 'b\tone two\ta\t1.0000\tjaccard\r'
	try 'shdedup --mark m dos --crlf'
	[[ $(<err) == *' 1 dropped (marked); '* ]]
	mkdir in && mv dos in
	try 'shdedup -q --crlf --mark m -O new in/dos && cat new/dos'
	gives 'a\tone two\t\t\t\r' 'b\tone two\ta\t1.0000\tjaccard\r'
	for bad in '--mark m --dry-run' '--mark m -l' '--mark='; do
		try "shdedup $bad in/dos"
		exits 2
	done
}

@test "--keep max:FIELD and min:FIELD rank by a number or a string of the record" {
	# Expects of each group the first document with the best value.
	awk 'BEGIN { srand(7); for (i = 1; i <= 400; i++) printf "d%d\t%d\t%s\ttext of number %d and some more words %d\n", i,
		rand() * 20, rand() < 0.1 ? "" : rand() < 0.5 ? sprintf("%.3f", rand() * 300 - 100) : int(rand() * 9) "e1", i % 90, i % 90 }' >docs
	sed -E 's/(.*)\t(.*)\t(.*)\t(.*)/{"id":"\1","q":\3,"text":"\4"}/; s/"q":,//' docs >json
	for best in max min; do
		awk -F '\t' -v best=$best '{ v = $3; if (!($4 in at)) order[++n] = $4
			if (!($4 in at) || (v != "" && (value[$4] == "" || (best == "max" ? v + 0 > value[$4] + 0 : v + 0 < value[$4] + 0)))) {
				at[$4] = $1; value[$4] = v } }
			END { for (i = 1; i <= n; i++) print at[order[i]] }' docs | sort >expected
		try "shdedup -q -T 1 -f 1,4 --keep=$best:3 docs | cut -f 1 | sort"
		exits 0
		same expected out
		try "shdedup -q -T 1 --json --keep=$best:q json | sed -E 's/.*\"id\":\"([^\"]*).*/\1/' | sort"
		exits 0
		same expected out
	done
	printf '%s\n' '{"id":1,"text":"x y","date":"2024-01-09T10:00:00"}' '{"id":2,"text":"x y","date":"2024-01-09T10:00:01"}' '{"id":3,"text":"x y"}' >dates
	try 'shdedup --json --keep max:date dates'
	gives '{"id":2,"text":"x y","date":"2024-01-09T10:00:01"}'
	grep -qx "shdedup: 1 document without field 'date': rank last (--keep)" err
	try 'shdedup -q --json --keep min:date dates'
	gives '{"id":1,"text":"x y","date":"2024-01-09T10:00:00"}'
	try "printf 'id,text,n\na,x y,6\nb,x y, 70 \nc,x y,8 0\n' | shdedup -q --csv --keep max:n"
	gives id,text,n 'b,x y, 70 '
	try 'shdedup -q --json --keep min:day dates'
	exits 2
	says "shdedup: --keep: no document has a field 'day'"
	try 'shdedup -q --keep min:day docs'
	exits 2
	says 'shdedup: --keep: expected the number of a field, as in max:3 (--json, --csv and --header have names)' "Try 'shdedup --help' or 'man shdedup'."
}

@test "--counts adds the number of documents in the group to the report" {
	printf '%s\tone two three\n' a b c >docs
	printf 'd\tother words here\n' >>docs
	try 'shdedup -q --counts --report - --dry-run docs'
	gives 'b\ta\t1.0000\tjaccard\t3' 'c\ta\t1.0000\tjaccard\t3'
	try 'shdedup -q --counts --report - --dry-run docs | shdrop -d - docs | cut -f 1'
	gives a d
	try 'shdedup -q --counts docs'
	exits 2
	says 'shdedup: --counts needs --report FILE' "Try 'shdedup --help' or 'man shdedup'."
}

# Of three documents each pair is similar, and b and c most of all. Both are dropped for a.
@test "a pair of two dropped documents is in no report; --link single and shverify show it" {
	printf '%s\tone two three four five six seven eight nine ten %s\n' a eleven b 'twelve x' c 'twelve y' >docs
	try 'shdedup -q -n 1 --measure jaccard -T 0.7 --dry-run --report - docs'
	gives 'b\ta\t0.7692\tjaccard' 'c\ta\t0.7692\tjaccard'
	try 'shfp --keys -n 1 --measure jaccard -T 0.7 docs | sort -s -k1,1 | shjoin | sort -u | shverify -n 1 --measure jaccard -T 0.7 -d docs'
	gives 'a\tb\t-\t0.7692\tjaccard' 'a\tc\t-\t0.7692\tjaccard' 'b\tc\t-\t0.8462\tjaccard'
	# A chain has a link that no star has.
	printf '%s\t%s\n' a 'one two three four five six seven eight' b 'two three four five six seven eight nine' \
		c 'three four five six seven eight nine ten' >chain
	try 'shdedup -q -n 1 --measure jaccard -T 0.75 --dry-run --report - chain'
	gives 'b\ta\t0.7778\tjaccard'
	try 'shdedup -q -n 1 --measure jaccard -T 0.75 --link single --dry-run --report - chain'
	gives 'b\ta\t0.7778\tjaccard' 'c\ta\t0.6000\tjaccard'
}

@test "shdedup has at most 50 options" {
	[ "$(shdedup --help | grep -cE '^ +(-., )?--[a-z]')" -le 50 ]
}

@test "titles: another number or word is another title, and words in another order are one title" {
	printf '%s\t%s\n' \
		1 'Steel Bolt M8 40 mm zinc plated, box of 100 pieces' \
		2 'Steel Bolt M8 50 mm zinc plated, box of 100 pieces' \
		3 'Steel Bolt M10 40 mm zinc plated, box of 100 pieces' \
		4 'Box of 100 pieces: steel bolt M8 40 mm, zinc plated' \
		5 'STEEL BOLT M8 50 MM ZINC PLATED - BOX OF 100 PIECES' \
		6 'Garden Chair Oslo, solid teak, foldable' \
		7 'Garden Chair Bergen, solid teak, foldable' >titles
	try 'shdedup -q -n 1 --measure jaccard -T 0.9 --dry-run --report - titles'
	gives '4\t1\t1.0000\tjaccard' '5\t2\t1.0000\tjaccard'
}
