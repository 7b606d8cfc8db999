#!/usr/bin/env bats
# --trailer: an incomplete stream is found, wherever it was cut and whatever programs are between.

load helper

TRAILER='\t\tsimhash-trailer\t'

# good PROGRAM: three records for it, without a trailer.
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

# count FILE: its trailer, with the count alone.
count() {
	printf "$TRAILER%d\t-\n" "$(wc -l <"$1")"
}

# Programs that read documents beside their input, or none; other tests have them.
OTHERS=(shverify shcut shdrop shshare shreport shdoc shdict sharchive)

@test "each program that knows --trailer is tested here, or named" {
	for path in "${SHBIN:-$BATS_TEST_DIRNAME/../bin}"/sh*; do
		[ -x "$path" ] || continue
		[[ " ${PROGRAMS[*]} ${OTHERS[*]} " == *" ${path##*/} "* ]] || { echo "${path##*/}: in no list"; return 1; }
	done
}

@test "every program requires the trailer, takes it off, and writes its own" {
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

@test "a trailer without --trailer is an error that names --trailer: first or last, also with --rejects" {
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

@test "a value other than in and out is refused, and shdict accepts the option" {
	try 'shtok --trailer=both </dev/null'
	exits 2
	says "shtok: --trailer 'both': expected in or out, or nothing" \
		"Try 'shtok --help' or 'man shtok'."
}

@test "the output is the same with --trailer and without, its trailer the same for any number of threads" {
	docs=$T_DATA/en_dev.tsv
	for i in 1 2 3 4 5 6 7 8 9; do cat "$docs"; done >many
	shtok many >normal
	shtok --trailer=out many >one
	head -n -1 one | cmp - normal
	for j in 2 7; do
		try "shtok --trailer=out -j $j many"
		same one out
	done
	shfp many >fp
	shfp --bare --simhash --trailer=out many >fps
	try 'shband -k 9 --trailer fps -j 3'
	exits 0
	mv out bands
	try 'shband -k 9 --trailer fps'
	same bands out
	shtok --trailer=out many | shweight --trailer >features
	try 'shfp --trailer features'
	same fps out
}

@test "sort may stand between, and files that were put together remain whole" {
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
	# Two streams in one file, two files, and both sorted into one.
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

@test "the whole pipe from documents to groups, with a table and the documents looked up" {
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
	# Of the files that -d names, too, a trailer is required.
	try 'shweight --trailer=in -w tfidf -d table2 <(shtok --trailer=out docs 2>&1)'
	exits 2
	says 'shweight: table2: no trailer: the input is incomplete (or was written without one: --trailer=out requires none)'
	try 'shverify --trailer=in -d "$T_DATA/en_dev.tsv" <(count /dev/null)'
	exits 2
	grep -q 'en_dev.tsv: no trailer: ' err
	try 'shgroup --trailer=in --keep longest -d "$T_DATA/en_dev.tsv" <(printf "a\tb\t0\n"; printf "\t\tsimhash-trailer\t1\t-\n")'
	exits 2
	grep -q 'en_dev.tsv: no trailer: ' err
	# But not of lists of ids.
	echo b >ids
	try 'shgroup --trailer=in --keep ids <(printf "a\tb\t0\n"; printf "\t\tsimhash-trailer\t1\t-\n")'
	exits 0
	gives 'b\tb' 'a\tb'
	head -n 300 table >cut
	try 'shdf -m --trailer table cut'
	exits 2
	says 'shdf: cut: no trailer: the input is incomplete (or was written without one: --trailer=out requires none)'
	try 'shdf -m --trailer=in table table | head -n 1'
	gives "\t$(($(wc -l <"$docs") * 2))\t3"
}

@test "an empty line of documents that are looked up is summed as any other" {
	printf '%s\n' one '' two | shdedup -q -l --trailer=out >docs
	[ "$(wc -l <docs)" = 4 ]
	for way in 'shverify -l -d docs' 'shverify -l -d <(cat docs)' 'shgroup -l -d docs'; do
		try "$way --trailer=in <(printf '1\t3\t0\n'; printf '\t\tsimhash-trailer\t1\t-\n')"
		exits 0
	done
}

@test "a changed byte, a lost line, a line twice and a cut trailer are errors" {
	shfp --trailer=out "$T_DATA/en_dev.tsv" >fps
	tried_with() {
		try "$1 | shband --trailer -o new"
		exits 2
		says "shband: -${2}"
		[ ! -e new ]
	}
	tried_with 'sed "9s/./0/;10s/./0/" fps' ": checksum differs from the trailer's: the input was altered"
	tried_with 'sed 9d fps' ': 551 records, the trailer says 552: the input is incomplete or altered'
	tried_with 'sed 9p fps' ': 553 records, the trailer says 552: the input is incomplete or altered'
	tried_with 'head -c -2 fps' ':553: the trailer is malformed or was cut short'
	tried_with 'head -c -20 fps' ':553: the trailer is malformed or was cut short'
	tried_with 'sed "s/simhash-trailer.*/simhash-trailer\tx\t-/" fps' ':553: the trailer is malformed or was cut short'
	try 'head -c -1 fps | shband --trailer'
	exits 0
}

@test "bad records and DOS line ends count as they came" {
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
	# So in what is looked up.
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
	# Of documents that are written as they came, too.
	sed 's/$/\r/' docs >dos
	shdedup -q --crlf --trailer=out dos >kept
	shdedup -q --trailer=out docs | tail -n 1 >expected
	tail -n 1 kept | cmp expected -
	try 'shdedup -q --crlf --trailer=in kept'
	exits 0
	sed '$d' kept | cmp - out
}

@test "a dead upstream: the file that the pipe was to replace is as it was" {
	echo before >old
	try '(shfp --trailer=out "$T_DATA/en_dev.tsv" | head -n 100; kill -9 $BASHPID) |
		shband --trailer | sort | shjoin --trailer -o old'
	exits 2
	grep -q '^shband: -: no trailer: ' err
	grep -q '^shjoin: -: no trailer: ' err
	[ "$(cat old)" = before ]
}

@test "standard input is named once" {
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

@test "output without records gets no trailer" {
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
