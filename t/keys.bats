#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Keys: shfp --keys | sort | shjoin, and the pipe that gives what shdedup gives.
load helper

# docs N: prints N documents of 40 words. Every second one has 0 to 9 words other than the one before, as its id says.
docs() {
	awk -v n="$1" 'BEGIN {
		srand(11)
		for (i = 0; i < n; i++) {
			c = i % 2 ? int(rand() * 10) : 0
			for (w = 0; !(i % 2) && w < 40; w++)
				word[w] = int(rand() * 50000)
			for (j = 0; j < c; j++)
				word[int(rand() * 40)] = int(rand() * 50000)
			printf "d%d%s\t", i, i % 2 ? "." c : ""
			for (w = 0; w < 40; w++) printf "w%d ", word[w]
			print ""
		}
	}'
}

# agree HOW GROUPS DOCS: shdedup and the pipe of filters, both with the options HOW and GROUPS, drop the same documents
# for the same keepers.
agree() {
	local verify=${1/--seed +([0-9])/}
	shdedup -q $1 $2 --dry-run --report - "$3" | cut -f 1,2 | sort >expected
	try "shfp --keys $1 $3 | sort -s -k1,1 | shjoin | sort -u | shverify $verify -d $3 | shgroup $2 -d $3 |
		awk -F '\t' '\$1 != \$2' | sort"
	exits 0
	same expected out || { cp "$3" failed.docs; return 1; }
}

@test "the pipe of filters gives what shdedup gives: random corpora" {
	shopt -s extglob
	local -i n=0 rounds=$((6 / ${T_SHORT:-1} + 1))
	local how=('' '-T 0.8' '--measure edit -T 0.75' '--measure edit -T 0.6 -n 2' '-T 0.5 -n 1-2' '-u char -n 2'
		'--measure edit -u char -T 0.9' '--measure any -T 0.6,0.7 -n 1' '--seed 7')
	local keep=('--keep first' '--keep longest' '--keep newest' '--keep ids' '--protect ids' '--keep first')
	for ((seed = 1; seed <= rounds; seed++)); do
		for kind in words short repeats chinese; do
			"$BATS_TEST_DIRNAME/keys-corpus.py" $kind $seed 40 >in
			awk -F '\t' 'NR % 5 == 2 { print $1 }' in | sort >ids
			for options in "${how[@]}"; do
				n+=1
				agree "$options" "${keep[n % 6]} --link $([ $((n % 4 / 2)) = 0 ] && echo star || echo single)" in
				cat out >>dropped
			done
		done
	done
	[ "$(wc -l <dropped)" -gt $((n * 10)) ]
}

# Buckets of more documents than the bound lets meet agree for --keep first.
@test "the pipe of filters gives what shdedup gives: templates" {
	for seed in 1 2; do
		"$BATS_TEST_DIRNAME/keys-corpus.py" template $seed 300 >in
		for options in '' '-T 0.9' '--measure edit' '-T 0.5 -n 1'; do
			agree "$options" '--link star' in
			agree "$options" '--link single' in
		done
	done
	shfp --keys in | sort -s -k1,1 | shjoin 2>err >pairs
	grep -qE '^shjoin: [0-9]+ keys of many documents: each document met the first 16 and the nearest 16 of them$' err
}

@test "the pipe of filters gives what shdedup gives: the bundled documents" {
	for set in en zh; do
		cut -f 1 "$T_DATA/${set}_dev.tsv" | awk 'NR % 7 == 3' >ids
		for how in '' '-T 0.8' '--measure edit -T 0.75'; do
			for groups in '--keep first' '--link single' '--keep longest' '--keep newest --link single' '--protect ids'; do
				agree "$how" "$groups" "$T_DATA/${set}_dev.tsv"
			done
		done
		[ "$(wc -l <out)" -gt 100 ]
	done
}

@test "--keep max: and min: rank the same in shdedup and in the pipe" {
	"$BATS_TEST_DIRNAME/keys-corpus.py" words 5 200 |
		awk -F '\t' '{ v = NR % 7 ? 9007199254740992 + NR * 37 % 11 : "NA"; printf "{\"id\":\"%s\",\"text\":\"%s\",\"n\":%s,\"s\":\"%s\"}\n",
			$1, $2, v == "NA" ? "\"NA\"" : "900719925474099" (200 + NR * 37 % 101), NR % 3 ? "\\u00e9" NR % 10 : "z" }' >in
	for rule in max:n min:n max:s min:s; do
		for link in star single; do
			shdedup -q --json --keep $rule --link $link --dry-run --report - in | cut -f 1,2 | sort >expected
			try "shfp --json --keys in | sort -s -k1,1 | shjoin | sort -u | shverify --json -d in |
				shgroup --json --keep $rule --link $link -d in | awk -F '\t' '\$1 != \$2' | sort"
			exits 0
			same expected out
		done
	done
	[ "$(wc -l <out)" -gt 50 ]
}

# A bucket of each word has more titles than meet there.
@test "titles of the same words in another order are found, however common the words are" {
	awk 'BEGIN {
		srand(3)
		for (i = 0; i < 4000; i++) {
			title = reversed = ""
			for (w = 0; w < 6; w++) {
				word = "w" w * 12 + int(rand() * 12)
				title = title " " word
				reversed = word " " reversed
			}
			if (seen[title]++) continue
			print i "\t" title
			copy = copy i ".copy\t" reversed "\n"
		}
		printf "%s", copy
	}' >in
	agree '-n 1 --measure jaccard -T 0.9' '' in
	[ "$(awk '$1 == $2 ".copy"' out | wc -l)" = "$(grep -c copy in)" ]
	agree '-n 1 --measure jaccard -T 0.9' '--keep newest --link single' in
	[ "$(wc -l <out)" = "$(grep -c copy in)" ]
}

@test "many tokens and few different n-grams: found, as a short document" {
	no=$(printf 'no %.0s' $(seq 60))
	printf 'a\t%s\nb\t%s yes\n' "$no" "$no" >in
	agree '' '' in
	gives 'b\ta'
	try 'shdedup -q --dry-run --report - in'
	gives 'b\ta\t0.9836\tedit'
}

@test "the recall of keys is that of the formula, within 0.06, at each similarity" {
	docs 6000 >in
	# The file has all pairs that share a 3-gram, with their similarity.
	shfp --keys=64x1 in | sort -s -k1,1 | shjoin | sort -u | shverify --measure jaccard -T 0.01 -d in >all
	[ "$(wc -l <all)" -gt 2900 ]
	for keys in 16x4 12x5 20x3; do
		shfp --keys=$keys -T 0.9 in | sort -s -k1,1 | shjoin | sort -u >found
		awk -v k="${keys%x*}" -v r="${keys#*x}" '
			NR == FNR { found[$1, $2]; found[$2, $1]; next }
			$4 == 1 { next } # equal texts share a key of their own
			{ b = int($4 * 10); n[b]++; hit[b] += ($1, $2) in found; said[b] += 1 - (1 - $4 ^ r) ^ k }
			END {
				for (b = 3; b <= 10; b++) {
					if (n[b] < 100) continue
					tested++
					e = (hit[b] - said[b]) / n[b]
					printf "%.1f: %d pairs, %.4f found, %.4f stated\n", b / 10, n[b], hit[b] / n[b], said[b] / n[b]
					bad += e > 0.06 || e < -0.06
				}
				exit bad || tested < 4
			}' found all
	done
}

@test "the number of keys follows from the thresholds, or from --keys=KxR" {
	docs 1 >in
	keys() {
		try "shfp --keys$1 in | wc -l"
		gives "$2"
	}
	# One more key is that of the whole text.
	keys '' 25
	keys ' -T 0.8' 13
	keys ' --measure edit -T 0.75' 49
	keys '=16x4' 17
	keys '=1x1 --measure edit' 2
	printf 'a\tone two three\n' >in
	# The n-gram, the set of n-grams, the text.
	keys ' --measure jaccard' 3
}

@test "keys have a tag; shjoin refuses other settings, unsorted keys and lines that are no keys" {
	docs 3 >in
	try 'shfp --keys=2x3 in'
	exits 0
	[ "$(grep -c -E '^[wx][0-9a-v]{10}0	d[0-9.]+$' out)" -eq 9 ]
	for other in '-n 2 --keys=2x3' '--keys=3x3' '--keys=2x2' '--keys=2x3 --seed 1' '--keys=2x3 -T 0.9' '--keys=2x3 --bare'; do
		try "{ shfp --keys=2x3 in; shfp $other in; } | sort | shjoin"
		exits 2
		grep -q 'other settings' err
		shfp --keys=2x3 in | sort -s -k1,1 >new
		shfp $other in | sort -s -k1,1 >old
		try 'shjoin new old'
		exits 2
		grep -q 'other settings' err
	done
	try 'shfp --keys in | sort -r | shjoin'
	exits 2
	grep -q 'the keys are not in bytewise order: sort them with LC_ALL=C sort -s -k1,1$' err
	try "printf 'w00000000000\ta\nw00000000000\tb\nx\tc\n' | shjoin --rejects bad"
	exits 0
	gives 'a\tb\t-'
	try 'cat bad'
	gives 'x\tc'
	try "printf 'w00000000000\ta\nw0000000000\tb\n' | shjoin"
	exits 2
	says 'shjoin: -:2: not a key record: expected key<TAB>id, with a key of 12 characters that begins with a letter from w to z (shfp --keys)'
	for bad in '--keys=16' '--keys=0x4' '--keys=65x4' '--keys=4x17' '--keys=x' '--keys --permutations 8' '--keys -x bin' \
	    '--keys --empty zero' '--keys -b 128' '--keys -w tf' '--keys --features' '--keys --explain' '-T 0.9' '--measure edit'; do
		try "shfp $bad in"
		exits 2
	done
	shfp --keys in | sort -s -k1,1 >keys
	for bad in '-k 3' --collapse --explain; do
		try "shjoin $bad keys"
		exits 2
		grep -q '^shjoin: the input is keys, and' err
	done
}

@test "ids with a CR, empty ids and ids above 4096 bytes are refused; --crlf and --exit-code work" {
	printf 'w00000000000\ta\r\nw00000000000\tb\r\n' >dos
	try 'shjoin dos'
	exits 2
	says 'shjoin: dos:1: carriage return at the end of the line (--crlf removes the CR of DOS line ends)'
	try 'shjoin --crlf dos'
	exits 0
	gives 'a\tb\t-'
	printf 'w00000000000\ta\rb\nw00000000000\t%04096d\nw00000000000\t%04097d\nw00000000000\tc\n' 0 0 >ids
	try 'shjoin --rejects rejected ids'
	exits 0
	[ "$(cut -f 2- out)" = $'c\t-' ]
	[ "$(cut -f 2 rejected | wc -c)" -eq $((4 + 4098)) ]
	try "printf 'w00000000000\ta\n' | shjoin --exit-code"
	exits 0
	try "printf 'w00000000000\ta\nw00000000000\tb\n' | shjoin --exit-code"
	exits 1
	gives 'a\tb\t-'
}

@test "two files: pairs of a new and an archived document only" {
	docs 400 >in
	head -n 300 in >old.docs
	tail -n 100 in | cat - <(head -n 3 in | sed 's/^/copy/') >new.docs
	cat old.docs new.docs >all
	for side in old.docs new.docs all; do
		shfp --keys -T 0.7 $side | sort -s -k1,1 >"${side%.docs}.keys"
	done
	cut -f 1 new.docs >new.ids
	shjoin all.keys | sort -u | awk -F '\t' '
		NR == FNR { new[$1]; next }
		($1 in new) != ($2 in new) { print ($1 in new ? $1 "\t" $2 : $2 "\t" $1) "\t-" }' new.ids - | sort >expected
	[ "$(wc -l <expected)" -ge 3 ]
	try 'shjoin new.keys old.keys | sort -u'
	exits 0
	same expected out
}

@test "a document of a bucket is paired with the first 16 and the nearest 16 documents" {
	awk 'BEGIN { for (i = 0; i < 1000; i++) printf "w00000000000\td%04d\n", i }' >keys
	try 'shjoin keys'
	exits 0
	says 'shjoin: 1 key of many documents: each document met the first 16 and the nearest 16 of them'
	[ "$(wc -l <out)" -eq $((32 * 31 / 2 + (1000 - 32) * 32)) ]
	[ "$(grep -c 'd0999' out)" -eq 32 ]
	# The last digit is 1 for documents that are not short: these are paired with the first 32 short ones only.
	sed 's/^\(.*\)0\t\(d0[5-9]..\)/\11\t\2/' keys >mixed
	try 'shjoin mixed'
	[ "$(wc -l <out)" -eq $((32 * 31 / 2 + (500 - 32) * 32 + 500 * 32)) ]
	[ "$(grep d0999 out | head -n 1)" = "$(printf 'd0000\td0999\t-')" ]
}

@test "shfp --keys: the same with any number of threads, in any locale" {
	docs 3000 >in
	shfp --keys -j 1 in >expected
	for run in '-j 2' '-j 5'; do
		try "shfp --keys $run in"
		same expected out
	done
	try 'LC_ALL=C.UTF-8 shfp --keys in'
	same expected out
}
