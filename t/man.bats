#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The manual pages and README.md: their examples run, and options, operands and messages are those of the programs.
load helper

setup_file() {
	here=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	export here
}

programs() {
	for source in "$here"/bin/sh*.c; do
		basename "$source" .c
	done
}

# options_helped PROGRAM: prints "LETTER NAME =" for each option of --help. - means no letter, = means an argument.
options_helped() {
	"$1" --help | awk '
	/^  +(-., )?--/ {
		letter = $1 ~ /^-.,$/ ? substr($1, 2, 1) : "-"
		name = substr(letter == "-" ? $1 : $2, 3)
		takes = !sub(/[[]=.*/, "", name) && sub(/=.*/, "", name) ? "=" : ""
		print letter, name, takes
	}' | sort
}

# options_described PAGE: prints the same for each option that the page describes.
options_described() {
	awk '
	/^[.]It Fl / {
		i = $3 ~ /^-/ ? 3 : 6
		print i == 3 ? "-" : $3, substr($i, 2), $(i + 2) == "=" ? "=" : ""
	}' "$1" | sort
}

# options_in_synopsis PAGE: prints the letters and --names of the synopsis.
options_in_synopsis() {
	awk '
	/^[.]Sh / { synopsis = $2 == "SYNOPSIS" }
	synopsis {
		for (i = 1; i < NF; i++) {
			if ($i !~ /^[.]?Fl$/) continue
			if ($(i + 1) ~ /^-/) print "-" $(i + 1)
			else for (j = 1; j <= length($(i + 1)); j++) print substr($(i + 1), j, 1)
		}
	}' "$1" | sort -u
}

# operands_helped PROGRAM: prints the operands of the usage line.
operands_helped() {
	"$1" --help | sed -n 's/^Usage: [a-z]* \[OPTION\]\.\.\. //p' | grep -oE '[A-Z]+' | sort -u
}

# operands_in_synopsis PAGE: prints the operands of the synopsis. An Ar without a name is a file.
operands_in_synopsis() {
	awk '
	/^[.]Sh / { synopsis = $2 == "SYNOPSIS" }
	synopsis && !/^[.]Op Fl/ {
		for (i = 1; i <= NF; i++)
			if ($i == "|" && named || $i ~ /^[.]?Ar$/) {
				print i < NF ? toupper($(i + 1)) : "FILE"
				named = 1
			}
		named = 0
	}' "$1" | sort -u
}

# said_by PROGRAM TEXT: the program contains the text, in one string or in two that meet at a blank.
said_by() {
	local i
	[ -s "$1.said" ] || strings -n 2 "$SHBIN/$1" | sed 's/\([a-z]\)%s/\1s/g' >"$1.said"
	grep -Fq -e "$2" "$1.said" && return
	for ((i = 1; i < ${#2}; i++)); do
		[ "${2:i:1}" = ' ' ] || continue
		grep -Fq -e "${2:0:i}" "$1.said" && grep -Fq -e "${2:i+1}" "$1.said" && return
	done
	return 1
}

fail_in() {
	echo "in $1"
	return 1
}

@test 'every example in a manual page prints the shown output' {
	"$here/t/man-examples" "$here"/man/*.[1-9]
}

@test 'every example in README.md prints the shown output' {
	"$here/t/man-examples" "$here/README.md"
}

@test 'man-examples finds an example that prints something else or fails without output' {
	cat >page.1 <<-'END'
		.Sh EXAMPLES
		.Bd -literal
		$ echo one &&
		>     echo 'two\e'
		one
		two\e
		$ printf 'a\en...\enz\en' |
		    tr a b
		b
		...
		z
		$ seq 9
		1
		...
		9
		$ false
		$ echo $?
		1
		.Ed
	END
	try "$here/t/man-examples page.1"
	exits 0
	for change in 's/^two/three/' 's/^z/&&/' 's/^9$/10/' '/^one$/d' 's/^b$/c/' 's/echo .*[?]/echo/'; do
		sed "$change" page.1 >changed.1
		run ! cmp -s page.1 changed.1
		try "$here/t/man-examples changed.1"
		exits 1
	done
}

@test 'every program has a manual page, and every page of section 1 has a program' {
	programs | sed 's/$/.1/' >want
	(cd "$here/man" && ls -- *.1) >got
	same want got
}

@test '--help and the manual page have the same options, with the same arguments' {
	for program in $(programs); do
		options_helped "$program" >want
		options_described "$here/man/$program.1" >got
		[ -s want ]
		same want got || fail_in "man/$program.1"
	done
}

@test 'the synopsis names every option of the page, and no other option' {
	for program in $(programs); do
		options_helped "$program" | awk '{ print $1 == "-" ? "--" $2 : $1 }' | sort >want
		options_in_synopsis "$here/man/$program.1" >got
		same want got || fail_in "man/$program.1"
	done
}

@test 'the usage line of --help has the operands of the synopsis' {
	for program in $(programs); do
		operands_helped "$program" >want
		operands_in_synopsis "$here/man/$program.1" >got
		[ -s want ]
		same want got || fail_in "man/$program.1"
	done
}

@test 'every message under DIAGNOSTICS is a message of the program' {
	command -v strings >/dev/null || skip 'no strings(1)'
	for program in $(programs); do
		awk '/^[.]Sh / { on = $2 == "DIAGNOSTICS" } on && sub(/^[.]It /, "")' \
		    "$here/man/$program.1" |
			sed -E 's/\b(N|K|X|ID|FILE|DIR|TEXT|SCHEME)\b/\n/g' >pieces
		[ -s pieces ]
		while IFS= read -r piece; do
			[ ${#piece} -lt 4 ] || said_by "$program" "$piece" ||
				fail_in "man/$program.1: $program does not say: $piece"
		done <pieces
	done
}

@test 'every reference to one of our manual pages has its page' {
	cat "$here"/man/*.[1-9] | awk '$1 == ".Xr" && $2 ~ /^(sh[a-z]*|simhash-.*)$/ { print $2 "." $3 }' |
		sort -u >pages
	[ -s pages ]
	while read -r page; do
		[ -e "$here/man/$page" ] || fail_in "a reference: no man/$page"
	done <pages
}

@test 'mandoc finds no fault in the manual pages' {
	command -v mandoc >/dev/null || skip 'no mandoc(1)'
	mandoc -Tlint -Wwarning "$here"/man/*.[1-9]
}

@test "simhash-utils(7) fits a terminal of 80 columns" {
	command -v mandoc >/dev/null || skip 'no mandoc(1)'
	mandoc -T ascii -O width=78 "$BATS_TEST_DIRNAME/../man/simhash-utils.7" | col -bx | awk 'length > 78' >wide
	cat wide
	[ ! -s wide ]
}
