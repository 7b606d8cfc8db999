#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shspan: finds the passages that documents share.

load helper

# words FROM TO: prints the words wFROM ... wTO.
words() {
	seq -f 'w%.0f' -s ' ' "$1" "$2"
}

setup() {
	begin "$BATS_TEST_TMPDIR"
	printf '%s\t%s\n' a "$(words 1 40)" b "other $(words 11 30) words" c "$(words 100 140)" \
		d "$(words 12 29) and $(words 101 120)" >docs
}

# inside SPANS DOCS...: each span lies within its text and ends at borders of words, characters and escapes.
inside() {
	python3 - "$1" "${@:2}" <<-'END'
		import re, sys
		text = {}
		for name in sys.argv[2:]:
		    for line in open(name, "rb"):
		        id, t = line.rstrip(b"\n").split(b"\t", 1)
		        text.setdefault(id, t)
		def check(id, start, end):
		    t = text[id]
		    start, end = int(start), int(end)
		    assert 0 <= start < end <= len(t), (id, start, end)
		    assert all(at == len(t) or t[at] & 0xC0 != 0x80 for at in (start, end)), (id, start, end)
		    word = re.compile(rb"[0-9A-Za-z]")
		    for at in (start, end):
		        around = t[at - 1:at + 1] if at else b""
		        escape = re.search(rb"\\+$", t[max(at - 40, 0):at])
		        assert not (escape and len(escape[0]) % 2), (id, at)
		        assert not (len(around) == 2 and all(word.match(around[i:i + 1]) for i in (0, 1))
		            and not re.search(rb"\\.$", t[max(at - 2, 0):at])), (id, at, around)
		for line in open(sys.argv[1], "rb"):
		    f = line.rstrip(b"\n").split(b"\t")
		    check(*f[:3])
		    if len(f) == 8:
		        check(*f[3:6])
	END
}

@test "writes each passage with an earlier document, and the bytes of the passage in both" {
	try 'shspan docs'
	exits 0
	says
	gives 'b\t6\t85\ta\t31\t110\t20\t1.0000' 'd\t0\t71\ta\t35\t106\t18\t1.0000' \
		'd\t76\t175\tc\t5\t104\t20\t1.0000'
}

@test "--all: writes each passage with all earlier documents" {
	try 'shspan --all docs | cut -f 1,4,7'
	exits 0
	gives 'b\ta\t20' 'd\ta\t18' 'd\tb\t18' 'd\tc\t20'
}

@test "a passage may have changed words inside, unless --identity is 1" {
	printf 'a\t%s\nb\t%s new %s %s\n' "$(words 1 40)" "$(words 1 12)" "$(words 14 25)" "$(words 28 40)" >docs
	try 'shspan docs | cut -f 1-7'
	gives 'b\t0\t142\ta\t0\t150\t37'
	try 'shspan --identity 1 docs'
	gives
}

@test "--count: writes the passages of at least N documents, with the number of documents" {
	for i in 1 2 3 4 5 6 7; do
		printf '%s\tstart%s %s end%s\n' "d$i" "$i" "$(words 1 20)" "$i"
	done >docs
	printf 'x\t%s\n' "$(words 3 20)" >>docs
	try 'shspan --count=8 docs | cut -f 1,4,5,6 | sort -u -k 2'
	exits 0
	gives 'd1\t18\t8\t8'
	try 'shspan --count=7 docs | cut -f 1,4-6 | head -n 1'
	gives 'd1\t20\t8\t8'
	try 'shspan --count=9 docs'
	gives
	try 'shspan --count docs | wc -l'
	gives 8
}

@test "--exact: writes each copy but the first; --every-copy: writes all copies" {
	try 'shspan --exact 18 docs'
	exits 0
	gives 'b\t6\t85' 'd\t0\t71' 'd\t76\t175'
	try 'shspan --exact 18 --every-copy docs'
	gives 'a\t31\t110' 'b\t6\t85' 'c\t5\t104' 'd\t0\t71' 'd\t76\t175'
	try 'printf "a\tx y z x y z x y z\n" | shspan --exact 2'
	gives 'a\t6\t17'
}

@test "--exact: passages that overlap are one passage; passages that only touch are two" {
	printf '%s\t%s\n' a 'one two three' b 'four five six' c 'one two three four five six' >docs
	try 'shspan --exact 3 docs'
	exits 0
	gives 'c\t0\t13' 'c\t14\t27'
	printf '%s\t%s\n' a 'one two three' b 'three four five' c 'one two three four five' >docs
	try 'shspan --exact 3 docs'
	gives 'c\t0\t23'
	try 'printf "a\tone two\nb\ttwo one two\n" | shspan --exact 1'
	gives 'b\t0\t3' 'b\t4\t7' 'b\t8\t11'
	try 'printf "a\tone two\nb\tone two one two\n" | shspan --exact 2 --every-copy'
	gives 'a\t0\t7' 'b\t0\t7' 'b\t8\t15'
}

@test "--exact: the passages are those of a comparison of all windows, for any -n and any tokens" {
	head -n "$(fewer 30 10)" "$T_DATA/en_dev.tsv" >docs
	head -n "$(fewer 20 6)" "$T_DATA/zh_dev.tsv" >>docs
	for options in '' '-u char' '--no-fold'; do
		for length in 9 25; do
			# shellcheck disable=SC2086
			try "shseed -n 1 --window 1 $options docs"
			exits 0
			cut -f 1-2,4-5 out >tokens
			python3 - $length <<-'END' >expected
				import sys
				length = int(sys.argv[1])
				docs = {}
				for line in open("tokens", "rb"):
				    key, id, start, end = line.rstrip(b"\n").split(b"\t")
				    docs.setdefault(id, []).append((key, int(start), int(end)))
				seen = set()
				for id, tokens in docs.items():
				    keys = [t[0] for t in tokens]
				    passages = []
				    for i in range(len(keys) - length + 1):
				        window = tuple(keys[i:i + length])
				        if window in seen:
				            if passages and i < passages[-1][1]:
				                passages[-1][1] = i + length
				            else:
				                passages.append([i, i + length])
				        seen.add(window)
				    for i, j in passages:
				        end = max(t[2] for t in tokens[i:j])
				        sys.stdout.buffer.write(b"%s\t%d\t%d\n" % (id, tokens[i][1], end))
			END
			[ -s expected ]
			for n in '' '-n 1' '-n 5' '-n 9'; do
				# shellcheck disable=SC2086
				try "shspan --exact $length $n $options docs"
				exits 0
				same expected out
			done
		done
	done
}

@test "-d: writes the document first and the query as id2, also from a stream of documents" {
	printf 'q1\t%s\nq2\tnothing of that stands anywhere at all in these documents\n' "$(words 11 26)" >queries
	try 'shspan -d queries docs'
	exits 0
	gives 'a\t31\t94\tq1\t0\t63\t16\t1.0000' 'b\t6\t69\tq1\t0\t63\t16\t1.0000' \
		'd\t0\t59\tq1\t4\t63\t15\t1.0000'
	try 'head -n 2 docs | shspan --pairs -d queries - | cut -f 1-3,5'
	gives 'a\tq1\t16\t1.0000' 'b\tq1\t16\t1.0000'
}

@test "-d: the least coverage of a query depends on its length, and -T sets it" {
	printf '%s\t%s\n' q25 "$(words 1 15) x1 x2 x3 x4 x5 x6 x7 x8 x9 x10" q25b "$(words 1 14) x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11" \
		q10 "$(words 1 8) x1 x2" q10b "$(words 1 7) x1 x2 x3" q9 "$(words 1 9)" q9b "$(words 1 8) x1" >queries
	try 'head -n 1 docs | shspan --pairs -d queries - | cut -f 2,5'
	exits 0
	gives 'q25\t0.6000' 'q10\t0.8000' 'q9\t1.0000'
	try 'head -n 1 docs | shspan --pairs -T 0 -d queries - | cut -f 2 | wc -l'
	gives 6
	try 'head -n 1 docs | shspan --pairs -T 0.85 -d queries - | cut -f 2'
	gives q9 q9b
}

@test "-d: -T writes the pairs of -T 0 that have at least this coverage" {
	head -n 300 "$T_DATA/en_dev.tsv" | cut -c 1-400 | cut -d ' ' -f 1-40 >queries
	for t in 0.1 0.4 0.6 0.9 1; do
		try "shspan --pairs -T 0 -d queries \$T_DATA/en_dev.tsv | awk -v t=$t '\$5 >= t'"
		exits 0
		cp out expected
		[ -s expected ]
		try "shspan --pairs -T $t -d queries \$T_DATA/en_dev.tsv"
		exits 0
		same expected out
	done
}

@test "-d: tables of digits match only token by token, not by chance" {
	printf 'q\t1 0 0 1 0 1 1 0 1 0 0 1 1 1 0 1 0 1 0 0\n' >queries
	printf 'd\t0 1 0 0 1 0 1 1 0 0 1 0 1 1 1 0 1 0 0 1 0 1 1\n' >docs
	try 'shspan -d queries docs; shspan --pairs -d queries docs'
	gives
	printf 'd\tthis is 1 0 0 1 0 1 1 0 1 0 0 1 1 1 0 1 0 1 0 0\n' >docs
	try 'shspan --pairs -d queries docs'
	gives 'd\tq\t20\t0.9091\t1.0000'
	# A verbatim passage needs 15 tokens, or words for half of its tokens, rounded up.
	while IFS=: read -r found passage; do
		printf 'q\talpha beta gamma delta %s zeta eta theta\n' "$passage" >queries
		printf 'd\tother words here %s more words there\n' "$passage" >docs
		try 'shspan -d queries docs | wc -l'
		gives "$found"
	done <<-END
		1:1 2 3 4 5 a b c d e f g h i j
		0:1 2 3 4 5 a b c d e f g h i
		1:one two three four five six seven 1 2 3 4 5 6
		0:one two three four five six 1 2 3 4 5 6 7
	END
}

@test "-d: queries of fewer than 5 tokens give a warning" {
	printf 'q\tone two\nr\tone two three four five\n' >queries
	try 'printf "d\tone two three four five six\n" | shspan --pairs -d queries'
	exits 0
	gives 'd\tr\t5\t0.8333\t1.0000'
	says "shspan: 1 query of fewer than 5 tokens: ignored (the first is 'q')"
	printf 'q\tone two\np\t!\nr\tone two three four five\n' >queries
	try 'printf "d\tone two three four five six\n" | shspan --pairs -d queries'
	exits 0
	says "shspan: 2 queries of fewer than 5 tokens: ignored (the first is 'q')"
}

@test "-d: every exact passage of at least 5 tokens is found" {
	head -n 30 "$T_DATA/en_dev.tsv" >docs
	try 'shtok -n 1 docs'
	exits 0
	awk -F '\t' 'function give() { if (n >= 5) print "q" NR "\t" s; n = 0; s = ""; most = 5 + NR % 11 }
		$1 != id { give(); id = $1 } { s = s " " $2; if (++n >= most) give() }' out >queries
	[ "$(wc -l <queries)" -gt 1000 ]
	try 'shspan --pairs -T 1 --bound 100000 -d queries docs | cut -f 2 | sort -u'
	exits 0
	cut -f 1 queries | sort -u >expected
	same expected out
}

@test "--pairs: writes matched tokens and the coverage of both documents; -T drops pairs of less coverage" {
	try 'shspan --pairs docs'
	gives 'b\ta\t20\t0.9091\t0.5000' 'd\ta\t18\t0.4615\t0.4500' 'd\tb\t18\t0.4615\t0.8182' \
		'd\tc\t20\t0.5128\t0.4878'
	try 'shspan --pairs -T 0.8 docs | cut -f 1,2'
	gives 'b\ta' 'd\tb'
}

@test "--merge: joins spans of a pair that are close in both documents" {
	printf 'a\t%s\nb\t%s %s %s\n' "$(words 1 100)" "$(words 1 30)" "$(words 500 545)" "$(words 71 100)" >docs
	try 'shspan docs | cut -f 7'
	gives 30 30
	try 'shspan --merge 60 docs | cut -f 1-3,5-8'
	gives 'b\t0\t461\t0\t391\t60\t0.5660'
	try 'shspan --merge 39 docs | wc -l'
	gives 2
}

@test "--all and -d join spans at most 60 tokens apart; --first and --pairs join none" {
	for gap in 60 61; do
		printf 'a\t%s\n' "$(words 1 200)" >a
		printf 'b\t%s %s %s\n' "$(words 1 30)" "$(words 501 $((500 + gap)))" "$(words 71 100)" >b
		for options in '--all a' '-d a'; do
			try "shspan $options b | wc -l"
			gives $((gap - 59))
			try "shspan --merge 0 $options b | wc -l"
			gives 2
		done
		try 'shspan a b | wc -l'
		gives 2
	done
	printf 'b\t%s %s %s\n' "$(words 1 30)" "$(words 501 510)" "$(words 41 70)" >b
	for options in '--pairs a b' '--pairs -T 0 -d a b'; do
		try "shspan $options"
		cp out expected
		try "shspan --merge 0 $options"
		same expected out
	done
}

@test "--merge: parts in another order do not count as matched" {
	printf 'a\t%s %s\nb\t%s %s\n' "$(words 1 16)" "$(words 101 116)" "$(words 101 116)" "$(words 1 16)" >docs
	for options in '--all docs' '-d docs docs'; do
		try "shspan $options | awk '\$1 > \$4' | cut -f 1,4,7-"
		exits 0
		gives 'b\ta\t16\t0.5000'
	done
	try 'shspan --all --merge 0 docs | cut -f 2,3,7-'
	gives '0\t79\t16\t1.0000' '80\t134\t16\t1.0000'
}

@test "matched is at most the longest common subsequence of both passages, and identity follows from it" {
	xzcat "$T_DATA/licences_dev.tsv.xz" >licences
	for file in licences "$T_DATA/en_dev.tsv" "$T_DATA/zh_dev.tsv"; do
		head -n "$(fewer 1000 120)" "$file" >part
		file=part
		shseed -n 1 --window 1 "$file" >tokens
		for options in '--all' '--all --merge 400' '-d queries --merge 2000' '--first --merge 60'; do
			sed -n 'p;n;n;n;n;n;n;n;n' "$file" >queries
			try "shspan $options \"$file\" 2>/dev/null"
			exits 0
			[ -s out ]
			awk -v every="$(($(wc -l <out) / $(fewer 2000 50) + 1))" 'NR % every == 0' out >some
			python3 - <<-'END'
				import bisect, collections
				tokens = collections.defaultdict(list)
				for line in open("tokens", "rb"):
				    key, id, _, start, end = line.rstrip(b"\n").split(b"\t")
				    tokens[id].append((int(start), key))
				def passage(id, start, end):
				    at = tokens[id]
				    return [k for _, k in at[bisect.bisect_left(at, (int(start), b"")):bisect.bisect_left(at, (int(end), b""))]]
				def common(a, b): # bits of `row`: Hyyro 2004
				    at = collections.defaultdict(int)
				    for j, key in enumerate(b):
				        at[key] |= 1 << j
				    every = row = (1 << len(b)) - 1
				    for key in a:
				        match = row & at[key]
				        row = (row + match | row - match) & every
				    return len(b) - bin(row).count("1")
				for line in open("some", "rb"):
				    f = line.rstrip(b"\n").split(b"\t")
				    a, b, matched = passage(*f[:3]), passage(*f[3:6]), int(f[6])
				    assert matched <= common(a, b), line
				    assert abs(float(f[7]) - matched / max(len(a), len(b))) < 0.000051, line
			END
		done
	done
}

@test "--seeds: sorted seeds with the documents give the spans of the documents alone" {
	for language in en zh; do
		file=some.$language
		head -n "$(fewer 1000 100)" "$T_DATA/${language}_dev.tsv" >$file
		for options in '' '--all' '--count=3' '--pairs'; do
			try "shspan $options $file | sort"
			exits 0
			cp out expected
			[ -s expected ]
			try "shseed $file | sort | shspan --seeds $options -d $file | sort"
			exits 0
			same expected out
		done
	done
	try 'shseed -n 4 --window 6 docs | shspan --seeds -n 4 --window 6 -d docs'
	cp out expected
	try 'shspan -n 4 --window 6 docs'
	same expected out
}

@test "the output is the same with any number of threads, and for the input in several files" {
	head -n 100 "$T_DATA/en_dev.tsv" | cut -c 1-200 >queries
	for options in '' '--all' '--count=3' '--exact 30' '--exact 30 --every-copy' '--pairs' '-d queries' '-d queries --pairs'; do
		try "shspan $options \$T_DATA/en_dev.tsv"
		exits 0
		cp out one
		[ -s one ]
		for jobs in $(fewer '2 3 16' 3); do
			try "shspan -j $jobs $options \$T_DATA/en_dev.tsv"
			same one out
		done
		try "split -n l/5 \$T_DATA/en_dev.tsv part-; shspan $options part-*"
		same one out
		try "dd if=\$T_DATA/en_dev.tsv bs=999 status=none | shspan $options"
		same one out
	done
}

@test "the output is the same with any -S, and no temporary file stays" {
	mkdir tmp
	for language in en zh; do
		file=some.$language
		head -n "$(fewer 1000 100)" "$T_DATA/${language}_dev.tsv" >$file
		shseed $file >seeds
		for options in '' '--all' '--count=3' '--exact 30' '--exact 30 --every-copy' '--pairs' "--seeds -d $file"; do
			input=$file
			[ "${options#--seeds}" = "$options" ] || input=seeds
			try "shspan $options $input"
			exits 0
			cp out one
			[ -s one ]
			for how in '-S 1' '-S 100K -j 3' '-S 5M'; do
				try "shspan $how --tmpdir tmp $options $input"
				exits 0
				same one out
			done
		done
	done
	[ -z "$(ls tmp)" ]
}

# days: writes en_dev.tsv as four files, day.aa to day.ad.
days() {
	split -n l/4 "$T_DATA/en_dev.tsv" day.
}

@test "--archive: four runs of a day each give the spans of one run of four days" {
	days
	for options in '' '--all --bound 100000' '--pairs --bound 100000 -T 0.1'; do
		rm -rf archive
		: >got
		for day in day.a?; do
			try "shspan -j 2 -S 100K $options --archive archive $day"
			exits 0
			says
			cat out >>got
		done
		try "shspan $options day.a?"
		[ -s out ]
		same out got
		# Four segments of one size are merged on the way.
		[ "$(grep -c ^segment archive/manifest)" -eq 1 ]
		same "$T_DATA/en_dev.tsv" <(sharchive export archive)
	done
	try 'shspan --archive archive day.ab'
	exits 0
	says 'shspan: 99 documents with the id of an earlier document: ignored'
	gives
	try 'shspan --archive again archive/*.tsv'
	exits 0
	cp out expected
	try 'shspan day.a?'
	same expected out
}

@test "--archive: --count counts documents of earlier runs" {
	days
	for day in day.a[abc]; do shspan --archive archive "$day" >/dev/null; done
	try 'shspan --count=3 --archive archive day.ad'
	exits 0
	cp out got
	cut -f 1 day.ad | sort >ids
	try "shspan --count=3 day.a? | awk -F '\t' 'NR == FNR { today[\$1]; next } \$1 in today' ids -"
	[ -s out ]
	same out got
}

@test "--archive: refuses other options, other folders and damaged files" {
	shspan --archive archive docs >/dev/null
	for options in '-n 6' '-n 4' '--window 5' '--no-fold' '--stem english' '--raw' '-f 2,1'; do
		try "shspan --archive archive $options docs"
		exits 2
		says "shspan: 'archive' was made with other options (see its file 'manifest')"
	done
	for options in '-d docs' '--exact 5' '--json' '--csv' '--header -f id,text' '-l' '--trailer=in'; do
		try "shspan --archive archive $options docs"
		exits 2
		[ "$(wc -l <err)" = 2 ]
	done
	mkdir other
	: >other/file
	try 'shspan --archive other docs'
	exits 2
	says "shspan: 'other' is not empty: it holds 'file' (an archive is made in a new or empty folder)"
	cp -r archive lost
	sed 's/^/x/' docs | shspan --archive lost >/dev/null
	rm lost/manifest
	try 'shspan --archive lost docs'
	exits 2
	says "shspan: 'lost' has lost its manifest: restore the archive from a backup"
	[ "$(ls lost | wc -l)" = 5 ]
	cp -r archive lost1
	rm lost1/manifest
	mkdir mine
	echo mine >mine/00000000.tsv
	for folder in lost1 mine; do
		ls -l "$folder" >before
		try "shspan --archive $folder docs"
		exits 2
		ls -l "$folder" >after
		same before after
	done
	says "shspan: 'mine' is not empty: it holds '00000000.tsv' (an archive is made in a new or empty folder)"
	cp -r archive damaged
	sed -i 's/^segment 00000000 ./&1/' damaged/manifest
	try 'shspan --archive damaged docs'
	exits 2
	says "shspan: 'damaged/manifest': damaged: its checksum is another: restore the archive from a backup"
	cp archive/manifest damaged
	truncate -s 32 damaged/*.index
	sed 's/^/x/' docs >more
	try 'shspan --archive damaged more'
	exits 2
	[ "$(wc -l <err)" = 1 ]
	cp archive/*.index damaged
	sed -i 1d damaged/*.tsv
	try 'shspan --archive damaged more'
	exits 2
	[ "$(wc -l <err)" = 1 ]
}

@test "--archive: a run that reads a changed byte fails, and writes no other spans" {
	head -n 30 "$T_DATA/en_dev.tsv" >docs
	shspan --archive archive docs >/dev/null
	sed 's/^/x/' docs >more
	cp -r archive good
	try 'shspan --archive good more'
	[ -s out ]
	cp out expected
	seed=${T_SEED:-$RANDOM}
	echo "seed $seed"
	RANDOM=$seed
	failed=0
	for ((i = 0; i < 60 / ${T_SHORT:-1}; i++)); do
		rm -rf damaged
		cp -r archive damaged
		for file in damaged/*.tsv damaged/*.index; do
			python3 - "$file" $((RANDOM * 32768 + RANDOM)) <<-'END'
				import os, sys
				with open(sys.argv[1], "r+b") as f:
				    f.seek(int(sys.argv[2]) % os.path.getsize(sys.argv[1]))
				    byte = f.read(1)[0]
				    f.seek(-1, 1)
				    f.write(bytes([byte ^ 1 << int(sys.argv[2]) % 8]))
			END
			((RANDOM % 2)) || break
		done
		try 'shspan --archive damaged more'
		if [ "$status" -eq 0 ]; then
			same expected out
		else
			exits 2
			grep -q 'is damaged: ' err
			failed=$((failed + 1))
		fi
	done
	[ "$failed" -gt 0 ]
}

@test "--archive: the manifest has the options, also those with default values" {
	shspan --archive archive docs >/dev/null
	try 'grep ^option archive/manifest | cut -d " " -f 2-8'
	gives 'settings -n 6-10 --window 10 -f 1,2'
	try 'shspan --archive archive -f 1,2 --window 10 docs'
	exits 0
}

@test "--archive: sharchive check finds a changed bit at the first, tenth and last byte of each file" {
	shspan --archive archive docs >/dev/null
	sed 's/^/x/' docs | shspan --archive archive >/dev/null
	try 'sharchive check archive'
	says 'sharchive: 8 documents in 2 segments, all good'
	for file in archive/*.tsv archive/*.index archive/manifest; do
		for at in 0 9 $(($(wc -c <"$file") - 1)); do
			rm -rf damaged
			cp -r archive damaged
			python3 - "damaged/${file#*/}" "$at" <<-'END'
				import sys
				with open(sys.argv[1], "r+b") as f:
				    f.seek(int(sys.argv[2]))
				    byte = f.read(1)[0]
				    f.seek(-1, 1)
				    f.write(bytes([byte ^ 1]))
			END
			try 'sharchive check damaged'
			exits 2
			[ "$(wc -l <err)" = 1 ]
		done
	done
	rm damaged/00000001.*.index
	try 'sharchive check damaged'
	exits 2
	try 'sharchive compact damaged'
	exits 2
	try 'sharchive expire damaged 1d'
	exits 2
	try 'shdedup -a archive docs'
	exits 2
	says "shdedup: 'archive' is an archive of shspan, expected one of shdedup (sharchive init makes one)"
	sharchive init other
	try 'shspan --archive other docs'
	exits 2
	says "shspan: 'other' is an archive of shdedup, expected one of shspan (shspan makes one in a new folder)"
}

@test "--archive: a run killed at any system call that changes the folder leaves the old or the new archive" {
	export SOURCE_DATE_EPOCH=1000
	traceable
	sanitized && skip 'the sanitizers cannot be traced'
	head -n 40 "$T_DATA/en_dev.tsv" >forty
	split -n l/3 forty day.
	shspan --archive one day.aa >/dev/null
	cp -r one two
	shspan --archive two -o spans day.ab
	for case in fsync:6:1 renameat:1:1 rename:1:1 openat:12:3 write:4:1; do
		for ((n = ${case##*:}; ; n += $(fewer 1 2))); do
			rm -rf archive got
			cp -r one archive
			killed_at "${case%%:*}" $n shspan -j 1 --archive archive -o got day.ab || break
			# The spans are written before the archive has the documents.
			! cmp -s two/manifest archive/manifest || same spans got
			try 'shspan --archive archive -o again day.ab'
			exits 0
			if [ -s err ]; then
				[ ! -s again ]
				same spans got
			else
				same spans again
			fi
			same two/manifest archive/manifest
			[ "$(ls archive)" = "$(ls two)" ]
		done
		least=${case#*:}
		[ "$n" -ge "${least%:*}" ]
	done
	# The first run makes the archive.
	for case in fsync:5:1 renameat:1:1 openat:8:3 write:3:1 unlinkat:1:1; do
		for ((n = ${case##*:}; ; n += $(fewer 1 2))); do
			rm -rf archive
			killed_at "${case%%:*}" $n shspan -j 1 --archive archive day.aa -o got || break
			try 'shspan --archive archive -o again day.aa'
			exits 0
			same day.aa <(sharchive export archive)
			[ "$(ls archive | wc -l)" = 4 ]
		done
		least=${case#*:}
		[ "$n" -ge "${least%:*}" ]
	done
}

@test "--archive: sharchive compact merges all segments, and later runs give the same bytes" {
	head -n 60 "$T_DATA/en_dev.tsv" >sixty
	split -n l/6 sixty day.
	seed=${T_SEED:-$RANDOM}
	echo "seed $seed"
	RANDOM=$seed
	for options in '' '--all' '--pairs -T 0.1' '--count=2' '-S 100K -j 2'; do
		rm -rf plain archive
		for day in day.a?; do
			shspan $options --archive plain $day >expected
			try "shspan $options --archive archive $day"
			exits 0
			says
			same expected out
			((RANDOM % 2)) || [ $day = day.ac ] || continue
			try 'sharchive compact archive'
			exits 0
			says
			gives
			[ "$(cd archive && ls | wc -l)" = 4 ]
			same <(sharchive export plain) <(cat archive/*.tsv)
		done
		sharchive compact plain
		sharchive compact archive
		same <(cat plain/*.tsv) <(cat archive/*.tsv)
		rm -rf whole
		shspan --archive whole sixty >/dev/null
		for at in plain whole archive; do
			sharchive stats $at | grep -v est >$at.stats
		done
		same plain.stats archive.stats
		same whole.stats archive.stats
		cp archive/manifest before
		sharchive compact archive
		same before archive/manifest
		try 'sharchive check archive'
		says 'sharchive: 60 documents in 1 segment, all good'
	done
	shspan --archive empty /dev/null
	: | shspan --archive empty
	try 'sharchive compact empty && sharchive check empty'
	says 'sharchive: 0 documents in 0 segments, all good'
}

@test "--archive: sharchive compact refuses damaged segments" {
	shspan --archive archive docs >/dev/null
	sed 's/^/x/' docs | shspan --archive archive >/dev/null
	for file in archive/*.tsv archive/*.index; do
		rm -rf damaged
		cp -r archive damaged
		printf x | dd of="damaged/${file#*/}" bs=1 seek=9 conv=notrunc status=none
		try 'sharchive compact damaged'
		exits 2
		says "sharchive: 'damaged/${file#*/}' is damaged: another checksum at byte 0: restore the archive from a backup"
		same archive/manifest damaged/manifest
		[ "$(ls damaged)" = "$(ls archive)" ]
	done
}

@test "--archive: sharchive expire leaves the archive that the other documents make" {
	head -n 60 "$T_DATA/en_dev.tsv" >sixty
	split -n l/6 sixty day.
	seed=${T_SEED:-$RANDOM}
	echo "seed $seed"
	RANDOM=$seed
	for ((round = 0; round < 12 / ${T_SHORT:-1}; round++)); do
		rm -rf archive plain
		: >log
		for day in day.a[abcde]; do
			# The clock goes back in every second round.
			time=$((1000 + RANDOM % 4 * 1000))
			((round % 2)) || time=$((1000 + $(wc -l <log) * 1000))
			echo "$time $day" >>log
			SOURCE_DATE_EPOCH=$time shspan --archive archive $day >/dev/null
			((RANDOM % 3)) || sharchive compact archive
		done
		age=$((RANDOM % 5 * 1000 + 500))
		cat log
		awk -v at=$((6000 - age)) '$1 >= at { print $2 }' log >stay
		gone=$(awk -v at=$((6000 - age)) '$1 < at { print $2 }' log | xargs -r cat | wc -l)
		cp archive/manifest before
		cp -r archive twice
		try "SOURCE_DATE_EPOCH=6000 sharchive expire archive ${age}s --dry-run"
		exits 0
		says "sharchive: $gone document$([ "$gone" = 1 ] || echo s) removed (dry run), $gone of which had stayed"
		same before archive/manifest
		try "SOURCE_DATE_EPOCH=6000 sharchive expire archive ${age}s"
		exits 0
		gives
		says "sharchive: $gone document$([ "$gone" = 1 ] || echo s) removed, $gone of which had stayed"
		try 'sharchive check archive'
		exits 0
		grep -q "^sharchive: $(($(cat day.a[abcde] | wc -l) - gone)) documents\? in" err
		xargs cat /dev/null <stay | shspan --archive plain >/dev/null
		cp -r archive compacted
		sharchive compact compacted
		SOURCE_DATE_EPOCH=6000 sharchive -q expire twice $((age + 1000))s
		SOURCE_DATE_EPOCH=6000 sharchive -q expire twice ${age}s
		sharchive compact twice
		for at in compacted twice; do
			same <(sharchive export plain) <(sharchive export $at)
			same <(sharchive stats plain | grep ^bytes) <(sharchive stats $at | grep ^bytes)
			rm -rf $at
		done
		for options in '' '--all' '--count=2'; do
			for at in archive plain; do
				rm -rf $at.copy
				cp -r $at $at.copy
			done
			shspan $options --archive plain.copy day.af >expected
			try "shspan $options --archive archive.copy day.af"
			exits 0
			says
			same expected out
		done
		sharchive compact archive.copy
		SOURCE_DATE_EPOCH=9000000000 sharchive -q expire archive.copy 0s
		try 'sharchive check archive.copy'
		exits 0
		says 'sharchive: 0 documents in 0 segments, all good'
	done
}

@test "--archive: remove takes documents out by id; export writes the lines as they came" {
	head -n 30 "$T_DATA/en_dev.tsv" >thirty
	awk -F '\t' '{ print "n" NR "\t" $2 "\t" $1 }' thirty >swapped
	shspan -f 3,2 --archive archive swapped >/dev/null
	try 'sharchive export archive'
	exits 0
	same swapped out
	cut -f 1 thirty | sed -n 3,9p >ids
	try 'sharchive remove archive ids --dry-run'
	says 'sharchive: 7 documents removed (dry run), 7 of which had stayed'
	try 'sharchive remove archive ids && sharchive check archive && sharchive export archive'
	exits 0
	says 'sharchive: 7 documents removed, 7 of which had stayed' 'sharchive: 23 documents in 1 segment, all good'
	sed 3,9d swapped | same - out
	sed 's/$/x/' swapped >more
	try "shspan -f 3,2 --archive archive more"
	exits 0
	cp out got
	try "{ sed 3,9d swapped && cat more; } | shspan -f 3,2 | grep -P '^[^\t]*x\t'"
	same out got
}

@test "--archive: SOURCE_DATE_EPOCH out of range is refused before anything is written" {
	for time in 10000000000 now; do
		try "SOURCE_DATE_EPOCH=$time shspan --archive archive docs"
		exits 2
		[ "$(head -n 1 err)" = "shspan: SOURCE_DATE_EPOCH '$time': expected seconds since 1970, ten digits at most" ]
		[ ! -e archive ]
	done
}

@test "--archive: sharchive compact or expire killed at any system call leaves the old or the new archive" {
	traceable
	sanitized && skip 'the sanitizers cannot be traced'
	head -n 50 "$T_DATA/en_dev.tsv" >fifty
	split -n l/5 fifty day.
	export SOURCE_DATE_EPOCH=1000
	for day in day.a[abcd]; do
		shspan --archive old $day >/dev/null
		((SOURCE_DATE_EPOCH += 1000))
		# The first segment has two days, and expire removes one of them.
		[ $day != day.ab ] || sharchive compact old
	done
	for command in 'compact archive' '-q expire archive 3500s'; do
		rm -rf archive
		cp -r old archive
		sharchive $command
		rm -rf new
		mv archive new
		files=$(cd new && echo *)
		for at in old new; do
			cp -r $at archive
			shspan --archive archive day.ae >$at.spans
			rm -rf archive
		done
		for case in fsync:5:1 renameat:1:1 unlinkat:2:1 openat:12:3 write:3:1; do
			for ((n = ${case##*:}; ; n += $(fewer 1 2))); do
				rm -rf archive
				cp -r old archive
				killed_at "${case%%:*}" $n sharchive $command || break
				try 'sharchive -q check archive'
				exits 0
				state=old
				cmp -s old/manifest archive/manifest || state=new
				same $state/manifest archive/manifest
				rm -rf again
				cp -r archive again
				try 'shspan --archive again day.ae'
				exits 0
				same $state.spans out
				# The next run removes the files that no manifest names.
				try "sharchive $command"
				exits 0
				same new/manifest archive/manifest
				[ "$(cd archive && echo *)" = "$files" ]
			done
			least=${case#*:}
			echo "$command: $case: $n"
			[ "$n" -gt "${least%:*}" ]
		done
	done
}

@test "--archive: of two runs at the same time one waits for the other" {
	days
	shspan --archive archive day.aa >/dev/null
	shspan --archive archive day.ab >ab &
	shspan --archive archive day.ac >ac &
	wait
	sed -n 's/^segment \([^ ]*\) .*/\1 -/p' archive/manifest | cut -d ' ' -f 1 | tr '\n' ' ' >out
	[ "$(cat out)" = '00000000 00000001 00000002 ' ]
	cat archive/*.tsv | sort >got
	cat day.a[abc] | sort >expected
	same expected got
}

@test "spans begin and end at borders of words, characters and escapes" {
	for options in '' '--all' '--count' '--exact 12' '-n 3' '--segment jieba -n 5'; do
		for file in "$T_DATA/en_dev.tsv" "$T_DATA/zh_dev.tsv"; do
			try "head -n $(fewer 100 40) $file | shspan $options"
			exits 0
			cp out spans
			[ -s spans ]
			inside spans "$file"
		done
	done
}

@test "one token repeated, a passage in each document, documents of one token: linear time" {
	yes a | head -n "$(fewer 300000 100000)" | tr '\n' ' ' >line
	{ printf 'a\t'; cat line; printf '\nb\t'; cat line; echo; } >docs
	for options in '' '--all' '--exact 50' '--count'; do
		try "timeout 20 shspan $options docs"
		exits 0
		[ -s out ]
	done
	try 'timeout 20 shspan -d docs docs'
	exits 0
	local n
	n=$(fewer 30000 10000)
	awk -v n="$n" -v text="$(words 1 30)" 'BEGIN { for (i = 0; i < n; i++) print i "\t" text }' >docs
	for options in '' '--all' '--exact 20' '--count'; do
		try "timeout 20 shspan $options docs | wc -l"
		exits 0
		[ "$(cat out)" -ge $((n - 1)) ]
		[ "$(cat out)" -le $((2 * n)) ]
	done
	awk -v n="$((10 * n))" 'BEGIN { for (i = 0; i < n; i++) print i "\ta" }' >docs
	try 'timeout 20 shspan docs && timeout 20 shspan --exact 5 docs && timeout 20 shspan --count docs'
	exits 0
	gives
}

@test "--count: a very long passage in too few documents takes linear time" {
	local n
	n=$(fewer 1000000 300000)
	seq -f 'w%.0f' -s ' ' 1 "$n" >text
	{ printf 'a\t'; cat text; printf 'b\t'; cat text; printf 'c\t'; sed 's/\( [^ ]*\)\{20\}/& x/g' text; } >docs
	try 'timeout 10 shspan --count=3 docs | wc -l'
	exits 0
	gives $((n / 20 + 2))
	try 'timeout 20 shspan --count=2 docs | cut -f 1,4 | head -n 3'
	gives "a\t$n" "b\t$n" 'c\t21'
}

@test "random text of four different tokens takes linear time" {
	awk 'BEGIN { srand(7); for (d = 0; d < '"$(fewer 20 5)"'; d++) { printf "d%d\t", d
		for (i = 0; i < 5000; i++) printf "%s ", substr("abcd", 1 + int(rand() * 4), 1); print "" } }' >docs
	for options in '' '--all' '--exact 20' '-d docs'; do
		try "timeout 60 shspan $options docs"
		exits 0
	done
}

@test "--archive: an archive of no documents passes sharchive check" {
	try 'shspan --archive empty /dev/null'
	exits 0
	try 'sharchive check empty'
	exits 0
}

@test "random text of four different tokens: --first takes at most half of the CPU time of --all" {
	[ "${T_SHORT:-1}" -lt 8 ] || skip 'sanitizers change what things cost'
	awk 'BEGIN { srand(7); for (d = 0; d < 8; d++) { printf "d%d\t", d
		for (i = 0; i < 20000; i++) printf "%s ", substr("abcd", 1 + int(rand() * 4), 1); print "" } }' >docs
	TIMEFORMAT='%3U'
	for i in $(fewer '1 2 3' '1 2'); do
		for mode in first all; do
			{ time shspan -j 1 "--$mode" docs >spans 2>warned; } 2>>"$mode.times"
		done
	done
	first=$(sort -n first.times | head -n 1) all=$(sort -n all.times | head -n 1)
	echo "first $first all $all"
	awk "BEGIN { exit !($first <= 0.5 * $all) }"
}

@test "a seed in more than 50 places is compared with two of them, with a message; --bound raises the limit" {
	awk -v text="$(words 1 15)" 'BEGIN { for (i = 0; i < 60; i++) print i "\t" text }' >docs
	try 'shspan --all docs | cut -f 1,4'
	exits 0
	says 'shspan: 1 seed in more than 50 places: of it only the first place and the last one before are compared (--bound)'
	[ "$(wc -l <out)" = 117 ]
	try 'shspan --all --bound 60 docs | wc -l'
	says
	gives 1770
}

@test "contradicting options, bad seeds and bad documents are refused" {
	for options in '--first --all' '--exact 5 --count' '--every-copy' '--pairs --exact 5' '-T 0.5' '--seeds' \
		'-d docs --all' '-d docs --window 3' '-d docs -S 1G' '--merge 3 --count' '--exact 5 -n 6' '--identity 2' '--bound 1'; do
		try "shspan $options docs"
		exits 2
		[ "$(wc -l <err)" = 2 ]
	done
	try 'echo no seed | shspan --seeds -d docs'
	exits 2
	says 'shspan: -:1: expected a seed: key<TAB>id<TAB>token<TAB>start<TAB>end'
	try 'printf "0123456789abcdef\tz\t0\t0\t9\n" | shspan --seeds -d docs'
	says "shspan: -:1: no document has the id 'z' (-d)"
	try 'printf "0123456789abcdef\ta\t99\t0\t9\n" | shspan --seeds -d docs'
	says "shspan: -:1: document 'a' has 40 tokens: the seeds are of other documents, or of other options"
	try 'printf "a\tgood text\nbad\n" | shspan --rejects bad'
	exits 0
	[ "$(cat bad)" = bad ]
}

@test "-d: a stream of nine times the documents stays within 300 MB of memory" {
	sanitized && skip 'sanitizers hold memory back'
	head -n 50 "$T_DATA/en_dev.tsv" >queries
	try "for i in 1 2 3 4 5 6 7 8 9; do cat \$T_DATA/en_dev.tsv; done | (ulimit -v 300000; shspan --pairs -d queries) | wc -l"
	exits 0
}

@test "-u line and -u sentence: write what occurred before, all copies, or what N documents have" {
	printf '%s\t%s\n' a 'Home\nOne two three.' b 'home\nFour.\nOne two  three.' c 'Home\nOne two three.\nFive' >docs
	try 'shspan -u line docs'
	exits 0
	says
	gives 'b\t0\t6' 'b\t11\t28' 'c\t0\t22'
	try 'shspan -u line --every-copy docs'
	gives 'a\t0\t20' 'b\t0\t6' 'b\t11\t28' 'c\t0\t22'
	try 'shspan -u line --count=3 docs'
	gives 'a\t0\t20\t4\t3\t3' 'b\t0\t6\t1\t3\t3' 'b\t11\t28\t3\t3\t3' 'c\t0\t22\t4\t3\t3'
	try 'shspan -u line --count=3 --min-tokens 2 docs | cut -f 1-4'
	gives 'a\t4\t20\t3' 'b\t11\t28\t3' 'c\t6\t22\t3'
	try 'shspan -u line -n 2 docs'
	gives 'c\t0\t22'
	printf '{"id":"a","text":"雨下了。谁知道呢？是真的！"}\n{"id":"b","text":"雨下了。谁知道呢？是真的！雪。"}\n' >json
	try 'shspan -u sentence --json json'
	gives 'b\t0\t39'
	for options in '-d docs' '--all' '--exact 3' '--pairs' '--archive a' '-S 1G' '--stem english' '--strict' '-p yanyiwu'; do
		try "shspan -u line $options docs"
		exits 2
		[ "$(wc -l <err)" = 2 ]
	done
}

@test "--exit-code: 1 when a passage is found, 0 when none is, 2 for trouble" {
	printf 'x\tnothing of that\n' >none
	printf 'q\t%s\n' "$(words 11 26)" >queries
	for options in '' '--all' '--count' '--exact 10' '-d queries' '--pairs' '--archive a'; do
		try "shspan --exit-code $options docs"
		exits 1
		[ -s out ]
		rm -rf a
		try "shspan --exit-code $options none"
		exits 0
		gives
		rm -rf a
	done
	try 'shspan docs'
	exits 0
	try 'printf "a\tone\nb\tone\n" | shspan -u line --exit-code'
	exits 1
	try 'shspan -u line --exit-code docs'
	exits 0
	try 'shspan --exit-code missing'
	exits 2
}

@test "--count: the work for a template grows with the number of documents" {
	user() { # DOCUMENTS: the processor time of --count in milliseconds
		awk -v n="$1" 'BEGIN { srand(1); for (i = 0; i < 60; i++) t = t " w" i
			for (d = 0; d < n; d++) print "d" d "\t" t " x" int(rand() * 1e6) " y" int(rand() * 1e6) }' >template
		shspan --count=3 template | tail -n 1 | cut -f 5,6 >out
		printf '%s\t%s\n' "$1" "$1" >expected
		same expected out
		{ TIMEFORMAT=%U; time shspan --count=3 template >/dev/null; } 2>&1 | tr -d .
	}
	few=$(user "$(sanitized && echo 2000 || echo 20000)")
	many=$(user "$(sanitized && echo 16000 || echo 160000)")
	# Eight times the documents: linear work needs eight times the time, quadratic work 64 times.
	[ "$((10#$many))" -le "$((30 * 10#$few + 300))" ] || { echo "$few, then $many"; return 1; }
}

@test "--documents-fields: queries have fields of their own, in JSON, CSV and TSV" {
	text="$(words 1 30)"
	query="$(words 5 24)"
	printf 'd1\t%s\nd2\tnothing of that\n' "$text" >docs.tsv
	printf 'x\t%s\tq1\n' "$query" >q.tsv
	printf '{"id":"d1","text":"%s"}\n' "$text" >docs.jsonl
	printf '{"id":"q1","question":"%s","text":"other","choices":["%s"]}\n' "$query" "$(words 25 27)" >q.jsonl
	printf 'id,text\nd1,%s\n' "$text" >docs.csv
	printf 'question,text,id\n%s,other,q1\n' "$query" >q.csv
	for how in '-d q.tsv --documents-fields 3,2 docs.tsv' '-f 1,2 -d q.tsv --documents-fields 3,2 docs.tsv' \
		'--json -d q.jsonl --documents-fields id,question docs.jsonl' '--csv -d q.csv --documents-fields id,question docs.csv'; do
		try "shspan --pairs $how"
		exits 0
		says
		gives 'd1\tq1\t20\t0.6667\t1.0000'
		try "shspan $how | cut -f 4-"
		gives 'q1\t0\t74\t20\t1.0000'
	done
	try 'shspan --json --pairs -d q.jsonl --documents-fields id,question,choices.0 docs.jsonl'
	gives 'd1\tq1\t23\t0.7667\t1.0000'
	try 'shspan --json -d q.jsonl --documents-fields id,question,choices.0 docs.jsonl'
	exits 2
	says 'shspan: --documents-fields: several fields of text need --pairs, because a span is a place in one field' \
		"Try 'shspan --help' or 'man shspan'."
	cat q.jsonl docs.jsonl >both
	try 'shspan --json --documents-fields id,question docs.jsonl'
	exits 2
	try 'shspan --json -d q.jsonl --documents-fields id,question --documents-fields id,text docs.jsonl'
	exits 2
	says 'shspan: 2 --documents-fields for 1 file of -d' "Try 'shspan --help' or 'man shspan'."
}

@test "--min-tokens: the window follows, so that short menus are found; a message says when it cannot" {
	for i in $(seq 20); do printf 'p%s\tHome News Sport Weather page%s\\n%s\n' "$i" "$i" "$(words "$((i * 100))" "$((i * 100 + 9))")"; done >menus
	try 'shspan --count=20 --min-tokens 4 -n 3 menus | cut -f 2-'
	exits 0
	says
	[ "$(uniq -c out | tr -s ' ')" = ' 20 0	23	4	20	20' ]
	try 'shspan --count=20 --min-tokens 4 -n 3 --window 1 menus'
	cp out expected
	try 'shspan --count=20 --min-tokens 4 -n 3 menus'
	same expected out
	try 'shspan --count=20 --min-tokens 4 -n 3 --window 5 menus'
	exits 0
	says 'shspan: passages of fewer than 7 tokens may be missed (--window 2)'
	try 'shspan --count=20 --min-tokens 4 menus'
	exits 0
	says 'shspan: a seed has 6 tokens: shorter passages are not found (-n 4)'
	try 'shspan --all --min-tokens 6 --archive archive menus'
	says 'shspan: passages of fewer than 19 tokens may be missed (--window 1)'
	try 'shspan -d menus --min-tokens 3 menus | wc -l'
	says 'shspan: a seed has 5 tokens: shorter passages are not found (-n 3)'
}
