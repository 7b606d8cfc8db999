#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# sharchive: the commands and their options. t/archive.bats tests what the commands do to an archive.
load helper

@test "sharchive takes a command, an archive and the operands of the command, and refuses others" {
	sharchive init archive
	echo a >ids
	while IFS='|' read -r how message; do
		try "sharchive $how"
		exits 2
		gives
		says "sharchive: $message" "Try 'sharchive --help' or 'man sharchive'."
	done <<-'END'
	-q|expected a command and the archive's folder
	clear archive|'clear': expected init, check, compact, expire, remove, stats or export
	check|check: which archive? (sharchive check DIR)
	expire|expire: which archive? (sharchive expire DIR AGE)
	check archive ids|check takes no files: 'ids'
	init archive ids|init takes no files: 'ids'
	expire archive|expire: expected sharchive expire DIR AGE
	expire archive 1d 2d|expire: expected sharchive expire DIR AGE
	remove archive|remove: expected sharchive remove DIR FILE...
	expire archive 3|expire '3': expected an age such as 90d, 12h or 8w
	expire archive d|expire 'd': expected an age such as 90d, 12h or 8w
	expire archive 1099511627776w|expire '1099511627776w': expected an age such as 90d, 12h or 8w
	init other --store some|--store 'some': expected sketch or documents
	check archive --store sketch|--store is for init, not for check
	compact archive -T 0.7|-T is for init, not for compact
	stats archive --stem english|--stem is for init, not for stats
	compact archive --dry-run|--dry-run is for expire and remove, not for compact
	init other --dry-run|--dry-run is for expire and remove, not for init
	check archive --counts|--counts is for stats, not for check
	stats archive -o archive/manifest|archive/manifest: this is a file of the archive
	END
	try 'sharchive expire archive 1099511627775w'
	exits 0
	[ ! -e other ]
}

@test "export writes the documents that stayed, as records with escapes" {
	sharchive init archive --store documents
	sharchive init sketches
	printf '%s\n' 'a\tone \\t two\\\\three four five six' 'b\tone \\t two\\\\three four five six' 'c\t  seven eight nine  ' 'd\t!!' |
		while read -r line; do printf "$line\n"; done >docs
	for part in 1,2p 3,4p; do
		sed -n $part docs | shdedup -q -a archive >>kept
	done
	try 'sharchive export archive'
	exits 0
	says
	same kept out
	try 'sharchive -q export archive -o exported && sharchive compact archive && sharchive -q export archive'
	exits 0
	says
	same exported out
	printf 'a\n' >ids
	try 'sharchive -q remove archive ids && sharchive -q export archive | cut -f 1'
	gives 'c\nd'
	try 'sharchive export sketches'
	exits 2
	says "sharchive: the archive keeps no texts: export needs an archive of 'sharchive init --store=documents'"
}

@test "a file with the name of a command or of the archive is not read as input" {
	sharchive init archive
	try 'sharchive stats archive >stats && sharchive stats archive -o stats'
	exits 0
	grep -q '^documents' stats
}
