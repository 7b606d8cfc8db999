#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shgroup: makes groups of pairs.

load helper

# pairs: prints a chain a-b-c and a pair d-e.
pairs() {
	printf 'a\tb\t1\nb\tc\t2\nd\te\t0\n'
}

@test "writes each id with the keeper, which is the first id of the group by bytes, and keepers first" {
	try 'printf "c\tb\t2\nb\ta\t1\ne\td\t0\n" | shgroup --link single'
	exits 0
	says
	gives 'a\ta' 'b\ta' 'c\ta' 'd\td' 'e\td'
	pairs >pairs
	try 'shgroup --link single --keep first pairs'
	gives 'a\ta' 'b\ta' 'c\ta' 'd\td' 'e\td'
}

@test "--link star: each id of a group has a pair with the keeper" {
	pairs >pairs
	try 'shgroup --link star pairs'
	exits 0
	gives 'a\ta' 'b\ta' 'c\tc' 'd\td' 'e\td'
	try 'shgroup --link star --keep newest pairs'
	gives 'a\ta' 'c\tc' 'b\tc' 'e\te' 'd\te'
}

@test "--keep newest: the keeper is the last id by bytes, or the last in the order of documents" {
	pairs >pairs
	printf 'c\tx\nb\tx\na\tx\ne\tx\nd\tx\n' >docs
	try 'shgroup --link single --keep newest pairs'
	gives 'c\tc' 'a\tc' 'b\tc' 'e\te' 'd\te'
	try 'shgroup --link single --keep newest -d docs pairs'
	gives 'a\ta' 'b\ta' 'c\ta' 'd\td' 'e\td'
}

@test "--keep first -d DOCS: the keeper is the first in the order of documents" {
	pairs >pairs
	printf 'b\tx\nc\tx\nx\tx\ne\tx\na\tx\nd\tx\nb\tagain\n' >docs
	try 'shgroup --link single -d docs pairs'
	exits 0
	says
	gives 'b\tb' 'a\tb' 'c\tb' 'e\te' 'd\te'
	try 'shgroup --link single --keep newest -d docs pairs'
	gives 'a\ta' 'b\ta' 'c\ta' 'd\td' 'e\td'
}

@test "-d several times: the documents of all files count, in the order of the files" {
	pairs >pairs
	printf '\357\273\277e\txx\nb\tx\n' >docs.1
	printf '\357\273\277a\tx\nb\txxxx\nc\txxx\nd\txx\n' >docs.2
	try 'shgroup --link single -d docs.1 -d docs.2 pairs'
	exits 0
	says
	gives 'b\tb' 'a\tb' 'c\tb' 'e\te' 'd\te'
	try 'shgroup --link single --keep longest -d docs.1 -d - pairs <docs.2'
	gives 'c\tc' 'a\tc' 'b\tc' 'e\te' 'd\te'
	try 'shgroup --link single --keep newest -d docs.2 -d docs.1 pairs'
	gives 'c\tc' 'a\tc' 'b\tc' 'e\te' 'd\te'
	printf '1\t3\t0\n' >lines
	try 'shgroup --link single --keep longest -l -d docs.1 -d docs.2 lines'
	gives '1\t1' '3\t1'
	sed 2d docs.1 >docs.3
	try 'shgroup --link single -d docs.3 -d /dev/null pairs'
	says 'shgroup: -d does not rank 4 of 5 ids; they are kept only where no ranked id is in the group'
}

@test "--keep longest: the keeper has the most bytes of text, and is the first on a tie" {
	pairs >pairs
	printf '\357\273\277a\tx\nb\txyz\nc\txy\ne\tz\nd\tz\n' >docs
	try 'shgroup --link single --keep longest -d docs pairs'
	exits 0
	says
	gives 'b\tb' 'a\tb' 'c\tb' 'e\te' 'd\te'
	try 'shgroup --link single --keep longest --documents - pairs <docs'
	gives 'b\tb' 'a\tb' 'c\tb' 'e\te' 'd\te'
	awk -F '\t' '{ print "f\t" $2 "\t" $1 }' docs | sed 1d >three
	try 'shgroup --link single --keep longest -d three -f 3,2 pairs'
	says 'shgroup: three does not rank 1 of 5 ids; they are kept only where no ranked id is in the group'
	gives 'b\tb' 'a\tb' 'c\tb' 'e\te' 'd\te'
	try 'shgroup --link single --keep longest pairs'
	exits 2
	gives
	says 'shgroup: --keep longest, max: and min: need the documents: -d DOCS' "Try 'shgroup --help' or 'man shgroup'."
}

@test "--keep FILE: ids may have any bytes" {
	printf 'a\t\377\376\t0\na\tb\t0\n' >pairs
	printf '\377\376\nb\n' >ids
	try 'shgroup --link single --keep ids pairs | cut -f 2 | sort -u'
	exits 0
	gives '\0377\0376'
}

@test "--keep FILE: ranks ids by their order in the file, with a warning about other ids, which rank last" {
	pairs >pairs
	printf 'x\nc\tfurther field\nb\n' >rank
	try 'shgroup --link single --keep rank pairs'
	exits 0
	says 'shgroup: rank does not rank 3 of 5 ids; they are kept only where no ranked id is in the group'
	gives 'c\tc' 'a\tc' 'b\tc' 'd\td' 'e\td'
	printf 'first\tx\n' >first
	try 'shgroup --link single --keep ./first pairs'
	exits 0
	grep -q '^shgroup: ./first does not rank 5 of 5 ids' err
	try 'shgroup --link single --keep nowhere pairs'
	exits 2
	gives
	says "shgroup: --keep 'nowhere': neither first, longest, newest, max:FIELD nor min:FIELD, nor an existing file" \
		"Try 'shgroup --help' or 'man shgroup'."
}

@test "pairs in any order, in any direction and repeated give the same groups and audit" {
	awk 'BEGIN { srand(7); for (i = 0; i < 300; i++)
		print "n" int(rand() * 250) "\tn" int(rand() * 250) "\t" int(rand() * 4) }' >pairs
	for link in single star; do
		shgroup --link $link --audit audit.1 pairs >expected
		for seed in 1 2 3; do
			awk -v seed=$seed 'BEGIN { srand(seed) }
				{ if (rand() < 0.5) { x = $1; $1 = $2; $2 = x }
				print rand() "\t" $1 "\t" $2 "\t" $3; if (rand() < 0.2) print rand() "\t" $1 "\t" $2 "\t" $3 }' pairs |
				sort | cut -f 2- >shuffled
			try "shgroup --link $link --audit audit.2 shuffled"
			exits 0
			same expected out
			same audit.1 audit.2
		done
	done
}

@test "the groups are the same with any number of threads, for each form of documents" {
	# The pairs and the documents have several chunks. Ids have a long common beginning, and some are repeated.
	awk 'BEGIN { srand(3); for (i = 0; i < 12000; i++) {
		a = int(rand() * 9000); b = a - a % 4 + int(rand() * 4)
		print "http://example.org/documents/" a "\thttp://example.org/documents/" b "\t" i % 9 "\t0.9" i % 7 "\tedit" } }' >pairs
	awk 'BEGIN { srand(4); for (i = 0; i < 12000; i++) {
		t = "x"; for (k = int(rand() * 40); k > 0; k--) t = t " \\t"
		print "http://example.org/documents/" int(rand() * 8900) "\t" t } }' >docs
	python3 - <<-'END'
	import csv, json
	rows = [line.rstrip("\n").split("\t") for line in open("docs")]
	rows = [(i, t.replace("\\t", "\n")) for i, t in rows]
	with open("docs.jsonl", "w") as f:
	    f.writelines(json.dumps({"name": i, "body": t}) + "\n" for i, t in rows)
	with open("docs.csv", "w", newline="") as f:
	    w = csv.writer(f, lineterminator="\n")
	    w.writerows([["name", "body"]] + rows)
	END
	# The script ranks and groups by stars on its own.
	cat >oracle.py <<-'END'
	import sys
	keep, docs = sys.argv[1], {}
	for n, line in enumerate(open("docs")):
	    i, t = line.rstrip("\n").split("\t")
	    docs.setdefault(i, (n, len(t.replace("\\t", "."))))
	near = {}
	for line in open("pairs"):
	    a, b = line.split("\t")[:2]
	    near.setdefault(a, set()).add(b)
	    near.setdefault(b, set()).add(a)
	rank = {"first": lambda d: d[0], "newest": lambda d: -d[0], "longest": lambda d: (-d[1], d[0])}[keep]
	order = sorted((i for i in near if i in docs), key=lambda i: rank(docs[i])) + sorted(i for i in near if i not in docs)
	keeper = {}
	for i in order:
	    if i not in keeper:
	        for j in [i, *near[i]]:
	            keeper.setdefault(j, i)
	for i in sorted(keeper, key=lambda i: (keeper[i], keeper[i] != i, i)):
	    print(i, keeper[i], sep="\t")
	END
	for keep in first newest longest; do
		python3 oracle.py $keep >expected
		for j in $(fewer '1 2 5' '1 5'); do
			for how in '-d docs' '--json -f name,body -d docs.jsonl' '--csv -f name,body -d docs.csv' \
			    '-d - <docs' '-d <(head -n 3000 docs) -d <(tail -n +3001 docs | gzip)'; do
				try "shgroup -j $j --keep $keep $how pairs"
				exits 0
				same expected out
				grep -q 'not rank [0-9]* of [0-9]* ids' err
			done
		done
	done
	cut -f 1 docs >ids
	for j in 1 2 5; do
		try "shgroup -j $j --keep ids pairs"
		exits 0
		mv out out.$j
		try "shgroup -j $j -d docs pairs"
		same out out.$j
	done
}

@test "bad documents are reported and rejected in the order of the files, with any number of threads" {
	awk 'BEGIN { for (i = 0; i < 30000; i++) print "i" i "\ttext" (i % 100 == 99 ? "\tbad" : "") }' >docs
	printf 'i29998\ti1\t0\n' >pairs
	grep bad docs >wanted
	for j in 1 2 5; do
		try "shgroup -j $j --rejects bad -d docs pairs"
		exits 0
		says 'shgroup: 300 records rejected, see bad'
		gives 'i1\ti1' 'i29998\ti1'
		same wanted bad
		rm bad
		try "shgroup -j $j -d docs pairs"
		exits 2
		gives
		says 'shgroup: docs:100: 3 fields, expected id<TAB>text (-f ID,TEXT chooses two of them)'
	done
}

@test "--link single: the groups are the connected components" {
	awk 'BEGIN { srand(9); for (i = 0; i < 400; i++)
		print "n" int(rand() * 500) "\tn" int(rand() * 500) "\t1" }' >pairs
	# Gives each id the smallest id of its neighbours until nothing changes.
	awk -F '\t' '
		{ a[NR] = $1; b[NR] = $2; best[$1] = $1; best[$2] = $2 }
		END {
			do {
				changed = 0
				for (i = 1; i <= NR; i++) {
					x = best[a[i]] ""; y = best[b[i]] ""
					if (x < y) { best[b[i]] = x; changed = 1 }
					if (y < x) { best[a[i]] = y; changed = 1 }
				}
			} while (changed)
			for (n in best) print n "\t" best[n]
		}' pairs | sort >expected
	try 'shgroup --link single pairs | sort'
	exits 0
	same expected out
}

@test "--link star: each duplicate has a pair with its keeper, and no keeper has a pair with a better keeper" {
	awk 'BEGIN { srand(11); for (i = 0; i < 300; i++) print "n" int(rand() * 200) "\tn" int(rand() * 200) "\t1" }' |
		awk '$1 != $2' >pairs
	shgroup --link star pairs >groups
	(cat pairs; awk '{ print $2 "\t" $1 }' pairs) | cut -f 1,2 | sort -u >edges
	awk -F '\t' '$1 != $2' groups | sort >members
	comm -23 members edges >astray
	[ -s members ]
	[ ! -s astray ]
	awk -F '\t' '$1 == $2 { print $1 }' groups >keepers
	awk -F '\t' 'NR == FNR { k[$1]; next } $1 in k && $2 in k' keepers edges >between
	[ ! -s between ]
}

@test "--audit: writes keeper, size and weakest pair of each group" {
	pairs >pairs
	try 'shgroup --link single --audit audit pairs'
	exits 0
	gives 'a\ta' 'b\ta' 'c\ta' 'd\td' 'e\td'
	mv audit out
	gives 'a\t3\tb\tc\t2' 'd\t2\td\te\t0'
	try 'shgroup --link star --audit /dev/stdout pairs'
	gives 'a\t2\ta\tb\t1' 'd\t2\td\te\t0' 'a\ta' 'b\ta' 'c\tc' 'd\td' 'e\td'
}

@test "--audit: the weakest pair has the lowest known similarity" {
	printf 'a\tb\t9\t0.9\tedit\nc\tb\t1\t0.5\tedit\nd\tc\t3\t0.5\tjaccard\n' >pairs
	try 'shgroup --link single --audit /dev/stdout pairs | head -n 1'
	gives 'a\t4\tc\td\t3\t0.5000\tjaccard'
}

@test "--audit: coverages and a measure of no program have no name" {
	printf 'a\tb\t7\t0.5\t0.25\n' >pairs
	try 'shgroup --link single --audit /dev/stdout pairs | head -n 1'
	gives 'a\t2\ta\tb\t0\t0.5000\t-'
	printf 'a\tb\t7\t0.5\tmine\n' >pairs
	try 'shgroup --link single --audit /dev/stdout pairs | head -n 1'
	gives 'a\t2\ta\tb\t7\t0.5000\t-'
}

@test "--audit: the weakest pair is written as shverify wrote it" {
	shfp -n 3 "$T_DATA/en_dev.tsv" | shjoin -k 16 | shverify -n 3 -T 0.8 -d "$T_DATA/en_dev.tsv" >pairs
	try 'shgroup --link single --audit audit -o groups pairs'
	exits 0
	[ "$(wc -l <audit)" -gt 100 ]
	cut -f 3- audit | sort >weakest
	try 'sort pairs | comm -23 weakest -'
	gives
}

@test "a report of shdedup is read as pairs without distance" {
	printf '%s\t%s\n' a 'one two three four five six' b 'nothing of the kind at all, none' >docs
	(cat docs; sed 's/^/n/' docs) >all
	shdedup -q --dry-run --report report all
	try 'cat report'
	gives 'na\ta\t1.0000\tjaccard' 'nb\tb\t1.0000\tjaccard'
	try 'shgroup --link single --audit audit report'
	exits 0
	gives 'a\ta' 'na\ta' 'b\tb' 'nb\tb'
	try 'cat audit'
	gives 'a\t2\ta\tna\t-\t1.0000\tjaccard' 'b\t2\tb\tnb\t-\t1.0000\tjaccard'
	try 'shverify --measure edit -d all report'
	exits 0
	gives 'na\ta\t-\t1.0000\tedit' 'nb\tb\t-\t1.0000\tedit'
	printf 'nc\ta\t0.5000\tedit\n' >>report
	try 'shgroup --link single --audit /dev/stdout report | head -n 1'
	gives 'a\t3\ta\tnc\t-\t0.5000\tedit'
}

@test "a similarity may have more than four decimal places" {
	printf '%s\tedit\n' 'a	b	1	0.8333333333333334' 'b	c	1	1.0000000000000002' 'c	d	1	0.99995' >pairs
	printf '%s\tedit\n' 'x	y	1	8.5e-05' 'p	q	1	0.9999449999' >>pairs
	try 'shgroup --link single --audit /dev/stdout pairs | head -n 3'
	gives 'a\t4\ta\tb\t1\t0.8333\tedit' 'p\t2\tp\tq\t1\t0.9999\tedit' 'x\t2\tx\ty\t1\t0.0001\tedit'
	try 'sed -n 3p pairs | shgroup --link single --audit /dev/stdout | head -n 1'
	gives 'c\t2\tc\td\t1\t1.0000\tedit'
	try 'shstat pairs | sed -n 2p'
	grep -q ' 0.77  ' out # of 0.8333 1 1 0.0001 0.9999
	for bad in 1.0000005 1e1 -0.5 0.5x 0.1234567x 1e e5 nan 0x1 .5 0..5; do
		printf 'a\tb\t1\t%s\tedit\n' $bad >pairs
		try 'shgroup --link single pairs'
		exits 2
		grep -q "^shgroup: pairs:1: similarity '" err
	done
}

@test "an id paired only with itself is a group of one, without a line of --audit" {
	try 'printf "a\ta\t0\n" | shgroup --link single --audit audit'
	exits 0
	gives 'a\ta'
	[ ! -s audit ]
}

@test "ids of any bytes are written unchanged" {
	printf ' \377\t\0\\t\t0\n' >pairs
	try 'shgroup --link single pairs'
	exits 0
	printf '\0\\t\t\0\\t\n \377\t\0\\t\n' >expected
	same expected out
	id=$(printf %04096d 0)
	try "printf 'a\t$id\t0\n' | shgroup --link single | wc -c"
	gives $((4096 + 1 + 4096 + 1 + 1 + 1 + 4096 + 1))
}

@test "records that are not pairs are refused with their line" {
	refuses() {
		for link in single star; do
			try "(printf 'a\tb\t0\n'; printf '$1\n') | shgroup --link $link"
			exits 2
			gives
			says "shgroup: -:2: $2"
		done
	}
	refuses 'a' '1 field, expected id<TAB>id<TAB>distance, and perhaps similarity and measure (shjoin makes pairs)'
	refuses 'a\tb' '2 fields, expected id<TAB>id<TAB>distance, and perhaps similarity and measure (shjoin makes pairs)'
	refuses 'a\tb\t1\t1\t1\t1' '6 fields, expected id<TAB>id<TAB>distance, and perhaps similarity and measure (shjoin makes pairs)'
	refuses '\tb\t1' 'empty id'
	refuses 'a\t\t1' 'empty id'
	refuses 'a\tb\tx' "distance 'x': not a number"
	refuses 'a\tb\t-1' "distance '-1': not a number"
	refuses 'a\tb\t65536' 'a distance above 16382'
	refuses 'a\tb\t1\t1.000001\tedit' "similarity '1.000001': above 1"
	refuses 'a\tb\t1\tx\tedit' "similarity 'x': not a number"
	refuses 'a\tb\t1\t0.5' "measure '0.5': expected a name as jaccard (shverify writes it)"
	refuses "a\\t$(printf %04097d 0)\\t1" 'id of 4097 bytes, at most 4096'
}

@test "--rejects: the ids of a rejected pair are in no group" {
	for link in single star; do
		try "printf 'a\tb\t0\nc\td\t65536\nx\t\t1\n' | shgroup --link $link --rejects rejected"
		exits 0
		gives 'a\ta' 'b\ta'
		says 'shgroup: 2 records rejected, see rejected'
	done
}

@test "-d: records that are not documents are refused with their line" {
	pairs >pairs
	printf 'a\tx\nb\n' >docs
	try 'shgroup --link single -d docs pairs'
	exits 2
	gives
	says 'shgroup: docs:2: 1 field, expected id<TAB>text (-l numbers plain lines)'
	try 'shgroup --link single -d docs --rejects r pairs'
	exits 0
	gives 'a\ta' 'b\ta' 'c\ta' 'd\td' 'e\td'
	says 'shgroup: docs does not rank 4 of 5 ids; they are kept only where no ranked id is in the group' \
		'shgroup: 1 record rejected, see r'
	mv r out
	gives b
	iconv -f UTF-8 -t UTF-16 docs >utf16
	printf 'a\tx\n' >docs
	for o in '' '--rejects r'; do
		try "shgroup --link single --keep longest -d docs -d utf16 $o pairs"
		exits 2
		grep -q '^shgroup: utf16: the text is UTF-16.., not UTF-8 ' err
	done
	try 'shgroup --link single -d nowhere pairs'
	says "shgroup: cannot open 'nowhere': No such file or directory"
}

@test "--audit: a file that cannot be written is an error, without output" {
	pairs >pairs
	try 'shgroup --link single -o groups --audit no/where pairs'
	exits 2
	says "shgroup: cannot create a temporary file in the folder of 'no/where': No such file or directory"
	try 'shgroup --link single -o groups --audit /dev/full pairs'
	exits 2
	says 'shgroup: cannot write to /dev/full: No space left on device'
	only pairs
}

@test "unknown values and options that need another option are refused" {
	try 'shgroup --link x </dev/null'
	exits 2
	says "shgroup: --link 'x': expected single or star" "Try 'shgroup --help' or 'man shgroup'."
	try 'shgroup --link single -d docs -f 1 </dev/null'
	exits 2
	says "shgroup: -f: fields '1': expected two field numbers ID,TEXT, as in 1,3 (names need --json, --csv or --header)" "Try 'shgroup --help' or 'man shgroup'."
}

@test "awk(1) removes the duplicates from the documents by the groups" {
	printf 'a\tthe same text\nb\tanother one\nc\tthe same text\nd\tThe same, text!\n' >docs
	try 'shfp -n 1 docs | shjoin -k 3 | shgroup --link single | awk -F "\t" "\$1 != \$2 { print \$1 }" >gone
		awk -F "\t" "NR == FNR { gone[\$1]; next } !(\$1 in gone)" gone docs'
	exits 0
	gives 'a\tthe same text' 'b\tanother one'
}

@test "-d --json: documents may be lines of JSON" {
	printf 'a\tb\t1\nb\tc\t1\n' >pairs
	printf '{"id":"%s","text":"%s"}\n' a x b 'xx\nxx' c xxx >docs.jsonl
	printf 'b\tb\na\tb\nc\tb\n' >expected
	try 'shgroup --link single --keep longest --json -d docs.jsonl pairs'
	exits 0
	same expected out
	sed 's/"id"/"url"/; s/"text"/"body"/' docs.jsonl >others.jsonl
	try 'shgroup --link single --keep longest -f url,body --json -d others.jsonl pairs'
	exits 0
	same expected out
	try 'shgroup --link single --keep longest --json -d others.jsonl pairs'
	exits 2
	grep -q '^shgroup: others.jsonl:1: ' err
	try 'shgroup --link single --json pairs'
	exits 2
	says 'shgroup: --json needs the documents: -d DOCS' "Try 'shgroup --help' or 'man shgroup'."
	try 'shgroup --link single -f 1 -d docs.jsonl pairs'
	exits 2
	says "shgroup: -f: fields '1': expected two field numbers ID,TEXT, as in 1,3 (names need --json, --csv or --header)" "Try 'shgroup --help' or 'man shgroup'."
}

@test "-d -l: documents may be lines without ids, and the ids of pairs are line numbers" {
	printf '2\t10\t1\n' >pairs
	seq 9 >lines
	echo 'the tenth, longest' >>lines
	try 'shgroup --link single pairs'
	gives '10\t10' '2\t10'
	try 'shgroup --link single -l -d lines pairs'
	exits 0
	gives '2\t2' '10\t2'
	try 'shgroup --link single -l -d lines --keep longest pairs'
	gives '10\t10' '2\t10'
	sed 's/.*/{"text":"&"}/' lines >lines.jsonl
	try 'shgroup --link single -l --json -d lines.jsonl --keep longest pairs'
	exits 0
	gives '10\t10' '2\t10'
	try 'shgroup --link single -l --json -f text -d lines.jsonl pairs'
	exits 0
	gives '2\t2' '10\t2'
	try 'shgroup --link single -l pairs'
	exits 2
	says 'shgroup: -l needs the documents: -d DOCS' "Try 'shgroup --help' or 'man shgroup'."
	try 'shgroup --link single -l -f 1,2 -d lines pairs'
	exits 2
	says 'shgroup: -l and -f contradict each other: with -l the whole line is text' "Try 'shgroup --help' or 'man shgroup'."
}

@test '--audit refuses the file of the groups' {
	printf 'a\tb\t0\n' >pairs
	for c in '--audit - pairs' '--audit new -o new pairs' '--audit ./new -o new pairs'; do
		try "shgroup --link single $c"
		exits 2
		gives
		[ ! -e new ]
		grep -q ': the groups are written to it$' err
	done
	try 'shgroup --link single -o new --audit - pairs'
	exits 0
	gives 'a\t2\ta\tb\t0'
}

@test '--audit /dev/stdout writes the whole audit and then all groups' {
	seq 40000 | awk '{ printf "a%09d\tb%09d\t1\n", $1, $1 }' >pairs
	shgroup --link single --audit audit pairs >groups
	try 'shgroup --link single --audit /dev/stdout pairs'
	exits 0
	cat audit groups >expected
	same expected out
}

@test "pairs of shspan are read as pairs of distance 0, with the greater coverage as similarity" {
	printf '%s\t%s\n' a "$(seq -s ' ' 100 130)" b "$(seq -s ' ' 100 125)" c "$(seq -s ' ' 200 230)" >docs
	try 'shspan --pairs docs | tee pairs | shgroup --link single | cut -f 1 | sort'
	exits 0
	gives a b
	try 'shgroup --link star --audit audit -d docs pairs'
	exits 0
	gives 'a\ta' 'b\ta'
	[ "$(cut -f 5,6 audit)" = "$(printf '0\t1.0000')" ]
	try 'shverify -n 1 --measure jaccard -d docs pairs | cut -f 3,4'
	gives '0\t0.8387'
	try 'shstat pairs'
	exits 0
	try 'printf "a\tb\t6\t1.5\t0.4\n" | shgroup --link single'
	exits 2
	says 'shgroup: -:1: expected id<TAB>id<TAB>matched<TAB>coverage<TAB>coverage, coverages from 0 to 1'
}

@test "the pipe with the options of shdedup drops the documents that shdedup drops" {
	for set in en zh; do
		docs=$T_DATA/${set}_dev.tsv
		try "cat $docs | shfp --keys --measure jaccard | sort -s -k1,1 | shjoin | sort -u | shverify --measure jaccard -d $docs |
			shgroup --link star -d $docs | awk '\$1 != \$2' | sort"
		exits 0
		shdedup --measure jaccard -q --dry-run --report - "$docs" | cut -f 1,2 | sort >expected
		[ "$(wc -l <expected)" -gt 180 ]
		same expected out
	done
}

@test "shgroup and shstat read a report with --counts like a report without" {
	shdedup -q --dry-run --report report "$T_DATA/en_dev.tsv" >/dev/null
	shdedup -q --dry-run --counts --report counted "$T_DATA/en_dev.tsv" >/dev/null
	[ "$(awk -F '\t' 'NF == 5' counted | wc -l)" = "$(wc -l <report)" ]
	for program in shgroup shstat; do
		"$program" report >expected
		try "$program counted"
		exits 0
		same expected out
	done
	printf 'a\tb\t1.0000\tedit\t2\n' >counted
	try 'shgroup --link single counted'
	exits 0
	gives 'a\ta' 'b\ta'
	try 'sed s/2$/-/ counted | shgroup --link single'
	exits 2
	says "shgroup: -:1: size of the group '-': not a number"
}

@test "--protect: each protected id is a keeper, under both links, and is better than all others" {
	printf 'a\tb\t1\nb\tc\t1\nc\td\t1\n' >pairs
	printf 'a\tx\nb\tx\nc\tx\nd\tx\n' >docs
	printf 'd\tfurther field\nc\nnowhere\n' >ids
	try 'shgroup --link star --protect ids -d docs pairs'
	exits 0
	gives 'a\ta' 'c\tc' 'b\tc' 'd\td'
	try 'shgroup --link single --protect ids -d docs pairs | sort'
	gives 'a\tc' 'b\tc' 'c\tc' 'd\td'
	try 'shgroup --link single --protect ids pairs | sort'
	gives 'a\tc' 'b\tc' 'c\tc' 'd\td'
	try 'shgroup --link single --protect ids --protect docs -d docs pairs | sort'
	gives 'a\ta' 'b\tb' 'c\tc' 'd\td'
}

@test "--keep max: and min: take the field of a record; a number is exact and comes before other values" {
	printf 'a\tb\t1\nb\tc\t1\nc\td\t1\n' >pairs
	printf 'a\tx\tNA\nb\tx\t9007199254740992\nc\tx\t9007199254740993\nd\tx\t\n' >docs
	try 'shgroup --link single --keep max:3 -f 1,2 -d docs pairs | head -n 1'
	exits 0
	gives 'c\tc'
	says "shgroup: 1 document without field '3', 1 with a value of '3' that is no number: rank last (--keep)"
	try 'shgroup --link single --keep min:3 -f 1,2 -d docs pairs 2>/dev/null | head -n 1'
	gives 'b\tb'
	printf '{"id":"%s","text":"x","at":"%s"}\n' a 'z' b '\u00e9' c 'y' d 'x' >json
	try 'shgroup --link single --json --keep max:at -d json pairs | head -n 1'
	gives 'b\tb'
	(echo 'id,text,size'; sed 's/\t/,/g' docs) >csv
	try 'shgroup --link single --csv --keep max:size -d csv pairs 2>/dev/null | head -n 1'
	gives 'c\tc'
	for bad in '--keep max: -d docs' '--keep max:size -d docs' '--keep max:3' '--keep longest' '--keep max:no --csv -d csv'; do
		try "shgroup --link single $bad pairs"
		exits 2
		grep -q -- '--keep' err || { cat err; return 1; }
	done
}

# in_order RULE VALUE...: each value ranks before the next one, and is equal to one behind "=".
in_order() {
	local i=10 before=$2 value
	: >docs
	: >pairs
	: >expected
	for value in "${@:3}"; do
		printf '%s\tx\t%s\n' $((++i)).second "${value#=}" $i.first "${before#=}" >>docs
		printf '%s\t%s\t1\n' $i.first $i.second >>pairs
		[[ $value = =* ]] && echo $i.second >>expected || echo $i.first >>expected # of equal ones the first document
		before=$value
	done
	try "shgroup --link single --keep $1:3 -f 1,2 -d docs pairs 2>/dev/null | sort | awk '\$1 ~ /second/ { print \$2 }'"
	exits 0
	same expected out
}

@test "--keep max: and min: numbers of any size and notation have their order, and other values follow by bytes" {
	in_order max 1e1000000 1e400 9007199254740993 9007199254740992 =9007199254740992.000 =+9007199254740992 \
		9007199254740991 1234567890.00000000000000000002 1234567890.00000000000000000001 12.5 =1.25e1 =125e-1 12 .5 \
		0.05 5e-400 0 =-0 =0.000 =0e9 -1e-9 -3 -3.0000000000000000001 -20 z NaN NA 1,000 0x10 ''
	in_order min -20 -3.01 -3 0 7 10 1e30 1,000 1.2.3 NA inf ''
	in_order max 'a\\c' 'a\nb' 'a\tb' ''
}

@test "--keep FILE with -d: ids that FILE lacks follow in the order of the documents" {
	printf 'a\tb\t1\nc\td\t1\n' >pairs
	printf 'b\tx\na\tx\nd\tx\nc\tx\n' >docs
	printf 'c\n' >list
	try 'shgroup --link single --keep list -d docs pairs'
	exits 0
	says
	gives 'b\tb' 'a\tb' 'c\tc' 'd\tc'
}
