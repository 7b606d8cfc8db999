#!/usr/bin/env bats
# The library as programs meet it: what it exports, and that programs of earlier releases go on.
load helper

setup_file() {
	here=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	: "${BUILD:=$here/build}"
	library=$(echo "$BUILD"/libsimhash.so.*)
	symbols=$here/share/packaging/debian/libsimhash0.symbols
	export here BUILD library symbols
}

# The names that the library exports, with their versions.
exported() {
	command -v nm >/dev/null || skip 'no nm(1)'
	nm -D --defined-only "$library" | awk '$2 != "A" { sub("@@", "@", $3); print $3 }' | sort
}

# A program for the shared library, unless that wants the sanitizers' own in each program.
compile() {
	if grep -Eq "__[at]san_init" "$library"; then skip 'the library watches itself'; fi
	if [ ! -e libsimhash.so ]; then
		ln -s "$library" libsimhash.so
		ln -s "$library" .
	fi
	${CC:-cc} "$@" -L. -lsimhash
}

@test "it exports what the list of its symbols has, and nothing else" {
	awk 'NF == 2 && /^ simhash_.*@/ { print $1 }' "$symbols" | sort >want
	grep -q 'simhash_new@LIBSIMHASH_0$' want
	exported >got
	same want got
}

@test "the header declares all of these functions, and the manual page describes them" {
	exported | sed -n 's/@.*//; /^simhash_/p' >got
	{ echo simhash_pair; cat got; } | sort -o got # a type
	${CC:-cc} -E -P "$here/lib/simhash.h" | tr '\n' ' ' | grep -oE '\bsimhash_[a-z_]+ ?\(' |
		tr -d ' (' | sort >want
	same want got
	awk '/^[.]Fn simhash_/ && synopsis { print $2 }
		/^[.]Sh/ { synopsis = /SYNOPSIS/ }' "$here/man/libsimhash.3" | sort >got
	same want got
	sed -i /simhash_pair/d want
	awk '/^[.]Nm/ { print $2 }' "$here/man/libsimhash.3" | sort >got
	same want got
}

@test "the header is C99, C11 and C++" {
	printf '#include <simhash.h>\nint main(void) { return !simhash_version(); }\n' >a.c
	cp a.c a.cc
	for std in c99 c11; do
		${CC:-cc} -std=$std -pedantic -Wall -Wextra -Werror -I"$here/lib" -fsyntax-only a.c
	done
	echo 'int main() { }' >try.cc
	${CC:-cc} -fsyntax-only try.cc 2>/dev/null || skip 'no C++ compiler'
	${CC:-cc} -std=c++11 -pedantic -Wall -Wextra -Werror -I"$here/lib" -fsyntax-only a.cc
}

@test "programs made with the header of any release get the programs' results" {
	export LD_LIBRARY_PATH=$PWD
	cut -f 1,2 "$T_DATA/en_dev.tsv" | tr -d '\\' >docs
	shfp --bare --raw -n 1-2 -w tf --seed 7 docs >want.fp
	[ "$(wc -l <want.fp)" -gt 500 ]
	shjoin -k 10 want.fp | sort >want.pairs
	[ -s want.pairs ]
	shband -k 6 -N 100000 want.fp | sort >want.bands
	shband -k 8 --recall 0.9 -N 100000 --seed 3 want.fp | sort >want.drawn
	for header in "$here"/t/abi/[0-9]*/simhash.h; do
		compile -std=gnu11 -I"${header%/*}" -o records "$here/t/abi/records.c"
		./records fp 0 <docs >got
		same want.fp got
		./records pairs 10 <docs | sort >got
		same want.pairs got
		./records bands 6 <docs | sort >got
		same want.bands got
		./records drawn 8 <docs | sort >got
		same want.drawn got
	done
}

@test "a structure that has changed its size or a member its place is found" {
	printf '#include <stddef.h>\n#include <stdio.h>\n#include <simhash.h>\nint main(void)\n{\n' >sizes.c
	for member in code text; do
		echo "printf(\"$member %zu\\n\", offsetof(struct simhash_error, $member));"
	done >>sizes.c
	for member in bits ngram_min ngram_max chars no_fold mask_digits minhash weight hash profile seed; do
		echo "printf(\"$member %zu\\n\", offsetof(struct simhash_options, $member));"
	done >>sizes.c
	echo 'printf("%zu %zu\n", sizeof(struct simhash_options), sizeof(struct simhash_error)); }' >>sizes.c
	${CC:-cc} -I"$here/lib" -o now sizes.c
	./now >now.txt
	for header in "$here"/t/abi/[0-9]*/simhash.h; do
		${CC:-cc} -I"${header%/*}" -o before sizes.c
		./before >before.txt
		same before.txt now.txt
	done
}
