#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Files that a program leaves behind and files that it can open: signals, one file for two outputs, Landlock,
# compiler flags.

load helper

# good PROGRAM: prints two valid records for the program.
good() {
	case $1 in
	shtok | shfp | shdedup) printf '%s\tone two\n' a b ;;
	shdf | shweight) printf '%s\tx\t1\n' a b ;;
	shband | shjoin) printf '%016x\t%s\n' 7 a 7 b ;;
	shgroup | shverify | shstat | shreport) printf '%s\t%s\t0\n' a b b a ;;
	esac
}

# catchable: prints the numbers of the signals that end a program and can be caught. The programs ignore SIGXFSZ.
catchable() {
	local sig name
	for sig in $(seq 64); do
		name=$(kill -l "$sig" 2>/dev/null) || continue
		case $name in
		KILL | STOP | CHLD | CONT | TSTP | TTIN | TTOU | URG | WINCH | XFSZ) ;;
		'' | 32 | 33) ;;
		*) echo "$sig" ;;
		esac
	done
}

@test "every signal that can be caught leaves the file of -o unchanged and no temporary file" {
	sanitized && skip 'the sanitizers have handlers of their own'
	ulimit -c 0
	good shtok >in
	tried=0
	for sig in $(catchable); do
		echo before >old
		mkfifo fifo
		env --default-signal shtok -o old --rejects rejected fifo 2>/dev/null &
		exec 8<>fifo
		until_true 60 compgen -G '.rejected.*'
		kill "-$sig" $!
		status=0
		wait $! 2>/dev/null || status=$?
		exec 8>&-
		echo "signal $sig: $status"
		[ "$status" = $((128 + sig)) ]
		[ "$(cat old)" = before ]
		rm fifo
		only in old
		tried=$((tried + 1))
	done
	[ "$tried" -ge 50 ]
}

@test "a signal or an error leaves no temporary file of --audit or --report" {
	ulimit -c 0
	good shgroup >in
	good shdedup >docs
	for run in 'shgroup -o old --audit other -d fifo in' 'shdedup -q -o old --report other fifo'; do
		for sig in TERM USR1 SEGV; do
			[ $sig = SEGV ] && sanitized && continue
			echo before >old
			mkfifo fifo
			env --default-signal $run 2>/dev/null &
			exec 8<>fifo
			until_true 60 compgen -G '.old.*'
			kill "-$sig" $!
			wait $! 2>/dev/null || true
			exec 8>&-
			rm fifo
			[ "$(cat old)" = before ]
			only docs in old
		done
	done
	# A bad record, and an output in a missing folder, leave no temporary file.
	echo bad >>docs
	try 'shdedup -q -o old --report other docs'
	exits 2
	only docs in old
	head -n 2 docs >good
	for run in 'shdedup -q -o old --report no/such good' 'shgroup --audit no/such -o old in'; do
		try "$run"
		exits 2
		only docs good in old
	done
}

# whole DIR: the archive passes the check. After the next change it has the manifest, the lock and the files that the
# manifest names, and no other.
whole() {
	local key
	sharchive -q check "$1"
	sharchive -q expire "$1" 3000w
	key=$(sed -n 's/^key \(.\{12\}\).*/\1/p' "$1/manifest")
	{
		printf '%s\n' lock manifest
		awk -v key="$key" '$1 == "segment" { print $2 "." key ".bin"; print $2 "." key ".index" }' "$1/manifest"
	} | sort >expected
	(cd "$1" && printf '%s\n' *) | sort >there
	same expected there
}

@test "a signal at any point of a change leaves the old or the new archive, and the next change removes its files" {
	sanitized && skip 'the sanitizers have handlers of their own'
	# The library raises the signal at a chosen call: before or after an fsync, a rename or an unlink.
	cat >shim.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <signal.h>
		#include <stdlib.h>
		static int n;
		static void tick(void) { if (++n == atoi(getenv("AT"))) raise(atoi(getenv("SIG"))); }
		#define CALL(form, type, name, given, ...) \
			form { int (*real) type = (int (*) type)dlsym(RTLD_NEXT, name); \
			tick(); int r = real given; tick(); return r; }
		CALL(int fsync(int fd), (int), "fsync", (fd))
		CALL(int renameat(int a, const char *p, int b, const char *q),
		    (int, const char *, int, const char *), "renameat", (a, p, b, q))
		CALL(int unlinkat(int fd, const char *p, int f), (int, const char *, int), "unlinkat", (fd, p, f))
	END
	${CC:-cc} -shared -fPIC -o shim.so shim.c -ldl
	ulimit -c 0
	for i in 1 2 3 4; do
		printf "%s\t$i a b c $i d e f $i %s\n" "a$i" x "b$i" y >"batch$i"
	done
	sharchive -q init before
	for i in 1 2 3; do SOURCE_DATE_EPOCH=$i shdedup -q -a before "batch$i" >/dev/null; done
	echo a2 >gone
	for change in 'shdedup -q -a archive batch4' 'sharchive -q remove archive gone' 'sharchive -q init archive'; do
		for at in $(seq 200); do
			set -- $((at % 3 == 0 ? 15 : at % 3 == 1 ? 10 : 7)) # TERM, USR1, BUS
			rm -rf archive
			[ "$change" = "sharchive -q init archive" ] || cp -r before archive
			status=0
			(AT=$at SIG=$1 SOURCE_DATE_EPOCH=3 LD_PRELOAD=$PWD/shim.so exec env --default-signal \
			    $change) >out 2>&1 || status=$?
			echo "$change, call $at, signal $1: $status"
			[ "$status" = 0 ] && break
			[ "$status" = $((128 + $1)) ]
			if [ "$change" = "sharchive -q init archive" ] && ! [ -e archive/manifest ]; then
				ls -A archive | sed '/^lock$/d; /^manifest\.[0-9a-f]*$/d' >there
				same /dev/null there
				sharchive -q init archive
				whole archive
			else
				whole archive
			fi
		done
		[ "$status" = 0 ]
		[ "$at" -gt 6 ]
		whole archive
	done
}

@test "a stack overflow and a limit on file size leave no temporary file" {
	sanitized && skip 'the sanitizers have handlers of their own'
	good shtok >in
	cat >shim.c <<-'END'
		#include <unistd.h>
		int access(const char *p, int m) { (void)p; (void)m; return 0; }
		static int deep(volatile char *p) { volatile char a[4096]; a[0] = *p; return deep(a) + a[0]; }
		ssize_t read(int fd, void *p, size_t n) { (void)fd; (void)n; return deep(p); }
	END
	${CC:-cc} -O0 -shared -fPIC -o shim.so shim.c
	try 'ulimit -c 0; ulimit -Ss 8192 || true; LD_PRELOAD=$PWD/shim.so shtok -o new in'
	exits 139
	only in shim.c shim.so
	yes 'a	one two three' | head -n 500000 >many
	try 'ulimit -f 64; ulimit -c 0; shtok -o new many'
	[ "$status" != 0 ]
	only in many shim.c shim.so
}

@test "-o through a dangling link makes the file that the link names" {
	good shtok >in
	shtok in >normal
	mkdir dir
	ln -s dir/made link
	ln -s link further
	ln -s "$PWD/dir/whole" absolute
	for name in link:dir/made further:dir/made absolute:dir/whole; do
		rm -f dir/*
		try "shtok -o ${name%:*} in"
		exits 0
		[ -L "${name%:*}" ]
		[ ! -L "${name#*:}" ]
		same normal "${name#*:}"
		[ "$(ls -A dir | wc -l)" = 1 ]
	done
	ln -s loop loop
	try 'shtok -o loop in'
	exits 2
	says "shtok: cannot write to 'loop': Too many levels of symbolic links"
}

@test "two outputs to one file are refused, under any two names of the file" {
	good shtok >in
	good shgroup >pairs
	mkdir dir
	echo old >there
	ln there hard
	ln -s there soft
	ln -s nowhere dangling
	for names in 'x x' 'x ./x' "x $PWD/x" 'dir/../x x' 'there soft' 'soft there' 'there hard' \
		'nowhere dangling' 'dangling ./dangling' '- /dev/stdout' '/dev/fd/1 -'; do
		try "shtok -o ${names% *} --rejects ${names#* } in"
		exits 2
		says "shtok: --rejects ${names#* }: the output is written to it" \
			"Try 'shtok --help' or 'man shtok'."
	done
	try 'shgroup -o x --audit ./x pairs'
	exits 2
	says 'shgroup: --audit ./x: the groups are written to it' "Try 'shgroup --help' or 'man shgroup'."
	try 'shgroup --rejects x --audit ./x pairs'
	exits 2
	says 'shgroup: ./x: --rejects is written to it' "Try 'shgroup --help' or 'man shgroup'."
	try 'shdedup -o x --report ./x in'
	exits 2
	try 'shdedup --rejects x --report ./x in'
	exits 2
	# The second output would replace the file that the shell has opened for standard output.
	for command in 'shtok --rejects x in' 'shgroup --rejects ./x pairs' 'shgroup --audit x pairs' \
		'shdedup --report x in' 'shtok -o - --rejects x in' 'shtok -o /dev/fd/4 --rejects x in 4'; do
		try "$command>x"
		exits 2
		grep -q ' \(is\|are\) written to it\( (--dry-run writes none)\)\?$' err
		[ ! -s x ]
	done
	try 'shtok -o x --rejects dir/x in'
	exits 0
	try 'shtok -o /dev/null --rejects ./../../../../../../../../dev/null in'
	exits 0
}

# landlocked: the kernel has Landlock. Sets $version to the version of its interface.
landlocked() {
	printf '%s\n' '#include <sys/syscall.h>' '#include <unistd.h>' \
		'int main(void) { long v = syscall(SYS_landlock_create_ruleset, 0, 0, 1); return v < 1 ? 0 : (int)v; }' >probe.c
	version=0
	${CC:-cc} -o probe probe.c 2>/dev/null && { ./probe || version=$?; }
	[ "$version" -gt 0 ]
}

@test "with Landlock a program opens only the files that its options name" {
	sanitized && skip 'the sanitizers open files of their own'
	landlocked || skip 'no Landlock in this kernel'
	# The library simulates an exploited program: at the first read it tries to reach other files.
	cat >shim.c <<-'END'
		#define _GNU_SOURCE
		#include <dlfcn.h>
		#include <errno.h>
		#include <fcntl.h>
		#include <netinet/in.h>
		#include <signal.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <sys/socket.h>
		#include <sys/stat.h>
		#include <unistd.h>
		/* Only EACCES means that the call is forbidden. A refused connection was allowed. */
		static int tcp(int binds)
		{
			struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(binds ? 0 : 9) };
			struct sockaddr *address = (struct sockaddr *)&to;
			int fd = socket(AF_INET, SOCK_STREAM, 0);
			to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
			if ((binds ? bind(fd, address, sizeof to) : connect(fd, address, sizeof to)) < 0 &&
			    (fd < 0 || errno == EACCES)) return -1;
			return fd;
		}
		static void attempt(const char *what, int got)
		{
			dprintf(2, "%s: %s\n", what, got >= 0 ? "done" : "refused");
			if (got > 2) close(got);
		}
		ssize_t read(int fd, void *p, size_t n)
		{
			static ssize_t (*real)(int, void *, size_t);
			static int attacked;
			if (!real) real = dlsym(RTLD_NEXT, "read");
			if (!attacked && getenv("ATTACK") && (attacked = 1)) {
				attempt("read secret", open("secret/file", O_RDONLY));
				attempt("list secret", open("secret", O_RDONLY | O_DIRECTORY));
				attempt("write secret", open("secret/file", O_WRONLY));
				attempt("make file", open("secret/new", O_WRONLY | O_CREAT, 0600));
				attempt("make folder", mkdir("secret/dir", 0700));
				attempt("remove", unlink("secret/file"));
				attempt("rename", rename("secret/file", "secret/other"));
				attempt("link", symlink("x", "secret/link"));
				attempt("beside input", open("in/new", O_WRONLY | O_CREAT, 0600));
				attempt("read beside input", open("in/other", O_RDONLY));
				execl("/bin/true", "true", (char *)0);
				attempt("run", -1);
				if (atoi(getenv("ATTACK")) >= 3)
					attempt("truncate", truncate("secret/file", 0));
				if (atoi(getenv("ATTACK")) >= 4) {
					attempt("connect", tcp(0));
					attempt("bind", tcp(1));
				}
				if (atoi(getenv("ATTACK")) >= 6)
					attempt("signal", kill(getppid(), 0));
			}
			return real(fd, p, n);
		}
	END
	${CC:-cc} -shared -fPIC -o shim.so shim.c -ldl
	mkdir secret in place tmp
	export TMPDIR=$PWD/tmp
	echo x >secret/file
	echo x >in/other
	for P in shtok shfp shdf shweight shband shjoin shgroup shstat shreport; do
		good $P >in/file
		$P in/file >normal
		rm -f place/new
		try "ATTACK=$version LD_PRELOAD=$PWD/shim.so $P -o place/new --rejects place/rejected in/file"
		exits 0
		same normal place/new
		printf '%s: refused\n' 'read secret' 'list secret' 'write secret' 'make file' 'make folder' \
			remove rename link 'beside input' 'read beside input' run >expected
		[ "$version" -lt 3 ] || printf '%s: refused\n' truncate >>expected
		[ "$version" -lt 4 ] || printf '%s: refused\n' connect bind >>expected
		[ "$version" -lt 6 ] || printf '%s: refused\n' signal >>expected
		grep refused err >got || true
		same expected got
		run ! grep "done" err
	done
	# The output is standard output or a device.
	good shtok >in/file
	for OUTPUT in /dev/null -; do
		try "ATTACK=$version LD_PRELOAD=$PWD/shim.so shtok -o $OUTPUT in/file"
		exits 0
		grep refused err >got || true
		same expected got
	done
}

@test "with or without Landlock a program opens each file that an option names" {
	mkdir a b c d tmp
	export TMPDIR=$PWD/tmp
	good shdedup >a/docs
	good shgroup >b/pairs
	echo b >c/ids
	try 'shgroup --keep c/ids --audit d/audit -o d/groups b/pairs'
	exits 0
	try 'shgroup -d a/docs -d c/ids -f 1,2 --rejects d/rejected b/pairs'
	exits 0
	try 'shdedup -q --keep c/ids --protect c/ids --report d/report -o d/docs --rejects c/rejected a/docs'
	exits 0
	try 'cat a/docs | shdedup -q --stop c/ids'
	exits 0
	try 'cat a/docs | shverify -d - b/pairs'
	exits 0
	try 'shtok -n 1 a/docs | shdf -o a/table && shweight -w tfidf -d a/table <(shtok -n 1 a/docs) -o d/features'
	exits 0
	try 'seq 100000 | sed "s/.*/&\tfeature&\t1/" | shdf -S 1M --tmpdir c | tail -n 1'
	exits 0
	try 'seq 300000 | sed "s/.*/0123456789abcdef\tid&/" | shjoin -S 1M --collapse | tail -n 1'
	exits 0
	try 'shtok --segment jieba a/docs -o /dev/null'
	exits 0
	try 'cat "$SHBIN/jieba.dict" | shdict --check -'
	exits 0
	mkfifo fifo
	try 'cat a/docs >fifo & shtok fifo -o d/fifo'
	exits 0
	try 'exec 7>d/seven; shtok -o /dev/fd/7 a/docs && shtok -o /dev/stdout /dev/stdin <a/docs'
	exits 0
	try 'cd a && shtok -o here docs && shtok -o ../d/there docs && shtok -o /dev/null ../a/docs'
	exits 0
	[ -z "$(ls -A tmp)" ]
}

@test "temporary files have no names, where the file system supports this" {
	traceable
	sanitized && skip 'the sanitizers do not run under ptrace'
	good shtok >docs
	good shgroup >pairs
	try 'cat docs | strace -f -e trace=file,unlink,unlinkat -o trace shverify -S 1 -d - pairs'
	exits 0
	grep -q 'O_TMPFILE' trace
	! grep -q 'O_TMPFILE.* = -1 \(EOPNOTSUPP\|EISDIR\)' trace || skip 'the file system cannot'
	run ! grep -q unlink trace
}

@test "programs are position independent, with RELRO, stack protection and branch protection" {
	command -v readelf >/dev/null || skip 'no readelf(1)'
	sanitized && skip 'sanitizers are in the way of some'
	for file in "$SHBIN"/sh*[a-z]; do
		case $file in *.[ch]) continue ;; esac
		readelf -hldsW "$file" >elf 2>/dev/null
		echo "$file"
		grep -qE '^ *Type: +DYN' elf
		grep -q 'GNU_RELRO' elf
		grep -q 'BIND_NOW\|FLAGS.*NOW' elf
		grep -q 'GNU_STACK .* RW ' elf
		run ! grep -q 'TEXTREL' elf
		grep -q '__stack_chk_fail' elf
		# Each function that can be called through a pointer begins with a landing instruction.
		case $(uname -m) in
		x86_64) mark=endbr64 ;;
		aarch64) mark='bti|paciasp' ;;
		*) continue ;;
		esac
		[ "$(objdump -d "$file" | grep -cE "$mark")" -gt 50 ]
	done
	readelf -sW "$SHBIN/shdict" | grep -q '_chk'
}
