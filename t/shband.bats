#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shband: makes bands of fingerprints.

load helper

@test "writes a band for each choice of M-K blocks, with layout, table and the bits of the blocks in the key" {
	try 'printf "0123456789abcdef\ta\n" | shband -k 3 -M 4'
	exits 0
	says
	gives '030400123\t0123456789abcdef\ta' '030414567\t0123456789abcdef\ta' \
		'0304289ab\t0123456789abcdef\ta' '03043cdef\t0123456789abcdef\ta'
	try 'printf "0123456789abcdef\ta\n" | shband -k 2 -M 4'
	gives '0204001234567\t0123456789abcdef\ta' '02041012389ab\t0123456789abcdef\ta' \
		'020420123cdef\t0123456789abcdef\ta' '02043456789ab\t0123456789abcdef\ta' \
		'020444567cdef\t0123456789abcdef\ta' '0204589abcdef\t0123456789abcdef\ta'
}

@test "blocks that are no whole digits are divided by bits, and the key is padded at its end" {
	# 8 bits in 3 blocks are bits 0-1, 2-4 and 5-7. 1b is 00 011 011.
	try 'printf "1b\ta\n" | shband -k 2 -M 3'
	gives '020300\t1b\ta' '020316\t1b\ta' '020326\t1b\ta'
	# The choices of two blocks are 00 011, 00 011 and 011 011: up to 6 bits, 2 digits.
	try 'printf "1b\ta\n" | shband -k 1 -M 3'
	gives '0103018\t1b\ta' '0103118\t1b\ta' '010326c\t1b\ta'
}

@test "-k 0 gives one table, and -k and -M may be as large as the width allows" {
	try 'printf "0f\ta\n" | shband -k 0 -M 1'
	gives '000100f\t0f\ta'
	try 'printf "0f\ta\n" | shband -k 7 -M 8'
	gives '070800\t0f\ta' '070810\t0f\ta' '070820\t0f\ta' '070830\t0f\ta' \
		'070848\t0f\ta' '070858\t0f\ta' '070868\t0f\ta' '070878\t0f\ta'
	try 'printf "0f\ta\n" | shband -k 4 -M 8 | wc -l'
	gives 70
}

@test "every width from 4 to 1024 bits is accepted" {
	for digits in 1 2 9 16 31 32 64 255 256; do
		hex=$(printf "%0${digits}d" 7)
		try "printf '$hex\tan id\n' | shband -k 1"
		exits 0
		cut -f 2- out | sort -u >fields
		printf '%s\tan id\n' "$hex" >expected
		same expected fields
		try "printf '$hex\tan id\n' | timeout 60 shband -k 0 | cut -f 2-"
		exits 0
		same expected out
	done
}

@test "the layout that --explain marks is chosen" {
	for layout in '-k 3' '' '-k 0' '-k 7' '-k 3 -M 6'; do
		try "shband --explain $layout | grep '^\*'"
		exits 0
		read -r _ blocks tables _ <out
		try "printf '%016x\ta\n' 1 | shband $layout"
		exits 0
		[ "$(wc -l <out)" = "$tables" ]
		[ "$(cut -c 3-4 out | sort -u)" = "$(printf '%02x' "$blocks")" ]
	done
}

@test "--explain writes the cost of each layout and the choice, without reading input" {
	try 'shband --explain -k 3 -b 64 <&-'
	exits 0
	says
	head -n 2 out >head
	cat >expected <<-'END'
		64 bits, distance 3, 1000000 fingerprints with ids of 16 bytes, uniformly distributed
		  blocks   tables key bits        bytes   candidates  in bucket     sort s  compare s
	END
	same expected head
	grep -qE '^\*      4        4       16     1.76e\+08     3.05e\+07       15.3 ' out
	[ "$(grep -c '^\*' out)" = 1 ]
	try 'shband --explain -k 3 -M 40'
	exits 0
	grep -qE '^\*     40     9880       58 ' out
	[ "$(grep -c '^\*' out)" = 1 ]
	try 'shband --explain -k 3 -M 3'
	exits 2
	gives
	says 'shband: 3 blocks cannot guarantee distance 3: choose at least 4' \
		"Try 'shband --help' or 'man shband'."
	try 'shband --explain some.fp'
	exits 2
	gives
	says "shband: --explain reads no file: 'some.fp' would be ignored (-b sets the width)" \
		"Try 'shband --help' or 'man shband'."
}

@test "-k has a default at 64 bits only" {
	try 'printf "0123456789abcdef\ta\n" | shband | cut -c 1-4 | sort -u'
	exits 0
	gives 0a0b
	for program in 'shband' 'shjoin'; do
		try "printf '01234567\ta\n' | $program"
		exits 2
		gives
		says "$program: -k is needed: its default, 10, is for fingerprints of 64 bits, these have 32" \
			"Try '$program --help' or 'man $program'."
		try "printf '01234567\ta\n' | $program -k 2"
		exits 0
	done
	try 'shband --explain -b 128'
	exits 2
}

@test "an impossible layout is refused with a message that names a possible one" {
	refuses() {
		try "printf '$1\ta\n' | shband $2"
		exits 2
		gives
		[ "$(head -n 1 err)" = "shband: $3" ] || { cat err; false; }
	}
	refuses 0f '-k 8' 'distance 8 contains every pair of 8-bit fingerprints: choose one below 8'
	refuses 0f '-k 3 -M 3' '3 blocks cannot guarantee distance 3: choose at least 4'
	refuses 0f '-k 3 -M 9' '9 blocks of 8 bits: choose at most 8'
	refuses "$(printf %064d 0)" '-k 40 -M 100' '100 blocks at distance 40 make at least 1000000000 tables, each with a line for every fingerprint: choose fewer blocks, at least 41 (at most 10000 tables)'
	refuses 0123456789abcdef '-k 10 -M 20' '20 blocks at distance 10 make 184756 tables, each with a line for every fingerprint: choose fewer blocks, at least 11 (at most 10000 tables)'
	try 'shband --explain -k 64'
	exits 2
	says 'shband: distance 64 contains every pair of 64-bit fingerprints: choose one below 64' "Try 'shband --help' or 'man shband'."
}

@test "fingerprints that look like other records are read, with a warning" {
	swapped='the second field looks like a fingerprint, and the first like an id: they are read as fingerprint<TAB>id'
	decimal='this looks like a decimal number, and is read as hex (simhash-profiles(7), Moving a store, has how to convert it)'
	document='this looks like a document with a number for an id, and is read as fingerprint<TAB>id (shfp makes fingerprints of documents)'
	# warns RECORD [WARNING]: the first record gives this warning, or none.
	warns() {
		for program in shband shjoin; do
			try "printf '$1\n${1}z\n' | $program -k 1"
			exits 0
			if [ "$2" ]; then says "$program: -:1: $2"; else says; fi
		done
	}
	warns '17831459094038722629\ta' "$decimal"
	warns '615284979670828987\ta' "$decimal"
	warns '05284979670828987\ta' ''
	warns '1783145909403872\ta' ''
	warns '1783145909403872262f\ta' ''
	# The ids have one width, and the fingerprints could be ids.
	warns '1001\tTwo documents' "$document"
	warns '1783145909403872\t标题' "$document"
	warns '178314590940387a\tTwo documents' ''
	warns '1000001\tf776119227163845' "$swapped"
	warns 'abc\tf776119227163845' "$swapped"
	warns '10000001\tf7761192' "$swapped"
	warns 'f776119227163845\tabc' ''
	warns 'f776119227163845\t9e4d3ba1f776119227163845f7761192' ''
	warns '0000000000000001\t0000000000000002' ''
}

@test "records that are not fingerprints are refused with their line" {
	refuses() {
		try "(printf '0f\ta\n'; printf '$1\n') | shband -k 0 -M 1"
		exits 2
		gives '000100f\t0f\ta'
		says "shband: -:2: $2"
	}
	refuses '0F\tb' "fingerprint '0F' is not lower-case hex (shfp makes fingerprints of documents)"
	refuses '0g\tb' "fingerprint '0g' is not lower-case hex (shfp makes fingerprints of documents)"
	for other in '0F776119227163845' 0x0f '\0551234567890' 93YRkicWOEU=; do
		refuses "$other\\tb" "fingerprint '$(printf "$other")' is not lower-case hex (simhash-profiles(7), Moving a store, has how to convert others)"
	done
	refuses 'id\t0123456789abcdef' "fingerprint 'id' is not lower-case hex (it is the first field, the id the second)"
	refuses '\tb' 'fingerprint of 0 hex digits, expected 1 to 256'
	refuses "$(printf %0257d 0)\\tb" 'fingerprint of 257 hex digits, expected 1 to 256'
	refuses '0f\t' 'empty id'
	refuses '0f' '1 field, expected fingerprint<TAB>id, and perhaps a tag (shfp makes fingerprints of documents)'
	refuses '0f\tb\tc' "'c' is not a tag of 4 hexadecimal digits, expected behind fingerprint<TAB>id (shfp makes fingerprints of documents)"
	refuses '0ff\tb' 'a fingerprint of 12 bits among fingerprints of 8 bits (shfp -b sets one width, -x hex writes it)'
	refuses "0f\\t$(printf %04097d 0)" 'id of 4097 bytes, at most 4096'
}

@test "--rejects: the first good record decides the width, also behind a bad record" {
	try 'printf "bad\n0123456789abcdef\ta\n" | shband -k 1 -M 2 --rejects r | cut -f 2 | sort -u'
	exits 0
	gives 0123456789abcdef
	try 'printf "bad\n\t\n0123456789\ta\n" | shband -k 1 -M 2 --rejects r | cut -f 2 | sort -u'
	exits 0
	gives 0123456789
	printf 'bad\n\t\n' >expected
	same expected r
}

@test "decimal and binary digits are read as hexadecimal fingerprints" {
	try 'printf "a\tone\n" | shfp -x dec | shband -k 10'
	exits 0
	try 'printf "a\tone\n" | shfp -b 256 -x bin | shband -k 3'
	exits 0
}

@test "8e9 is accepted as a whole number and .8 as a share, in every program" {
	same_for() {
		try "$1"
		exits 0
		[ -s out ]
		mv out short
		try "$2"
		same out short
	}
	printf 'a\tone two three four five\nb\tone two three four\n' >docs
	printf 'a\tb\t1\n' >pairs
	shtok docs >features
	same_for 'shband --explain -k 1.0E1' 'shband --explain -k 10'
	same_for 'shverify -n 1 -T .8 -d docs pairs' 'shverify -n 1 -T 0.8 -d docs pairs'
	same_for 'shdedup -q -n 1 -T .8 docs' 'shdedup -q -n 1 -T 0.8 docs'
	same_for 'shweight -t 2e0 features' 'shweight -t 2 features'
	same_for 'shdf --max-df .5 features' 'shdf --max-df 0.5 features'
	for number in 1.5 8e 8e-9 1e99 '1e 9' 0x10; do
		try "shband --explain -k '$number'"
		exits 2
		grep -q "^shband: -k '$number': expected a whole number from 0 to " err
	done
	for share in . 0. -.8 8e-1 .8.; do
		try "shdedup -T '$share' docs"
		exits 2
		grep -q "^shdedup: -T '$share': expected a number above 0 and up to 1, as in 0.8" err
	done
}

@test "options out of range are refused with the expected values" {
	refuses() {
		try "shband $1 </dev/null"
		exits 2
		gives
		says "shband: $2" "Try 'shband --help' or 'man shband'."
	}
	refuses '-k 255' "-k '255': expected a whole number from 0 to 254"
	refuses '-k x' "-k 'x': expected a whole number from 0 to 254"
	refuses '-M 0' "-M '0': expected a whole number from 1 to 255"
	refuses '-M 256' "-M '256': expected a whole number from 1 to 255"
	refuses '-b 3' "-b '3': expected a whole number from 4 to 1024"
	refuses '-b 6' '-b 6: expected a multiple of 4'
	refuses '-b 1028' "-b '1028': expected a whole number from 4 to 1024"
}

@test "--rows: makes a key of each band of a signature, and shjoin pairs the signatures that share one" {
	printf '%s\t%s\n' 00000001000000020000000300000004 a 00000001000000020000000500000006 b \
		00000009000000020000000300000004 c 00000001000000020000000300000004 d >sigs
	try 'shband --rows 2 sigs'
	exits 0
	says
	[ "$(wc -l <out)" = 8 ]
	run ! grep -vE '^y[0-9a-v]{11}	[a-d]$' out
	for j in 1 3; do
		try "shband -j $j --rows 2 sigs | sort | shjoin | sort -u"
		exits 0
		gives 'a\tb\t-' 'a\tc\t-' 'a\td\t-' 'b\td\t-' 'c\td\t-'
	done
	try 'shband --rows 2 --bands 1 sigs | sort | shjoin | sort -u'
	gives 'a\tb\t-' 'a\td\t-' 'b\td\t-'
	try 'shband --rows 4 sigs | sort | shjoin'
	gives 'a\td\t-'
	try 'shjoin <(head -n 1 sigs | shband --rows 2 | sort) <(tail -n 3 sigs | shband --rows 2 | sort) | sort -u'
	gives 'a\tb\t-' 'a\tc\t-' 'a\td\t-'
	try 'shband --rows 2 </dev/null'
	exits 0
	gives
}

@test "--rows: the pairs are those of the bands of the signatures" {
	head -n 60 "$T_DATA/en_dev.tsv" >docs
	for scheme in affine32 affine64; do
		shfp --permutations 32 --scheme $scheme docs >sigs
		python3 - >expected <<'END'
sigs = [line.rstrip("\n").split("\t") for line in open("sigs")]
for i, (a, x) in enumerate(sigs):
    for b, y in sigs[:i]:
        if any(a[at:at + 24] == b[at:at + 24] for at in range(0, len(a) - 23, 24)):
            print("%s\t%s\t-" % tuple(sorted((x, y), key=str.encode)))
END
		[ "$(wc -l <expected)" -gt 10 ]
		try 'shband --rows 3 sigs | sort -s -k1,1 | shjoin | sort -u | cmp - <(sort expected)'
		exits 0
	done
}

@test "--rows: other records, mixed widths and impossible numbers are refused" {
	refuses() {
		try "shband $1"
		exits 2
		gives
		head -n 1 err | grep -qxF "shband: $2"
	}
	printf '0000000100000002\ta\n' >sigs
	printf '00000001\tb\n' >narrow
	refuses '--bands 2 sigs' '--bands needs --rows'
	refuses '--rows 2 --explain' '--rows reads signatures: -k, -M and --explain are for fingerprints'
	refuses '--rows 3 sigs' '1 band of 3 values, but the signatures have 2'
	refuses '--rows 1 --bands 3 sigs' '3 bands of 1 values, but the signatures have 2'
	cat sigs narrow >mixed
	try 'shband --rows 1 mixed >keys'
	exits 2
	says 'shband: mixed:2: a signature of 1 values, expected 2 values as in the first record'
	printf '0000000100000002\ta\tb\n' >three
	refuses '--rows 1 three' 'three:1: 3 fields, expected signature<TAB>id'
	printf '000000010000000G\ta\n' >upper
	refuses '--rows 1 upper' "upper:1: value 2 of the signature, '0000000G', is not lower-case hexadecimal"
	try 'shband --rows 1 --rejects bad mixed >keys'
	exits 0
	[ "$(cat bad)" = "$(cat narrow)" ]
	[ "$(wc -l <keys)" = 2 ]
}
