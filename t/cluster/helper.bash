# SPDX-License-Identifier: MIT
# Functions of the tests that run engines, in addition to t/helper.bash.
# shellcheck shell=bash disable=SC2034
load ../helper

SHARE=$BATS_TEST_DIRNAME/../../share

# started COMMAND...: runs the command in a new process group, which t/cluster/run kills at the end.
# In the background, $! is the group. The command inherits descriptors 0 to 2 only: bats waits for every process
# that holds another descriptor of bats.
started() {
	# shellcheck disable=SC2016
	exec setsid bash -c '
		echo $$ >>"$CLUSTER/groups"
		for fd in /proc/$$/fd/*; do
			[ "${fd##*/}" -le 2 ] || eval "exec ${fd##*/}>&-"
		done
		exec "$@"' started "$@"
}

# one_machine DIR SHFP SHBAND SHJOIN SHVERIFY SHGROUP: writes the sorted output of the pipe to DIR/pairs and
# DIR/groups. The arguments are the options of the programs. The input is docs.tsv, or docs.fp when SHFP is -.
# Pairs are not verified when SHVERIFY is -.
one_machine() {
	mkdir "$1"
	[ "$2" = - ] && cp docs.fp "$1/fp" || eval "shfp $2 docs.tsv" >"$1/fp"
	eval "shband $3 $1/fp" | LC_ALL=C sort | eval "shjoin $4" >"$1/joined"
	[ "$5" = - ] && cp "$1/joined" "$1/verified" ||
		eval "shverify $5 -d docs.tsv $1/joined" >"$1/verified"
	LC_ALL=C sort "$1/verified" >"$1/pairs"
	eval "shgroup $6 $1/pairs" | LC_ALL=C sort >"$1/groups"
}

# same_as DIR OUT [pairs|groups...]: compares the output OUT of an engine with the output DIR of one_machine.
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

# Writes documents of two languages, and two documents whose ids are not UTF-8.
documents() {
	cat "$T_DATA"/en_dev.tsv "$T_DATA"/zh_dev.tsv
	printf '\377a\tthe same words in both of the two texts here\n'
	printf '\377\200b\tThe same words, in both of the two texts here!\n'
}

# Writes fingerprints with hot keys. Some records are repeated, and some ids have two fingerprints.
skewed() {
	"$BUILD/t/bench/genfp" 1200 64 5 1 7 | awk -F '\t' -v OFS='\t' '
		{ print } NR <= 50 { print } NR > 50 && NR < 90 { print $1, $2 + 1 }'
}
