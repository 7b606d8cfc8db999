#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# What all programs do in the same way: options, files, errors, signals.

load helper

# ALL: every program of bin/. FILTERS: the programs that read records, one record a line.
ALL=()
for source in "$BATS_TEST_DIRNAME"/../bin/sh*.c; do
	source=${source##*/}
	ALL+=("${source%.c}")
done
FILTERS=()
for P in "${ALL[@]}"; do
	case $P in
	shdict | sharchive) ;; # the operand is a folder
	shdoc) ;; # any bytes are a document
	*) FILTERS+=("$P") ;;
	esac
done

setup_file() {
	# A filter that needs an option is called through a script that has the filter's name and gives the option.
	mkdir "$BATS_FILE_TMPDIR/bin"
	printf '%s\tone two\n' a b c d e >"$BATS_FILE_TMPDIR/docs"
	called shverify -d "$BATS_FILE_TMPDIR/docs"
	called shdedup -q
	: >"$BATS_FILE_TMPDIR/spans"
	called shcut -d "$BATS_FILE_TMPDIR/spans"
	printf 'c\ta\n' >"$BATS_FILE_TMPDIR/groups"
	called shdrop -d "$BATS_FILE_TMPDIR/groups"
}

# called PROGRAM OPTION...: makes the script that calls the program with these options first.
called() {
	printf '#!/bin/sh\nexec "%s" "$@"\n' "$SHBIN/$1$(printf '" "%s' "${@:2}")" >"$BATS_FILE_TMPDIR/bin/$1"
	chmod +x "$BATS_FILE_TMPDIR/bin/$1"
}

PATH=$BATS_FILE_TMPDIR/bin:$PATH

# good PROGRAM: prints three valid records for the program.
good() {
	case $1 in
	shspan)
		printf '%s\t1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 %s\n' a x b y c x ;;
	shtok | shfp | shdedup | shcut | shdrop) printf '%s\tone two %s\n' a x b y c x ;;
	shseed) printf '%s\tone two three four five six seven eight nine ten eleven %s\n' a x b y c x ;;
	shdf | shweight) printf '%s\t%s\t1\n' a x a y b x ;;
	shband | shjoin) printf '%016x\t%s\n' 7 a 7 b 15 c ;;
	shgroup | shverify | shstat | shreport) printf '%s\t%s\t0\n' a b b c e d ;;
	*)
		echo "t/frame.bats: good() has no records for $1" >&2
		return 1
		;;
	esac
}

# each COMMAND CHECK...: for every filter, tries COMMAND and then runs CHECK on the result. P is the name of the
# filter, and the file `in` has good records for it. CHECK stands in no condition: there bash would ignore all
# failures in it but the last.
each() {
	local P
	for P in "${FILTERS[@]}"; do
		export P
		echo "program: $P"
		good "$P" >in
		try "$1"
		# shreport says that it has no documents for the pairs.
		[ "$P" != shreport ] || sed -i '/^shreport: the page has no texts: /d' err
		"${@:2}"
	done
}

# every COMMAND CHECK...: does the same for every program, without input.
every() {
	local P
	for P in "${ALL[@]}"; do
		export P
		echo "program: $P"
		try "$1"
		"${@:2}"
	done
}

# fails TEXT...: the status is 2, the output is empty, and each line of messages is the program's name and a TEXT.
fails() {
	exits 2 && gives && says "${@/#/$P: }"
}

succeeds() {
	exits 0 && says
}

# as_unix: removes the CRs of the output of shdedup and shcut, which write the input's bytes unchanged.
as_unix() {
	case $P in shdedup | shcut) sed -i 's/\r$//' out ;; esac
}

# as_always: the output is the output for the file `in`.
as_always() {
	exits 0 && "$P" in >normal && same normal out
}

@test "--help: writes usage and exit status to standard output, without reading operands" {
	check() {
		exits 0 && says && head -n 1 out | grep -qE "^Usage: $P ([A-Z]+ )?\[OPTION\]\.\.\. " &&
			grep -qEx '(No FILE, or -: standard input. )?Exit status: 0 done, (1 [^,]+, )?2 trouble.' out
	}
	every '$P --help' check
	each '$P -h no-such-file' check
}

@test "--help: lists --output and --rejects, and the program accepts every option in the list" {
	check() {
		grep -oE '^ +(-., )?--[a-z-]+' out | grep -oE -- '--[a-z-]+' >options
		grep -qx -- --output options && grep -qx -- --rejects options || return 1
		while read -r option; do
			"$P" "$option" </dev/null 2>&1 | grep -q 'unrecognized' && return 1
		done <options
		true
	}
	every '$P --help' check
}

@test "--help: says for -j what the threads work on, or that the program works with one thread" {
	check() {
		grep -qE -- '--jobs=N +(work on [a-z ]+ with N threads, 0:|no effect: this program works with one thread$)' out
	}
	every '$P --help' check
	for P in shtok shfp shband shjoin shdoc shverify shdedup shspan shcut shdrop shseed sharchive \
		shdf shweight; do
		"$P" --help | grep -q -- '--jobs=N *work on'
	done
	"$SHBIN/sharchive" --help | grep -q -- '--jobs=N *work on the check'
}

@test "front ends use all processors that the process may use, filters use one" {
	for P in shdedup shspan shdoc sharchive; do
		"$P" --help | tr -d '\n' | grep -qE -- '--jobs=N[^]]*one per  *processor  *\[0\]'
	done
	for P in shtok shfp shjoin shverify; do
		"$P" --help | tr -d '\n' | grep -qE -- '--jobs=N[^]]*one per  *processor  *\[1\]'
	done
	[ "$(nproc)" -gt 1 ] || skip 'one processor'
	seq 20000 | awk '{ print $1 "\t" $1 " words of a text that is like no other text " $1 * 7 }' >docs
	export ASAN_OPTIONS=detect_leaks=0 # which works under no strace
	strace -f -qq -e trace=clone,clone3 -o all shdedup -q -o out docs
	strace -f -qq -e trace=clone,clone3 -o one taskset -c 0 shdedup -q -o out docs
	grep -q CLONE_THREAD all
	run ! grep CLONE_THREAD one
}

@test "--help: groups more than 15 options under headings" {
	check() {
		local options headings
		options=$(grep -cE '^ +(-., )?--[a-z-]+' out)
		headings=$(grep -cE '^[A-Z][a-z, -]+:$' out || true)
		if [ "$options" -le 15 ]; then [ "$headings" -eq 0 ]; else [ "$headings" -ge 2 ]; fi
		# No option stands before the first heading.
		[ "$headings" -eq 0 ] || ! sed -E '/^[A-Z][a-z, -]+:$/,$d' out | grep -qE '^ +(-., |    )--'
	}
	every '$P --help' check
}

@test "a long name has the same letter in every program, and a letter the same name" {
	for P in "${ALL[@]}"; do
		"$P" --help | sed -nE "s/^ +(-(.), )?--([a-z-]+).*/\3 \2/p"
	done | sort -u >names
	# shdoc reads a format, and shfp writes one. -d reads a second input, whose name says what it is.
	grep -vE '^format | d$' names >letters
	cut -d ' ' -f 1 letters | uniq -d >two_letters
	grep -E ' .' letters | awk '{ print $2 }' | sort | uniq -d >two_names
	same /dev/null two_letters
	same /dev/null two_names
}

@test "--version: writes program, package and version, what is compiled in, and what is not" {
	check() {
		exits 0 && says && [ "$(wc -l <out)" = 3 ] &&
			head -n 1 out | grep -qE "^$P \(simhash-utils\) [0-9]+\.[0-9]+" &&
			sed -n 2p out | grep -qE "^Compressed input:( gzip| bzip2| xz| zstd| lz4)*$" &&
			sed -n 3p out | grep -qE "^Lacks: (nothing|.* \([a-z0-9-]+-dev\)\. Install the packages in brackets, and build again\.)$"
	}
	every '$P --version' check
	every '$P -V' check
}

@test "--help and --version: a failed write gives a message and status 2" {
	every '$P --help >/dev/full' \
		fails 'cannot write to standard output: No space left on device'
	every '$P --version >/dev/full' \
		fails 'cannot write to standard output: No space left on device'
	every '$P --help >&-' fails 'cannot write to standard output: Bad file descriptor'
}

@test "a wrong option gives a message that names --help, and status 2" {
	refuses() {
		exits 2 && gives && says "$P: $1" "Try '$P --help' or 'man $P'."
	}
	every '$P --nonsense' refuses "unrecognized option '--nonsense'"
	every '$P -Q' refuses "invalid option -- 'Q'"
	every '$P -o' refuses "option requires an argument -- 'o'"
	every '$P --output' refuses "option '--output' requires an argument"
	every '$P --crlf=yes' refuses "option '--crlf' doesn't allow an argument"
	every '$P -j 257' refuses "-j '257': expected a whole number from 0 to 256"
	every '$P -j two' refuses "-j 'two': expected a whole number from 0 to 256"
	every '$P -j -1' refuses "-j '-1': expected a whole number from 0 to 256"
	each '$P --rejects r -o r in' refuses '--rejects r: the output is written to it'
	each '$P --rejects - in' refuses '--rejects -: the output is written to it'
}

@test "messages begin with the program's name, not with the path of the call" {
	every '"$SHBIN/$P" --nonsense' exits 2
	each '"$(command -v "$P")" no-such-file' fails "cannot open 'no-such-file': No such file or directory"
}

@test "no operand and - read standard input; options may follow operands; -- ends the options" {
	each '$P <in' as_always
	each '$P - <in' as_always
	each '$P in -j 1' as_always
	each '$P --jobs=1 in' as_always
	each '$P --job 1 in' as_always
	each 'cp in ./-h && $P -- -h; s=$?; rm ./-h; exit $s' as_always
	each 'cat in | $P' as_always
}

@test "empty input gives empty output; shdf writes an empty table, shstat and shreport count 0" {
	check() {
		exits 0
		says
		case $P in
		shdf) gives '\t0' ;;
		shstat) gives '  documents     groups' '' '0 documents in 0 groups, the largest of 0' ;;
		shreport) [ "$(grep -c '<dd>0</dd>' out)" -eq 4 ] ;;
		*) gives ;;
		esac
	}
	each '$P </dev/null' check
	each ': >empty; $P empty' check
}

@test "a last line without a newline is read like any line" {
	each 'head -c -1 in >cut; $P cut' as_always
}

@test "a missing file gives a message with its name, and no output" {
	each '$P no-such-file' fails "cannot open 'no-such-file': No such file or directory"
	each '$P -o new no-such-file' fails "cannot open 'no-such-file': No such file or directory"
	[ ! -e new ]
}

@test "compressed input is recognised by its first bytes and read" {
	for way in gzip zstd bzip2 xz lz4; do
		command -v $way >/dev/null || continue
		each "$way -c <in >in.packed; \$P in.packed" as_always
		[ "${T_SHORT:-1}" -ge 8 ] || each "$way -c <in | \$P" as_always
	done
	each 'gzip <in | gzip | $P' as_always
}

@test "zeros behind gzip data are ignored, and gzip data behind zeros are an error, wherever a read ends" {
	printf 'a\tone\n' | gzip -n >first
	printf 'b\ttwo\n' | gzip -n >second
	size=$(wc -c <first)
	for zeros in 1 10 $((65536 - size)) $((131072 - size)) 65536; do
		head -c "$zeros" /dev/zero >zeros
		cat first zeros >docs.gz
		try 'shtok docs.gz'
		exits 0
		gives 'a\tone\t1'
		cat first zeros second >docs.gz
		try 'shtok docs.gz'
		exits 2
		grep -qx 'shtok: docs.gz: the gzip data are damaged at byte [0-9]* or before; the file was not read to its end' err
	done
}

@test "compressed input that is cut short or damaged gives a message and status 2" {
	cut_short() { exits 2; grep -q 'in.gz: the gzip data are cut short; the file was not read to its end$' err; }
	each 'gzip <in | head -c -4 >in.gz; $P in.gz' cut_short
	printf 'a\tone two\n' >docs
	(gzip <docs; echo more) >docs.gz
	try 'shtok docs.gz'
	exits 2
	grep -qx 'shtok: docs.gz: the gzip data are damaged at byte [0-9]* or before; the file was not read to its end' err
	printf '\37\235\220' >docs.Z
	try 'shtok docs.Z'
	exits 2
	says 'shtok: docs.Z: compressed (compress), and built without a library for it (gzip -dc decompresses it)'
}

@test "-d reads compressed tables and documents" {
	printf 'a\tone two three\nb\tone two four\n' >docs
	printf 'a\tb\t1\n' >pairs
	for way in gzip zstd bzip2 xz lz4; do
		command -v $way >/dev/null || continue
		$way -c docs >docs.packed
		shverify -T 0 -d docs pairs >expected
		try 'shverify -T 0 -d docs.packed pairs'
		exits 0
		same expected out
		shdedup docs >expected 2>/dev/null
		try 'shdedup docs.packed 2>/dev/null'
		same expected out
		shtok -n 1 docs | shdf >df
		$way -c df >df.packed
		shtok -n 1 docs | shweight -w tfidf -d df >expected
		try 'shtok -n 1 docs | shweight -w tfidf -d df.packed'
		same expected out
	done
	head -c 30 docs.packed >cut
	try 'shverify -d cut pairs'
	exits 2
}

@test "a folder as input is refused with a message that names shdoc" {
	each '$P .' fails "cannot read '.': a folder (shdoc makes documents of its files)"
	each '$P <.' fails "cannot read '-': a folder (shdoc makes documents of its files)"
}

@test "a closed standard input is an error only for a program that reads it" {
	each '$P <&-' fails "cannot read '-': Bad file descriptor"
	each '$P in <&-' as_always
}

@test "a closed standard output is an error, also when the output is empty" {
	each '$P in >&-' fails 'cannot write to standard output: Bad file descriptor'
	each '$P </dev/null >&-' fails 'cannot write to standard output: Bad file descriptor'
}

@test "/dev/fd/N of a closed descriptor is refused, also when an output has got the number N" {
	closed() {
		exits 2 && says "$P: cannot open '$name': Bad file descriptor" && [ "$(cat old)" = before ]
	}
	echo before >old
	for name in /dev/fd/3 /proc/self/fd/4 /dev/fd/0 /dev/stdin; do
		export name
		each 'exec <&- 3<&- 4<&-; $P -o old "$name"' closed
	done
	for name in /dev/fd/3 /dev/fd/7 /dev/stdout; do
		each 'exec >&- 3<&- 7<&-; $P -o old --rejects "$name" in' closed
	done
	# An open descriptor for reading only is refused as an output.
	name=/dev/fd/7
	echo >other
	each '$P --rejects "$name" -o old in 7<other' closed
}

@test "a closed standard error leaves the output as it is, without messages in it" {
	each '$P in 2>&-' as_always
	each 'echo bad >>in; $P -o new in 2>&-' exits 2
	check() {
		exits 0 && "$P" in >normal && same normal new
	}
	each 'exec 0<&- 2>&-; $P -o new in' check
	# The output could get the number of the closed descriptor: then messages would go into the output.
	printf 'a\tx\377\nb\t.\nc\ty\n' >docs
	try 'exec 2>&-; shtok -o new docs'
	exits 0
	printf 'a\tx\t1\nb\t\t0\nc\ty\t1\n' >expected
	same expected new
	try 'exec 2>&-; shfp -o new docs'
	exits 0
	[ "$(wc -l <new)" = 2 ]
}

@test "a full disk gives a message with the name of the output" {
	each '$P in >/dev/full' fails 'cannot write to standard output: No space left on device'
	each '$P -o /dev/full in' fails 'cannot write to /dev/full: No space left on device'
	each '(cat in; echo bad) >bad; $P --rejects /dev/full bad >/dev/null' \
		fails 'cannot write to /dev/full: No space left on device'
}

@test "-o FILE appears only after the file of --rejects is written" {
	check() {
		fails 'cannot write to /dev/full: No space left on device' && [ ! -e new ]
	}
	each '(cat in; echo bad) >bad; $P -o new --rejects /dev/full bad' check
	check() {
		exits 2 && grep -qx "$P: cannot write to /dev/full: No space left on device" err &&
			grep -qx "$P: 1 record rejected, see aside" err && [ "$(cat aside)" = bad ]
	}
	# The bad record is not the last one: shweight writes a document before it has read all of the next one.
	each 'rm -f aside; sed 1abad in >bad; $P -o /dev/full --rejects aside bad' check
}

@test "-o writes the same bytes as standard output, with the mode of the umask" {
	check() {
		succeeds && gives && "$P" in >normal && same normal new &&
			[ "$(stat -c %a new)" = 640 ] && rm new
	}
	each 'umask 027; $P -o new in' check
	each 'umask 027; $P in --output=new' check
	each 'umask 027; $P -o "$PWD/new" in' check
	only in normal
}

@test "-o replaces a file at once and keeps the mode of the file" {
	check() {
		succeeds && "$P" in >normal && same normal old && [ "$(stat -c %a old)" = 604 ]
	}
	each 'rm -f old; echo old >old; chmod 604 old; $P -o old in' check
}

@test "-o replaces a file on file systems with one fixed owner and mode" {
	# The library simulates vfat or CIFS, mounted by root for all users.
	cat >shim.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <errno.h>
		#include <fcntl.h>
		#include <stdarg.h>
		#include <sys/stat.h>
		int open(const char *path, int flags, ...)
		{
			static int (*real)(const char *, int, ...);
			static int (*set)(int, mode_t);
			int fd;
			if (!real) real = dlsym(RTLD_NEXT, "open"), set = dlsym(RTLD_NEXT, "fchmod");
			fd = real(path, flags, 0666);
			if (fd >= 0 && (flags & O_EXCL)) set(fd, 0770);
			return fd;
		}
		int open64(const char *path, int flags, ...) __attribute__((alias("open")));
		int fchmod(int fd, mode_t mode) { return errno = EPERM, -1; }
		int fchown(int fd, uid_t user, gid_t group) { return errno = EPERM, -1; }
	END
	${CC:-cc} -shared -fPIC -o shim.so shim.c -ldl
	export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0:exitcode=99
	printf 'a\tone\n' >in
	echo old >old
	chmod 770 old
	try "LD_PRELOAD=$PWD/shim.so shtok -o old in"
	exits 0
	says
	[ "$(cat old)" = "$(shtok in)" ]
	# A fixed mode with more rights than the old file has is refused.
	echo old >old
	chmod 600 old
	try "LD_PRELOAD=$PWD/shim.so shtok -o old in"
	exits 2
	grep -q "^shtok: cannot set the mode of '\.old\.......': Operation not permitted$" err
	[ "$(cat old)" = old ]
	only in old shim.c shim.so
}

@test "-o through a symbolic link replaces the file that the link names" {
	check() {
		succeeds && "$P" in >normal && same normal dir/real && [ -L link ]
	}
	each 'mkdir -p dir; echo old >dir/real; ln -sf dir/real link; $P -o link in' check
	only dir in link normal
	[ "$(ls -A dir)" = real ]
}

@test "-o may name the input, which is replaced after it is read" {
	check() {
		succeeds && same normal in
	}
	each '$P in >normal; $P -o in in' check
	each '$P in >normal; $P -o in <in' check
	each '$P in >normal; cat in | $P -o ./in -' check
}

@test "-o to a FIFO or a device writes into it" {
	check() {
		succeeds && "$P" in >normal && same normal got && [ -p fifo ]
	}
	each 'rm -f fifo; mkfifo fifo; cat fifo >got & $P -o fifo in && wait' check
	each '$P -o /dev/null in' succeeds
	[ -c /dev/null ]
	each '$P -o /dev/stdout in' as_always
	each '$P -o - in' as_always
}

@test "-o to a missing folder, to a folder or to an empty name gives a message" {
	each '$P -o no/such/new in' fails "cannot create a temporary file in the folder of 'no/such/new': No such file or directory"
	each 'mkdir -p dir; $P -o dir in' fails "cannot open 'dir': Is a directory"
	# The empty name of an unset shell variable is refused before the input is read.
	check() {
		exits 2
		gives
		grep -qxF "$P: $option: the file name is empty (is a shell variable unset?)" err
	}
	export option
	for option in -o --rejects; do
		each '$P $option "" /dev/zero' check
	done
	option=--audit P=shgroup
	try 'shgroup --audit= /dev/zero'
	check
}

@test "-o refuses at once a mount point, and another user's file in a sticky folder" {
	mkdir sticky
	echo before | tee file mounted >sticky/file
	# Standard input is a FIFO that gives no bytes and does not end.
	mkfifo fifo
	cat >script <<-'END'
	mount --bind file mounted || exit 77
	timeout 60 shtok -o mounted 0<>fifo
	END
	try 'unshare -rm sh ./script'
	if [ "$status" -ne 77 ] && unshare -rm true; then
		exits 2
		grep -q "^shtok: cannot replace 'mounted' by another file .*: Device or resource busy$" err
	fi
	chmod 1777 sticky
	if [ "$(id -u)" = 0 ] && setpriv --bounding-set=-fowner --inh-caps=-fowner true; then
		chown 1:1 sticky && chown 2:2 sticky/file
		try 'setpriv --bounding-set=-fowner --inh-caps=-fowner timeout 60 shtok -o sticky/file 0<>fifo'
		exits 2
		grep -q "^shtok: cannot replace 'sticky/file' by another file .*: Operation not permitted$" err
	fi
	only fifo file mounted script sticky
	[ "$(cat file mounted sticky/file | uniq -c | tr -s ' ')" = ' 3 before' ]
	[ "$(ls -A sticky)" = file ]
}

@test "-o follows no link that the kernel refuses to follow: another user's link in a sticky folder" {
	# The library simulates fs.protected_symlinks, which is 0 on some machines.
	cat >shim.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <errno.h>
		#include <string.h>
		#include <sys/stat.h>
		#define STAT(name, type) \
			int name(const char *path, struct type *st) \
			{ \
				static int (*real)(const char *, struct type *); \
				if (!real) real = (int (*)(const char *, struct type *))dlsym(RTLD_NEXT, #name); \
				if (strcmp(path, "sticky/link") == 0) return errno = EACCES, -1; \
				return real(path, st); \
			}
		STAT(stat, stat)
		STAT(stat64, stat64)
	END
	${CC:-cc} -shared -fPIC -o shim.so shim.c -ldl
	export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0:exitcode=99
	printf 'a\tone\n' >in
	mkdir sticky
	for target in target missing; do
		echo before >target
		ln -sf ../$target sticky/link
		for option in -o --rejects; do
			try "LD_PRELOAD=$PWD/shim.so shtok $option sticky/link in"
			exits 2
			says "shtok: cannot write to 'sticky/link': Permission denied"
		done
		[ "$(cat target)" = before ]
	done
	only in shim.c shim.so sticky target
	[ "$(id -u)" = 0 ] && [ "$(cat /proc/sys/fs/protected_symlinks)" = 1 ] || return 0
	chown -h 1:1 sticky/link && chown 2:2 sticky && chmod 1777 sticky
	try 'shtok -o sticky/link in'
	exits 2
	says "shtok: cannot write to 'sticky/link': Permission denied"
}

@test "-o refuses a link that changes while it is followed, and writes to no file" {
	cat >shim.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <unistd.h>
		/* Just before the program reads the link, the link names the victim; just after, the other file. */
		ssize_t readlink(const char *path, char *to, size_t n)
		{
			static ssize_t (*real)(const char *, char *, size_t);
			ssize_t got;
			if (!real) real = dlsym(RTLD_NEXT, "readlink");
			if (!unlink("link")) symlink("victim", "link");
			got = real(path, to, n);
			if (!unlink("link")) symlink("other", "link");
			return got;
		}
		ssize_t __readlink_chk(const char *path, char *to, size_t n, size_t room) { return readlink(path, to, n); }
	END
	${CC:-cc} -shared -fPIC -o shim.so shim.c -ldl
	export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0:exitcode=99
	printf 'a\tone\n' >in
	echo victim >victim
	echo other >other
	ln -s other link
	try "LD_PRELOAD=$PWD/shim.so shtok -o link in"
	exits 2
	says "shtok: cannot write to 'link': Too many levels of symbolic links"
	[ "$(cat victim other | tr '\n' ' ')" = 'victim other ' ]
}

@test "-o to another user's file in a sticky folder: the new file belongs to the user of the program" {
	[ "$(id -u)" = 0 ] || skip 'only root may replace it'
	printf 'a\tone\n' >in
	mkdir sticky
	chown 2:2 sticky && chmod 1777 sticky
	echo before >sticky/file
	chown 1:1 sticky/file && chmod 666 sticky/file
	try 'umask 022; shtok -o sticky/file in'
	exits 0
	[ "$(stat -c %u:%a sticky/file)" = 0:644 ]
	chown 1:1 sticky/file && chmod 600 sticky/file
	try 'umask 022; shtok -o sticky/file in'
	exits 0
	[ "$(stat -c %u:%a sticky/file)" = 0:600 ]
	# A file of the folder's owner keeps its owner.
	chown 2:2 sticky/file && chmod 600 sticky/file
	try 'shtok -o sticky/file in'
	exits 0
	[ "$(stat -c %u:%a sticky/file)" = 2:600 ]
	# A file in a folder that other users cannot write to keeps its owner.
	chmod 755 sticky && chown 1:1 sticky/file
	try 'shtok -o sticky/file in'
	exits 0
	[ "$(stat -c %u sticky/file)" = 1 ]
}

@test "-o removes no folder when it checks whether a file can be replaced, and refuses an append-only file" {
	cat >shim.c <<-'END'
		#include <stdlib.h>
		int rmdir(const char *path) { abort(); }
	END
	${CC:-cc} -shared -fPIC -o shim.so shim.c
	export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0:exitcode=99
	printf 'a\tone\n' >in
	echo before >old
	try "LD_PRELOAD=$PWD/shim.so shtok -o old in"
	exits 0
	command -v chattr >/dev/null && chattr +a old 2>/dev/null || return 0
	try "timeout 60 shtok -o old 0<>/dev/null"
	chattr -a old
	exits 2
	says "shtok: cannot replace 'old' by another file (standard output, by >, is written into it): Operation not permitted"
}

@test "-o accepts a name of 255 bytes, refuses 256 bytes at once, and writes to a folder without read permission" {
	local long without=
	long=$(printf '%0255d' 0)
	try "shtok -o $long /dev/null"
	exits 0
	only "$long"
	# A name of 256 bytes is refused before input comes.
	mkfifo fifo
	ln -s "0$long" link
	for name in "0$long" link; do
		try "timeout 60 shtok -o $name 0<>fifo"
		exits 2
		says "shtok: cannot write to '$name': File name too long"
	done
	rm fifo link
	mkdir letterbox
	chmod 300 letterbox
	if [ "$(id -u)" = 0 ]; then
		without='setpriv --bounding-set=-dac_override,-dac_read_search --inh-caps=-dac_override,-dac_read_search'
		$without true || skip 'root reads all'
	fi
	printf 'a\tone\n' >docs
	try "$without shtok -o letterbox/new docs"
	chmod 700 letterbox
	exits 0
	[ "$(cat letterbox/new)" = "$(shtok docs)" ]
	[ "$(ls -A letterbox)" = new ]
}

@test "a bad record leaves the file of -o unchanged and no temporary file" {
	check() {
		exits 2 && gives && [ "$(cat old)" = before ] && [ "$(wc -l <err)" = 1 ] &&
			grep -q "^$P: bad:3: 1 field, expected " err
	}
	each 'echo before >old; (head -n 2 in; echo bad; tail -n 1 in) >bad; $P -o old bad' check
	only bad in old
}

@test "an option that the first record contradicts leaves the file of -o unchanged and no temporary file" {
	echo before >old
	printf 'a\tx\t1\n' >features
	try 'shfp -o old -w set features'
	exits 2
	printf '7\ta\n' >narrow
	try 'shband -o old --rejects aside -k 4 narrow'
	exits 2
	[ "$(cat old)" = before ]
	only features narrow old
}

# interrupted SIGNAL STATUS: SIGNAL ends each filter with STATUS, without output, messages or temporary files.
interrupted() {
	local P
	for P in "${FILTERS[@]}"; do
		good "$P" >in
		echo before >old
		mkfifo fifo
		env --default-signal="$1" "$P" -o old --rejects rejected fifo 2>err &
		exec 8<>fifo
		cat in >&8
		until_true 60 compgen -G '.old.*'
		until_true 60 compgen -G '.rejected.*'
		kill "-$1" $!
		status=0
		wait $! || status=$?
		exec 8>&-
		echo "$P: $status"
		[ "$status" = "$2" ]
		says
		[ "$(cat old)" = before ]
		rm fifo
		only in old
	done
}

@test "INT, TERM and HUP leave the file of -o unchanged and no temporary file" {
	interrupted INT 130
	interrupted TERM 143
	interrupted HUP 129
}

@test "TERM ends a program that waits for a reader of its output FIFO" {
	mkfifo never
	for P in "${FILTERS[@]}"; do
		good "$P" >in
		status=0
		"$P" -o never in 3>&- &
		until_true 60 asleep $! "$P"
		kill $!
		wait $! || status=$?
		echo "$P: $status"
		[ "$status" = 143 ]
	done
}

@test "a signal that was ignored before the start stays ignored" {
	mkfifo fifo
	env --ignore-signal=HUP shtok -o new fifo &
	exec 8<>fifo
	until_true 60 compgen -G '.new.*'
	until_true 60 has_open $! fifo # else bytes in the FIFO are lost when descriptor 8 is closed
	kill -HUP $!
	printf 'a\tone\n' >&8
	exec 8>&-
	wait $!
	printf 'a\tone\t1\n' >expected
	same expected new
}

@test "KILL leaves the file of -o unchanged" {
	echo before >old
	mkfifo fifo
	shtok -o old fifo &
	exec 8<>fifo
	printf 'a\tone\n' >&8
	until_true 60 compgen -G '.old.*'
	kill -KILL $!
	wait $! || true
	exec 8>&-
	[ "$(cat old)" = before ]
}

# much PROGRAM: prints input whose output is larger than a pipe holds, or input without end.
much() {
	case $1 in
	shdedup) seq 40000 | awk '{ print $1 "\tone two " $1 " and " 7 * $1 }' ;;
	shverify) seq 300000 | awk '{ print "a\tb\t" $1 % 9 }' ;;
	shseed) awk 'BEGIN { while (1) print ++i "\tone two three four five six seven eight nine ten eleven " i }' ;;
	shtok | shfp | shweight) awk 'BEGIN { while (1) print ++i "\tx\t1" }' ;;
	shdrop | shcut) awk 'BEGIN { while (1) print ++i "\tone two" }' ;;
	shspan) seq 2 60001 | awk '{ printf "%d\t", $1; for (i = 0; i < 20; i++) printf "w%d ", int($1 / 2) * 20 + i; print "" }' ;;
	shdf) seq 200000 | awk '{ print "a\tfeature" $1 "\t1" }' ;;
	shband) awk 'BEGIN { while (1) printf "%016x\tid%d\n", ++i, i }' ;;
	shjoin) seq 1200 | awk '{ print "0123456789abcdef\tid" $1 }' ;;
	shgroup | shreport) seq 100000 | awk '{ print "left" $1 "\tright" $1 "\t1" }' ;;
	esac
}

@test "a reader that ends early ends the program by SIGPIPE, without a message or temporary file" {
	for P in "${FILTERS[@]}"; do
		fields=
		case $P in
		shtok) fields='-f 1,2' ;;
		shstat) continue ;; # no input makes it write more than a pipe holds
		esac
		# shellcheck disable=SC2086
		much "$P" 2>/dev/null | {
			status=0
			env --default-signal=PIPE "$P" $fields --rejects rejected 2>err || status=$?
			echo $status >status
		} | head -n 1 >out
		echo "$P: $(cat status)"
		[ "$(cat status)" = 141 ]
		says
		[ -s out ]
		rm -f status
		only
	done
}

@test "with SIGPIPE ignored, a reader that ends early gives the message 'Broken pipe' and status 2" {
	for P in "${FILTERS[@]}"; do
		fields=
		case $P in
		shtok) fields='-f 1,2' ;;
		shstat) continue ;; # no input makes it write more than a pipe holds
		esac
		# shellcheck disable=SC2086
		much "$P" 2>/dev/null | {
			status=0
			env --ignore-signal=PIPE "$P" $fields 2>err || status=$?
			echo $status >status
		} | head -n 1 >out
		echo "$P: $(cat status)"
		[ "$(cat status)" = 2 ]
		says "$P: cannot write to standard output: Broken pipe"
	done
}

@test "a message shortens a long file name between characters, and still ends with the reason" {
	part=$(printf '%0200d' 0)
	check() {
		exits 2 && gives && grep -qE "^$P: cannot open '0+\.\.\.[0/]+': No such file or directory$" err
	}
	each "\$P $part/$part/$part" check
	check() {
		exits 2 && grep -qE "^$P: cannot create a temporary file in the folder of '0+\.\.\.[0/]+': No such file or directory$" err
	}
	each "\$P -o $part/$part/$part in" check
	# The cut name is valid UTF-8.
	part=$(printf 'é%.0s' {1..120})
	for pad in '' x xx; do
		try "shtok $pad$part/$part/$part"
		exits 2
		iconv -f UTF-8 -t UTF-8 err >/dev/null
	done
}

@test "messages show control characters, C1 bytes and bidirectional marks of a file name as ?" {
	check() {
		printf "%s: cannot open 'a?b?c?d?e?f?g?h': No such file or directory\n" "$P" >expected.err
		exits 2 && same expected.err err
	}
	# ESC, C1 as one byte, C1 in UTF-8, U+202E, U+2066, U+200F, U+2028.
	each '$P "$(printf "a\33b\233c\302\233d\342\200\256e\342\201\246f\342\200\217g\342\200\250h")"' check
	check() {
		exits 2 && grep -qF "'$(printf 'é\344\377中')'" err
	}
	# Other characters stay, in UTF-8 or not.
	each '$P "$(printf "é\344\377中")"' check
}

@test "an operand that was replaced after the start is read, or refused with a message that says so" {
	# The file is refused only where the kernel has Landlock.
	for P in shtok shgroup; do
		good "$P" | tee first second >new
		mkfifo fifo
		"$P" fifo second >out 2>err 3>&- &
		exec 8<>fifo
		until_true 60 has_open $! fifo
		until_true 60 asleep $! "$P"
		mv new second
		cat first >&8
		exec 8>&-
		status=0
		wait $! || status=$?
		rm fifo
		[ "$status" = 0 ] && continue
		says "$P: cannot open 'second': it was replaced after this program began (run it again)"
	done
}

@test "a byte order mark (U+FEFF) before the first record is removed" {
	marked() {
		exits 0 && "$P" in >normal && same normal out
	}
	each '(printf "\357\273\277"; cat in) >marked; $P marked' marked
	each '(printf "\357\273\277"; cat in) | $P --trailer=out >with; $P in --trailer=out | cmp - with && $P in' as_always
	printf 'a\tone two\n' >docs
	printf '\357\273\277a\ta\t0\n' >pairs
	try 'shverify -d docs pairs'
	gives 'a\ta\t0\t1.0000\tjaccard'
	# A byte order mark alone is not a record.
	printf '\357\273\277' >mark
	try 'shgroup mark'
	exits 0
	gives
}

@test "40 files are read with a limit of 30 open files" {
	for i in $(seq 40); do
		printf 'd%s\tone two %s\n' "$i" "$i" >"d$i"
		files="${files-} d$i"
	done
	printf 'd1\td40\t0\n' >pairs
	for run in "shverify -T 0 ${files// / -d } pairs" "shgroup --keep longest ${files// / -d } pairs" "shtok $files"; do
		try "ulimit -n 30; $run"
		exits 0
		says
		[ -s out ]
	done
}

@test "--rejects writes bad records unchanged to its file, counts them, and reads on" {
	check() {
		exits 0 && says "$P: 3 records rejected, see rejected" && "$P" in >normal &&
			same normal out && same bad rejected
	}
	each 'printf "bad\n \\\\t \\377\\0 \n1\t2\t3\t4\t5\t6\n" >bad
		(head -n 1 in; cat bad; tail -n 2 in) >mixed
		rm -f rejected; $P --rejects rejected mixed' check
	check_one() {
		exits 0 && says "$P: 1 record rejected, see rejected" && "$P" in >normal &&
			same normal out && same bad rejected
	}
	each 'echo bad >bad; (cat in; printf bad) >mixed; $P --rejects rejected mixed' check_one
}

# spoil KIND SEED: makes one in fifty of the good records bad, in one of nine ways, and writes the bad ones to spoilt.
spoil() {
	awk -v kind="$1" -v seed="$2" 'BEGIN {
		FS = OFS = "\t"
		srand(seed)
		long = sprintf("%4097s", "x")
	}
	rand() < 0.02 {
		id = kind == "fp" ? 2 : 1
		way = int(rand() * 9)
		if (way == 0) $0 = $0 "\r"
		else if (way == 1) $id = ""
		else if (way == 2) $0 = $0 "\tone more"
		else if (way == 3) $0 = $1
		else if (way == 4) $0 = ""
		else if (way == 5) $id = long
		else if (way == 6) $id = "carriage\rreturn"
		else if (kind == "fp" && way == 7) $1 = substr($1, 1, int(rand() * 15)) "G" substr($1, 2, 3)
		else if (kind == "fp") $1 = toupper("a" substr($1, 2))
		else if (kind == "feature" && way == 7) $3 = "1x"
		else if (kind == "feature") $3 = "." $3
		else $0 = "no tab"
		print > "spoilt"
	}
	{ print }'
}

@test "bad records, and only bad records, are refused at any place among good records" {
	seq 20000 | awk 'BEGIN { srand(1); FS = OFS = "\t" } { hex = ""
		for (i = 0; i < 16; i++) hex = hex sprintf("%x", int(rand() * 16)); print hex, "id" $1 }' >fp
	seq 20000 | awk '{ print "doc" int($1 / 7) "\tfeature" $1 % 100 "\t" $1 % 9 + 1 }' >feature
	seq 5000 | awk '{ print "doc" $1 "\tsome text of number " $1 }' >document
	for seed in 1 2 3; do
		for kind in fp feature document; do
			spoil $kind $seed <$kind >mixed
			awk 'NR == FNR { bad[$0]; next } !($0 in bad)' spoilt mixed >good
			[ "$(wc -l <spoilt)" -gt 50 ]
			case $kind in
			fp) runs='shband shjoin' ;;
			feature) runs='shfp shweight shdf' ;;
			document) runs='shtok shfp' ;;
			esac
			for P in $runs; do
				$P good >normal 2>normal.err
				try "$P --rejects rejected mixed"
				exits 0
				same spoilt rejected
				same normal out
				try "$P mixed"
				exits 2
				line=$(awk 'NR == FNR { bad[$0]; next } $0 in bad { print FNR; exit }' spoilt mixed)
				grep -q "^$P: mixed:$line: " err
			done
		done
	done
}

@test "standard output that is also an input is refused: the program would read its output without end" {
	kept() {
		exits 2 && gives && head -n 1 err |
			grep -qxF "$P: standard output is also an input (-o FILE replaces an input after it is read)" &&
			good "$P" | cmp - in
	}
	each '$P in >>in' kept
	each '$P ./in 1<>in' kept
	each '$P <in >>in' kept
	each '$P -o - in >>in' kept
	each 'ln -sf in link; $P link >>in' kept
	each '$P in >/dev/null' succeeds
	each 'echo before >old; $P in >>old' succeeds
}

@test "--rejects and --report refuse the name of an input, which would be lost" {
	kept() {
		exits 2 && gives && head -n 1 err | grep -qxF "$P: --rejects in: the file is an input (name another file)" &&
			good "$P" | cmp - in
	}
	each '$P --rejects in in' kept
	ln -s in link
	each '$P --rejects ./link in' exits 2
	each '$P --rejects in <in' kept
	each '$P --rejects in - <in' kept
	printf 'a\tone two\n' | tee docs >same
	printf 'a\ta\t0\n' | tee pairs >pairs.same
	for c in 'shdedup --report docs docs' 'shdedup --rejects docs docs' 'shgroup --audit pairs pairs' \
		'shdedup --report docs <docs' 'shgroup --audit pairs - <pairs' 'shdoc --rejects docs <docs' \
		'shverify -d docs --rejects docs pairs' 'shgroup -d docs --audit docs pairs' \
		'shverify -d - --rejects docs pairs <docs'; do
		try "$c"
		exits 2
		gives
		same same docs
		same pairs.same pairs
	done
	try 'shfp --rejects /dev/null /dev/null'
	exits 0
	try 'shfp --rejects /dev/null </dev/null'
	exits 0
	try 'shfp --rejects - -o x <docs >>docs'
	exits 0
	same same docs
}

@test "-o replaces an operand, and refuses a file that an option reads" {
	replaced() {
		exits 0 && gives && good "$P" >same && "$P" same | cmp - in
	}
	each '$P -o in in' replaced
	each '$P -o in <in' replaced
	printf 'a\tone two\nb\tone two\n' | tee docs >same
	printf 'a\tb\t0\n' >pairs
	printf 'a\tone\t1\n' >features
	ln -s docs link
	for c in 'shverify -d docs -o docs pairs' 'shverify -d - -o docs pairs <docs' \
		'shverify -d docs -o ./link pairs' 'shgroup -d docs -o docs pairs' \
		'shgroup --keep ./docs -o docs pairs' 'shweight --idf docs -o docs features' \
		'shweight -w tfidf -d docs -o docs features' 'shdedup --protect docs -o docs pairs' \
		'shfp --stop docs -o docs pairs' 'shdict --words docs -o docs .'; do
		try "$c"
		exits 2
		gives
		head -n 1 err | grep -qx "${c%% *}: -o [./a-z]*: the file is an input and would be lost (name another file)"
		same same docs
	done
}

@test "--rejects without bad records gives an empty file and no message" {
	check() {
		as_always && [ -f rejected ] && [ ! -s rejected ]
	}
	each 'echo old >rejected; $P --rejects rejected in' check
}

@test "--rejects keeps the CR of a line, with and without --crlf" {
	check() {
		exits 0 && "$P" in >normal && as_unix && same normal out && same bad rejected
	}
	each 'printf "bad\r\n" >bad; (sed "s/$/\r/" in; cat bad) >dos; $P --crlf --rejects rejected dos' check
	each 'tail -n 1 in | sed "s/$/\r/" >bad; (cat in bad) >mixed; $P --rejects rejected mixed' check
}

@test "DOS line ends give a message that names --crlf, and --crlf removes the CRs" {
	check() {
		as_unix && as_always
	}
	each 'sed "s/$/\r/" in >dos; $P dos' \
		fails 'dos:1: carriage return at the end of the line (--crlf removes the CR of DOS line ends)'
	each 'sed "s/$/\r/" in >dos; $P --crlf dos' check
	each '$P --crlf in' as_always
}

@test "several files are read in their order, and a message names the file and its line" {
	for P in shtok shdf shweight shfp shband shgroup; do
		good $P >in
		head -n 1 in >one
		tail -n +2 in >two
		try "$P one two"
		exits 0
		$P in >normal
		same normal out
		try "cat two | $P one -"
		same normal out
		echo bad >>two
		try "$P one two in >/dev/null"
		exits 2
		grep -q "^$P: two:3: 1 field, expected" err
	done
}

@test "--rejects writes and counts the bad records before a missing file" {
	# shdedup and shspan open all files before they read one.
	check() {
		[[ $P = shdedup || $P = shspan ]] && exits 2 && says "$P: cannot open 'nowhere': No such file or directory" && return
		exits 2 && says "$P: cannot open 'nowhere': No such file or directory" \
			"$P: 1 record rejected, see aside" && [ "$(cat aside)" = bad ]
	}
	each '(cat in; echo bad) >bad; $P --rejects aside bad nowhere' check
}

@test "a bad record before a missing file is reported, not the missing file" {
	check() { [[ $P = shdedup || $P = shspan ]] || { exits 2 && grep -q "^$P: bad:[0-9]*: " err && ! grep -q nowhere err; }; }
	each '(cat in; echo bad) >bad; $P bad nowhere' check
}

@test "records before a bad record or a missing file are written to standard output" {
	for P in shtok shfp shband; do
		good $P >in
		$P in >normal
		try "(cat in; echo bad; cat in) | $P"
		exits 2
		same normal out
		try "$P in no-such-file in"
		exits 2
		same normal out
		says "$P: cannot open 'no-such-file': No such file or directory"
	done
}

# with_threads: prints the commands of the test below, in which -j has an effect.
with_threads() {
	cat <<-'END'
	shtok -n 1-2 docs
	shtok bad
	shtok --rejects rejected bad
	shfp -n 3 docs
	shfp bad
	shband fps
	shjoin fps
	shjoin -k 9 fps
	shjoin -k 3 fps more
	shjoin -k 6 -S 1M fps
	shjoin -k 90 --collapse wide
	shdoc docs fps
	shweight features
	shweight -w tfidf -d table features
	shdf features
	shdf -S 1 features
	shfp features
	shgroup pairs
	shstat pairs
	shgroup --link single --keep longest -d docs pairs
	END
}

@test "the output and the message about the first bad record are the same with 1, 2, 3, 8 and 16 threads" {
	head -qn "$(fewer 1000 100)" "$T_DATA/en_dev.tsv" "$T_DATA/zh_dev.tsv" >docs
	for i in 1 2 3 4 5 6 7 8 9; do shfp --bare docs | sed "s/$/.$i/"; done >fps
	# Enough random fingerprints for several tasks. In each four all but the last 16 bits are the same.
	awk -v n="$(fewer 100000 50000)" 'BEGIN {
		srand(1)
		for (i = 0; i < n; i++) {
			if (i % 4 || !i)
				half = sprintf("%04x%04x%04x", rand() * 65536, rand() * 65536, rand() * 65536)
			printf "%s%04x\t%d\n", half, rand() * 65536, i
		}
	}' >random
	head -n 30000 random >more
	cat random >>fps
	shfp -b 256 docs >wide
	(cat docs; echo bad; cat docs) >bad
	shfp -n 3 docs | shjoin -k 20 >pairs
	shtok -n 1-2 docs >features
	shtok -n 1-2 --no-fold "$T_DATA/en_dev.tsv" | shdf >table
	with_threads >runs
	threads='1 2 3 8 16'
	[ "${T_SHORT:-1}" -eq 1 ] || threads='1 3'
	while read -r run; do
		for j in $threads; do
			try "$run -j $j"
			mv out out.$j
			mv err err.$j
			tried="$run -j $j"
			same out.1 out.$j
			same err.1 err.$j
		done
		tried=$run
		[ -s out.1 ]
	done <runs
	try 'shfp -n 3 docs -j 0'
	exits 0
	shfp -n 3 docs >expected
	same expected out
	# The list has each program whose help says that -j has an effect, or another test does.
	for P in "${ALL[@]}"; do
		! "$P" --help | grep -q -- '--jobs=N *work on' || grep -q "^${P##*/} " runs ||
			[[ " shverify shdedup shspan shcut shdrop shseed sharchive shreport " == *" ${P##*/} "* ]]
	done
}

# feature_records: prints documents of 1 to 300 features, and one of more than 4 MiB. Lines of some
# documents alternate with lines of another id, and some ids return later.
feature_records() {
	awk 'BEGIN {
		srand(5)
		for (i = 0; i < 1500; i++) {
			lines = i % 50 ? 1 + rand() * 10 : 300
			long = i == 700 ? sprintf("%080d", 0) : ""
			if (i == 700) lines = 50000
			for (j = 0; j < lines; j++)
				print "d" (i % 97 || !i ? i : i - 1 - int(rand() * 3)) (i % 111 == 0 ? j % 2 : "") "\tw" int(rand() * rand() * 5000) long " x\t" 1 + int(rand() * 2)
		}
	}'
}

@test "feature records: the output is the same with any number of threads, wherever chunks and files end" {
	feature_records >features
	[ "$(grep -c '^d700	' features)" -eq 50000 ]
	[ "$(grep '^d700	' features | wc -c)" -gt $((1 << 22)) ]
	awk 'NR % 997 == 0 { print "bad " NR } NR % 3001 == 0 { print $1 "\tx\t-1" } 1' features >bad
	split -l 5000 features part.
	shdf features >table
	head -n 3000 features | sed 's/w/v/' >other
	threads='1 2 3 8'
	[ "${T_SHORT:-1}" -eq 1 ] || threads='1 3'
	for run in 'shweight features' 'shweight part.*' 'shweight -w tfidf -d table -t 5 features' \
		'shweight -w tfidf -d table other' 'shweight -w logidf --absent drop -d table other part.*' \
		'shdf features' 'shdf -S 1 part.*' 'shdf --min-df 2 bad --rejects rejected' \
		'shfp features' 'shfp --permutations 16 part.*' \
		'shfp --permutations 16 bad --rejects rejected' 'shweight bad --rejects rejected' \
		'shweight bad' 'shfp bad' 'shdf bad' \
		'shweight --trailer=out features' 'shweight <features -o named' 'cat part.* | shweight'; do
		for j in $threads; do
			try "$run -j $j"
			tried="$run -j $j"
			cat out >>err
			for made in rejected named; do
				[ ! -e $made ] || cat $made >>err
				rm -f $made
			done
			mv err out.$j
			same out.1 out.$j
		done
		[ -s out.1 ]
	done
	# Most of the small files begin and end within a document.
	split -a 3 -l 7 other file.
	shweight other >expected
	try 'shweight --features file.* -j 3'
	exits 0
	same expected out
}

@test "the output is the same in each locale" {
	[ "${T_SHORT:-1}" -lt 8 ] || skip 'the same code in each locale'
	(cat "$T_DATA/zh_dev.tsv"; printf 'I\tI İ i ı ISS ẞ 10,5 ΑΣ\n') >docs
	LC_ALL=C shtok docs >tok
	LC_ALL=C shfp docs >fp
	LC_ALL=C shband fp | sort >bands
	for locale in C.UTF-8 tr_TR.UTF-8 de_DE.ISO-8859-1 nonsense; do
		export LC_ALL=$locale
		try 'shtok docs'
		same tok out
		try 'shfp docs'
		same fp out
		try 'shband fp | LC_ALL=C sort'
		same bands out
		try 'shtok docs | shdf | md5sum'
		LC_ALL=C shtok docs | LC_ALL=C shdf | md5sum >expected
		same expected out
		try 'shtok docs | shweight -w freq | md5sum'
		LC_ALL=C shtok docs | LC_ALL=C shweight -w freq | md5sum >expected
		same expected out
		try 'shjoin bands | sort | shgroup'
		LC_ALL=C shjoin bands | LC_ALL=C shgroup >expected
		same expected out
	done
}

# answers PROGRAM ARGUMENT...: the program writes each answer before it gets the next record. Standard input has lines
# `> RECORD` to send and `< ANSWER` to expect.
answers() {
	local mark text line
	rm -f in.fifo out.fifo
	mkfifo in.fifo out.fifo
	"$@" <in.fifo >out.fifo &
	exec 8<>in.fifo 9<>out.fifo
	while read -r mark text; do
		text=$(printf '%b' "$text")
		if [ "$mark" = '>' ]; then
			printf '%s\n' "$text" >&8
		else
			line='(nothing came)'
			IFS= read -r -t 60 line <&9 || true
			[ "$line" = "$text" ] || {
				echo "$*: '$line', expected '$text'"
				return 1
			}
		fi
	done
	exec 8>&-
	wait $!
	exec 9<&-
}

@test "the output for a record is written before the next record comes" {
	answers shtok <<-'END'
		> a\tone
		< a\tone\t1
		> b\ttwo
		< b\ttwo\t1
	END
	answers shfp --bare -j 4 <<-'END'
		> a\tone
		< 5216fcaabac157b8\ta
		> b\tone
		< 5216fcaabac157b8\tb
	END
	answers shfp <<-'END'
		> a\tone\t1
		> b\tone\t1
		< 5216fcaabac157b8\ta
		> c\tone\t1
		< 5216fcaabac157b8\tb
	END
	answers shweight <<-'END'
		> a\tone\t1
		> b\tone\t1
		< a\tone\t1
		> c\tone\t1
		< b\tone\t1
	END
	answers shband -k 0 -M 1 <<-'END'
		> 0123\ta
		< 000100123\t0123\ta
		> 4567\tb
		< 000104567\t4567\tb
	END
	answers shjoin <<-'END'
		> 000100123\t0123\ta
		> 000100123\t0123\tb
		> 000104567\t4567\tc
		< a\tb\t0
	END
}

@test "a bad record ends a program that waits for the rest of a line, with several threads as well" {
	mkfifo in.fifo
	printf 'no record\nand half a' >bad
	for P in 'shtok -j 2' 'shfp -j 4' 'shband -j 2 -k 0 -M 1'; do
		# 1500 records keep the first thread at work until the other threads have started.
		good "${P%% *}" | awk '{ for (i = 0; i < 500; i++) print }' >good
		$P good >expected
		timeout 60 $P <in.fifo >out 2>err &
		exec 8>in.fifo
		cat good >&8
		cat bad >&8 # in one write: printf of the shell writes each line, and the program may end after the first
		status=0
		wait $! || status=$?
		exec 8>&-
		echo "$P: $status"
		[ "$status" = 2 ]
		grep "^${P%% *}: -:$(($(wc -l <good) + 1)): " err
		same expected out
	done
}

@test "a bad record ends a program that waits for a FIFO's writer, and a late writer's records are read" {
	# One worker needs longer for this long line than another worker for the end of the file.
	printf 'a\t%s\nbad\n' "$(seq -s ' ' 9000)" >bad
	mkfifo never late
	for jobs in 1 2 4; do
		try "timeout 60 shtok -n 1-60 -j $jobs -o new bad never"
		exits 2
		only bad late never
	done
	printf 'a\tone\n' >doc
	shtok -j 3 doc late doc >out 2>err 3>&- &
	until_true 60 has_open $! late
	until_true 60 asleep $! shtok
	exec 8>late
	until_true 60 asleep $! shtok
	cat doc >&8
	exec 8>&-
	status=0
	wait $! || status=$?
	exits 0
	gives 'a\tone\t1' 'a\tone\t1' 'a\tone\t1'
}

@test "reads and writes of 1 to 6 bytes, EINTR and EAGAIN leave the output as it is" {
	cat >shim.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <errno.h>
		#include <unistd.h>
		static unsigned state = 12345;
		static unsigned next(void) { return state = state * 1103515245u + 12345u, state >> 16; }
		ssize_t read(int fd, void *p, size_t n)
		{
			static ssize_t (*real)(int, void *, size_t);
			unsigned few = 1 + next() % 7;
			if (!real) real = dlsym(RTLD_NEXT, "read");
			if (few == 7) return errno = next() % 2 ? EINTR : EAGAIN, -1;
			return real(fd, p, n < few ? n : few);
		}
		ssize_t write(int fd, const void *p, size_t n)
		{
			static ssize_t (*real)(int, const void *, size_t);
			unsigned few = 1 + next() % 7;
			if (!real) real = dlsym(RTLD_NEXT, "write");
			if (few == 7) return errno = next() % 2 ? EINTR : EAGAIN, -1;
			return real(fd, p, n < few ? n : few);
		}
	END
	${CC:-cc} -shared -fPIC -o shim.so shim.c -ldl
	export ASAN_OPTIONS=verify_asan_link_order=0:detect_leaks=0:exitcode=99
	head -n 3 "$T_DATA/en_dev.tsv" | cut -c 1-3000 >docs
	shtok docs >features
	shfp docs | tee fps >fps.2
	shband -k 9 fps | sort >bands
	shjoin bands >pairs
	printf 'a\tb\t1\nc\tb\t2\n' >>pairs
	for run in 'shtok docs' 'shtok -j 3 docs' 'shfp docs' 'shfp <features' 'shdf features' \
		'shweight features' 'shband -k 3 fps' 'shjoin -k 9 bands' 'shjoin fps fps.2' 'shgroup pairs'; do
		try "$run"
		mv out normal
		try "LD_PRELOAD=$PWD/shim.so $run"
		exits 0
		same normal out
	done
}

@test "shdict --help: names no standard input, because the operand is a folder" {
	for program in shdict shtok shjoin shverify shdoc shdedup; do
		"$program" --help | grep -c 'No FILE' >>out || true
	done
	printf '%s\n' 0 1 1 1 1 1 >expected
	same expected out
}

@test "shdict: refuses a file in place of the folder, and names the expected folder" {
	touch file
	for operand in file nowhere; do
		try "shdict $operand"
		exits 2
		says "shdict: '$operand' is not a folder: expected the folder of jieba's package, which has dict.txt" \
			"Try 'shdict --help' or 'man shdict'."
	done
}

@test "SIGPIPE leaves no file of --rejects, also when the output is small" {
	printf 'a\tone two\nbad\n' >docs
	python3 - <<'END'
import os, signal, subprocess
for program in "shtok", "shfp", "shdedup":
    into, out = os.pipe()
    os.close(into)
    done = subprocess.run([program, "--rejects", "aside", "docs"], stdout=out, stderr=subprocess.DEVNULL)
    os.close(out)
    assert done.returncode == -signal.SIGPIPE and os.listdir(".") == ["docs"], (program, done, os.listdir("."))
END
}
