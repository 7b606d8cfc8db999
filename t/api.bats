#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The shared library: its exports, its header, and programs that were compiled with it.
load helper

setup_file() {
	here=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	: "${BUILD:=$here/build}"
	library=$(echo "$BUILD"/libsimhash.so.*)
	symbols=$here/share/packaging/debian/libsimhash0.symbols
	export here BUILD library symbols
}

# exported: prints the names that the library exports, with their versions.
exported() {
	command -v nm >/dev/null || skip 'no nm(1)'
	nm -D --defined-only "$library" | awk '$2 != "A" { sub("@@", "@", $3); print $3 }' | sort
}

# Compiles a program with the shared library. Skips the test when the library needs a sanitizer in the program.
compile() {
	if grep -Eq "__[at]san_init" "$library"; then skip 'the library watches itself'; fi
	if [ ! -e libsimhash.so ]; then
		ln -s "$library" libsimhash.so
		ln -s "$library" .
	fi
	${CC:-cc} "$@" -L. -lsimhash
}

@test "the library exports exactly the symbols of libsimhash0.symbols" {
	awk 'NF == 2 && /^ simhash_.*@/ { print $1 }' "$symbols" | sort >want
	grep -q 'simhash_new@LIBSIMHASH_0$' want
	exported >got
	same want got
}

@test "the header declares every exported function, and the manual page describes it" {
	exported | sed -n 's/@.*//; /^simhash_/p' >got
	{ printf '%s\n' simhash_pairs_fn simhash_passage_fn simhash_matches_fn simhash_drops_fn; cat got; } | sort -o got # types
	${CC:-cc} -E -P "$here/lib/simhash.h" | tr '\n' ' ' | grep -oE '\bsimhash_[a-z_]+ ?\(' |
		tr -d ' (' | sort >want
	same want got
	awk '/^[.]Fn simhash_/ && synopsis { print $2 }
		/^[.]Sh/ { synopsis = /SYNOPSIS/ }' "$here/man/libsimhash.3" | sort >got
	same want got
	sed -i '/_fn$/d' want
	awk '/^[.]Nm/ { print $2 }' "$here/man/libsimhash.3" | sort >got
	same want got
}

@test "the header compiles as C99, C11 and C++" {
	printf '#include <simhash.h>\nint main(void) { return !simhash_version(); }\n' >a.c
	cp a.c a.cc
	for std in c99 c11; do
		${CC:-cc} -std=$std -pedantic -Wall -Wextra -Werror -I"$here/lib" -fsyntax-only a.c
	done
	echo 'int main() { }' >try.cc
	${CC:-cc} -fsyntax-only try.cc 2>/dev/null || skip 'no C++ compiler'
	${CC:-cc} -std=c++11 -pedantic -Wall -Wextra -Werror -I"$here/lib" -fsyntax-only a.cc
}

@test "a program compiled with the header gets the results of shfp, shband and shjoin" {
	export LD_LIBRARY_PATH=$PWD
	cut -f 1,2 "$T_DATA/en_dev.tsv" | tr -d '\\' >docs
	shfp --bare --raw -n 1-2 -w tf --seed 7 docs >want.fp
	[ "$(wc -l <want.fp)" -gt 500 ]
	shjoin -k 10 want.fp | sort >want.pairs
	[ -s want.pairs ]
	shband -k 6 want.fp | sort >want.bands
	compile -std=gnu11 -I"$here/lib" -o records "$here/t/api-records.c"
	./records fp 0 <docs >got
	same want.fp got
	./records pairs 10 <docs | sort >got
	same want.pairs got
	./records bands 6 <docs | sort >got
	same want.bands got
}

@test "the passages of the library are those of shspan" {
	export LD_LIBRARY_PATH=$PWD
	cut -f 1,2 "$T_DATA/en_dev.tsv" "$T_DATA/zh_dev.tsv" | tr -d '\\' >docs
	awk -F '\t' 'NR % 9 == 0 { print $1 "\t" substr($2, 1, 600) }' docs | iconv -c -t utf-8 >queries
	cat >passages.c <<-'END'
		#include <simhash.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>

		struct line { char *id, *text; };

		static size_t read_lines(const char *name, struct line **all)
		{
			FILE *f = fopen(name, "r");
			size_t n = 0, cap = 0;
			char *line = NULL;

			*all = NULL;
			while (f && getline(&line, &cap, f) > 0) {
				*all = realloc(*all, (n + 1) * sizeof **all);
				line[strcspn(line, "\n")] = '\0';
				(*all)[n].id = strdup(strtok(line, "\t"));
				line = strtok(NULL, "");
				(*all)[n++].text = strdup(line ? line : "");
				line = NULL;
			}
			return n;
		}

		struct told { const char *id; struct line *query; };

		static int tell(void *arg, const struct simhash_passage *p)
		{
			const struct told *t = arg;

			printf("%s\t%zu\t%zu\t%s\t%zu\t%zu\t%zu\t%.4f\n", t->id, p->start, p->end, t->query[p->query].id,
			    p->query_start, p->query_end, p->matched, p->identity);
			return 0;
		}

		int main(int argc, char **argv)
		{
			struct simhash_error error;
			struct simhash_passage_options o;
			struct line *query, *doc;
			size_t n = read_lines("queries", &query), m = read_lines("docs", &doc);
			const char **text = malloc(n * sizeof *text);
			size_t *size = malloc(n * sizeof *size);
			struct simhash_passages *p;

			for (size_t i = 0; i < n; i++) {
				text[i] = query[i].text;
				size[i] = strlen(text[i]);
			}
			simhash_passages_defaults(&o);
			o.ngram = argc > 1 ? (unsigned)atoi(argv[1]) : 0;
			p = simhash_passages_new(text, size, n, argc > 1 ? &o : NULL, &error);
			if (!p)
				return 1;
			for (size_t i = 0; i < n; i++)
				query[i].text[0] = 'x'; /* they were copied */
			for (size_t i = 0; i < m; i++)
				if (simhash_passages_find(p, doc[i].text, strlen(doc[i].text), tell, &(struct told){ doc[i].id, query }, &error) < 0)
					return 1;
			simhash_passages_free(p);
			return 0;
		}
	END
	compile -std=gnu11 -I"$here/lib" -o passages passages.c
	for k in '' 7; do
		# shellcheck disable=SC2086
		shspan --raw ${k:+-n $k} -d queries docs | cut -f 1-7 | sort >want
		[ "$(wc -l <want)" -gt 300 ]
		# shellcheck disable=SC2086
		./passages $k | cut -f 1-7 | sort >got
		same want got
	done
}

@test "the shared library needs no compression library" {
	needed=$(readelf -d "$BUILD"/libsimhash.so.? | sed -n 's/.*(NEEDED).*\[\(.*\)\.so.*/\1/p' | sort | tr '\n' ' ')
	[[ $needed = *libutf8proc* ]]
	[[ ! $needed =~ libz|libisal|libbz2|liblzma|liblz4 ]]
}
