#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shstat: histograms of pairs and groups.
load helper

@test "pairs: writes a row for each distance, and the sizes of the groups" {
	printf '%s\t%s\t%d\n' a b 1 b c 1 d e 3 f g 1 >pairs
	cat >expected <<-'END'
	   distance      pairs
	          1          3  ##########
	          2          0
	          3          1  ###

	  documents     groups
	          2          2  ##########
	          3          1  #####

	4 pairs; 7 documents in 3 groups, the largest of 3
	END
	try 'shstat --width 10 pairs'
	exits 0
	same expected out
}

@test "verified pairs: writes the mean similarity of each distance" {
	printf '%s\tedit\n' 'a	b	4	0.9000' 'b	c	4	0.8000' 'd	e	5	0.5' | shstat --width 4 >out
	grep -q '^ *4 *2  0.85  ####$' out
	grep -q '^ *5 *1  0.50  ##$' out
	# Pairs without a similarity do not count in the mean. A row may have no similarity.
	printf 'a\tb\t4\nb\tc\t4\t0.0000\tedit\nd\te\t4\t1\tedit\nd\te\t6\n' | shstat --width 3 >out
	grep -q '^ *4 *3  0.50  ###$' out
	grep -q '^ *6 *1 *  #$' out
}

@test "bars are rounded, and a count above 0 has a bar; --width is at most 1000" {
	seq 100 | awk '{ print "a\t" $1 "\t" ($1 <= 3 ? 1 : $1 == 4 ? 2 : $1 <= 52 ? 4 : 5) }' >pairs
	try 'shstat --width 10 pairs'
	exits 0
	head -n 6 out >top
	cat >expected <<-'END'
	   distance      pairs
	          1          3  #
	          2          1  #
	          3          0
	          4         48  ##########
	          5         48  ##########
	END
	same expected top
	try "printf 'a\tb\t1\na\tc\t1\na\td\t1\na\te\t1\na\tf\t2\na\tg\t2\n' | shstat --width 3"
	grep -qx ' *2 *2  ##' out
	try 'shstat --width 1000 pairs'
	exits 0
	[ "$(grep -c '  #\{1000\}$' out)" -eq 3 ]
	for width in 0 1001; do
		try "shstat --width $width pairs"
		exits 2
		says "shstat: --width '$width': expected a whole number from 1 to 1000" \
			"Try 'shstat --help' or 'man shstat'."
	done
}

@test "--svg refuses --width" {
	try 'printf "a\tb\t1\n" | shstat --svg --width 50'
	exits 2
	gives
	says 'shstat: --width cannot be used with --svg' "Try 'shstat --help' or 'man shstat'."
}

@test "--svg: draws one chart or two of equal width, with a bar and its number for each row" {
	printf 'a\tb\t0\nc\td\t0\ne\tf\t20\n' >pairs
	try 'shstat --svg pairs'
	exits 0
	grep -q '<svg [^>]* width="688" height="640" viewBox="0 0 688 640">' out
	grep -q '^<rect class="ground" width="688" height="640"/>$' out
	[ "$(grep -c '<rect x' out)" -eq 22 ]
	[ "$(grep -c '</text>' out)" -eq 29 ]
	[ "$(grep -c 'height="200.0"' out)" -eq 2 ]
	[ "$(grep -c 'height="100.0"' out)" -eq 1 ]
	awk 'BEGIN { for (i = 1; i <= 80000; i++) print "a" i "\ta1" }' >groups
	try 'shstat --svg groups'
	exits 0
	grep -q '<svg [^>]* width="1720" height="320" viewBox="0 0 1720 320">' out
	[ "$(grep -c 'class="title"' out)" -eq 1 ]
	echo 'a	b	0' | cat - <(awk '{ print $1 "\t" $2 "\t0" }' groups) >pairs
	try 'shstat --svg pairs'
	grep -q '<svg [^>]* width="1720" height="640" viewBox="0 0 1720 640">' out
	try 'head -n 3 groups | shstat --svg'
	grep -q '<svg [^>]* width="400" height="320" viewBox="0 0 400 320">' out
}

@test "--svg: labels of 12 px do not overlap" {
	cat >overlaps.py <<-'END'
	import sys, xml.dom.minidom
	page = xml.dom.minidom.parse("out").documentElement
	style = page.getElementsByTagName("style")[0].firstChild.data
	assert "text{font:12px " in style
	boxes = []
	for t in page.getElementsByTagName("text"):
	    text, x, y = t.firstChild.data, float(t.getAttribute("x")), float(t.getAttribute("y"))
	    size = 15 if t.getAttribute("class") == "title" else 12
	    half = len(text) * size * 0.56 / 2  # the width of a digit in common sans-serif fonts
	    x += half if size == 15 else 0
	    box = (x - half, x + half, y - size * 0.75, y + size * 0.2)
	    assert box[0] >= 0 and box[1] <= float(page.getAttribute("width")) and box[2] >= 0, text
	    for other, b in boxes:
	        assert box[0] >= b[1] or b[0] >= box[1] or box[2] >= b[3] or b[2] >= box[3], (text, other)
	    boxes.append((text, box))
	END
	awk 'BEGIN { for (i = 1; i <= 200000; i++) print "a" i "\ta1\t" i % 300 % 130 "\t0." 1000 + i % 9000 "\tedit" }' >pairs
	for input in pairs <(cut -f 1-2 pairs) <(head -n 1 pairs) <(yes "$(printf 'a\tb\t7')" | head -n 123456) /dev/null; do
		try "shstat --svg $input 2>/dev/null"
		exits 0
		python3 overlaps.py
	done
}

@test "pairs of shspan: writes a row for each tenth of the greater coverage" {
	printf '%s\t%s\t%d\t%s\t%s\n' a b 40 0.0500 0.3000 a c 40 0.3999 0.2000 d e 90 1.0000 0.1000 >pairs
	cat >expected <<-'END'
	   coverage      pairs
	   0.0-0.09          0
	   0.1-0.19          0
	   0.2-0.29          0
	   0.3-0.39          2  ####
	   0.4-0.49          0
	   0.5-0.59          0
	   0.6-0.69          0
	   0.7-0.79          0
	   0.8-0.89          0
	   0.9-0.99          0
	        1.0          1  ##

	  documents     groups
	          2          1  ####
	          3          1  ####

	3 pairs; 5 documents in 2 groups, the largest of 3
	END
	try 'shstat --width 4 pairs'
	exits 0
	same expected out
	try 'shstat --svg pairs'
	exits 0
	grep -q '<title>0.3-0.39: 2</title>' out
	printf 'a\tb\t3\n' >>pairs
	try 'shstat pairs'
	exits 2
	says 'shstat: pairs:4: a pair with a distance, after pairs with coverages: count them apart'
}

@test "groups: writes sizes only, in rows that double beyond four" {
	for size in 1 2 2 5 8 9 70; do
		for i in $(seq $size); do printf 'g%s.%s\tg%s.1\n' "$((n))" "$i" "$((n))"; done
		n=$((n + 1))
	done >groups
	try 'shstat groups'
	exits 0
	[ "$(grep -c distance out)" -eq 0 ]
	awk '$2 ~ /^[0-9]+$/ { print $1, $2 }' out >got
	printf '%s\n' '2 2' '3 0' '4 0' '5-8 2' '9-16 1' '17-32 0' '33-64 0' '65-128 1' >expected
	same expected got
	grep -q '^96 documents in 6 groups, the largest of 70$' out
}

@test "records of two fields without keepers are counted, with a note" {
	for line in '0000000000000007\ta' 'a\tb' 'a\tab' 'ab\ta'; do
		try "printf '$line\n' | shstat"
		exits 0
		says 'shstat: no keeper has a line of its own (expected groups as shgroup writes them)'
	done
	try "printf 'a\tb\nb\tb\n' | shstat"
	exits 0
	says
}

@test "real pairs: the counts are those of cut, sort and uniq, and the picture is valid XML" {
	shfp -n 3 "$T_DATA/en_dev.tsv" | shjoin -k 12 | shverify -n 3 -d "$T_DATA/en_dev.tsv" >pairs
	cut -f 3 pairs | sort -n | uniq -c | awk '{ print $2, $1 }' >expected
	shstat pairs | awk '/documents/ { exit } $2 > 0 && $1 ~ /^[0-9]+$/ { print $1, $2 }' >got
	same expected got
	shgroup --link single pairs | cut -f 2 | uniq -c | awk '{ n[$1]++ } END { for (i in n) print i, n[i] }' | sort -n >expected
	shstat pairs | awk '/documents/ { on = 1 } on && $2 > 0 && $1 ~ /^[0-9]+$/ { print $1, $2 }' >got
	head -n 3 expected >e && head -n 3 got >g
	same e g
	try 'shstat --svg pairs'
	exits 0
	python3 -c 'import sys, xml.dom.minidom as m; assert len(m.parse("out").getElementsByTagName("rect")) > 13'
}

@test "the counts are the same with any number of threads" {
	# The input has several chunks with bad records in each.
	awk 'BEGIN { srand(5); for (i = 0; i < 20000; i++) {
		a = int(rand() * 30000)
		print "document " a "\tdocument " a - a % 5 + int(rand() * 5) "\t" (i % 500 ? i % 9 : "none") "\t0.9" i % 7 "\tedit" } }' >pairs
	grep none pairs >bad
	awk '{ print $2 "\t" $4 "\t" $5 }' pairs | grep -v none |
		awk '{ seen[$1]; seen[$2]; link[$1] = link[$1] " " $2; link[$2] = link[$2] " " $1; d[$3]++ }
		function walk(x,  k, i, to) { if (x in done) return 0; done[x]; k = 1
			for (i = split(link[x], to, " "); i > 0; i--) k += walk(to[i]); return k }
		END { for (x in seen) { s = walk(x); if (s > 1) { groups++; documents += s; if (s > most) most = s } }
			for (i = 0; i < 9; i++) pairs += d[i]
			print pairs " pairs; " documents " documents in " groups " groups, the largest of " most }' >expected.text
	grep -v none pairs | shgroup --link single >groups
	shstat groups >groups.1
	for j in 1 2 5; do
		try "shstat -j $j --rejects r pairs"
		exits 0
		says 'shstat: 40 records rejected, see r'
		mv out all.$j
		tail -n 1 all.$j >out
		same expected.text out
		cmp all.1 all.$j
		cmp bad r
		try "shstat -j $j pairs"
		exits 2
		says "shstat: pairs:1: distance 'none': not a number"
		try "shstat -j $j groups"
		exits 0
		cmp groups.1 out
	done
}

@test "empty input counts 0, and records that are not pairs are refused" {
	try 'shstat </dev/null'
	exits 0
	grep -q '^0 documents in 0 groups' out
	printf 'a\tb\t0\n' | shstat >out
	grep -q '^1 pair; 2 documents in 1 group, the largest of 2$' out
	try 'shstat --svg </dev/null'
	exits 0
	printf 'a\tb\tc\n' >bad
	try 'shstat bad'
	exits 2
	grep -q 'bad:1:' err
	try "printf 'a\tb\t1024\n' | shstat | tail -n 1"
	exits 0
	gives '1 pair; 2 documents in 1 group, the largest of 2'
	printf 'a\tb\t1025\n' >bad
	try 'shstat bad'
	exits 2
	says 'shstat: bad:1: a distance above 1024'
	printf '\ta\n' >bad
	try 'shstat bad'
	exits 2
	says 'shstat: bad:1: empty id'
	printf 'a\ta\na\t\n' >bad
	try 'shstat bad'
	exits 2
	says 'shstat: bad:2: empty id'
	printf 'a\ta\na\tb\tc\n' >bad
	try 'shstat --rejects r bad'
	exits 0
	[ "$(wc -l <r)" -eq 1 ]
	# The first good record decides the kind of the input.
	printf 'id\na\ta\nb\ta\n' >bad
	try 'shstat --rejects r bad | tail -n 1'
	gives '2 documents in 1 group, the largest of 2'
	printf 'a\t\na\tb\t2000\na\tb\t1\n' >bad
	try 'shstat --rejects r bad | tail -n 1'
	gives '1 pair; 2 documents in 1 group, the largest of 2'
}
