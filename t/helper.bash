# SPDX-License-Identifier: MIT
# Functions of all bats files: load helper
# shellcheck shell=bash disable=SC2034
#
# Each test starts in an empty directory of its own. PATH has the programs, and $T_DATA is t/data. A test reads as a
# transcript:
#
#     try 'shfp docs.tsv | shband -k 3 | sort | shjoin'
#     exits 0
#     same expected out
bats_require_minimum_version 1.5.0

: "${SHBIN:=$BATS_TEST_DIRNAME/../bin}"
: "${T_DATA:=$BATS_TEST_DIRNAME/data}"
export SHBIN T_DATA PATH="$SHBIN:$PATH" LC_ALL=C

setup() {
	begin "$BATS_TEST_TMPDIR"
}

# begin FOLDER: goes into the folder. bats traces each command for the line of a failure. Only the commands of the test
# itself are traced: in functions of this file that would take half of the time.
begin() {
	declare -ft "$BATS_TEST_NAME"
	set +T
	cd "$1" || return 1
}

# try PIPELINE: runs the pipeline, and writes its output to the file out and its messages to err. $status is the status
# of the last program that failed, or 0.
try() {
	tried=$1
	status=0
	bash -o pipefail -c "$1" >out 2>err || status=$?
}

# exits N: the last try ended with this status.
exits() {
	[ "$status" -eq "$1" ] && return
	echo "exit status $status, expected $1, of: $tried"
	echo "(with PATH=$SHBIN:\$PATH LC_ALL=C T_DATA=$T_DATA)"
	head -n 20 err
	return 1
}

# same EXPECTED GOT: the two files have the same bytes.
same() {
	cmp -s "$1" "$2" && return
	diff -u "$1" "$2" | head -n 40
	cmp "$1" "$2" || true
	echo "differ after: ${tried-}"
	echo "(with PATH=$SHBIN:\$PATH LC_ALL=C T_DATA=$T_DATA)"
	return 1
}

# gives LINE...: the output of the last try is these lines, in which printf's escapes work. Without lines it is empty.
gives() {
	expect expected out '%b\n' "$@"
}

# says LINE...: the messages of the last try are these lines, without escapes. Without lines there are none.
says() {
	expect expected.err err '%s\n' "$@"
}

expect() {
	[ $# -gt 3 ] || [ -s "$2" ] || return 0
	: >"$1"
	# shellcheck disable=SC2059
	[ $# -eq 3 ] || printf "$3" "${@:4}" >"$1"
	same "$1" "$2"
}

# until_true SECONDS COMMAND...: waits until the command succeeds, and fails after SECONDS. Choose SECONDS far longer
# than the command needs, because any process may be stopped for a while.
until_true() {
	local left=$(($1 * 20))
	shift
	until "$@"; do
		left=$((left - 1))
		[ "$left" -gt 0 ] || { echo "timeout while waiting for: $*" >&2; return 1; }
		sleep 0.05
	done
}

# fewer FULL FEW: prints FEW, a smaller input that runs the same code, or FULL with T_SHORT=1, as in `make soak`.
fewer() {
	[ "${T_SHORT:-4}" -eq 1 ] && echo "$1" || echo "$2"
}

# same_by_threads COMMAND...: 1, 2, 3 and 8 threads give the same output, messages, status and file `rejected`. The
# command must not read standard input. The results of one thread remain in the files and in $status.
same_by_threads() {
	local j
	for j in $(fewer '8 3 2 1' '8 1'); do
		: >rejected
		try "$* -j $j"
		printf '%s\n' "$status" >"status.$j"
		for kind in out err rejected status; do
			[ $kind = status ] || cp "$kind" "$kind.$j"
			same "$kind.8" "$kind.$j"
		done
	done
}

# has_open PID NAME: the process has a file of this name open.
has_open() {
	find "/proc/$1/fd" -lname "*/$2" 2>/dev/null | grep -q .
}

# asleep PID PROGRAM: the process runs this program, and sleeps in a system call.
asleep() {
	grep -qF "($2) S " "/proc/$1/stat" 2>/dev/null
}

# sanitized: the programs are built with sanitizers, which handle signals and open files themselves.
sanitized() {
	nm "$SHBIN/shtok" 2>/dev/null | grep -q '__[at]san_init'
}

# traceable: skips the test if programs cannot be traced.
traceable() {
	command -v strace >/dev/null || skip 'no strace(1)'
	strace -o /dev/null true 2>/dev/null || skip 'no ptrace'
}

# killed_at CALL N COMMAND...: kills the command before its Nth system call CALL. Fails if it makes fewer such calls.
killed_at() {
	local call=$1 n=$2
	shift 2
	! (strace -f -o /dev/null -e trace="$call" -e inject="$call:signal=KILL:when=$n" "$@" >out 2>/dev/null) 2>/dev/null
}

# only NAME...: the directory has these files, and no others except the files of try, gives and says.
only() {
	local found
	found=$(ls -A | grep -vxE 'out|err|expected(\.err)?' | tr '\n' ' ') || true
	[ "$found" = "${*:+$* }" ] && return
	echo "files: $found"
	echo "expected: $*"
	return 1
}

# resum MANIFEST: writes the right checksum into a changed manifest
resum() {
	python3 - "$1" <<-'END'
		import ctypes, sys
		sum = ctypes.CDLL('libxxhash.so.0').XXH3_64bits
		sum.restype, sum.argtypes = ctypes.c_uint64, [ctypes.c_char_p, ctypes.c_size_t]
		text = open(sys.argv[1]).read()[:-len('checksum 0123456789abcdef\n')]
		with open(sys.argv[1], 'w') as f:
		    f.write(text + 'checksum %016x\n' % sum(text.encode(), len(text)))
	END
}
