#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# 2,000 documents that share 180 of 200 words, with several ways to find the near-duplicates among them. 100
# documents have a true near-duplicate: one word differs outside of the template. man/shdedup.1 has these figures
# under Templates.
load helper

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	awk 'BEGIN {
		srand(7)
		for (i = 0; i < 180; i++) t = t "t" i " "
		for (d = 1; d <= 2000; d++) {
			s = ""
			for (i = 0; i < 20; i++) { w[i] = "w" int(rand() * 5000); s = s " " w[i] }
			print "d" d "\t" t s
			if (d > 100) continue
			sub(" " w[9] " ", " changed ", s)
			print "c" d "\t" t s
		}
	}' >docs
	for n in 1 3; do
		shtok -n $n docs >features.$n
		shdf features.$n >df.$n
		shdf --max-df 50% features.$n >pruned.$n
	done
}

# pairs K COMMAND: counts the true and the wrong pairs of the fingerprints of COMMAND in $true and $wrong.
pairs() {
	cd "$BATS_FILE_TMPDIR" || return 1
	# shellcheck disable=SC2034
	read -r true wrong < <(eval "$2" | shjoin -k "$1" | awk -F '\t' '
		substr($1, 2) == substr($2, 2) { t++; next } { w++ } END { print t + 0, w + 0 }')
	echo "# K=$1 $2: true $true, wrong $wrong"
}

@test "weights without idf: the template decides the fingerprints, and most pairs are wrong" {
	for n in 1 3; do
		for w in set tf log; do
			pairs 3 "shfp -n $n -w $w docs"
			[ "$wrong" -gt 2000 ]
			pairs 10 "shfp -n $n -w $w docs"
			[ "$wrong" -gt 1000000 ]
			[ "$true" -ge 99 ]
		done
	done
}

@test "weights with idf: no pair is wrong; words find most duplicates, 3-grams fewer than half" {
	for w in tfidf logidf; do
		for k in 3 6 8 10; do
			pairs $k "shweight -w $w -d df.1 features.1 | shfp"
			[ "$wrong" -eq 0 ]
		done
		[ "$true" -ge 85 ] # at K=10
		# A changed word removes three of twenty 3-grams and adds three.
		pairs 10 "shweight -w $w -d df.3 features.3 | shfp"
		[ "$wrong" -eq 0 ]
		[ "$true" -lt 50 ]
	done
}

@test "shweight --max-df: nearly the same result as with idf" {
	for n in 1 3; do
		pairs 10 "shweight -w log -d df.$n --max-df 50% features.$n | shfp"
		[ "$wrong" -lt 10 ]
	done
	pairs 10 "shweight -w log -d df.1 --max-df 50% features.1 | shfp"
	[ "$true" -ge 85 ]
}

@test "shdf --max-df: needs shweight --absent drop, otherwise features of the template count as rare" {
	pairs 10 'shweight -w logidf -d pruned.1 --absent=drop features.1 | shfp'
	[ "$wrong" -eq 0 ]
	[ "$true" -ge 85 ]
	pairs 10 'shweight -w logidf -d pruned.1 features.1 | shfp'
	[ "$wrong" -gt 100000 ]
}

@test "shdedup with a threshold above the share of the template keeps the documents" {
	cd "$BATS_FILE_TMPDIR"
	try 'shdedup docs'
	exits 0
	[ "$(wc -l <out)" -lt 200 ]
	[ "$(sed -n 's/.* largest \([0-9]*\);.*/\1/p' err)" -gt 1000 ]
	try 'shdedup -q -T 0.9 docs'
	exits 0
	[ "$(grep -c '^d' out)" -eq 2000 ]
	[ "$(grep -c '^c' out)" -lt 5 ]
}
