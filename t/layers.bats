#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Checks the sources and the objects of the library against the rules of HACKING.md.
load helper

root=$BATS_TEST_DIRNAME/..
export BUILD=${BUILD:-$root/build}

# layers: prints the folders of lib/ as HACKING.md lists them, the lowest first.
layers() {
	awk '/^## /{ here = $2 == "Layers" }
	    here && /^    [a-z]+ +[^ ]/ { print $1 }' "$root/HACKING.md"
}

# includes: prints "FILE LAYER" for each header of lib/LAYER that a source file in lib includes.
includes() {
	grep -rn '^#include "' "$root/lib" --include='*.[ch]' |
	    sed -nE 's|^.*/lib/([^:]*):.*"([^"/]*)/.*|\1 \2|p'
}

# objects: writes the names of the objects of lib to the file objects. Skips the test when their symbols say little.
objects() {
	[ -z "${SAN-}" ] || skip 'sanitizers add symbols of their own'
	(cd "$root" && printf '%s\n' lib/*/*.c) | sed "s|.*|$BUILD/&|; s|c$|o|" >objects
	[ -e "$(head -n 1 objects)" ] || skip 'no objects: the programs were built elsewhere'
	nm "$(grep io/source.o objects)" | grep -q ' T ' || skip 'objects for link-time optimisation'
}

# calls NAME...: writes the objects of lib that refer to one of these symbols to the file called.
calls() {
	objects
	xargs nm -A -u <objects | sed -E 's|^.*/lib/([^:]*):|\1|' |
	    awk -v names="$*" 'BEGIN { n = split(names, list, " "); while (n) wanted[list[n--]] }
	        { sub(/^__/, "", $3); sub(/_2$/, "", $3); sub(/_chk$|64$/, "", $3) } $3 in wanted { print $1, $3 }' >called
}

@test "HACKING.md lists each folder of lib" {
	layers | sort >listed
	(cd "$root/lib" && printf '%s\n' */ | tr -d /) | grep -vx ingest >folders
	grep -vx ingest listed >expected
	same expected folders
	grep -qx ingest listed
}

@test "no source of lib includes a header of a higher layer" {
	layers | awk '{ print $1, NR }' >ranks
	includes >edges
	[ "$(wc -l <edges)" -gt 100 ]
	awk 'NR == FNR { rank[$1] = $2; next }
	    { split($1, at, "/") }
	    !($2 in rank) || rank[$2] > rank[at[1]] { print $1, "includes", $2 }' ranks edges >up
	same /dev/null up
}

@test "no source outside of lib/ingest includes a header of lib/ingest" {
	includes | awk '$2 == "ingest" && $1 !~ /^ingest\//' >out
	same /dev/null out
}

@test "no two sources of lib define the same global name" {
	objects
	xargs nm -A --defined-only <objects | awk '$2 ~ /^[BDRTV]$/ { print $3 }' | sort >names
	[ "$(wc -l <names)" -gt 500 ]
	uniq -d names >twice
	same /dev/null twice
}

@test "every header begins with a comment" {
	for header in "$root"/lib/*/*.h "$root"/bin/*.h; do
		case $(sed -n '2{s/^\(..\).*/\1/p;q}' "$header") in
		'/*') ;;
		*) echo "$header" ;;
		esac
	done >out
	same /dev/null out
}

@test "every global name of lib begins with sh_ or simhash_" {
	objects
	xargs nm -A -g --defined-only <objects >names
	[ "$(wc -l <names)" -gt 100 ]
	awk '$3 !~ /^(sh|simhash)_/' names >out
	same /dev/null out
}

@test "no object of lib has writable data" {
	objects
	xargs objdump -t <objects | awk '/file format/ { from = $1; next }
	    $NF ~ /^[.$]/ { next }
	    / (\.t?(data|bss)|\*COM\*)[\t ]/ || / \.t?(data|bss)\.[^r]/ { print from, $NF }' >out
	same /dev/null out
}

@test "no object of lib calls a function that prints" {
	calls printf fprintf vprintf vfprintf puts putchar putc fputc fputs fwrite perror stdout \
	    stderr syslog
	same /dev/null called
}

@test "no object of lib calls a function that ends the program" {
	calls exit _exit quick_exit abort _Exit
	same /dev/null called
}

@test "only lib/io calls functions on file descriptors" {
	calls open openat creat close read pread readv write pwrite writev lseek dup dup2 dup3 pipe \
	    pipe2 fcntl ioctl mmap munmap stat lstat fstat fstatat fopen fdopen fread fclose \
	    freopen unlink unlinkat rename renameat mkdir mkostemp opendir fork posix_spawn \
	    posix_spawnp socket poll select
	grep -q '^io/source.o open' called
	awk '!/^io\//' called >out
	same /dev/null out
}

@test "no object of lib calls a function that depends on the locale" {
	calls strtod strtof strtold atof localeconv strcoll strxfrm isalpha isalnum isupper islower \
	    toupper tolower towupper towlower iswalpha mbstowcs wcstombs mbrtowc setlocale
	same /dev/null called
}

# symbols: writes "KIND NAME FILE" for each symbol of lib and bin to the file symbols. U: the file refers to NAME;
# a capital letter: it defines NAME for all; a small letter: for itself. Clones of functions have the function's name.
symbols() {
	objects
	(cd "$root" && printf '%s\n' bin/*.c) | sed "s|.*|$BUILD/&|; s|c$|o|" >>objects
	xargs nm -A <objects | sed -E "s|^$BUILD/||; s|\.o:[0-9a-f ]*([A-Za-z]) ([^.]*).*| \1 \2|" |
	    awk '$3 != "main" { print $2, $3, $1 ".c" }' | sort -u >symbols
	grep -q '^T sh_error_set lib/base/error.c$' symbols
}

# references: writes "FILE OTHER" to the file references when FILE refers to a name that OTHER defines.
references() {
	symbols
	awk '$1 ~ /^[BDRTVC]$/ { source[$2] = $3 }
	    $1 ~ /^[UvwW]$/ { wants[$3 " " $2] }
	    END { for (w in wants) { split(w, a, " ")
	        if (a[2] in source && source[a[2]] != a[1]) print a[1], source[a[2]] } }' symbols >references
	[ "$(wc -l <references)" -gt 500 ]
}

@test "no files of lib and bin form a circle of calls or of includes" {
	references
	(cd "$root" && grep -rn '^#include "' lib bin --include='*.[ch]') |
	    sed -nE 's|^([^:]*):[^"]*"([^"]*)".*|\1 \2|p' |
	    awk '{ print $1, ($2 ~ /\// ? "lib/" : "bin/") $2 }' >edges
	grep -qx 'bin/shtok.c bin/docopts.h' edges
	cat edges references | tsort >/dev/null 2>circles || true
	same /dev/null circles
}

# So a lower layer calls a function of a higher one only by a pointer that its caller gives in a call: it has no
# writable data (tested above) to keep one in, and it cannot name the function. A type that the layer only declares
# (`struct sh_x;`) is what such a function gets back.
@test "no source of lib names a function, a table or a type of a higher layer" {
	layers | awk '{ print $1, NR }' >ranks
	references
	sed -nE 's|^lib/([^/]*)/(\S*) lib/([^/]*)/(.*)|\1 \3 \1/\2 refers to \3/\4|p' references >uses
	(cd "$root/lib" && grep -roE '^(struct|union|enum) sh_[a-z0-9_]+ \{' --include='*.[ch]' -- *) |
	    sed -E 's|^([^/]*)/[^:]*:([a-z]+ \S+) .*|\1 \2|' >types
	[ "$(wc -l <types)" -gt 100 ]
	(cd "$root/lib" && grep -roE '^struct sh_[a-z0-9_]+;' --include='*.h' -- *) | tr -d ';' | sort >declared
	(cd "$root/lib" && grep -roE '\b(struct|union|enum) sh_[a-z0-9_]+' --include='*.[ch]' -- *) | sort -u |
	    comm -23 - declared |
	    awk 'NR == FNR { home[$2 " " $3] = $1; next }
	        { split($0, a, ":"); split(a[1], at, "/")
	        if (a[2] in home) print at[1], home[a[2]], a[1], "has", a[2], "of", home[a[2]] }' types - >>uses
	awk 'NR == FNR { rank[$1] = $2; next }
	    rank[$2] > rank[$1] { $1 = $2 = ""; print }' ranks uses >up
	same /dev/null up
}

@test "no name that begins with sh_ is defined twice" {
	symbols
	# An inline function of a header is in each object that calls it.
	(cd "$root" && sed -n '/^static inline/{N;p}' lib/*/*.h) | grep -oE 'sh_[a-z0-9_]+\(' | tr -d '(' >inline
	awk 'NR == FNR { inline[$1]; next }
	    $1 ~ /^[BDRTVCbdrt]$/ && $2 ~ /^sh_/ && !($2 in inline) { print $2, $3 }' inline symbols |
	    sort -u | cut -d ' ' -f 1 | uniq -d >twice
	(cd "$root" && cat lib/*/*.[ch] bin/*.[ch]) | grep -oE '\b(struct|union|enum) sh_[a-z0-9_]+ \{' | sort | uniq -d >>twice
	same /dev/null twice
}
