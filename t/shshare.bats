#!/usr/bin/env bats
# shshare: makes pairs of documents that share features.
load helper

# features N SEED: prints the features of N documents, some of them similar.
features() {
	awk -v n="$1" -v seed="$2" 'BEGIN {
		srand(seed)
		for (i = 0; i < n; i++)
			for (j = int(rand() * 30); j >= 0; j--)
				print "d" i "\tf" int(rand() * rand() * 300) "\t1"
	}'
}

# oracle LEAST [FILE2]: prints the pairs by a comparison of all sets.
oracle() {
	cat >oracle.py <<-'END'
	import sys
	def read(name):
	    docs = {}
	    for line in open(name):
	        i, f, _ = line.split("\t")
	        docs.setdefault(i, set()).add(f)
	    return docs
	least, x = int(sys.argv[1]), read("in")
	y = read(sys.argv[2]) if len(sys.argv) > 2 else x
	for a in x:
	    for b in y:
	        if (y is not x or a < b) and len(x[a] & y[b]) >= least:
	            print(a, b, len(x[a] & y[b]), len(x[a]), len(y[b]), sep="\t")
	END
	python3 oracle.py "$@" | sort
}

@test "writes exactly the pairs that share features when buckets are small, for one file and for two" {
	for seed in 1 2; do
		features 36 $seed >in
		features 28 "${seed}0" | sed 's/^d/e/' >archive
		for least in 1 2 4; do
			oracle $least >expected
			[ -s expected ]
			try "shshare --least $least in | sort"
			exits 0
			same expected out
			oracle $least archive >expected
			[ -s expected ]
			try "shshare --least $least in archive | sort"
			exits 0
			same expected out
		done
	done
}

@test "a repeated feature counts once; a document without features shares nothing" {
	printf '%s\t%s\t%s\n' a x 1 a x 1 a y 2 b y 1 b x 1 c '' 0 d '' 0 >in
	try 'shshare in'
	exits 0
	gives 'a\tb\t2\t2\t2'
	try 'shshare --least 1 </dev/null'
	exits 0
	gives
}

@test "--features: only the sampled features count" {
	for d in a b; do seq 1000 | sed "s/.*/$d\tf&\t1/"; done >in
	try 'shshare in'
	exits 0
	gives 'a\tb\t48\t48\t48'
	try 'shshare --features 7 in'
	exits 0
	gives 'a\tb\t7\t7\t7'
}

@test "the output grows linearly with the documents, also when all share a feature" {
	seq 3000 | awk '{ print "d" $1 "\tf\t1"; print "d" $1 "\tg\t1" }' >in
	try 'shshare in'
	exits 0
	[ "$(wc -l <out)" -le $((3000 * 64)) ]
	[ "$(cut -f 1,2 out | tr '\t' '\n' | sort -u | wc -l)" -eq 3000 ]
}

@test "shshare finds edited copies with distant fingerprints, for shverify and shgroup" {
	"$BATS_TEST_DIRNAME/quality/edited.py" en "$T_DATA" >docs
	try 'shtok --raw -n 3 docs | shshare | shverify --raw --measure edit -T 0.75 -d docs | tee pairs | shgroup --link star'
	exits 0
	n=$(grep -c '^[0-9]*-0' docs)
	[ "$(grep -c '^\([0-9]*\)-0	\1-w10	' pairs)" -ge $((n * 99 / 100)) ]
	[ "$(grep -c '^\([0-9]*\)-0	\1-w20	' pairs)" -ge $((n * 95 / 100)) ]
	shdedup -q --raw --measure edit -T 0.75 --report - --dry-run docs | cut -f 1 | sort >dropped
	awk '$1 != $2 { print $1 }' out | sort >grouped
	[ "$(comm -3 dropped grouped | wc -l)" -le 5 ]
}

@test "shstat, shgroup and shverify read the pairs of shshare" {
	printf 'a\tb\t3\t5\t4\n' >pairs
	printf 'a\tone two three\nb\tone two four\n' >docs
	try 'shverify -n 1 --measure jaccard -d docs pairs'
	exits 0
	gives 'a\tb\t3\t0.5000'
	try 'shgroup pairs'
	exits 0
	gives 'a\ta' 'b\ta'
	try 'shstat pairs'
	exits 0
	for bad in 'a\tb\t5\t4\t9' 'a\tb\tx\t5\t5' 'a\tb\t1\t2\t' 'a\tb\t1\t2\t3\t4'; do
		printf "$bad\n" >pairs
		try 'shgroup pairs'
		exits 2
	done
}

@test "options out of range and bad records are refused" {
	try 'shshare --least 0 </dev/null'
	exits 2
	try 'shshare --least 49 </dev/null'
	exits 2
	says 'shshare: --least 49: a document keeps only 48 features (--features)' \
		"Try 'shshare --help' or 'man shshare'."
	try 'shshare a b c'
	exits 2
	says "shshare: 'c': at most two files: new documents, and an archive" \
		"Try 'shshare --help' or 'man shshare'."
	try 'echo "a	b" | shshare'
	exits 2
	grep -q 'shshare: -:1: 2 fields' err
	try 'printf "a\tx\t1\nbad\nb\tx\t1\n" | shshare --least 1 --rejects bad'
	exits 0
	gives 'a\tb\t1\t1\t1'
	printf 'bad\n' | diff - bad
}
