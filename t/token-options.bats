#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --fold-marks and --join-hyphens in every program that cuts text into tokens. b is a without vowel signs, d is c without
# hyphens at line ends.
load helper

# Writes the documents and their pairs.
make_docs() {
	cat >docs <<-'END'
		a	كَتَبَ الوَلَدُ الدَّرْسَ فِي الصَّفِّ ثُمَّ رَجَعَ
		b	كتب الولد الدرس في الصف ثم رجع
		c	the co-\nefficient of fric-\ntion was mea-\nsured twice here
		d	the coefficient of friction was measured twice here
	END
	printf 'a\tb\t0\nc\td\t0\n' >pairs
}

# each COMMAND: runs the command, in which OPTIONS stands for no option, one and both, and compares its output with the
# lines of the file `none`, `marks`, `hyphens` and `both`.
each() {
	local name options
	cat marks hyphens >both
	for name in none marks hyphens both; do
		case $name in
		none) options= ;;
		marks) options=--fold-marks ;;
		hyphens) options=--join-hyphens ;;
		both) options='--fold-marks --join-hyphens' ;;
		esac
		try "${1//OPTIONS/$options}"
		exits 0
		same $name out
	done
}

@test "shdedup takes --fold-marks and --join-hyphens" {
	make_docs
	: >none
	printf 'b\ta\n' >marks
	printf 'd\tc\n' >hyphens
	each 'shdedup -q OPTIONS --dry-run --report - docs | cut -f 1,2'
}

@test "an archive keeps --fold-marks and --join-hyphens" {
	make_docs
	sharchive init archive --fold-marks --join-hyphens
	sed -n '1p; 3p' docs | shdedup -q -a archive --fold-marks --join-hyphens >first
	try 'sed -n "2p; 4p" docs | shdedup -q -a archive --fold-marks --join-hyphens --report report'
	exits 0
	gives
	try 'cut -f 1,2 report'
	gives 'b\ta' 'd\tc'
	try 'sharchive stats archive | grep -e marks -e hyphens'
	gives '--fold-marks\tyes' '--join-hyphens\tyes'
	try 'shdedup -a archive --fold-marks docs'
	exits 2
	grep -q 'without --join-hyphens: the archive was made with --join-hyphens (give it each time)$' err
}

@test "shverify takes --fold-marks and --join-hyphens" {
	make_docs
	: >none
	printf 'a\tb\t1.0000\n' >marks
	printf 'c\td\t1.0000\n' >hyphens
	each 'shverify OPTIONS -T 0.8 -d docs pairs | cut -f 1,2,4'
}

@test "shspan takes --fold-marks and --join-hyphens; places are those of the text as it is" {
	make_docs
	: >none
	printf 'b\t0\t54\ta\t0\t96\t7\t1.0000\n' >marks
	printf 'd\t0\t51\tc\t0\t60\t8\t1.0000\n' >hyphens
	each 'shspan OPTIONS --min-tokens 4 -n 3 --window 1 docs'
}

@test "shseed takes --fold-marks and --join-hyphens" {
	make_docs
	: >none
	printf 'a\t0\t96\nb\t0\t54\n' >marks
	printf 'c\t0\t55\nc\t4\t60\nd\t0\t46\nd\t4\t51\n' >hyphens
	# The hashes of a and b, and those of c and d, are equal.
	each "shseed OPTIONS --window 1 -n 7 docs | awk -F '\t' 'seen[\$1] { print seen[\$1]; print \$2 FS \$4 FS \$5 } { seen[\$1] = \$2 FS \$4 FS \$5 }' | sort"
}

@test "shfp gives marked and unmarked, cut and whole words one fingerprint, also in the pipe" {
	make_docs
	for options in --fold-marks --join-hyphens '--fold-marks --join-hyphens -u char -n 2'; do
		try "shfp --bare $options docs"
		exits 0
		mv out fused
		try "shtok $options docs | shweight | shfp --bare"
		exits 0
		same fused out
	done
	try 'shfp --fold-marks --join-hyphens docs | cut -f 1 | uniq -c | sed "s/ *\([0-9]*\).*/\1/"'
	gives 2 2
}
