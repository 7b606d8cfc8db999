#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A million documents, and all package descriptions of the distribution, pass through the whole pipe. The peak memory
# of each program is printed and must stay below the limits here.

load helper

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	cat >peak.c <<-'END'
		/* peak NAME COMMAND...: appends "NAME KiB", the peak memory of COMMAND, to the file peaks. */
		#include <stdio.h>
		#include <sys/resource.h>
		#include <sys/wait.h>
		#include <unistd.h>
		int main(int argc, char **argv)
		{
			struct rusage used;
			int status;
			FILE *f;
			if (argc < 3)
				return 99;
			if (fork() == 0) {
				execvp(argv[2], argv + 2);
				_exit(99);
			}
			wait4(-1, &status, 0, &used);
			f = fopen("peaks", "a");
			if (!f || fprintf(f, "%s %ld\n", argv[1], used.ru_maxrss) < 0 || fclose(f))
				return 99;
			return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
		}
	END
	"${CC:-cc}" -O -o peak peak.c
}

setup() {
	begin "$BATS_FILE_TMPDIR"
	rm -f peaks
	PATH=$PWD:$PATH
}

# Prints documents of 24 words. In each ten, one is a copy of the document before, and one differs in a word.
generate() {
	awk -v n="$1" 'BEGIN {
		srand(20261121)
		for (d = 0; d < n; d++) {
			if (d % 10 == 7)
				text = last
			else if (d % 10 == 8) {
				text = last
				sub(/ w[0-9]+ /, " x" d % 7 " ", text)
			} else {
				text = ""
				for (i = 0; i < 24; i++)
					text = text "w" int(rand() * rand() * 50000) " "
			}
			last = text
			print "d" d "\t" text
		}
	}'
}

# Prints package names and short descriptions, from the lists of apt.
descriptions() {
	apt-cache dumpavail 2>/dev/null | awk '
		/^Package: / { package = substr($0, 10) }
		/^Description(-en)?: / { sub(/^[^:]*: /, ""); gsub(/[\t\r\\]/, " "); print package "\t" $0 }'
}

# Runs the whole pipe over the file docs. Writes the groups to the file groups and the bands to the file bands.
whole_pipe() {
	try 'peak shfp shfp docs | tee fps | peak shband shband -k 3 | sort -S 64M -T . --parallel=2 | tee bands |
		peak shjoin shjoin -k 3 --collapse | tee pairs | peak shgroup shgroup >groups'
	exits 0
}

# below PROGRAM KiB: the peak memory of PROGRAM is below KiB. Prints both.
below() {
	local peak
	peak=$(awk -v p="$1" '$1 == p && $2 > m { m = $2 } END { print m + 0 }' peaks)
	echo "# $1: $((peak / 1024)) MiB at the most, allowed $(($2 / 1024))" >&3
	[ "$peak" -gt 0 ]
	if grep -q __asan_init "$SHBIN/shfp"; then return; fi
	[ "$peak" -lt "$2" ]
}

@test "a million documents pass through the whole pipe within the limits of memory" {
	n=$(fewer 1000000 200000)
	generate "$n" >docs
	whole_pipe
	[ "$(wc -l <fps)" = "$n" ]
	[ "$(wc -l <bands)" = $((n * 4)) ]
	below shfp 16000
	below shband 16000
	below shjoin 48000
	below shgroup 64000
	# Each copy is in the group of its original.
	awk -F '\t' -v n="$n" '
		{ keeper[$1] = $2 }
		END {
			for (d = 7; d < n; d += 10)
				if (!("d" d in keeper) || keeper["d" d] != keeper["d" (d - 1)])
					lost++
			print lost + 0
		}' groups >out
	gives 0
	sort pairs >expected
	try 'peak memory shjoin -k 3 --collapse fps | sort'
	same expected out
	below memory 160000
}

@test "200,000 copies of one text pass through the whole pipe within the limits of memory" {
	generate 200000 | sed 's/\t.*/\tone and the same text/' >docs
	whole_pipe
	below shjoin 64000
	below shgroup 64000
	[ "$(wc -l <pairs)" = 199999 ]
	# They go through a temporary file, but the records of one fingerprint are in memory at the same time.
	try 'peak small shjoin -k 3 --collapse -S 4M --tmpdir . bands'
	sort -o out out
	sort pairs >expected
	same expected out
	below small 32000
}

@test "package descriptions: pairs of bands are those in memory, within the limits of memory" {
	descriptions >docs
	[ "$(wc -l <docs)" -gt 10000 ] || skip 'no package lists (apt-get update)'
	echo "# $(wc -l <docs) descriptions" >&3
	whole_pipe
	below shfp 16000
	below shband 16000
	below shjoin 48000
	below shgroup 64000
	sort pairs >expected
	try 'shjoin -k 3 --collapse fps | sort'
	same expected out
	[ "$(wc -l <pairs)" -gt 1000 ]
	# Packages with the same description are in one group.
	awk -F '\t' 'NR == FNR { keeper[$1] = $2; next }
		$2 in first && keeper[$1] != keeper[first[$2]] { apart++ }
		!($2 in first) { first[$2] = $1 }
		END { print apart + 0 }' groups docs >out
	gives 0
}
