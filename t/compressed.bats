#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Programs that read documents more than once, with compressed files and pipes as input: they give the bytes of
# plain files and write no text to the disk.
load helper

docs=$T_DATA/en_dev.tsv

# parts: makes three plain files, and names the same text as compressed files and as pipes.
parts() {
	plain=(a b c)
	packed=(a.gz b c.bz2)
	pipes=('<(cat a)' b '<(gzip -c c)')
	head -n 500 "$docs" >a
	sed -n 501,1000p "$docs" >b
	tail -n +1001 "$docs" >c
	(head -n 200 a | gzip && tail -n +201 a | gzip) >a.gz
	bzip2 -c c >c.bz2
}

# results PREFIX COMMAND WORD...: writes the output, the report and the files of -O to the file out.
# PREFIX stands before each WORD.
results() {
	rm -rf report made
	try "$2$(printf " $1%s" "${@:3}") && (cat report made/* 2>/dev/null || true)"
	exits 0
	[ -s out ]
}

# agree PREFIX COMMAND: all forms of the input give the same bytes, with any memory and threads.
agree() {
	local how all=('-S 1 -j 8' '-S 300K -j 2' '-S 1 -j 1' '-S 1G -j 2')
	[ "${T_SHORT:-1}" -lt 8 ] || all=("${all[@]::2}")
	results "$1" "$2" "${plain[@]}"
	mv out plain
	for how in "${all[@]}"; do
		results "$1" "$2 $how" "${packed[@]}"
		same plain out
		results "$1" "$2 $how" "${pipes[@]}"
		same plain out
	done
}

@test "shdedup: compressed files and pipes give the bytes of plain files" {
	parts
	agree '' 'shdedup -q --report report'
	agree '' 'shdedup -q --mark m --link single --measure edit'
	agree '' 'shdedup -q --keep max:2 --measure edit'
	agree '' 'shdedup -q --sample 3'
}

@test "shspan and shverify: compressed files and pipes give the bytes of plain files" {
	parts
	shfp "$docs" | shjoin -k 8 >pairs
	agree '-d ' 'shverify -T 0 pairs'
	agree '' 'shspan'
	agree '' 'shspan --exact 20'
}

@test "CSV with line ends in its fields: compressed files and pipes give the bytes of plain files" {
	for i in a b c; do
		awk -v i=$i 'BEGIN { srand(7); OFS = ","; print "\xef\xbb\xbfid,text,day"
		    for (n = 0; n < '"$(fewer 1000 100)"'; n++)
		        print i n, "\"note " int(n / 2) " says \"\"a, b\"\"\n" \
		            substr("line after line after line", 1, rand() * 26) "\n\"", n * 7919 % 3001 }' >$i
		gzip -c $i >$i.gz
	done
	plain=(a b c) packed=(a.gz b.gz c.gz) pipes=(a '<(cat b)' '<(cat c)')
	agree '' 'shdedup -q --csv --mark m'
	agree '' 'shdedup -q --csv --keep max:day --report report'
	agree '' 'shdedup -q --csv --keep min:text'
	pipes=(a.gz b c)
	agree '' 'shdedup -q --csv --compress none -O made'
}

@test "programs write no temporary file when the text fits in memory" {
	gzip -c "$docs" >docs.gz
	shfp "$docs" | shjoin -k 8 >pairs
	# shellcheck disable=SC2016
	for run in 'shdedup -q docs.gz' 'cat "$T_DATA/en_dev.tsv" | shdedup -q' 'shverify -T 0 -d docs.gz pairs' \
	    'shspan docs.gz'; do
		try "export TMPDIR=none; $run >/dev/null"
		exits 0
		try "export TMPDIR=none; $run -S 1 >/dev/null"
		exits 2
		grep -q "cannot create a temporary file in 'none'" err
	done
}

@test "text larger than the memory goes to temporary files without names" {
	gzip -c "$docs" >docs.gz
	shfp "$docs" | shjoin -k 8 >pairs
	mkdir tmp
	# shellcheck disable=SC2016
	for run in 'shdedup -q docs.gz' 'cat "$T_DATA/en_dev.tsv" | shdedup -q' 'shverify -T 0 -d docs.gz pairs'; do
		try "$run"
		mv out expected
		[ -s expected ]
		try "export TMPDIR=tmp; $run -S 1"
		exits 0
		same expected out
	done
	mkfifo docs.fifo
	TMPDIR=tmp shdedup -q -S 1 docs.fifo >/dev/null 9>&- &
	exec 9>docs.fifo
	cat "$docs" "$docs" "$docs" >&9
	until_true 60 has_open $! '*(deleted)'
	[ -z "$(ls tmp)" ]
	kill -9 $!
	wait $! 2>/dev/null || true
	exec 9>&-
	[ -z "$(ls tmp)" ]
}

@test "damaged input and a full disk for temporary files give a message that names the file" {
	gzip -c "$docs" >docs.gz
	(cat docs.gz; head -c 100000 docs.gz) >cut.gz
	shfp "$docs" | shjoin -k 8 >pairs
	for run in 'shdedup -q IN' 'shverify -d IN pairs' 'shspan IN'; do
		for size in 1 1G; do
			try "${run/IN/cut.gz} -S $size -j 2"
			exits 2
			grep -qx "${run%% *}: cut.gz: the gzip data are cut short; the file was not read to its end" err
		done
		try "ulimit -f 100; ${run/IN/docs.gz} -S 1 -j 2 | cat"
		exits 2
		grep -qx "${run%% *}: cannot write a temporary file (TMPDIR names another folder): File too large" err
	done
}

@test "many files: the output and the messages are the same with any number of threads" {
	local run
	# Files of each form, also larger than what is read ahead of a file.
	split -a 2 -l 20 "$docs" part.
	gzip part.*[aeiou]
	bzip2 part.*[bdf]
	: >part.ax
	for run in 1 2 3 4; do
		cat "$docs"
	done >large
	gzip -1 <large >large.gz
	head -c 100000 large.gz >cut.gz
	mkdir folder
	for run in '0 shtok part.a* large <(cat part.ac) large.gz large.gz part.[b-z]*' \
	    '0 shfp --rejects rejected part.* <(echo bad) part.*' '2 shtok part.a* cut.gz part.b*' \
	    '2 shtok part.a* missing part.b*' '2 shtok part.* folder part.*' '2 shtok part.* <(gzip <<<bad) part.*'; do
		same_by_threads "${run#* }"
		exits "${run% sh*}"
		[ "$(wc -l <out)" -gt 500 ]
	done
}

@test "many files: a FIFO is opened in its turn" {
	head -n 300 "$docs" >a
	mkfifo one two
	cat a a a | shtok >expected
	shtok -j 8 a one two a >out 9>&- &
	exec 9>one
	until_true 60 asleep $! shtok
	exec 9>&-
	timeout 60 sh -c 'cat a >two'
	wait $!
	same expected out
}

@test "shdedup and shverify -d read a FIFO to its end before they open the next one" {
	head -n 300 "$docs" >a
	sed -n 301,600p "$docs" >b
	mkfifo one two
	(cat a >one; cat b >two) &
	timeout 60 shdedup -q one two >out
	wait $!
	same <(shdedup -q a b) out
	shfp -n 3 a b | shjoin -k 3 >pairs
	(cat a >one; cat b >two) &
	timeout 60 shverify -d one -d two pairs >out
	wait $!
	same <(shverify -d a -d b pairs) out
	[ -s out ]
}
