#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --trailer: programs refuse an incomplete stream, wherever it was cut, also behind other programs of the pipe.

load helper

TRAILER='\t\tsimhash-trailer\t'

# good PROGRAM: prints valid records for the program, without a trailer.
good() {
	case $1 in
	shtok | shfp | shdedup | shspan) printf '%s\tone two %s\n' a x b y c x ;;
	shseed) printf '%s\tone two three four five six %s\n' a x b y c x ;;
	shdf | shweight) printf '%s\t%s\t1\n' a x a y b x ;;
	shband | shjoin) printf '%016x\t%s\n' 7 a 7 b 15 c ;;
	shgroup | shverify | shstat) printf '%s\t%s\t0\n' a b b c ;;
	esac
}

PROGRAMS=(shtok shdf shweight shfp shband shjoin shgroup shdedup shseed shspan shstat)

# count FILE: prints a trailer with the number of records of FILE and no checksum.
count() {
	printf "$TRAILER%d\t-\n" "$(wc -l <"$1")"
}

# Other tests have the programs that need documents beside their input, or that read no records.
OTHERS=(shverify shcut shdrop shreport shdoc shdict sharchive)

@test "the two lists of this file have every program" {
	for path in "${SHBIN:-$BATS_TEST_DIRNAME/../bin}"/sh*; do
		[ -x "$path" ] || continue
		[[ " ${PROGRAMS[*]} ${OTHERS[*]} " == *" ${path##*/} "* ]] || { echo "${path##*/}: in no list"; return 1; }
	done
}

@test "--trailer: requires a trailer in the input and writes another behind the output; =in and =out do one of both" {
	for P in "${PROGRAMS[@]}"; do
		good $P >plain
		(cat plain; count plain) >in
		$P plain >normal 2>normal.err
		try "$P --trailer in"
		exits 0
		if [ $P = shstat ]; then
			same normal out
		else
			head -n -1 out >records
			same normal records
			tail -n 1 out | grep -qxP "\t\tsimhash-trailer\t$(wc -l <normal)\t[0-9a-f]{16}"
		fi
		try "$P --trailer=in in"
		exits 0
		same normal out
		try "cat plain | $P --trailer=out"
		exits 0
		[ $P = shstat ] || tail -n 1 out | grep -q simhash-trailer
		try "$P --trailer -o new plain"
		exits 2
		grep -qx "$P: plain: no trailer: the input is incomplete (or was written without one: --trailer=out requires none)" err
		[ ! -e new ]
		try "head -n 1 in | cat - <(tail -n 1 in) | $P --trailer -o new"
		exits 2
		grep -qE "^$P: -: 1 record, the trailer says [23]: " err
		[ ! -e new ]
	done
}

@test "a trailer in the input without --trailer gives a message that names --trailer, also with --rejects" {
	for P in "${PROGRAMS[@]}"; do
		good $P >plain
		for run in "(cat plain; count plain)" "(count plain; cat plain)"; do
			for options in '' '--rejects rejected' '--trailer=out' '-l'; do
				case $options,$P in
				-l,shtok | -l,shfp | -l,shdedup) ;;
				-l,*) continue ;;
				esac
				eval "$run" >in
				try "$P $options in"
				exits 2
				grep -qE "^$P: in:[134]: unexpected trailer \(add --trailer " err
			done
		done
	done
	good shverify >plain
	good shtok >docs
	(cat docs; count docs) >counted
	try 'shverify -d counted plain'
	exits 2
	says 'shverify: counted:4: unexpected trailer (add --trailer or --trailer=in, which checks the trailers of operands and of -d)'
}

@test "--trailer=both is refused with the expected values" {
	try 'shtok --trailer=both </dev/null'
	exits 2
	says "shtok: --trailer 'both': expected in or out, or nothing" \
		"Try 'shtok --help' or 'man shtok'."
}

@test "--trailer: the records are the same as without, and the trailer is the same with any number of threads" {
	cp "$T_DATA/en_dev.tsv" many
	shtok many >normal
	shtok --trailer=out many >one
	head -n -1 one | cmp - normal
	for j in 2 7; do
		try "shtok --trailer=out -j $j many"
		same one out
	done
	shfp many >fp
	shfp --bare --trailer=out many >fps
	try 'shband -k 9 --trailer fps -j 3'
	exits 0
	mv out bands
	try 'shband -k 9 --trailer fps'
	same bands out
	shtok --trailer=out many | shweight --trailer >features
	try 'shfp --trailer features'
	same fps out
	# The last document is a chunk by itself. Several runs: it depends on time which worker gets it.
	seq 999 | sed 's/$/\tone two/' | shtok --trailer=out >few
	shweight --trailer few >normal
	for j in 2 2 2 2 2 7 7 7 7 7; do
		try "shweight --trailer -j $j few"
		exits 0
		same normal out
	done
}

@test "--trailer: sorted and concatenated streams are accepted, and cut ones refused" {
	docs=$T_DATA/zh_dev.tsv
	shfp "$docs" | shband -k 6 | LC_ALL=C sort | shjoin | sort >normal
	shfp --trailer=out "$docs" >fps
	try 'shband -k 6 --trailer fps | LC_ALL=C sort | shjoin --trailer=in | sort'
	exits 0
	same normal out
	shband -k 6 --trailer fps | LC_ALL=C sort | tee bands >bands.2
	head -n 1 bands | grep -q simhash-trailer
	try 'shjoin --trailer=in bands bands.2 | cut -f 3 | sort | uniq -c'
	exits 0
	# The runs read two streams in one file, two streams merged by sort, and two files.
	split -n l/2 "$docs" part.
	shfp --trailer=out part.aa >a
	shfp --trailer=out part.ab >b
	for run in 'cat a b | shjoin -k 6 --trailer=in' 'sort -m <(sort a) <(sort b) | shjoin -k 6 --trailer=in' \
		'shband -k 6 --trailer a b | sort | shjoin --trailer=in'; do
		try "$run | sort"
		exits 0
		same normal out
	done
	try 'cat a <(head -n -2 b) | shband --trailer -o new'
	exits 2
	grep -q 'the trailer says' err
	try 'shband --trailer a <(head -n -1 b) -o new'
	exits 2
	grep -q ': no trailer: ' err
	[ ! -e new ]
}

@test "--trailer in the pipe from documents to groups: the same groups, and a trailer is required in files of -d" {
	docs=$T_DATA/en_dev.tsv
	(cat "$docs"; count "$docs") >docs
	try 'shtok --trailer docs | shdf --trailer -o table
		shtok --trailer docs | shweight --trailer -w tfidf -d table | shfp --trailer |
		shjoin --trailer -k 6 | shverify --trailer -d docs | shgroup --trailer=in -d docs --audit audit'
	exits 0
	mv out got
	tail -n 1 audit >last
	try 'shtok "$T_DATA/en_dev.tsv" | shdf -o table2
		shtok "$T_DATA/en_dev.tsv" | shweight -w tfidf -d table2 | shfp |
		shjoin -k 6 | shverify -d "$T_DATA/en_dev.tsv" | shgroup -d "$T_DATA/en_dev.tsv" --audit audit2'
	exits 0
	same got out
	same audit2 audit
	head -n -1 table | cmp - table2
	# A file of -d without a trailer is refused.
	try 'shweight --trailer=in -w tfidf -d table2 <(shtok --trailer=out docs 2>&1)'
	exits 2
	says 'shweight: table2: no trailer: the input is incomplete (or was written without one: --trailer=out requires none)'
	try 'shverify --trailer=in -d "$T_DATA/en_dev.tsv" <(count /dev/null)'
	exits 2
	grep -q 'en_dev.tsv: no trailer: ' err
	try 'shgroup --trailer=in --keep longest -d "$T_DATA/en_dev.tsv" <(printf "a\tb\t0\n"; printf "\t\tsimhash-trailer\t1\t-\n")'
	exits 2
	grep -q 'en_dev.tsv: no trailer: ' err
	# A list of ids needs no trailer.
	echo b >ids
	try 'shgroup --trailer=in --keep ids <(printf "a\tb\t0\n"; printf "\t\tsimhash-trailer\t1\t-\n")'
	exits 0
	gives 'b\tb' 'a\tb'
	head -n 300 table >cut
	try 'shdf -m --trailer table cut'
	exits 2
	says 'shdf: cut: no trailer: the input is incomplete (or was written without one: --trailer=out requires none)'
	try 'shdf -m --trailer=in table table | head -n 1'
	gives "\t$(($(wc -l <"$docs") * 2))\t1"
}

@test "--trailer: a file without any line lacks its trailer, as an operand and as a file of -d" {
	: >empty
	printf 'a\tone two\n' >docs
	(cat docs; count docs) >good
	none='empty: no trailer: the input is incomplete (or was written without one: --trailer=out requires none)'
	for input in empty 'good empty' 'empty good'; do
		try "shdedup -q --trailer=in $input"
		exits 2
		says "shdedup: $none"
	done
	try 'printf "a\ta\t0\n\t\tsimhash-trailer\t1\t-\n" | shverify --trailer=in -d good -d empty'
	exits 2
	says "shverify: $none"
}

@test "--trailer: an empty line of a file of -d counts in the checksum, and a byte order mark does not" {
	printf '%s\n' one '' two | shdedup -q -l --trailer=out >docs
	[ "$(wc -l <docs)" = 4 ]
	(printf '1\t3\t0\n'; printf "${TRAILER}1\t-\n") >pairs
	(printf '\357\273\277'; cat docs) >marked
	(printf '\357\273\277'; tail -n 1 docs; head -n 3 docs) >first # the trailer is first
	for file in docs marked first; do
		for way in "shverify -l -d $file pairs" "shverify -l -d <(cat $file) pairs" "shgroup -l -d $file pairs" \
			"shreport -l -d $file pairs" "shtok -l $file" "shdedup -q -l $file"; do
			try "$way --trailer=in"
			exits 0
		done
	done
}

@test "--trailer: a changed byte, a lost line, a repeated line and a cut trailer are errors" {
	shfp --trailer=out "$T_DATA/en_dev.tsv" >fps
	refuses() {
		try "$1 | shband --trailer -o new"
		exits 2
		says "shband: -${2}"
		[ ! -e new ]
	}
	refuses 'sed "9s/./0/;10s/./0/" fps' ": checksum differs from the trailer's: the input was altered"
	refuses 'sed 9d fps' ': 551 records, the trailer says 552: the input is incomplete or altered'
	refuses 'sed 9p fps' ': 553 records, the trailer says 552: the input is incomplete or altered'
	refuses 'head -c -2 fps' ':553: the trailer is malformed or was cut short'
	refuses 'head -c -20 fps' ':553: the trailer is malformed or was cut short'
	refuses 'sed "s/simhash-trailer.*/simhash-trailer\tx\t-/" fps' ':553: the trailer is malformed or was cut short'
	try 'head -c -1 fps | shband --trailer'
	exits 0
}

@test "--trailer: rejected records and lines with CR LF count in the trailer" {
	good shband >plain
	(cat plain; echo bad; count <(cat plain; echo bad)) >in
	shband plain >normal
	try 'shband --trailer=in --rejects rejected <(sed "s/3\t-/4\t-/" in | sed "s/trailer\t0/trailer\t4/")'
	exits 0
	same normal out
	[ "$(cat rejected)" = bad ]
	shfp --trailer=out "$T_DATA/en_dev.tsv" >fps
	try 'sed "s/$/\r/" fps | shband --crlf --trailer=in'
	exits 0
	mv out dos
	try 'shband --trailer=in fps'
	same dos out
	# Tables and documents of -d may have CR LF, too.
	shtok "$T_DATA/en_dev.tsv" >features
	shdf --trailer=out features | sed 's/$/\r/' >df
	shweight -w tfidf -d <(shdf features) features >normal
	(cat features; count features) >in
	try 'shweight --crlf --trailer=in -w tfidf -d df in'
	exits 0
	same normal out
	try 'shdf -m --crlf --trailer=in df'
	exits 0
	shdf features >normal
	same normal out
	good shgroup >pairs
	good shdedup >docs
	(cat docs; count docs) | sed 's/$/\r/' >dos
	(cat pairs; count pairs) | sed 's/$/\r/' >pairs.dos
	shgroup --keep longest -d docs pairs >normal
	try 'shgroup --keep longest --crlf --trailer=in -d dos pairs.dos'
	exits 0
	same normal out
	# shdedup writes lines with CR LF unchanged, and their trailer is that of lines with LF.
	sed 's/$/\r/' docs >dos
	shdedup -q --crlf --trailer=out dos >kept
	shdedup -q --trailer=out docs | tail -n 1 >expected
	tail -n 1 kept | cmp expected -
	try 'shdedup -q --crlf --trailer=in kept'
	exits 0
	sed '$d' kept | cmp - out
}

@test "--trailer: when a program of the pipe is killed, the file of -o stays unchanged" {
	echo before >old
	try '(shfp --trailer=out "$T_DATA/en_dev.tsv" | head -n 100; kill -9 $BASHPID) |
		shband --trailer | sort | shjoin --trailer -o old'
	exits 2
	grep -q '^shband: -: no trailer: ' err
	grep -q '^shjoin: -: no trailer: ' err
	[ "$(cat old)" = before ]
}

@test "standard input named twice is refused" {
	refuses() {
		try "$1 </dev/null"
		exits 2
		gives
		says "${1%% *}: standard input is named twice, and can be read only once" \
			"Try '${1%% *} --help' or 'man ${1%% *}'."
	}
	refuses 'shtok - -'
	refuses 'shtok --stop -'
	refuses 'shtok --dict - - --segment jieba'
	refuses 'shweight -d -'
	refuses 'shweight --idf - -'
	refuses 'shverify -d -'
	refuses 'shverify -d - -d - pairs'
	refuses 'shgroup -d - -'
	refuses 'shgroup --keep -'
	refuses 'shdedup --protect -'
	refuses 'shdedup --keep - docs -'
	refuses 'shjoin - -'
	good shverify >pairs
	good shtok >docs
	try 'shverify -d - pairs <docs'
	exits 0
	try 'shverify -d docs - <pairs'
	exits 0
}

@test "--trailer writes no trailer behind plans and samples" {
	try 'shband --explain --trailer'
	exits 0
	run ! grep simhash-trailer out
	shfp "$T_DATA/en_dev.tsv" >fps
	try 'shjoin --explain --trailer=out fps'
	exits 0
	run ! grep simhash-trailer out
	try 'shdedup --trailer=out -q --sample 1 "$T_DATA/en_dev.tsv"'
	exits 0
	run ! grep simhash-trailer out
	try 'shdedup --trailer=out -q --report report "$T_DATA/en_dev.tsv"'
	exits 0
	tail -n 1 out | grep -q simhash-trailer
	tail -n 1 report | grep -q simhash-trailer
}
