#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shjoin: makes pairs of fingerprints, bands or keys.

load helper

# fingerprints: prints the fingerprints 0, 1, 3, 7, f of 64 bits, and 0 again.
fingerprints() {
	printf '%016x\t%s\n' 0 a 1 b 3 c 7 d 15 e 0 a2
}

# clusters N BITS SEED: prints N random fingerprints. Half of them differ from an earlier one in at most four digits.
clusters() {
	awk -v n="$1" -v digits=$(($2 / 4)) -v seed="$3" 'BEGIN {
		srand(seed)
		for (i = 0; i < n; i++) {
			hex = ""
			if (i && rand() < 0.5) {
				hex = was[int(rand() * i)]
				for (flips = int(rand() * 5); flips > 0; flips--) {
					at = 1 + int(rand() * digits)
					hex = substr(hex, 1, at - 1) \
						sprintf("%x", int(rand() * 16)) substr(hex, at + 1)
				}
			} else
				for (d = 0; d < digits; d++)
					hex = hex sprintf("%x", int(rand() * 16))
			was[i] = hex
			print hex "\tid" i
		}
	}'
}

@test "fingerprints: writes every pair within -k once, with the smaller id first" {
	fingerprints >fps
	try 'shjoin -k 3 fps | sort'
	exits 0
	says
	gives 'a\ta2\t0' 'a\tb\t1' 'a\tc\t2' 'a\td\t3' 'a2\tb\t1' 'a2\tc\t2' 'a2\td\t3' \
		'b\tc\t1' 'b\td\t2' 'b\te\t3' 'c\td\t1' 'c\te\t2' 'd\te\t1'
	try 'shjoin -k 1 fps | sort'
	gives 'a\ta2\t0' 'a\tb\t1' 'a2\tb\t1' 'b\tc\t1' 'c\td\t1' 'd\te\t1'
	try 'shjoin -k 3 --distance 0 fps'
	gives 'a\ta2\t0'
	try 'shjoin -k 64 fps | wc -l'
	gives 15
	try 'shjoin -k 1024 fps | wc -l'
	gives 15
}

@test "bands: writes the pairs within the distance that the keys guarantee, or within a smaller -k" {
	fingerprints | shband -k 2 | sort >bands
	fingerprints >fps
	for k in 0 1 2; do
		shjoin -k $k fps | sort >expected
		try "shjoin -k $k bands | sort"
		exits 0
		says
		same expected out
	done
	try 'shjoin bands | sort'
	same expected out
	try 'shjoin -k 3 bands'
	exits 2
	gives
	says 'shjoin: bands:1: -k 3, but these bands guarantee pairs only up to distance 2 (shband -k 3)'
}

@test "bands: keys out of bytewise order are an error with its line" {
	fingerprints | shband -k 1 >bands
	try 'shjoin bands'
	exits 2
	says 'shjoin: bands:3: the keys are not in bytewise order: sort the bands with LC_ALL=C sort'
	try 'sort -r bands | shjoin >/dev/null'
	exits 2
	try 'sort bands | shjoin >/dev/null'
	exits 0
}

@test "bands: a key that does not belong to its fingerprint is an error with its line" {
	fingerprints | shband -k 1 | sort >bands
	sed '3s/[^\t]*\t[^\t]*/0102000000000\t0000010000000001/' bands >bad
	try 'shjoin bad >/dev/null'
	exits 2
	says "shjoin: bad:3: key '0102000000000' is not that of fingerprint 0000010000000001 in this table"
	try 'shjoin --rejects rejected bad >/dev/null'
	exits 0
	says 'shjoin: 1 record rejected, see rejected'
	sed -n 3p bad >expected
	same expected rejected
}

@test "the first good record decides the kind of the input, also behind bad records" {
	fingerprints >fps
	shband -k 1 fps | sort >bands
	printf 'fingerprint\tid\n\na\tb\tc\td\n' >head
	for kind in fps bands; do
		shjoin -k 1 $kind >expected
		[ -s expected ]
		try "cat head $kind | shjoin -k 1 --rejects rejected"
		exits 0
		says 'shjoin: 3 records rejected, see rejected'
		same expected out
		same head rejected
		try "cat head $kind >both; shjoin -k 1 --rejects rejected head both >/dev/null"
		says 'shjoin: 6 records rejected, see rejected'
		cat head head >expected
		same expected rejected
	done
}

@test "--rejects: a bad record between two records of one key loses no pair" {
	for i in {1..20}; do
		printf '%08x%08x\t%s\n' $((i * 1000003)) $i a$i $((i * 1000003)) $((i + 256)) b$i
	done | shband -k 1 | sort >bands
	shjoin bands >expected
	[ "$(wc -l <expected)" -eq 20 ]
	awk -F '\t' '$1 == key { print "damaged" } { key = $1; print }' bands >bad
	try 'shjoin --rejects rejected bad >got'
	exits 0
	same expected got
	grep -q . rejected
}

@test "records of another layout or width are refused" {
	fingerprints | shband -k 1 | sort >bands
	fingerprints | shband -k 2 | sort >other
	try 'cat bands other | shjoin'
	exits 2
	says 'shjoin: -:13: the band key is for distance 2 and 3 blocks, the earlier ones for distance 1 and 2 blocks: do not mix layouts'
	try 'shjoin bands other'
	exits 2
	says 'shjoin: other:1: the band key is for distance 2 and 3 blocks, the earlier ones for distance 1 and 2 blocks: do not mix layouts'
	try '(cat bands; printf "010200\t00\tx\n") | shjoin'
	exits 2
	says 'shjoin: -:13: a fingerprint of 8 bits among fingerprints of 64 bits (shfp -b sets one width, -x hex writes it)'
	try 'printf "00\ta\n000\tb\n" | shjoin -k 1'
	exits 2
	says 'shjoin: -:2: a fingerprint of 12 bits among fingerprints of 8 bits (shfp -b sets one width, -x hex writes it)'
	printf '00\ta\n' >8
	printf '000\tb\n' >12
	try 'shjoin -k 1 8 12'
	exits 2
	says 'shjoin: 12:1: a fingerprint of 12 bits among fingerprints of 8 bits (shfp -b sets one width, -x hex writes it)'
}

@test "bands: keys that shband cannot have made are refused with their line" {
	refuses() {
		try "printf '$1\t00\ta\n' | shjoin"
		exits 2
		gives
		says "shjoin: -:1: $2"
	}
	refuses vv 'not a band key (shband makes band keys)'
	refuses '' 'not a band key (shband makes band keys)'
	refuses 0104 'the band key has 4 digits, expected 7 for 8-bit fingerprints'
	refuses 01050 'the band key has 5 digits, expected 7 for 8-bit fingerprints'
	refuses 0302000 'the band key declares distance 3 and 2 blocks, impossible for 8 bits'
	refuses 01ff000 'the band key declares distance 1 and 255 blocks, impossible for 8 bits'
	refuses 010204 "key '010204' is not that of fingerprint 00 in this table"
	refuses 01020g 'the band key has a character that is not a lower-case hexadecimal digit'
	refuses 010220 'the band key names table 2, but its layout has 2, counted from 0'
}

@test "the first record decides whether the input is bands or fingerprints" {
	fingerprints >fps
	shband -k 1 fps | sort >bands
	try 'cat fps bands | shjoin'
	exits 2
	says "shjoin: -:7: 'a' is not a tag of 4 hexadecimal digits, expected behind fingerprint<TAB>id (shfp makes fingerprints of documents)"
	try 'cat bands fps | shjoin >/dev/null'
	exits 2
	says 'shjoin: -:13: 2 fields, expected key<TAB>fingerprint<TAB>id (shband makes bands of fingerprints)'
	try 'shjoin bands fps'
	exits 2
	gives
	says 'shjoin: fps:1: 2 fields, expected key<TAB>fingerprint<TAB>id (shband makes bands of fingerprints)'
	try 'shjoin fps bands'
	exits 2
	says "shjoin: bands:1: 'a' is not a tag of 4 hexadecimal digits, expected behind fingerprint<TAB>id (shfp makes fingerprints of documents)"
}

@test "a repeated record is left out and counted" {
	printf '00\ta\n00\ta\n01\tb\n00\ta\n' >fps
	try 'shjoin -k 1 fps'
	exits 0
	gives 'a\tb\t1'
	says 'shjoin: 2 records with the id and the fingerprint of another: left out'
	try 'shband -k 1 fps | sort | shjoin'
	exits 0
	gives 'a\tb\t1'
	says 'shjoin: 2 records with the id and the fingerprint of another: left out'
	try 'printf "00\ta\n00\ta\n" | shjoin -k 1'
	says 'shjoin: 1 record with the id and the fingerprint of another: left out'
}

@test "repeated records of two files are counted together" {
	printf '00\ta\n00\ta\nff\tb\n' >new
	printf '00\tc\n00\tc\n00\tc\n' >old
	try 'shjoin -k 3 new old'
	exits 0
	gives 'a\tc\t0'
	says 'shjoin: 3 records with the id and the fingerprint of another: left out'
	shband -k 1 new | sort >new.bands
	shband -k 1 old | sort >old.bands
	try 'shjoin new.bands old.bands'
	exits 0
	gives 'a\tc\t0'
	says 'shjoin: 3 records with the id and the fingerprint of another: left out'
}

@test "repeated records are counted in memory, in one partition and in several partitions" {
	seq 900 | awk '{ printf "%08d%08d\tid%d\n", $1 / 10, $1, $1 }' >once
	# Each tenth record stands twice in a row. Each seventh record stands again at the end.
	(awk '{ print } NR % 10 == 0 { print }' once; awk 'NR % 7 == 0' once) >fps
	cp fps fps.2
	shband -k 1 fps | sort | tee bands >bands.2
	shjoin -k 1 once | sort >expected
	[ -s expected ]
	for size in 1 20K 1G; do
		for files in fps bands; do
			try "shjoin -k 1 -S $size $files | sort"
			exits 0
			same expected out
			says 'shjoin: 218 records with the id and the fingerprint of another: left out'
			try "shjoin -k 1 -S $size $files $files.2 >/dev/null"
			exits 0
			says 'shjoin: 436 records with the id and the fingerprint of another: left out'
		done
	done
}

@test "an id with two fingerprints is not paired with itself" {
	printf '00\ta\n01\ta\n01\tb\n' >fps
	try 'shjoin -k 1 fps | sort'
	gives 'a\tb\t0' 'a\tb\t1'
	try 'shband -k 1 fps | sort | shjoin | sort'
	gives 'a\tb\t0' 'a\tb\t1'
}

@test "ids of any bytes are written unchanged, the smaller id by bytes first" {
	printf '00\t\377 \\t\n00\tÄ\n00\t \0\n00\tZ\n' >fps
	try 'shjoin -k 0 fps | sort'
	exits 0
	printf ' \0\tZ\t0\n \0\t\303\204\t0\n \0\t\377 \\t\t0\nZ\t\303\204\t0\nZ\t\377 \\t\t0\n\303\204\t\377 \\t\t0\n' |
		sort >expected
	same expected out
	try "(printf '00\t%04096d\n' 0; printf '00\ta\n') | shjoin -k 0 | wc -c"
	gives 4101
}

@test "ids of every length and distances of two digits are written in full, from fingerprints and from bands" {
	awk 'BEGIN {
		for (n = 1; n <= 40; n++) {
			for (id = ""; length(id) < n; )
				id = id sprintf("%c", 97 + (n + length(id)) % 26)
			print "0000000000000000\t" id
			print "00000000000003ff\t" id "+"
		}
	}' >fps
	sort -k 2 fps | awk '{
		for (i = 1; i < NR; i++)
			print id[i] "\t" $2 "\t" (fp[i] == $1 ? 0 : 10)
		id[NR] = $2
		fp[NR] = $1
	}' | sort >expected
	[ "$(wc -l <expected)" -eq 3160 ]
	try 'shjoin -k 10 fps | sort'
	exits 0
	same expected out
	try 'shband -k 10 fps | sort | shjoin | sort'
	exits 0
	same expected out
	printf '%s\t%s\n' 0000000000000000 a 00000000000003ff b 00000000000007ff c >fps
	try 'shjoin -k 11 fps | sort'
	gives 'a\tb\t10' 'a\tc\t11' 'b\tc\t1'
}

@test "--collapse pairs each further copy with the first id only" {
	fingerprints >fps
	try 'shjoin -k 3 --collapse fps | sort'
	exits 0
	gives 'a\ta2\t0' 'a\tb\t1' 'a\tc\t2' 'a\td\t3' 'b\tc\t1' 'b\td\t2' 'b\te\t3' 'c\td\t1' \
		'c\te\t2' 'd\te\t1'
	mv out expected
	try 'shband -k 3 fps | sort | shjoin -k 3 --collapse | sort'
	same expected out
}

@test "--collapse writes 99,999 pairs of 100,000 identical fingerprints" {
	seq -f '0123456789abcdef	%06.0f' 100000 >fps
	seq -f '000001	%06.0f	0' 2 100000 >expected
	try 'shjoin --collapse fps'
	exits 0
	same expected out
	shband fps >bands
	try 'sort bands | shjoin --collapse | sort'
	same expected out
	try 'sort bands | shjoin --collapse -S 1M | sort'
	exits 0
	same expected out
	yes 'the same text' | head -n 100000 | shfp -l | shjoin --collapse >out
	[ "$(wc -l <out)" = 99999 ]
}

@test "-S: buckets larger than the memory give the same pairs" {
	(clusters 1000 64 2; seq -f '0123456789abcdef	copy%.0f' 100) | tee fps >fps.2
	shjoin -k 3 fps | sort >expected
	shjoin -k 3 --collapse fps | sort >collapsed
	shband -k 3 -M 4 fps | sort | tee bands >bands.2
	sizes=$(fewer '1 20K 100K 1G' '1 1G')
	for size in $sizes; do
		try "shjoin -k 3 -S $size bands | sort"
		exits 0
		says
		same expected out
		try "shjoin -k 3 -S $size --collapse bands | sort"
		same collapsed out
		try "shjoin -k 3 -S $size fps | sort"
		exits 0
		same expected out
		try "shjoin -k 3 -S $size --collapse fps | sort"
		same collapsed out
		try "shjoin -k 3 -S $size bands bands.2 | sort"
		mv out cross.$size
		try "shjoin -k 3 -S $size --collapse fps fps.2 | sort"
		exits 0
		mv out collapsed.cross.$size
	done
	for size in $sizes; do
		same cross.$size cross.1G
		same collapsed.cross.$size collapsed.cross.1G
	done
	clusters 8000 64 2 >fps
	shjoin -k 3 fps | sort >expected
	try 'shjoin -k 3 -S 1 --tmpdir no/where fps'
	exits 2
	says "shjoin: cannot create a temporary file in 'no/where' (TMPDIR): No such file or directory"
	try 'TMPDIR=no/where shjoin -k 3 -S 1 fps'
	exits 2
	says "shjoin: cannot create a temporary file in 'no/where' (TMPDIR): No such file or directory"
	for how in 'TMPDIR=no/where shjoin -k 3 --tmpdir .' 'TMPDIR= shjoin -k 3' "TMPDIR=no/where shjoin -k 3 --tmpdir ''"; do
		try "$how -S 1 fps | sort"
		exits 0
		same expected out
	done
}

@test "-S: several threads write, merge and read sorted runs, with the bytes of one thread" {
	n=$(fewer 150000 50000)
	seq "$n" | awk '{ print int($1 / 3) }' | shfp -n 1 -l | sed 's/\t/&x/' >fps
	seq "$n" | awk '{ print $1 % 20 }' | shfp -n 1 -l | sed 's/\t/&x/' >copies
	for how in fps '--collapse fps' '--collapse copies'; do
		shjoin $how | sort >pairs
		[ "$(wc -l <pairs)" -ge $((n * 2 / 3)) ]
		for size in 200K 3M; do
			shjoin -j 1 -S $size $how >expected
			sort expected | cmp - pairs
			for j in 2 5; do
				try "shjoin -j $j -S $size $how"
				exits 0
				same expected out
			done
		done
	done
}

@test "-S 1: makes at most 1000 partitions" {
	seq 9000 | sed "s,.*,&\t&," | shfp -n 1 >fps
	shjoin -k 12 fps | awk -F'\t' '{ print ($1 < $2 ? $1 FS $2 : $2 FS $1) FS $3 }' | sort >expected
	[ "$(wc -l <expected)" -ge 16 ]
	try "shjoin -k 12 -S 1 fps | awk -F'\t' '{ print (\$1 < \$2 ? \$1 FS \$2 : \$2 FS \$1) FS \$3 }' | sort"
	exits 0
	same expected out
	try 'shjoin -k 12 -S 1 --explain fps'
	exits 0
	partitions=$(sed -n 's/.*, in \([0-9]*\) partitions$/\1/p' out)
	echo "$partitions partitions"
	[ "$partitions" -gt 20 ]
	[ "$partitions" -lt 1000 ]
}

@test "--explain writes no pairs, also for identical fingerprints larger than the memory" {
	yes 'To be or not' | head -n 200 | shfp -n 1 -l >copies
	shjoin -k 3 --collapse -S 1K copies >pairs
	[ "$(wc -l <pairs)" = 199 ]
	try 'shjoin -k 3 --explain --collapse -S 1K copies'
	exits 0
	says
	grep -q '^1 different fingerprint of 64 bits' out
	[ "$(wc -l <out)" -eq 19 ]
}

@test "--explain counts different fingerprints, also of records in temporary files" {
	seq 300 | shfp -n 1 -l >once
	cat once once once once >repeated
	try 'shjoin -k 3 --explain -S 20K repeated'
	exits 0
	says 'shjoin: 900 records with the id and the fingerprint of another: left out'
	grep -q '^300 different fingerprints of 64 bits, in [0-9]* partitions$' out
	try 'shjoin -k 3 --explain once'
	grep -q '^300 different fingerprints of 64 bits$' out
}

@test "--explain: shows what each distance costs, and marks -k" {
	clusters 9000 64 3 >fps
	try 'shjoin --explain fps'
	exits 0
	says
	[ "$(sed -n 2p out)" = '  distance blocks     compared    seconds' ]
	[ "$(grep '^\*' out | awk '{ print $2 }')" = 10 ]
	[ "$(wc -l <out)" -eq 19 ]
	# Larger distances cost more.
	awk 'NR > 2 { sub(/^\*/, ""); if ($4 + 0 < last) exit 1; last = $4 + 0 }' out
	try 'shjoin --explain -k 20 fps'
	[ "$(grep '^\*' out | awk '{ print $2 }')" = 20 ]
	try 'shjoin --explain -k 3 </dev/null'
	exits 0
	gives
}

# ids KIND: replaces the id of each line by a number of this kind.
ids() {
	awk -v kind="$1" -F '\t' 'BEGIN { srand(7) } {
		n = NR + 9990
		if (kind == "gaps") n += (gap += NR % 700 == 0)
		else if (kind == "descending") n = 100000 - NR
		else if (kind == "shuffled") n = NR * 7919 % 99991
		else if (kind == "zeros") n = sprintf("%0" 2 + NR % 7 "d", NR)
		else if (kind == "huge") n = "9223372036854" 775000 + NR
		else if (kind == "mixed" && NR % 1009 == 0) n = "id" NR
		else if (kind == "mixed" && NR % 1013 == 0) n = "0" NR
		print $1 "\t" n
	}'
}

@test "numbers as ids give the pairs that the same ids give as text" {
	clusters 9000 64 5 >fps
	clusters 300 64 5 | ids huge >other
	sed 's/\t/\tx/' other >other.text
	for kind in counted gaps descending shuffled zeros huge mixed; do
		ids "$kind" <fps >numbers
		sed 's/\t/\tx/' numbers >text
		for with in '' '-k 12' --collapse '-k 8 --collapse'; do
			shjoin $with numbers >pairs
			[ -s pairs ]
			shjoin $with text | sed 's/x//g' | cmp - pairs
		done
		# The partitions differ, and with them the order of pairs.
		for with in '-S 100K' '-S 60K --collapse'; do
			shjoin $with numbers | sort >pairs
			[ -s pairs ]
			shjoin $with text | sed 's/x//g' | sort | cmp - pairs
		done
		shjoin numbers other >pairs
		[ -s pairs ]
		shjoin text other.text | sed 's/x//g' | cmp - pairs
		shjoin other numbers >pairs
		shjoin other.text text | sed 's/x//g' | cmp - pairs
	done
}

@test "two files: pairs an id of the first file with an id of the second, never two ids of one file" {
	printf '00\tn1\n00\tn2\nf0\tn3\n' >new
	printf '01\tp1\n00\tp2\n00\tp3\n' >old
	try 'shjoin -k 1 new old | sort'
	exits 0
	gives 'n1\tp1\t1' 'n1\tp2\t0' 'n1\tp3\t0' 'n2\tp1\t1' 'n2\tp2\t0' 'n2\tp3\t0'
	shband -k 1 new | sort >new.bands
	shband -k 1 old | sort >old.bands
	mv out expected
	try 'shjoin new.bands old.bands | sort'
	same expected out
	try 'shjoin - old.bands <new.bands | sort'
	same expected out
	try 'shjoin new.bands - <old.bands | sort'
	same expected out
	try 'shjoin -k 1 --collapse new old | sort'
	gives 'n1\tp1\t1' 'n1\tp2\t0' 'n2\tp1\t1' 'n2\tp2\t0'
	try 'shjoin --collapse new.bands old.bands | sort'
	gives 'n1\tp1\t1' 'n1\tp2\t0' 'n2\tp1\t1' 'n2\tp2\t0'
}

@test "two files: the same id in both files stands for two documents, which are paired" {
	printf '00\ta\n01\tb\n' | tee fps >fps.2
	shband -k 1 fps | sort | tee bands >bands.2
	try 'shjoin -k 1 fps fps.2 | sort'
	gives 'a\ta\t0' 'a\tb\t1' 'b\ta\t1' 'b\tb\t0'
	try 'shjoin bands bands.2 | sort'
	gives 'a\ta\t0' 'a\tb\t1' 'b\ta\t1' 'b\tb\t0'
}

@test "two files: one file given twice is refused, because each record would be paired with itself" {
	printf '00\ta\n01\tb\n' >fps
	ln -s fps link
	for other in fps ./fps link; do
		try "shjoin -k 1 fps $other"
		exits 2
		says "shjoin: $other: is named twice (shjoin $other joins it with itself)" \
			"Try 'shjoin --help' or 'man shjoin'."
	done
}

@test "two files: bands out of bytewise order are refused, also at the end of a file" {
	printf '00\ta\nff\tb\n' | shband -k 1 | sort >bands
	tac bands >descending
	try 'shjoin bands descending'
	exits 2
	says 'shjoin: descending:2: the keys are not in bytewise order: sort the bands with LC_ALL=C sort'
	try 'shjoin descending bands'
	exits 2
	says 'shjoin: descending:2: the keys are not in bytewise order: sort the bands with LC_ALL=C sort'
	(head -n 1 bands; echo bad) >short
	try 'shjoin bands short >/dev/null'
	exits 2
	says 'shjoin: short:2: 1 field, expected key<TAB>fingerprint<TAB>id (shband makes bands of fingerprints)'
}

@test "two files: an empty file gives no pairs" {
	printf '00\ta\n00\tb\n' >fps
	shband -k 1 fps | sort >bands
	: | tee empty >empty.2
	for files in 'empty empty.2' '-k 1 empty fps' '-k 1 fps empty' 'empty bands' 'bands empty' empty; do
		try "shjoin $files"
		exits 0
		says
		gives
	done
}

@test "--exit-code: 1 when a pair is found, 0 when none is, 2 for trouble" {
	printf '00\ta\nff\tb\n' >fps
	try 'shjoin -k 3 --exit-code fps'
	exits 0
	gives
	says
	try 'shjoin -k 3 --exit-code -k 8 fps'
	exits 1
	gives 'a\tb\t8'
	says
	shband -k 1 fps | sort >apart
	try 'shjoin --exit-code apart'
	exits 0
	gives
	try "printf '00\ta\n00\tb\n' | shband -k 1 | sort | shjoin --exit-code"
	exits 1
	gives 'a\tb\t0'
	try 'shjoin -k 3 --exit-code </dev/null'
	exits 0
	try 'shjoin -k 3 --exit-code nowhere'
	exits 2
	try 'shjoin -k 3 --exit-code -k 8 fps >/dev/full'
	exits 2
	try 'shjoin -k 8 fps'
	exits 0
}

@test "options that contradict each other or are out of range are refused" {
	refuses() {
		try "shjoin $1 </dev/null"
		exits 2
		gives
		says "shjoin: $2" "Try 'shjoin --help' or 'man shjoin'."
	}
	refuses 'a b c' '3 files: one is joined with itself, two with each other (cat puts fingerprints together, sort -m sorted bands)'
	refuses '- -' 'standard input is named twice, and can be read only once'
	refuses '-k 1025' "-k '1025': expected a whole number from 0 to 1024"
	refuses '-k -1' "-k '-1': expected a whole number from 0 to 1024"
	refuses '-S 0' "-S '0': expected a size such as 500M or 1.5G"
	refuses '--explain a b' '--explain takes one file'
	refuses '--explain --exit-code' '--exit-code cannot be used with --explain, which finds no pairs'
}

@test "a first record of one field gives a message that names both forms of input" {
	try 'echo abc | shjoin'
	exits 2
	says 'shjoin: -:1: 1 field, expected key<TAB>fingerprint<TAB>id or fingerprint<TAB>id'
}

# mixed COMMAND FILE OTHER: COMMAND refuses OTHER, whose fingerprints have settings other than FILE, and names both.
mixed() {
	try "$1"
	exits 2
	grep -qE "^sh[a-z]+: $3(:[0-9]+)?: tag [0-9a-f]+( \(.*\))?, but $2 has [0-9a-f]+" err
}

@test "fingerprints and bands of different settings are refused" {
	printf 'a\tone two\nb\tone three\n' >docs
	shfp docs >one
	shfp -n 2 docs >two
	shfp --bare docs >bare
	for f in one two bare; do
		shband $f | LC_ALL=C sort >$f.bands
	done
	mixed 'shjoin one two' one two
	grep -qE 'tag [0-9a-f]{4} \(-n 2\), but one has [0-9a-f]{4} \(default settings\): ' err
	mixed 'cat one two | shjoin' - -
	mixed 'shband one two' one two
	mixed 'shband -j 3 two one' two one
	mixed 'shjoin one.bands two.bands' one.bands two.bands
	mixed 'LC_ALL=C sort -m one.bands two.bands | shjoin' - -
	mixed 'shjoin --explain - <<<"$(cat one two)"' - -
	# --rejects does not collect records of other settings.
	mixed 'shjoin --rejects bad one two' one two
	[ ! -s bad ]
}

@test "records with and without tags together give one warning, and the pairs of records without tags" {
	printf 'a\tone two\nb\tone two three\nc\tone two\nd\tother words\n' >docs
	shfp docs >tagged
	shfp --bare docs | sed 's/\t/\tx/' >bare
	warning='some records have a tag and others have none: it is not known whether their fingerprints were made with the same settings'
	cut -f 1,2 tagged | cat - bare | shjoin -k 9 | sort >expected
	[ "$(wc -l <expected)" -gt 5 ]
	try 'cat tagged bare | shjoin -k 9 | sort'
	exits 0
	says "shjoin: $warning"
	same expected out
	cat tagged bare | shband -k 9 2>err | LC_ALL=C sort >bands
	says "shband: $warning"
	try 'shjoin bands | sort'
	says "shjoin: $warning"
	same expected out
	cut -f 1,2 tagged | shjoin -k 9 - bare | sort >expected
	for o in '' '-S 1'; do
		try "shjoin $o -k 9 tagged bare | sort"
		says "shjoin: $warning"
		same expected out
		try "shjoin $o <(shband -k 9 tagged | LC_ALL=C sort) <(shband -k 9 bare | LC_ALL=C sort) | sort"
		says "shjoin: $warning"
		same expected out
	done
	try 'shjoin tagged; shjoin bare'
	says
}

@test "fingerprints with a tag are not taken for bands, with any ids" {
	for id in 1 12 00c1 ffffffffffffffff; do
		printf 'a\tone two\n' | shfp | sed "s/\ta\t/\t$id\t/" >fps
		sed "s/\t$id\t/\tother\t/" fps >>fps
		try 'shjoin fps'
		exits 0
		gives "$(printf '%s\n' $id other | LC_ALL=C sort | paste - - -d '\t' | sed 's/\t/\\t/')\\t0"
		# The id of the bands has the form of a tag.
		shband -k 1 <(sed 's/other/beef/' fps) | LC_ALL=C sort >bands
		try 'shjoin bands | wc -l'
		exits 0
		gives 1
	done
}

@test "signatures read as fingerprints give a warning that names shband --rows; fingerprints give none" {
	head -n 40 "$T_DATA/en_dev.tsv" >docs
	for scheme in affine32 affine64 legacy; do
		for n in 2 8 16; do
			shfp -n 3 --permutations $n --scheme $scheme docs >signatures 2>err
			for run in 'shjoin -k 3 signatures' 'shband -k 3 signatures'; do
				try "$run >pairs"
				exits 0
				grep -q "^${run%% *}: signatures:1: these look like MinHash signatures, and are read as fingerprints (shband --rows R makes keys of signatures)" err
			done
		done
	done
	for bits in 32 64 128 256; do
		shfp --bare -b $bits docs >prints
		try 'shjoin -k 3 prints >pairs'
		exits 0
		says
	done
	seq 100 | awk '{ printf "%016x\t%d\n", $1, $1 }' >prints
	try 'shjoin -k 3 prints >pairs'
	exits 0
	says
}

@test "fingerprints: the output is the same with any number of threads" {
	(clusters 9000 64 6; clusters 3000 64 6) | awk -F '\t' '{ print $1 "\tid" (NR % 11999) }' >fps
	(clusters 3000 64 7; awk 'NR % 3 == 0' fps) | sed 's/id//' >more
	clusters 4000 128 8 >wide
	awk 'NR % 997 == 0 { print "damaged" NR } { print }' fps >bad
	(cat fps; printf '0123\tx\n'; cat fps) >narrow
	sed 's/$/\r/' bad >dos
	for run in 'fps' '-k 6 fps' '--collapse fps' '-k 5 -S 100K fps' '-k 5 -S 1 --collapse more' 'wide' '-k 9 -S 200K wide' \
		'-k 4 fps more' '-k 4 --collapse -S 90K more fps' '-k 2 --exit-code fps' 'bad' 'narrow' '--rejects rejected bad' \
		'--rejects rejected bad narrow' '--crlf --rejects rejected dos' '--explain -k 5 fps' 'fps none' '-k 3 fps bad'; do
		same_by_threads "shjoin $run"
		[ -s out ] || [ -s err ] || { echo "nothing: $run"; return 1; }
	done
	head -n 9000 fps >once
	shjoin once >expected
	[ -s expected ]
	for j in 1 4; do
		# dd writes a few records at a time.
		try "dd ibs=911 obs=911 <once 2>/dev/null | shjoin -j $j"
		exits 0
		same expected out
	done
}

@test "bands: the output is the same with any number of threads" {
	clusters 9000 64 6 | sed 's/id//' | shband -k 3 | sort >bands
	# Some buckets cross the border of chunks.
	awk 'BEGIN { srand(3); for (i = 0; i < 6000; i++) printf "abcd%06x%06x\t%d\n", rand() * 2 ^ 24, rand() * 4, i }' | shband -k 3 | sort >large
	awk 'NR % 997 == 0 { print "damaged" NR } NR % 1409 == 0 { sub("..\t", "00\t") } { print }' bands >bad
	(awk '{ print } NR % 800 == 400 { print "damaged" NR }' large) >worse
	sed 's/$/\r/' bad >dos
	sort -r bands >descending
	head -n 3000 large >few
	# Keys stand in any order.
	awk '{ k = substr($1, 9) % 7; print > ("part" (k + 0)) }' bands
	cat part3 part1 part0 part2 part[456] >unordered
	(cat unordered; head -n 1 unordered) >again
	(head -n 17000 bands; sed -n 5000p bands; tail -n +17001 bands) >broken
	(head -n 17000 bands; shband -k 2 <<<'0123456789abcdef	x'; tail -n +17001 bands) >layouts
	(head -n 17000 bands; sed -n 17001p bands | sed 's/\t/a7\t/'; sed -n 17002p bands | sed 's/\t/a8\t/') >tags
	for run in bands '-k 2 bands' '--collapse bands' '-S 1M bands' large '-S 300K large' '-S 1 -k 2 --collapse few' \
		descending unordered again broken layouts tags bad worse '--rejects rejected bad' '--rejects rejected worse' \
		'--crlf --rejects rejected dos' '--exit-code bands'; do
		same_by_threads "shjoin $run"
		[ -s out ] || [ -s err ] || { echo "nothing: $run"; return 1; }
	done
	try 'shjoin -j 3 broken >pairs'
	exits 2
	says 'shjoin: broken:17001: the keys are not in bytewise order: sort the bands with LC_ALL=C sort'
	head -n 17000 bands | shjoin | cmp - pairs
	shjoin bands >expected
	[ "$(wc -l <expected)" -gt 1000 ]
	for j in 1 4; do
		try "dd ibs=911 obs=911 <bands 2>/dev/null | shjoin -j $j"
		exits 0
		same expected out
	done
	try "for i in 1 2 3; do sed -n \$((i * 12000 - 11999)),\$((i * 12000))p bands; sleep 0.1; done | shjoin -j 4"
	exits 0
	same expected out
}

@test "bands of two files: the output is the same with any number of threads" {
	clusters 6000 64 6 | sed 's/id//' >fps
	awk 'BEGIN { srand(3); for (i = 0; i < 4000; i++) printf "abcd%06x%06x\t%d\n", rand() * 2 ^ 24, rand() * 4, i }' >alike
	awk 'NR % 3' fps | shband -k 3 | sort >new
	awk 'NR % 3 == 0' fps | shband -k 3 | sort >old
	# Some buckets are larger than a chunk.
	awk 'NR % 2' alike | cat - fps | shband -k 3 | sort >large
	awk 'NR % 2 == 0' alike | shband -k 3 | sort >archive
	awk 'NR % 997 == 0 { print "damaged" NR } { print }' old >bad
	(echo damaged; awk '{ print } NR % 800 == 400 { print "damaged" NR }' large) >worse
	sed 's/$/\r/' bad >dos
	head -n 3 new >few
	: >none
	sort -r old >descending
	(head -n 4000 old; tail -n +6001 old; sed -n 4001,6000p old) >moved
	(head -n 7000 new; sed -n 5000p new; tail -n +7001 new) >back
	(head -n 7000 old; sed -n '7001,$s/\t/a7\t/p' old) >tags
	# A key is far too great, and a bad record of the other file comes before this key.
	(head -n 3000 new; sed -n 12000p new; tail -n +3001 new) >far
	(head -n 4000 old; echo damaged; tail -n +4001 old) >late
	for run in 'new old' '-k 2 old new' '--collapse new old' 'large archive' 'archive large' '-S 300K large archive' \
		'-S 1 new old' 'few old' 'old few' 'none old' 'old none' 'new bad' 'bad new' '--rejects rejected new bad' \
		'--rejects rejected bad worse' '--rejects rejected worse archive' '--crlf --rejects rejected dos new' \
		'far late' 'late far' '--rejects rejected far late' 'new descending' 'new moved' 'moved new' 'back old' \
		'large back' 'back moved' 'new tags' 'tags old' '--rejects rejected back bad' '--exit-code few old'; do
		same_by_threads "shjoin $run"
		[ -s out ] || [ -s err ] || [[ $run = *none* || $run = *few* ]] || { echo "nothing: $run"; return 1; }
	done
	try 'shjoin -j 3 moved new >pairs'
	exits 2
	says "shjoin: moved:$(($(wc -l <old) - 1999)): the keys are not in bytewise order: sort the bands with LC_ALL=C sort"
	shjoin new old >expected
	[ "$(wc -l <expected)" -gt 300 ]
	for j in 1 4; do
		try "dd ibs=911 obs=911 <new 2>/dev/null | shjoin -j $j - old"
		exits 0
		same expected out
	done
	# A bad record ends a program that waits for more.
	mkfifo slow
	for j in 1 4; do
		shjoin -j $j new slow >pairs 2>err 3>&- &
		exec 8>slow
		(cat old; echo damaged) >&8
		status=0
		wait $! || status=$?
		exec 8>&-
		exits 2
		grep "^shjoin: slow:$(($(wc -l <old) + 1)): " err
	done
}
