# What the tests on engines share, beside t/helper.bash.
# shellcheck shell=bash disable=SC2034
load ../helper

SHARE=$BATS_TEST_DIRNAME/../../share

# started COMMAND...: run it in a process group of its own, which t/cluster/run ends at the last.
# In the background, $! is the group. It inherits no files but the first three: bats waits for those
# who hold its own.
started() {
	# shellcheck disable=SC2016
	exec setsid bash -c '
		echo $$ >>"$CLUSTER/groups"
		for fd in /proc/$$/fd/*; do
			[ "${fd##*/}" -le 2 ] || eval "exec ${fd##*/}>&-"
		done
		exec "$@"' started "$@"
}

# one_machine DIR SHFP SHBAND SHJOIN SHVERIFY SHGROUP: DIR/pairs and DIR/groups of docs.tsv, or of docs.fp
# where SHFP is -, by the plain pipe, sorted. The arguments are the programs' options; SHVERIFY may be -.
one_machine() {
	mkdir "$1"
	[ "$2" = - ] && cp docs.fp "$1/fp" || eval "shfp $2 docs.tsv" >"$1/fp"
	eval "shband $3 $1/fp" | LC_ALL=C sort | eval "shjoin $4" >"$1/joined"
	[ "$5" = - ] && cp "$1/joined" "$1/verified" ||
		eval "shverify $5 -d docs.tsv $1/joined" >"$1/verified"
	LC_ALL=C sort "$1/verified" >"$1/pairs"
	eval "shgroup $6 $1/pairs" | LC_ALL=C sort >"$1/groups"
}

# same_as DIR OUT [pairs|groups...]: what an engine wrote to OUT is what one machine wrote to DIR.
same_as() {
	local kind dir=$1 out=$2
	shift 2
	[ $# -gt 0 ] || set -- pairs groups
	for kind; do
		test -e "$out/$kind/_SUCCESS" || { echo "$out/$kind is not complete"; return 1; }
		cat "$out/$kind"/part-* | LC_ALL=C sort >"$out.$kind"
		same "$dir/$kind" "$out.$kind" || return 1
	done
	test -s "$dir/pairs" || { echo "no pairs: nothing was compared"; return 1; }
}

# Documents of two languages, and two whose ids are no UTF-8.
documents() {
	cat "$T_DATA"/en_dev.tsv "$T_DATA"/zh_dev.tsv
	printf '\377a\tthe same words in both of the two texts here\n'
	printf '\377\200b\tThe same words, in both of the two texts here!\n'
}

# Fingerprints a third of which are ten, some twice, some ids with two of them.
skewed() {
	"$BUILD/t/bench/genfp" 1200 64 5 1 7 | awk -F '\t' -v OFS='\t' '
		{ print } NR <= 50 { print } NR > 50 && NR < 90 { print $1, $2 + 1 }'
}
