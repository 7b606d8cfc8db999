#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shverify: computes exact similarities of pairs of documents.
load helper

pairs() {
	shfp -n 3 "$1" | shjoin -k 30 >pairs
	[ -s pairs ]
}

@test "labelled pairs have the similarities of an independent program" {
	cat >oracle.py <<-'END'
	import re, sys
	n, docs = int(sys.argv[1]), {}
	def shingles(text):
	    for esc, c in (("\\\\", "\0"), ("\\t", " "), ("\\n", " "), ("\\r", " "), ("\0", "\\")):
	        text = text.replace(esc, c)
	    t = re.findall(r"[a-z0-9]+", text.lower())
	    return {tuple(t[i:i + n]) for i in range(len(t) - n + 1)} if len(t) >= n else {tuple(t)} - {()}
	for line in open(sys.argv[2], encoding="utf-8", newline="\n"):
	    id, text = line.rstrip("\n").split("\t")
	    if text.isascii(): docs[id] = shingles(text)
	for line in open(sys.argv[3], newline="\n"):
	    a, b, d = line.rstrip("\n").split("\t")[:3]
	    if a not in docs or b not in docs: continue
	    x, y = docs[a], docs[b]
	    i, u = len(x & y), len(x | y)
	    t = (20000 * i + u) // (2 * u) if u else 0
	    print(a, b, d, "%d.%04d" % divmod(t, 10000), "jaccard", sep="\t")
	END
	pairs "$T_DATA/en_dev.tsv"
	for n in 1 3; do
		python3 oracle.py $n "$T_DATA/en_dev.tsv" pairs >expected
		[ "$(wc -l <expected)" -gt 1000 ]
		cut -f 1-3 expected >asked.pairs
		try "shverify --measure jaccard -T 0 -n $n -d $T_DATA/en_dev.tsv asked.pairs"
		exits 0
		same expected out
	done
}

@test "the bundled documents: -T 0.5 gives the labelled pairs" {
	shfp -n 3 "$T_DATA/en_dev.tsv" | shjoin -k 40 >pairs
	try "shverify -n 3 -T 0.5 -d $T_DATA/en_dev.tsv pairs"
	exits 0
	# The labels are from slightly different tokens, so that pairs at the threshold may differ.
	awk -F '\t' '$3 >= 0.51 { print $1, $2 }' "$T_DATA/en_dev.jac3.tsv" | sort >expected
	awk -F '\t' '{ print $1, $2 }' out | sort >got
	[ -z "$(comm -23 expected got)" ]
	awk -F '\t' '$3 >= 0.5 { print $1, $2 }' "$T_DATA/en_dev.jac3.tsv" | sort >all
	[ "$(comm -13 all got | wc -l)" -lt 5 ]
}

@test "-S: the index of 400,000 documents goes to temporary files" {
	! nm "$SHBIN/shverify" 2>/dev/null | grep -q '__[at]san_init' || skip 'sanitizers take memory of their own'
	awk 'BEGIN { for (i = 0; i < 400000; i++) print "i" i "\ta b" (i % 7 ? "" : " c") }' >docs
	printf 'i1\ti2\t0\ni399999\ti7\t1\n' >pairs
	for memory in 1K 100K 1M; do
		try "ulimit -d 13000; shverify -n 1 --measure jaccard -T 0 -S $memory --tmpdir . -d docs pairs"
		exits 0
		gives 'i1\ti2\t0\t1.0000\tjaccard' 'i399999\ti7\t1\t0.6667\tjaccard'
		only docs pairs
	done
	# The default of -S needs more memory than the limit.
	try 'ulimit -d 13000; shverify -n 1 --measure jaccard -T 0 -d docs pairs'
	exits 2
	grep -q 'out of memory$' err
}

@test "the output is the same with any number of threads, any memory, and documents in files or pipes" {
	pairs "$T_DATA/zh_dev.tsv"
	awk 'NR % 97 == 0' pairs >some && mv some pairs
	try "shverify --measure jaccard -T 0 -n 2 -d $T_DATA/zh_dev.tsv pairs"
	exits 0
	mv out expected
	head -n 400 "$T_DATA/zh_dev.tsv" >first
	tail -n +401 "$T_DATA/zh_dev.tsv" >second
	for how in "-j 4 -d $T_DATA/zh_dev.tsv pairs" "-S 1 -d $T_DATA/zh_dev.tsv <pairs" \
	    "-j 2 -S 300K -d second -d first pairs" "-d - pairs <$T_DATA/zh_dev.tsv" \
	    "-d <(cat first second) pairs"; do
		try "shverify --measure jaccard -T 0 -n 2 $how"
		exits 0
		same expected out
	done
	try "cat $T_DATA/zh_dev.tsv | shverify --measure jaccard -T 0 -n 2 --tmpdir . -d - pairs"
	exits 0
	same expected out
	[ -z "$(find . -name 'simhash.*')" ]
}

@test "the output is the same for documents in each form, with any number of threads" {
	# Threads read ranges of the file. Ids are repeated, and texts have quotes and line ends.
	awk 'BEGIN { for (i = 0; i < 9000; i++) {
		t = "the \"" i % 4500 "\" stone," i % 2; for (k = 0; k < 30; k++) t = t " w" i % (7 + k)
		print "i" i % 8000 "\t" t } }' >docs
	for k in 1 17 512 4000; do
		for i in 0 3 999 3499; do printf 'i%d\ti%d\t%d\n' $i $((i + k)) $k; done
	done >pairs
	python3 - <<-'END'
	import csv, json
	rows = [line.rstrip("\n").split("\t") for line in open("docs")]
	with open("docs.jsonl", "w") as f:
	    f.writelines(json.dumps({"no": n, "name": i, "body": t.replace(",", "\n")}) + "\n" for n, (i, t) in enumerate(rows))
	with open("docs.csv", "w", newline="") as f:
	    w = csv.writer(f, lineterminator="\n")
	    w.writerows([["no", "name", "body"]] + [[n, i, t.replace(",", "\n")] for n, (i, t) in enumerate(rows)])
	with open("docs.tsv", "w") as f:
	    f.writelines(f"{n}\t{t}\t{i}\n" for n, (i, t) in enumerate(rows))
	END
	head -n 5000 docs >first
	tail -n +5001 docs >second
	gzip -k docs
	try 'shverify -n 1 --measure jaccard -T 0 -d docs pairs'
	exits 0
	[ "$(cut -f 4 out | sort -u | wc -l)" -gt 3 ]
	grep -q '1000 documents with the id of an earlier document' err
	mv out expected
	mv err said
	for j in 1 2 5; do
		for how in '-d docs' '-d - pairs <docs' '-d <(cat docs)' '-d docs.gz' '-S 100K -d docs.gz' \
		    '-d first -d second' '--json -f name,body -d docs.jsonl' '--csv -f name,body -d docs.csv' \
		    '--csv -f name,body -S 1K -d <(gzip <docs.csv)' '-f 3,2 -d docs.tsv'; do
			case $how in *' pairs '*) ;; *) how="$how pairs" ;; esac
			try "shverify -n 1 --measure jaccard -T 0 -j $j $how"
			exits 0
			same expected out
			same said err
		done
	done
}

@test "bad documents are reported and rejected in the order of the files, with any number of threads" {
	awk 'BEGIN { for (i = 0; i < 30000; i++) print "i" i "\tone two " i (i % 100 == 99 ? "\tbad" : "") }' >docs
	printf 'i1\ti29998\t0\n' >pairs
	grep bad docs >wanted
	[ "$(wc -l <wanted)" -eq 300 ]
	for j in 1 2 5; do
		try "shverify -n 1 --measure jaccard -T 0 -j $j --rejects bad -d docs pairs"
		exits 0
		gives 'i1\ti29998\t0\t0.5000\tjaccard'
		same wanted bad
		try "shverify -n 1 --measure jaccard -T 0 -j $j -d docs pairs"
		exits 2
		says 'shverify: docs:100: 3 fields, expected id<TAB>text (-f ID,TEXT chooses two of them)'
		rm bad
		# A repeated id has the text of its first document.
		printf 'i1\tsomething else\n' | cat <(grep -v bad docs) - >more
		try "shverify -n 1 --measure jaccard -T 0 -j $j -d more pairs"
		exits 0
		gives 'i1\ti29998\t0\t0.5000\tjaccard'
		# Line numbers as ids continue from file to file.
		printf '1\t30003\t0\n30000\t30002\t0\n' >numbers
		printf 'none\nx one two 29999\ti29999 bad\nx i0 one two 0\n' >short
		try "shverify -n 1 --measure jaccard -T 0 -j $j -l -d docs -d short numbers"
		exits 0
		gives '1\t30003\t0\t0.8000\tjaccard' '30000\t30002\t0\t0.8333\tjaccard'
	done
}

@test "-T is exact: 4/5 reaches 0.8, and a value that rounds to 0.8 does not" {
	printf 'a\tone two three four five\nb\tone two three four\ne\t!\n' >docs
	seq -s ' ' 1 79999 | sed 's/^/x\t/' >>docs
	seq -s ' ' 1 100000 | sed 's/^/y\t/' >>docs
	printf 'a\tb\t1\nx\ty\t2\ne\te\t0\na\te\t9\n' >pairs
	printf 'a\tb\t1\t0.8000\tjaccard\nx\ty\t2\t0.8000\tjaccard\ne\te\t0\t0.0000\tjaccard\na\te\t9\t0.0000\tjaccard\n' >expected
	try 'shverify -n 1 --measure jaccard -T 0 -d docs pairs'
	exits 0
	same expected out
	try 'shverify -n 1 -T 0.8 -d docs pairs'
	head -n 1 expected >first
	same first out
	try 'shverify -n 1 -T 0.800001 -d docs pairs'
	exits 0
	[ ! -s out ]
	try "printf 'x\ty\t2\nx\tx\t0\n' | shverify -n 1 -T 1 -d docs"
	exits 0
	gives 'x\tx\t0\t1.0000\tjaccard'
	for bad in 1.1 -1 x ''; do
		try "shverify -n 1 -T '$bad' -d docs pairs"
		exits 2
		says "shverify: -T '$bad': expected a number from 0 to 1, as in 0.85" \
			"Try 'shverify --help' or 'man shverify'."
	done
	try 'shverify -n 1 -T 0.8000001 -d docs pairs'
	exits 2
	says "shverify: -T '0.8000001': more than 6 decimal places" \
		"Try 'shverify --help' or 'man shverify'."
}

@test "--measure: jaccard, containment, cosine and edit give their formulas" {
	printf 'a\tx x x y\nb\tx y y z\nc\tx\n' >docs
	printf 'a\tb\t1\na\tc\t1\n' >pairs
	expect() {
		try "shverify -n 1 --measure jaccard -T 0 -d docs $1 pairs"
		exits 0
		[ "$(cut -f 4 out | paste -sd ' ')" = "$2" ] || { cat out; return 1; }
	}
	expect '' '0.6667 0.5000'
	expect '--measure containment' '1.0000 1.0000'
	expect '--measure containment1' '1.0000 0.5000'
	expect '--measure containment2' '0.6667 1.0000'
	expect '--measure cosine -w tf' '0.6455 0.9487'   # 5/sqrt(60), 3/sqrt(10)
	expect '--measure cosine -w set' '0.8165 0.7071'  # 2/sqrt(6), 1/sqrt(2)
	expect '--measure cosine' '0.7394 0.9028'  # x 1 + ln 3, y 1; x 1, y 1 + ln 2, z 1
	try 'shverify -n 1 --measure jaccard -T 0 -w tf -d docs pairs'
	exits 2
	grep -q 'cosine' err
	for weight in logidf freq none; do
		try "shverify -n 1 --measure cosine -w $weight -d docs pairs"
		exits 2
		grep -qx "shverify: -w '$weight': expected set, tf or log" err
	done
}

@test "--measure edit: gives 1 - distance / length of the longer text, in words or characters" {
	printf '%s\t%s\n' a 'the quick brown fox jumps over the lazy dog today' \
		b 'the quick red fox jumps over a lazy dog' \
		c 'dog lazy the over jumps fox brown quick the' \
		d '中央银行周二上调利率' e '中央银行星期二上调利率' >docs
	printf '%s\t%s\t0\n' a b a c d e a d >pairs
	try 'shverify -n 1 --measure edit -T 0 -d docs pairs'
	exits 0
	gives 'a\tb\t0\t0.7000\tedit' 'a\tc\t0\t0.1000\tedit' 'd\te\t0\t0.8182\tedit' 'a\td\t0\t0.0000\tedit'
	try 'shverify -n 1 --measure edit -T 0 -u char -d docs pairs'
	exits 0
	gives 'a\tb\t0\t0.7347\tedit' 'a\tc\t0\t0.2449\tedit' 'd\te\t0\t0.8182\tedit' 'a\td\t0\t0.0000\tedit'
	try 'shverify -n 1 --measure edit -T 0.7 -d docs pairs'
	exits 0
	gives 'a\tb\t0\t0.7000\tedit' 'd\te\t0\t0.8182\tedit'
	try 'shverify -n 1 --measure edit -T 0.700001 -d docs pairs'
	exits 0
	gives 'd\te\t0\t0.8182\tedit'
}

@test "--measure any: gives Jaccard when it reaches its threshold, otherwise edit when it reaches its own" {
	printf '%s\t%s\n' a 'the quick brown fox jumps over the lazy dog today' \
		b 'the quick red fox jumps over a lazy dog' \
		c 'dog lazy the over jumps fox brown quick the' >docs
	printf 'a\tb\t1\na\tc\t2\nb\tc\t3\n' >pairs
	try 'shverify --measure any -n 1 -T 0.8,0.7 -d docs pairs'
	exits 0
	gives 'a\tb\t1\t0.7000\tedit' 'a\tc\t2\t0.8889\tjaccard'
	try 'shverify --measure any -n 1 -T 0.8 -d docs pairs'
	exits 0
	gives 'a\tc\t2\t0.8889\tjaccard'
	try 'shverify -n 1 --measure edit -T 0.8,0.7 -d docs pairs'
	exits 2
	says 'shverify: -T: two thresholds need --measure any, not --measure edit' \
		"Try 'shverify --help' or 'man shverify'."
	for bad in '0.8,' ',0.8' 0.8,2 x,0.8 0.80000000000000000,0.8 0.8,0.7,0.6; do
		try "shverify -n 1 --measure any -T $bad -d docs pairs"
		exits 2
	done
	try 'shverify -n 1 --measure levenshtein -d docs pairs'
	exits 2
	says "shverify: --measure 'levenshtein': expected jaccard, edit, any, containment, containment1, containment2 or cosine" \
		"Try 'shverify --help' or 'man shverify'."
}

@test "--measure edit: the output is the same with any number of threads, any memory and any threshold" {
	shfp -n 3 "$T_DATA/en_dev.tsv" | shjoin -k 16 >pairs
	shverify -n 1 --measure edit -T 0 -d "$T_DATA/en_dev.tsv" pairs >all
	try "shverify -n 1 --measure edit -T 0 -j 4 -S 1K -d $T_DATA/en_dev.tsv pairs"
	exits 0
	same all out
	awk '$4 >= 0.85' all >expected
	try "shverify -n 1 --measure edit -T 0.85 -d $T_DATA/en_dev.tsv pairs"
	exits 0
	same expected out
	[ "$(wc -l <out)" -gt 100 ]
	[ "$(wc -l <out)" -lt "$(wc -l <all)" ]
}

@test "reads documents as JSON or plain lines, and verified pairs" {
	printf '%s\n' '{"id":1,"text":"one\ttwo"}' '{"id":"2","text":"one two three"}' >docs.jsonl
	printf '1\t2\t5\t0.1234\tjaccard\n' >pairs
	printf '1\t2\t5\t0.6667\tjaccard\n' >expected
	try 'shverify -n 1 --measure jaccard -T 0 --json -d docs.jsonl pairs'
	exits 0
	same expected out
	printf 'one two\n' >one
	printf 'one two three\n' >two
	try 'shverify -n 1 --measure jaccard -T 0 -l -d one -d two pairs'
	exits 0
	same expected out
	try "printf '1\t3\t5\n' | shverify -n 1 --measure jaccard -T 0 -l -d one -d two"
	exits 2
}

@test "missing ids, bad pairs and bad documents are errors, or rejected records with --rejects" {
	printf 'a\tone\nb\tone\n' >docs
	printf 'a\tb\t1\na\tc\t1\nnonsense\na\tb\t2\n' >pairs
	try 'shverify -n 1 --measure jaccard -T 0 -d docs pairs'
	exits 2
	printf 'a\tb\t1\t1.0000\tjaccard\n' >expected
	grep -q "shverify: pairs:2: no document has the id 'c'" err
	same expected out
	try 'shverify -n 1 --measure jaccard -T 0 --rejects bad -d docs pairs'
	exits 0
	printf 'a\tb\t2\t1.0000\tjaccard\n' >>expected
	same expected out
	printf 'a\tc\t1\nnonsense\n' >expected
	same expected bad
	printf 'only one field\na\ttwice\n' >>docs
	try 'shverify -n 1 --measure jaccard -T 0 -d docs pairs'
	exits 2
	grep -q 'docs:3: 1 field' err
	try 'shverify -n 1 --measure jaccard -T 0 --rejects bad -d docs pairs'
	exits 0
	grep -q '1 document with the id of an earlier document' err
	grep -q '3 records rejected' err
	sed 's/$/\r/' pairs >dos
	try 'shverify -n 1 --measure jaccard -T 0 --rejects bad -d docs dos'
	grep -q '5 records rejected' err
	try 'shverify -n 1 --measure jaccard -T 0 --crlf --rejects bad -d docs dos'
	exits 0
	printf 'a\tb\t1\t1.0000\tjaccard\na\tb\t2\t1.0000\tjaccard\n' >expected
	same expected out
	grep -q '3 records rejected' err
	try 'shverify -n 1 --measure jaccard -T 0 pairs'
	exits 2
	says 'shverify: the documents are needed: -d DOCS' "Try 'shverify --help' or 'man shverify'."
	for wrong in '-d none' '-d .' '-d -'; do
		try "shverify -n 1 --measure jaccard -T 0 $wrong <pairs"
		exits 2
		[ "$(grep -c . err)" -ge 1 ]
	done
}

@test "-d reads a file of /proc, which has bytes and a size of 0" {
	[ -n "$(cat /proc/version)" ] || skip 'no /proc'
	printf '1\t1\t0\n' >pairs
	try 'shverify -n 1 --measure jaccard -T 0 -l -d /proc/version pairs'
	exits 0
	gives '1\t1\t0\t1.0000\tjaccard'
	says
	try 'shdedup -q -l /proc/version'
	exits 0
	cat /proc/version >version # cmp(1) compares sizes first
	same out version
}

@test "a file of -d that is truncated during the run is an error, without SIGBUS and without output" {
	printf 'a\tone two\nb\tone three\n' >docs
	mkfifo pairs
	shverify -n 1 --measure jaccard -T 0 -o new -d docs pairs 2>err &
	exec 8>pairs # opens when the documents have been read
	: >docs
	printf 'a\tb\t1\n' >&8
	exec 8>&-
	status=0
	wait $! || status=$?
	[ "$status" = 2 ]
	says 'shverify: an input was cut short while it was read'
	only docs pairs
}

@test "--documents-fields: each file of -d has fields of its own" {
	printf '{"id":"d1","text":"one two three four"}\n' >docs.jsonl
	printf '{"id":"q1","question":"one two three four","text":"other"}\n{"id":"q2","question":"one two","text":"other"}\n' >q.jsonl
	printf 'id,text\nd1,one two three four\n' >docs.csv
	printf 'question,text,id\none two three four,other,q1\none two,other,q2\n' >q.csv
	printf 'd1\tq1\t0\nd1\tq2\t0\nq1\tq2\t0\n' >pairs
	for how in '--json -d docs.jsonl -d q.jsonl' '--csv -d docs.csv -d q.csv'; do
		try "shverify -n 1 --measure jaccard -T 0 $how --documents-fields id,text --documents-fields id,question pairs"
		exits 0
		says
		cut -f 1-4 out >first
		printf '%s\t%s\t0\t%s\n' d1 q1 1.0000 d1 q2 0.5000 q1 q2 0.5000 >expected
		same expected first
	done
}

@test "without -T the threshold is that of shdedup, for each measure; pairs of keys have no distance" {
	printf '%s\t%s\n' a 'one two three four five six seven eight nine ten' b 'one two three four five six seven eight nine more' \
		c 'one two three four five six seven more other words' >docs
	printf 'a\tb\t-\na\tc\t-\n' >pairs
	for measure in jaccard edit containment cosine; do
		try "shverify -n 1 --measure $measure -d docs pairs"
		exits 0
		cp out expected
		try "shverify -n 1 --measure $measure -T 0.8 -d docs pairs"
		same expected out
		grep -qE "^a	b	-	0[.][89][0-9]*	$measure$" out
		run ! grep -q '^a	c' out
	done
	try 'shverify -n 1 -d docs pairs'
	gives 'a\tb\t-\t0.8182\tjaccard'
	try 'shverify -n 1 -T 0.9,0.7 -d docs pairs'
	gives 'a\tb\t-\t0.9000\tedit' 'a\tc\t-\t0.7000\tedit'
}
