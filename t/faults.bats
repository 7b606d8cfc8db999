#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# A small part of the faults of t/soak/faults.py. `make soak` injects all of them.

load helper

setup_file() {
	here=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	export here
	! nm "$SHBIN/shtok" 2>/dev/null | grep -q '__[at]san_init' || export SANITIZED=1
}

# inject KIND OPTION...: injects faults. All runs end in an allowed way, and at least one fault was injected.
inject() {
	try "$here/t/soak/faults.py -t 300 ${*:2} $1"
	cat out
	! grep -q ': skipped: ' out || skip "$(sed 's/.*: skipped: //' out)"
	[ "$status" -eq 0 ] && grep -qE "^$1: .* [1-9][0-9]* faults .*, 0 ended otherwise" out
}

@test "a failed allocation ends a program with a message, without a crash and without partial output" {
	[ -z "${SANITIZED-}" ] || skip 'the sanitizers have an allocator of their own'
	inject malloc -d 149
}

@test "a failed system call ends a program with a message, without a crash and without partial output" {
	[ -z "${SANITIZED-}" ] || skip 'the sanitizers make calls of their own, and cannot be traced'
	inject syscalls -d 397
}

@test "failed calls of several threads end a program at once, also when more input would come" {
	[ -z "${SANITIZED-}" ] || skip 'the sanitizers must be loaded first'
	inject calls -d 47
}

# each_allocation MANY PROGRAM ARGUMENT...: the program makes more than MANY allocations. Each one fails alone, and then
# with all later ones. The program ends with status 2 and a message, or its output is that of a run without faults.
each_allocation() {
	local many=$1 n kind
	shift
	[ -z "${SANITIZED-}" ] || skip 'the sanitizers have an allocator of their own'
	${CC:-cc} -O1 -shared -fPIC -o shim.so "$here/t/soak/failmalloc.c" -ldl
	LD_PRELOAD=$PWD/shim.so FAIL_COUNT=$PWD/count "$SHBIN/$1" -o want "${@:2}" # -o allows the shim to write in its folder
	[ "$(cat count)" -gt "$many" ]
	for n in $(seq "$(cat count)"); do
		for kind in FAIL_AT FAIL_FROM; do
			status=0
			env LD_PRELOAD="$PWD/shim.so" $kind="$n" timeout 60 "$SHBIN/$1" "${@:2}" >got 2>err || status=$?
			if [ "$status" -eq 2 ]; then
				grep -q "^$1: .*out of memory$" err
			else
				[ "$status" -eq 0 ]
				cmp want got
			fi
		done
	done
}

@test "a failed allocation in the stemmer ends shtok: no word is written without its stem" {
	printf 'a\trunning cats\nb\t%sing\n' "$(printf 'running%.0s' 1 2 3 4 5 6 7 8 9)" >docs
	each_allocation 10 shtok --stem english docs
}

@test "a failed allocation in the HTML parser ends shdoc: no text is lost, and no run hangs" {
	echo '<!DOCTYPE html><p class="a b" title=y hidden>No<p>A page &eacute; <b>more</b><br/>' >page.html
	each_allocation 40 shdoc page.html
}

@test "a failed allocation during the choice of bands gives the message out of memory, not a wrong option" {
	each_allocation 5 shband --explain
	each_allocation 10 shband --explain -k 6
	each_allocation 10 shband --explain -k 4 -M 9
}

@test "short reads and writes change nothing in any program" {
	[ -z "${SANITIZED-}" ] || skip 'the sanitizers must be loaded first'
	inject short -d 20
}

@test "every program reports a full disk for each of its outputs" {
	inject full -d 2
}

@test "closed descriptors leave a file of -o whole or unchanged" {
	inject closed -d 8
}

@test "signals at random times leave nothing behind" {
	[ -z "${SANITIZED-}" ] || skip 'the sanitizers have handlers of their own'
	inject signals -d 22
}

@test "a full file system leaves no output and no temporary file" {
	inject tmpfs -d 60
}

@test "a full file system leaves the old or the new archive" {
	inject archive -d 20
}

@test "--trailer: a stream that was cut is an error" {
	inject cuts -d 40
}

@test "faults.py reports a program that loses data after a failed write" {
	mkdir bin
	cat >bin/shfp <<-'END'
		#!/bin/sh
		"$REAL/shfp" "$@" || true
	END
	chmod +x bin/shfp
	for program in "$SHBIN"/sh*[a-z]; do
		[ -e "bin/${program##*/}" ] || ln -s "$program" bin/
	done
	try 'REAL=$SHBIN SHBIN=$PWD/bin "$here/t/soak/faults.py" -c shfp full'
	exits 1
	grep -q '^not ok - shfp ' out
}
