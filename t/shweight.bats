#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shweight: computes weights of features.

load helper

# Document a has x 4 times and y once; b has y twice.
features() {
	printf '%s\t%s\t1\n' a x a x a y a x a x b y b y
}

@test "writes one line for each feature, in order of first occurrence, with 1 + ln(count) by default" {
	features >in
	try 'shweight in'
	exits 0
	says
	gives 'a\tx\t2.386294' 'a\ty\t1' 'b\ty\t1.693147'
	mv out log
	try 'shweight --weight log in'
	same log out
}

@test "-w set, tf and freq give 1, the count, and the count / the total" {
	features >in
	try 'shweight -w set in'
	gives 'a\tx\t1' 'a\ty\t1' 'b\ty\t1'
	try 'shweight -w tf in'
	gives 'a\tx\t4' 'a\ty\t1' 'b\ty\t2'
	try 'shweight -w freq in'
	gives 'a\tx\t0.8' 'a\ty\t0.2' 'b\ty\t1'
	try 'printf "a\t%s\t1\n" x y z | shweight -w freq'
	gives 'a\tx\t0.333333' 'a\ty\t0.333333' 'a\tz\t0.333333'
	try 'printf "a\t%s\t1\n" x y x | shweight -w freq'
	gives 'a\tx\t0.666667' 'a\ty\t0.333333'
}

@test "the counts of several lines of a feature are summed" {
	try 'printf "a\tx\t3\na\ty\t1\na\tx\t1\n" | shweight'
	gives 'a\tx\t2.386294' 'a\ty\t1'
	try 'printf "a\tx\t0.25\na\tx\t0.5\n" | shweight -w tf'
	gives 'a\tx\t0.75'
	try 'printf "a\tx\t0.25\na\tx\t0.75\n" | shweight -w log'
	gives 'a\tx\t1'
}

@test "a bad record ends the run, however many follow it" {
	try 'yes "a	text of two fields" | timeout 20 shweight'
	exits 2
	gives
	says "shweight: -:1: 2 fields, expected id<TAB>feature<TAB>weight (shtok makes features of documents)"
	# With a record before them, the time grows with their number, not with its square.
	try '{ printf "a\tx\t1\n"; head -n 5000000 <(yes bad); } | timeout 20 shweight --rejects /dev/null'
	exits 0
	gives 'a\tx\t1'
	says 'shweight: 5000000 records rejected, see /dev/null'
}

@test "-w freq and log refuse counts with a fraction" {
	for w in freq log; do
		try "printf 'a\tx\t0.5\n' | shweight -w $w"
		exits 2
		gives
		says "shweight: -:1: -w $w needs whole counts, but document 'a' has a count with a fraction"
	done
	try 'printf "a\tx\t0.5\n" | shweight -w set'
	gives 'a\tx\t1'
}

@test "-w tfidf and logidf multiply by ln(documents/df), from -d TABLE" {
	features >in
	printf '\t10\nx\t2\ny\t10\n' >table
	try 'shweight -w tfidf -d table in'
	exits 0
	gives 'a\tx\t6.437752' 'a\ty\t0' 'b\ty\t0'
	try 'shweight -w logidf --df table in'
	gives 'a\tx\t3.840593' 'a\ty\t0' 'b\ty\t0'
}

@test "--absent: a feature that TABLE lacks counts as rarest, or is dropped" {
	printf '\t10\nx\t2\n' >table
	printf 'a\tx\t1\na\tnew\t1\nb\tnew\t1\n' >in
	try 'shweight -w tfidf -d table in'
	gives 'a\tx\t1.609438' 'a\tnew\t2.302585' 'b\tnew\t2.302585'
	try 'shweight -w tfidf -d table --absent rare in'
	gives 'a\tx\t1.609438' 'a\tnew\t2.302585' 'b\tnew\t2.302585'
	try 'shweight -w tfidf -d table --absent drop in'
	gives 'a\tx\t1.609438' 'b\t\t0'
	printf '\t0\n' >table
	try 'shweight -w tfidf -d table in'
	gives 'a\tx\t0' 'a\tnew\t0' 'b\tnew\t0'
}

@test "--min-df and --max-df drop features by TABLE, with each -w" {
	printf '\t10\nx\t2\ny\t5\nz\t9\n' >table
	printf 'a\tx\t1\na\ty\t1\na\tz\t1\n' >in
	try 'shweight -w set -d table --min-df 3 --max-df 50% in'
	says
	gives 'a\ty\t1'
	try 'shweight -d table in'
	exits 0
	gives 'a\tx\t1' 'a\ty\t1' 'a\tz\t1'
	says 'shweight: -d table has no effect on -w log (for tfidf or logidf)'
	for option in '--min-df 1' '--max-df 10' '--absent drop'; do
		try "shweight -d table $option in"
		gives 'a\tx\t1' 'a\ty\t1' 'a\tz\t1'
		says
	done
	try 'shweight -w set -d table --max-df 1 in'
	gives 'a\t\t0'
}

@test "--idf reads values from a file, rounds them to millionths, and gives other features the median" {
	printf 'x 1.5\ny\t2.1234567\nz z 9\nx 2\n' >idf
	printf 'a\tx\t2\na\ty\t1\na\tnew\t1\na\tz z\t1\n' >in
	try 'shweight -w tfidf --idf idf in'
	exits 0
	gives 'a\tx\t4' 'a\ty\t2.123457' 'a\tnew\t2.123457' 'a\tz z\t9'
	(printf '\357\273\277'; sed 's/$/\r/' idf) >dos
	mv out normal
	try 'shweight -w tfidf --idf dos in'
	exits 0
	same normal out
	try 'shweight -w tf --idf idf in'
	exits 0
	gives 'a\tx\t2' 'a\ty\t1' 'a\tnew\t1' 'a\tz z\t1'
	says 'shweight: --idf idf has no effect on -w tf (for tfidf or logidf)'
	# As Python prints small and large numbers; halves of a millionth are rounded up.
	printf '%s\n' 'a 8e-05' 'b 1.25E+1' 'c 5e-7' '' 'd 0.0000005' 'e 0.00000049999999' >idf
	printf 'x\t%s\t1\n' a b c d e >in
	try 'shweight -w tfidf --idf idf in'
	gives 'x\ta\t0.00008' 'x\tb\t12.5' 'x\tc\t0.000001' 'x\td\t0.000001' 'x\te\t0'
	for number in e5 1e 1e300 0x1p-2 -1e2 1e-; do
		echo "a $number" >idf
		try 'shweight -w tfidf --idf idf in'
		exits 2
		grep -q '^shweight: idf:1: ' err
	done
}

@test "-t N keeps the N heaviest features, in descending order, and in order of occurrence on a tie" {
	printf 'a\tv\t1\na\tw\t1\na\tx\t3\na\ty\t2\na\tz\t3\nb\tv\t1\n' >in
	try 'shweight -w tf -t 4 in'
	gives 'a\tx\t3' 'a\tz\t3' 'a\ty\t2' 'a\tv\t1' 'b\tv\t1'
	try 'shweight -w tf --top 100 in'
	gives 'a\tx\t3' 'a\tz\t3' 'a\ty\t2' 'a\tv\t1' 'a\tw\t1' 'b\tv\t1'
}

@test "ids and features of every length are written in full, with each count" {
	for weight in 1 2 0; do
		awk -v weight=$weight 'BEGIN {
			for (n = 1; n <= 40; n++)
				for (m = 1; m <= 40; m++)
					printf "%0" n "d\t%0" m "d\t%d\n", n, m, weight
		}' >in
		try 'shweight -w tf in'
		exits 0
		same in out
	done
	# With a table of 0 documents every feature has idf 0.
	printf '\t0\n' >table
	try "printf 'a\tx\t2\n' | shweight -w tfidf -d table"
	exits 0
	gives 'a\tx\t0'
	try "printf 'a\tx\t2\n' | shweight -w tfidf --absent drop -d table"
	gives 'a\t\t0'
}

@test "writes an empty feature of weight 0 for a document without features" {
	try 'printf "a\t\t0\nb\tx\t1\nb\t\t0\n" | shweight'
	gives 'a\t\t0' 'b\tx\t1'
}

@test "an id that returns after other ids is another document" {
	try 'printf "a\tx\t1\nb\tx\t1\na\tx\t1\n" | shweight -w tf'
	gives 'a\tx\t1' 'b\tx\t1' 'a\tx\t1'
}

@test "ids and features of any bytes are written unchanged" {
	printf ' \377\\t\0\t \303 \0\t1\n' >in
	try 'shweight --features in'
	exits 0
	same in out
}

@test "weights up to 9223372036854.775807 are accepted, and a sum that overflows is an error" {
	try 'printf "a\tx\t9223372036854.775807\n" | shweight -w tf'
	exits 0
	gives 'a\tx\t9223372036854.775807'
	try 'printf "a\tx\t9223372036854.775807\na\tx\t0.000001\n" | shweight -w tf'
	exits 2
	gives
	says "shweight: -:2: the counts of document 'a' overflow"
	try 'printf "a\tx\t9223372036854.775807\na\ty\t0.000001\n" | shweight -w tf'
	exits 2
	says "shweight: -:2: the counts of document 'a' overflow"
	printf '\t10\nx\t1\n' >table
	try 'printf "a\tx\t9223372036854\n" | shweight -w tfidf -d table'
	exits 2
	gives
	grep -q 'weight too large: more than 9223372036854.775807' err
}

@test "a weight that is no number is refused with its line" {
	refuses() {
		try "printf 'a\tx\t$1\n' | shweight"
		exits 2
		gives
		says "shweight: -:1: weight '$1': $2"
	}
	form='expected digits, and perhaps a point and digits, as in 0.25'
	refuses 9223372036854.775808 'too large'
	refuses 99999999999999999999999 'too large'
	refuses 0.0000001 'more than 6 decimal places'
	refuses -1 "$form"
	refuses +1 "$form"
	refuses 1e3 "$form"
	refuses 0x1 "$form"
	refuses 1. "$form"
	refuses .5 "$form"
	refuses '' 'not a number'
	refuses ' 1' "$form"
	refuses nan "$form"
}

@test "--idf: a file in another encoding gives a warning, because none of its features is found" {
	printf '中国 9\n的 1\n' | iconv -f UTF-8 -t GB18030 >idf
	try 'printf "a\t中国\t1\n" | shweight -w tfidf --idf idf'
	exits 0
	says 'shweight: idf: not UTF-8: its features match no feature of the input (convert it with iconv)'
	iconv -f GB18030 -t UTF-8 idf >utf8
	try 'printf "a\t中国\t1\n" | shweight -w tfidf --idf utf8'
	exits 0
	gives 'a\t中国\t9'
	says
}

@test "-d: tables may have DOS line ends" {
	printf '\t10\r\nx\t2\r\n' >table
	printf 'x 1.5\r\n' >idf
	try 'printf "a\tx\t1\n" | shweight -w tfidf -d table'
	exits 0
	gives 'a\tx\t1.609438'
	try 'printf "a\tx\t1\n" | shweight -w tfidf --idf idf'
	exits 0
	gives 'a\tx\t1.5'
	try 'shdf -m table table'
	exits 0
	gives '\t20' 'x\t4'
}

@test "-d: a file that is not a table is refused with file and line" {
	refuses() {
		printf "$2" >table
		try "printf 'a\tx\t1\n' | shweight -w tfidf $1 table"
		exits 2
		gives
		says "shweight: table$3"
	}
	refuses -d 'x\t2\n' ': a document frequency of 2 in 0 documents: not a complete table: its first line must be <TAB>documents (shdf writes tables)'
	refuses -d '\t3\nx\t4\n' ': a document frequency of 4 in 3 documents: not a complete table: its first line must be <TAB>documents (shdf writes tables)'
	refuses -d '\t3\nx\t0\n' ': a document frequency of 0 in 3 documents: not a complete table: its first line must be <TAB>documents (shdf writes tables)'
	refuses -d '\t3\nx\t1\nx\t1\n' ':3: the feature occurs twice in the table (shdf -m adds up tables)'
	refuses -d '' ': empty: a table must begin with the line <TAB>documents (shdf writes tables)'
	refuses --idf '' ': empty: expected lines feature<TAB>idf'
	refuses -d '\t3\nx\t1\n\t4\ny\t1\n' \
		':3: the number of documents occurs twice in the table (shdf -m adds up tables)'
	refuses -d '\t3\nx 1\n' ':2: 1 field, expected feature<TAB>document frequency'
	refuses -d '\t3\nx\t1.5\n' ":2: document frequency '1.5': not a number"
	refuses --idf 'x y\n' ':1: expected feature<TAB>idf, or with a blank'
	refuses --idf 'x\n' ':1: expected feature<TAB>idf, or with a blank'
	refuses --idf 'y 2\n 1.5\n' ':2: expected feature<TAB>idf, or with a blank'
	refuses --idf 'x -1\n' ':1: expected feature<TAB>idf, or with a blank'
	try 'shweight -w tfidf -d nowhere </dev/null'
	says "shweight: cannot open 'nowhere': No such file or directory"
}

@test "options that contradict each other or need another option are refused" {
	refuses() {
		try "shweight $1 </dev/null"
		exits 2
		gives
		says "shweight: $2" "Try 'shweight --help' or 'man shweight'."
	}
	refuses '-w tfidf' '-w tfidf needs document frequencies: -d TABLE (from shdf), or --idf FILE'
	refuses '-w logidf' '-w logidf needs document frequencies: -d TABLE (from shdf), or --idf FILE'
	refuses '-w bm25' "-w 'bm25': expected set, tf, freq, log, tfidf or logidf"
	refuses '-d a --idf b' '-d and --idf contradict each other'
	refuses '-d a -d b' '-d b: only one table can be given (shdf -m sums tables)'
	refuses '--idf a --idf b' '--idf b: only one file can be given'
	refuses '--min-df 2' '--min-df, --max-df and --absent need a table: -d TABLE'
	refuses '--max-df 2' '--min-df, --max-df and --absent need a table: -d TABLE'
	refuses '--absent drop' '--min-df, --max-df and --absent need a table: -d TABLE'
	refuses '-d a --min-df 5 --max-df 3' '--min-df is above --max-df: no feature is within both'
	refuses '--absent x' "--absent 'x': expected rare or drop"
	refuses '-t 0' "-t '0': expected a whole number from 1 to 4294967295"
	refuses '-t 4294967296' "-t '4294967296': expected a whole number from 1 to 4294967295"
}

@test "an id that returns makes several documents, with one warning that names the first place" {
	printf '%s\tx\t1\n' a b a b a b b >in
	try 'shweight -w tf in'
	exits 0
	gives 'a\tx\t1' 'b\tx\t1' 'a\tx\t1' 'b\tx\t1' 'a\tx\t1' 'b\tx\t2'
	says "shweight: in:3: id 'a' comes again after other ids and begins another document; 4 such documents in all (lines of one document: bring them together with LC_ALL=C sort -s -t \"\$(printf '\\t')\" -k 1,1; several documents: give each its own id)"
	# The command of the warning brings the lines together, also for ids with blanks.
	printf '%s\tx\t1\n' 'a b' 'a c' 'a b' >in
	try "LC_ALL=C sort -s -t \"\$(printf '\t')\" -k 1,1 in | shweight -w tf"
	gives 'a b\tx\t2' 'a c\tx\t1'
	says
}

@test "the warning about an id that returns names the right line, behind many lines" {
	{
		seq -f 'a%g' 3000 | sed 's/.*/&\tx\t1\n&\ty\t1\n&\tx\t1/'
		printf 'a2999\tz\t1\n'
	} >in
	for p in 'shweight' 'shfp'; do
		try "$p in"
		exits 0
		grep -q "^$p: in:9001: id 'a2999' comes again .*; 1 such documents in all" err
	done
	try "head -n 9000 in | cat - in | shweight"
	grep -q "^shweight: -:9001: id 'a1' comes again" err
}

@test "-d: a table of other n-grams is refused" {
	printf 'a\tone two three four five\nb\tone\n' >docs
	for n in 1 2 1-3; do
		shtok -n $n docs | shdf >table
		shtok -n $n docs | shdf --bare >bare
		for m in 1 2 1-3; do
			try "shtok -n $m docs | shweight -w tfidf -d table"
			if [ $n = $m ]; then
				exits 0
				mv out got
			else
				exits 2
				grep -q "^shweight: .*document 'a' has features of up to .* but the table table was counted on features of up to ${n#1-}: " err
			fi
			try "shtok -n $m docs | shweight -w tfidf -d bare"
			exits 0
			[ $n != $m ] || same got out
		done
	done
}

@test "-d: a table made with other options of shtok gives a warning; one made with the same options gives none" {
	awk 'NR % 3' "$T_DATA/en_dev.tsv" >old
	awk 'NR % 3 == 0' "$T_DATA/en_dev.tsv" >new
	printf 'the\nand\n' >stop
	shtok -n 1 old | shdf >table
	weigh() { try "shtok -n 1 $1 new | shweight -w tfidf -d $2 >weighed"; }
	for o in '--stem english' '--stop stop' --no-fold '--min-chars 4' '-u char' --mask-digits '--keep-words alpha'; do
		shtok -n 1 $o old | shdf >other
		weigh "$o" table
		exits 0
		grep -q "^shweight: table: .* was the table made with other options of shtok, or from other texts?" err || { echo "$o"; return 1; }
		weigh '' other
		grep -q '^shweight: other: .* was the table made with other options' err || { echo "$o"; return 1; }
		weigh "$o" other
		exits 0
		says
	done
	# --absent drop gives no warning.
	shtok -n 1 --stop stop old | shdf >stopped
	try 'shtok -n 1 new | shweight -w tfidf --absent drop -d stopped >weighed'
	says
	# Few documents give no warning.
	try 'head -n 3 new | shtok -n 1 --no-fold | shweight -w tfidf -d table >weighed'
	says
	shtok -n 1 "$T_DATA/zh_dev.tsv" | shdf >table
	try 'shtok -n 1 --segment jieba "$T_DATA/zh_dev.tsv" | shweight -w tfidf -d table >weighed'
	[ "$(grep -c 'made with other options' err)" = 2 ] || grep -q "no dictionary" err
}
