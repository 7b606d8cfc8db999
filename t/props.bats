#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Properties of whole programs, on real text and random documents: two ways to a fingerprint, three ways to pairs,
# input in several files, order within keys. SOAK=1 tests more cases, and T_SHORT=N fewer documents.
#
# The programs of the unit tests in $BUILD give random documents and compare all pairs. SEED=N gives other documents.

load helper

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	export LC_ALL=C SEED=${SEED:-20261121} PATH="${SHBIN:-$BATS_TEST_DIRNAME/../bin}:$PATH"
	UNIT=${BUILD:-$BATS_TEST_DIRNAME/../build}/t/unit
	export UNIT
	# shellcheck disable=SC2153
	cp "${T_DATA:-$BATS_TEST_DIRNAME/data}"/{en,zh}_dev.tsv .
	for language in en zh; do
		head -n $((1000 / (${T_SHORT:-1} * ${T_SHORT:-1}))) ${language}_dev.tsv >$language.tsv
	done
	[ ! -x "$UNIT/test_props_fp" ] || "$UNIT/test_props_fp" --documents $((10000 / (${T_SHORT:-1} * ${T_SHORT:-1}))) >random.tsv
}

setup() {
	begin "$BATS_FILE_TMPDIR"
	echo "SEED=$SEED"
}

corpora() {
	ls -- en.tsv zh.tsv random.tsv 2>/dev/null
}

# two_ways TOKENS HASH CORPUS: shfp gives the fingerprints of shtok | shweight | shfp, for every weight of $weights.
two_ways() {
	# shellcheck disable=SC2086
	shtok $1 "$3" >tokens 2>tokens.err
	for w in ${weights:-set tf freq log}; do
		try "shfp --bare --empty=zero $1 $2 -w $w $3"
		exits 0
		same tokens.err <(sed 's/^shfp/shtok/' err)
		mv out fused
		try "shweight -w $w tokens | shfp --bare --empty=zero $2"
		exits 0
		same out fused
	done
}

@test "shfp = shtok | shweight | shfp, for words and characters, each n-gram range and weight" {
	for corpus in $(corpora); do
		for unit in word char; do
			for n in 1 2 2-5 ${SOAK:+3 4 5 2-6 255}; do
				two_ways "-u $unit -n $n" '' "$corpus"
			done
		done
	done
}

@test "shfp = shtok | shweight | shfp, for every width, hash and seed" {
	head -n 60 en_dev.tsv >few.tsv
	weights=${SOAK:-log}
	weights=${weights/1/set tf freq log}
	for corpus in few.tsv random.tsv; do
		[ -e $corpus ] || continue
		for bits in 32 64 128 256; do
			for hash in mix xxh3 md5; do
				two_ways "-n 1-2" "-b $bits -H $hash --seed $bits" $corpus
			done
		done
	done
}

@test "shfp = shtok | shweight | shfp, for every option that drops or folds tokens" {
	head -n 60 zh_dev.tsv >few.tsv
	printf 'the\nof\n的\nto\n' >stop
	for corpus in few.tsv random.tsv; do
		[ -e $corpus ] || continue
		for filter in '--stop stop' --fold-marks --join-hyphens '--min-chars 3' '--keep-words han,digit' --no-fold --mask-digits --raw \
			'--stop stop --min-chars 2 --keep-words alpha --mask-digits -u char -n 4'; do
			two_ways "$filter" '' $corpus
		done
	done
}

# split OPTION...: divides options by the program of the pipe that has them: $tok, $weigh and $fp.
split() {
	tok='' weigh='' fp=''
	for o in "$@"; do
		case $o in
		-w*) weigh+=" $o" ;;
		-p*) tok+=" $o" weigh+=" $o" fp+=" $o" ;;
		-b* | -H* | -x* | --seed* | --empty* | --permutations* | --scheme*) fp+=" $o" ;;
		*) tok+=" $o" ;;
		esac
	done
}

# option_rows N: prints the table of options, then N random combinations.
option_rows() {
	printf '%s\n' '' -n3 -n1-3 -uchar '-uchar -n4' -wset -wtf -wfreq -b32 -b256 -Hxxh3 -Hmd5 -Hfnv1 --seed=7 \
		--empty=ones -xdec --no-fold --mask-digits --min-chars=4 --keep=alpha --stem=english --stop=stop --raw -l \
		--split=python --split=fields --permutations=8 '--permutations=4 --scheme=affine64 -n2' \
		-pgomd5 -pgemantic -pseomoz -ppysimhash -pmfonda -pclickhouse-ngram -pclickhouse-word-utf8-ci
	awk -v seed="$SEED" -v n="$1" '
		function pick(list, a, m) { m = split(list, a, " "); print_one(a[1 + int(rand() * m)]) }
		function print_one(o) { if (o != "-") printf " %s", o }
		BEGIN {
			srand(seed)
			while (n-- > 0) {
				pick("- - - -n1 -n2 -n3 -n2-4")
				pick("- - -uchar")
				pick("- - --no-fold --mask-digits --raw")
				pick("- - --min-chars=3 --keep=han,alpha --stop=stop --stem=english")
				pick("- - -wset -wtf -wfreq")
				pick("- - -b32 -b128 -b256")
				pick("- - -Hxxh3 -Hmd5")
				pick("- - --seed=1 --seed=99")
				pick("- --empty=zero --empty=ones")
				pick("- - - -xbin -xdec")
				print ""
			}
		}'
}

@test "shfp OPTIONS = shtok OPTIONS | shweight OPTIONS | shfp OPTIONS, for a table of options, none, and random ones" {
	printf 'the\nof\n的\nto\n' >stop
	(head -n 60 en_dev.tsv; head -n 60 zh_dev.tsv; printf 'none\t?!\n') >both.tsv
	option_rows $((40 / ${T_SHORT:-1})) >rows
	[ "$(wc -l <rows)" -ge 40 ]
	while read -r options; do
		# shellcheck disable=SC2086
		split $options
		try "shfp --bare $options both.tsv 2>/dev/null"
		exits 0
		[ "$(wc -l <out)" -ge 50 ]
		mv out fused
		try "shtok$tok both.tsv 2>/dev/null | shweight$weigh | shfp --bare$fp 2>/dev/null"
		exits 0
		same fused out
	done <rows
}

@test "the features of a document give the same fingerprint in any order" {
	for corpus in $(corpora); do
		shtok -n 2 $corpus | shweight >features
		shfp --bare --empty=zero features >expected
		for seed in 1 2; do
			awk -F '\t' -v seed=$seed 'BEGIN { srand(seed) }
				$1 != id { id = $1; n++ }
				{ printf "%d\t%.12f\t%s\n", n, rand(), $0 }' features |
				sort -t $'\t' -k 1,1n -k 2,2 | cut -f 3- >shuffled
			run ! cmp -s features shuffled
			try 'shfp --bare --empty=zero shuffled'
			exits 0
			same expected out
		done
	done
}

# three_ways K M...: bands in M blocks, fingerprints in memory and the comparison of all pairs of the file fps give the
# same pairs within K.
three_ways() {
	local k=$1 blocks
	cut -f 1,2 fps | "$UNIT/test_props_join" --brute "$k" | sort >expected
	try "shjoin -k $k fps | sort"
	exits 0
	same expected out
	for blocks in "${@:2}"; do
		shband -k "$k" -M "$blocks" fps >bands
		try "sort bands | shjoin | sort"
		exits 0
		same expected out
	done
}

@test "pairs of bands = pairs in memory = comparison of all pairs: real text, K 0 to 12, 64 and 128 bits" {
	[ -x "$UNIT/test_props_join" ] || skip "no $UNIT/test_props_join"
	for corpus in en_dev.tsv zh_dev.tsv; do
		for bits in 64 128; do
			shfp -n 3 -w set -b $bits $corpus >fps
			for k in $(fewer '0 1 2 3 4 5 6 7 8 9 10 11 12' '0 1 3 4 8 12'); do
				three_ways $k $((k + 1))
				[ $k -gt ${SOAK:+1}8 ] || three_ways $k $((k + 2))
				[ $k -gt 4 ] || three_ways $k $((k + 4)) $((k + 6))
				[ $k -gt 2 ] || three_ways $k 20 $((bits / 2 / ${T_SHORT:-1}))
			done
			[ "$(wc -l <expected)" -gt 50 ]
			# -S and --collapse change no group.
			try 'sort bands | shjoin -S 1 | sort'
			same expected out
			shgroup --link single expected >groups
			try 'sort bands | shjoin --collapse -S 1 | shgroup --link single'
			same groups out
			try 'shjoin -k 12 --collapse fps | shgroup --link single'
			same groups out
		done
	done
}

@test "pairs of bands = pairs in memory = comparison of all pairs: random documents, 32 to 256 bits" {
	[ -e random.tsv ] || skip "no $UNIT/test_props_fp"
	head -n $((1500 / ${T_SHORT:-1})) random.tsv >originals
	sed 's/^/copy-/; s/\\t//; s/e/a/2' originals | cat originals - >docs
	for bits in 32 64 256; do
		shfp -b $bits docs 2>/dev/null >fps
		three_ways 0 1 7
		three_ways 3 4 8
	done
}

@test "two files: the pairs are those of one file with both that have an id of each" {
	[ -x "$UNIT/test_props_join" ] || skip "no $UNIT/test_props_join"
	shfp -n 3 -w set en_dev.tsv >all
	awk 'NR % 3 == 0' all >new
	awk 'NR % 3 != 0' all >fps
	for k in 0 3 7 12; do
		cut -f 1,2 fps | "$UNIT/test_props_join" --brute $k <(cut -f 1,2 new) | sort >expected
		[ -s expected ]
		try "shjoin -k $k new fps | sort"
		exits 0
		same expected out
		shband -k $k -M $((k + 2)) new | sort >new.bands
		shband -k $k -M $((k + 2)) fps | sort >bands
		for size in 1 1G; do
			try "shjoin -S $size new.bands bands | sort"
			exits 0
			same expected out
		done
		# The pairs of one file are the pairs within each half and the pairs of both halves.
		(shjoin -k $k new; shjoin -k $k fps; awk -F '\t' -v OFS='\t' \
			'$1 > $2 { x = $1; $1 = $2; $2 = x } { print }' out) | sort >joined
		shjoin -k $k all | sort >expected
		same expected joined
	done
}

@test "bands: lines of one key in any order give the same pairs" {
	shfp -n 3 -w set zh_dev.tsv | shband -k 6 -M 8 | sort >bands
	shjoin bands | sort >expected
	for seed in 1 2 3 ${SOAK:+4 5 6 7 8 9 10 11 12}; do
		awk -v seed=$seed 'BEGIN { srand(seed) } { printf "%.12f\t%s\n", rand(), $0 }' bands >numbered
		sort -k 2,2 -k 1,1 numbered | cut -f 2- >shuffled
		run ! cmp -s bands shuffled
		try 'shjoin shuffled | sort'
		exits 0
		same expected out
		cp bands bands.2
		try 'shjoin bands bands.2 | sort'
		mv out crossed
		try 'shjoin bands shuffled | sort'
		same crossed out
	done
}

@test "input in one file, in two files or in two runs gives the same output" {
	for corpus in $(corpora); do
		shfp --bare --empty=zero $corpus >fps
		for at in 1 7 100; do
			head -n $at $corpus >a
			tail -n +$((at + 1)) $corpus >b
			head -n $at fps >a.fps
			tail -n +$((at + 1)) fps >b.fps
			for run in 'shtok -n 2' 'shfp --bare --empty=zero'; do
				$run $corpus >expected 2>/dev/null
				try "$run a b"
				same expected out
				try "cat a b | $run"
				same expected out
				try "$run a; $run b"
				same expected out
				try "$run -j 3 a b"
				same expected out
			done
			shband fps >expected
			try 'shband a.fps b.fps'
			same expected out
			try 'shband a.fps; shband b.fps'
			same expected out
		done
		for p in shdf shweight; do
			shtok a >a.tok 2>/dev/null
			shtok b >b.tok 2>/dev/null
			try "cat a.tok b.tok | $p"
			mv out expected
			try "$p a.tok b.tok"
			same expected out
		done
	done
}

@test "input that comes in pieces of odd sizes gives the same output" {
	shtok -n 2 en_dev.tsv >tokens
	shfp --bare en_dev.tsv >fps
	shband -k 6 fps | sort >bands
	for run in 'shtok -n 2 en_dev.tsv' 'shfp --bare -j 2 en_dev.tsv' 'shdf tokens' 'shweight tokens' \
		'shband fps' 'shjoin bands' 'shjoin fps'; do
		file=${run##* }
		$run >expected
		for size in 1009 70001; do
			try "dd if=$file bs=$size status=none | ${run% *}"
			exits 0
			same expected out
		done
	done
}
