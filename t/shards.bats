#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shdedup -O: writes one output for each input, whole or not at all. The next run continues a killed run.

load helper

setup() {
	begin "$BATS_TEST_TMPDIR"
	head -n "$(fewer 600 160)" "$T_DATA/en_dev.tsv" | split -n r/4 -d - part-
	shdedup -q part-0? >all
}

# expected FOLDER: writes the expected output of each input to FOLDER.
expected() {
	mkdir "$1"
	for file in part-0?; do
		awk 'NR == FNR { stays[$0]; next } $0 in stays' all "$file" >"$1/$file"
	done
	cat "$1"/* | cmp - all
}

# shown FOLDER: prints the files of the folder, except the list of the run and its lock.
shown() {
	ls -A "$1" | grep -vx '[.]simhash-shards\(.lock\)\?'
}

# make_shim: makes shim.so, which kills a program at its KILL_AT-th write, fsync or rename.
make_shim() {
	cat >shim.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <signal.h>
		#include <stdlib.h>
		#include <unistd.h>
		static void step(void)
		{
			static int n;
			if (++n == atoi(getenv("KILL_AT"))) raise(SIGKILL);
		}
		#define WRAP(type, name, params, args) \
			type name params { static type (*real) params; \
				if (!real) real = (type (*) params)dlsym(RTLD_NEXT, #name); \
				step(); return real args; }
		WRAP(int, rename, (const char *a, const char *b), (a, b))
		WRAP(int, renameat, (int f, const char *a, int g, const char *b), (f, a, g, b))
		WRAP(int, fsync, (int fd), (fd))
		WRAP(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n))
	END
	${CC:-cc} -shared -fPIC -o shim.so shim.c -ldl
}

@test "-O writes an output with the name of each input, with the documents in order" {
	expected want
	for j in 1 3; do
		rm -rf new
		try "shdedup -q -j $j -O new part-0?"
		exits 0
		gives
		says
		diff -r -x '.simhash-shards*' want new
		[ "$(shown new | tr '\n' ' ')" = 'part-00 part-01 part-02 part-03 ' ]
	done
	# An input whose documents are all dropped gets an empty output.
	cp part-00 part-05
	try 'shdedup -q -O other part-00 part-05'
	exits 0
	[ -f other/part-05 ]
	[ ! -s other/part-05 ]
}

@test "-O compresses each output like its input, or as --compress says" {
	expected want
	mkdir in
	gzip <part-00 >in/part-00.gz && bzip2 <part-01 >in/part-01.bz2
	zstd -q <part-02 >in/part-02.zst && cp part-03 in
	try 'shdedup -q -O new in/*'
	exits 0
	gzip -dc new/part-00.gz | cmp - want/part-00
	bzip2 -dc new/part-01.bz2 | cmp - want/part-01
	zstd -dc new/part-02.zst | cmp - want/part-02
	cmp new/part-03 want/part-03
	for form in gzip:gz bzip2:bz2 xz:xz zstd:zst lz4:lz4; do
		try "shdedup -q --compress ${form%:*} -O to.${form#*:} in/*"
		exits 0
		for i in 0 1 2 3; do
			"${form%:*}" -dc "to.${form#*:}/part-0$i.${form#*:}" | cmp - "want/part-0$i"
		done
	done
	try 'shdedup -q --compress none -O plain in/*'
	exits 0
	diff -r -x '.simhash-shards*' want plain
	# A large output takes many steps of the encoder.
	seq "$(fewer 100000 30000)" | awk '{ print $1 "\tone two three " $1 * 7919 % 1000003 }' >many
	shdedup -q -T 1 many >expected
	for form in gzip bzip2 xz zstd lz4; do
		"$form" -qc many >many.packed
		try "shdedup -q -T 1 -O big.$form many.packed"
		exits 0
		"$form" -dc "big.$form/many.packed" | cmp - expected
	done
}

@test "-O: a second run writes only files that were changed or lost" {
	expected want
	shdedup -q -O new part-0?
	stat -c '%i %y' new/part-0? >before
	try 'shdedup -O new part-0? -j 2'
	exits 0
	grep -qx "shdedup: 4 of 4 files in 'new' were complete" err
	stat -c '%i %y' new/part-0? >after
	same before after
	rm new/part-01
	printf X | dd of=new/part-02 conv=notrunc status=none
	: >new/part-03
	try 'shdedup -O new part-0?'
	exits 0
	grep -qx "shdedup: 1 of 4 files in 'new' were complete" err
	diff -r -x '.simhash-shards*' want new
	try 'shdedup -O new part-0?'
	grep -qx "shdedup: 4 of 4 files in 'new' were complete" err
}

@test "-O refuses a folder with the files of other options or inputs, or without the list of the run" {
	shdedup -q -O new part-0?
	for change in '-T 0.9' '--keep longest' '--compress gzip' '--measure edit' '-n 2' '-l'; do
		try "shdedup -q $change -O new part-0?"
		exits 2
		[[ $change == --compress* ]] || grep -q "^shdedup: 'new' holds files of a run with other options or inputs: 'option " err
	done
	try 'shdedup -q -O new part-00 part-01'
	exits 2
	echo 'x	one more' >>part-00
	try 'shdedup -q -O new part-0?'
	exits 2
	grep -q "^shdedup: 'new' holds files of a run with other options or inputs: 'input " err
	# Other stop words change the similarity in the marks, but not which documents stay.
	printf 'a\tone two three four five six seven eight nine ten the\n' >first
	printf 'b\tone two three four five six seven eight nine ten the of\n' >second
	echo the >words
	shdedup -q --mark gone --stop words -O marked first second
	rm marked/second
	echo of >words
	try 'shdedup -q --mark gone --stop words -O marked first second'
	exits 2
	grep -q "^shdedup: 'marked' holds files of a run with other options or inputs: 'keepers " err
	mkdir theirs
	echo precious >theirs/part-02
	try 'shdedup -q -O theirs part-0?'
	exits 2
	says "shdedup: 'theirs/part-02' exists, but no list tells which run made it (name another folder, or remove the file)"
	[ "$(cat theirs/part-02)" = precious ]
	mkdir broken
	echo nonsense >broken/.simhash-shards
	try 'shdedup -q -O broken part-0?'
	exits 2
	says "shdedup: 'broken/.simhash-shards' is not the list of a run (name another folder)"
}

@test "-O refuses options that would lose data or have no effect" {
	refuses() {
		try "$1"
		exits 2
		says "$2" "Try 'shdedup --help' or 'man shdedup'."
	}
	mkdir a b
	cp part-00 a/x && cp part-01 b/x && cp part-01 b/x.gz
	refuses 'shdedup -O new a/x b/x' "shdedup: -O: 'a/x' and 'b/x' would both be written to 'new/x'"
	refuses 'shdedup -O new --compress gzip a/x b/x.gz' "shdedup: -O: 'a/x' and 'b/x.gz' would both be written to 'new/x.gz'"
	refuses 'shdedup -O a a/x' "shdedup: -O a: 'a/x' is an input, and would be lost"
	refuses 'shdedup -O . part-00' "shdedup: -O .: './part-00' is an input, and would be lost"
	refuses 'shdedup -O new -o out part-00' 'shdedup: -O and -o contradict each other: -O writes one file for each input'
	refuses 'shdedup -O new --dry-run part-00' 'shdedup: -O cannot be used with --dry-run, which writes no documents'
	refuses 'shdedup -O new <part-00' 'shdedup: -O needs the names of input files'
	refuses 'shdedup -O new - <part-00' 'shdedup: -O needs the names of input files'
	refuses 'shdedup -O new part-00 - <part-00' "shdedup: -O: no output can be named after the input '-'"
	refuses 'shdedup --compress gzip part-00' 'shdedup: --compress needs -O DIR'
	refuses 'shdedup -O new --report new/part-00 part-00' 'shdedup: --report new/part-00: -O writes documents to this file'
	[ ! -e new ]
	cmp part-00 a/x
}

@test "-O: a run killed at any step leaves whole files only, and the next run continues" {
	expected want
	make_shim
	export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0:exitcode=99
	killed=0
	for n in $(seq 200); do
		rm -rf new
		status=0
		# shellcheck disable=SC2030
		(export KILL_AT=$n LD_PRELOAD=$PWD/shim.so; exec shdedup -q -O new part-0?) 2>/dev/null || status=$?
		[ "$status" = 0 ] && break
		[ "$status" = 137 ]
		killed=$n
		for file in new/part-0?; do
			[ ! -e "$file" ] || cmp "$file" "want/${file#new/}"
		done
		grep -s '^done' new/.simhash-shards | awk '{ print "new/" $4 }' | xargs -r stat -c '%n %i' >before
		shdedup -q -O new part-0?
		awk '{ print $1 }' before | xargs -r stat -c '%n %i' >after
		same before after
		diff -r -x '.simhash-shards*' want new
		[ "$(shown new | wc -l)" = 4 ]
	done
	echo "killed at each of $killed steps"
	[ "$killed" -ge 20 ]
}

@test "-O: a second run in the folder fails at once, or waits with --wait" {
	mkfifo fifo
	shdedup -q -O new part-00 fifo 2>err.first 3>&- &
	until_true 60 test -e new/.simhash-shards.lock
	until_true 60 has_open $! .simhash-shards.lock
	until_true 60 asleep $! shdedup
	try 'shdedup -q -O new part-00'
	exits 2
	says "shdedup: 'new' is in use by another run (--wait SECONDS waits for it)"
	cat part-01 >fifo
	wait $!
}

@test "-O: a bad record leaves no file; with --rejects all files are written" {
	printf 'bad\n' >bad
	try 'shdedup -q -O new part-00 bad'
	exits 2
	says 'shdedup: bad:1: 1 field, expected id<TAB>text (-l numbers plain lines)'
	[ -z "$(shown new)" ]
	try 'shdedup -q --rejects aside -O other part-00 bad'
	exits 0
	[ "$(cat aside)" = bad ]
	[ ! -s other/bad ]
}

@test "-O --trailer: each output ends with a trailer" {
	try 'shdedup -q --trailer=out -O new part-00 part-01'
	exits 0
	for i in 0 1; do
		try "shtok --trailer=in new/part-0$i"
		exits 0
	done
}

@test "-O -a: a run killed at any step is continued to the same files, also after other runs" {
	make_shim
	sharchive init before
	sed -n '1,30p' part-00 | shdedup -q -a before >some
	for i in 0 1 2; do
		sed -n "$((i * 6 + 20)),$((i * 6 + 28))p" part-00 >"in-$i"
	done
	cat part-01 | head -n 9 >>in-2
	export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0:exitcode=99
	for options in '' '--mark gone'; do
		rm -rf want archive new
		cp -R before archive
		# shellcheck disable=SC2086
		shdedup -q -a archive $options -O want in-?
		shdedup -q -a archive $options in-? >expected
		cat want/in-? | cmp - expected
		# Another run adds a document with the text of one that stays here.
		[ -s others ] || tail -n 1 expected | sed 's/^/z/' >others
		killed=0
		step=1
		[ -z "$options" ] || step=5
		for n in $(seq 1 $step 400); do
			rm -rf new archive
			cp -R before archive
			status=0
			# shellcheck disable=SC2030,SC2031,SC2086
			(export KILL_AT=$n LD_PRELOAD=$PWD/shim.so; exec shdedup -q -a archive $options -O new in-?) \
				2>/dev/null || status=$?
			[ "$status" = 0 ] && break
			[ "$status" = 137 ]
			killed=$n
			same=1
			if [ $((n % 2)) = 0 ]; then
				grep -qs '^done' new/.simhash-shards || same=''
				shdedup -q -a archive others >/dev/null
			fi
			# shellcheck disable=SC2086
			shdedup -q -a archive $options -O new in-?
			# The result may differ when no file was complete.
			[ -z "$same" ] || diff -r -x '.simhash-shards*' want new
			[ $((n % 10)) != 0 ] || sharchive -q check archive
		done
		echo "killed at each of $killed steps"
		[ "$killed" -ge 20 ]
		[ "$killed" -lt 399 ]
	done
	sharchive init another
	try 'shdedup -q -a another --mark gone -O want in-?'
	exits 2
	grep -q "^shdedup: 'want' holds files of a run with other options or inputs: 'option -a " err
	try 'shdedup -q --mark gone -O want in-?'
	exits 2
	grep -q "here (name another folder, or remove this one)$" err
}
