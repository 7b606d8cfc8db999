#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# --help has the default of an option in brackets. The option with its default as value must change nothing.
load helper

# defaults PROGRAM: prints "OPTION VALUE" for each option whose default is one word.
defaults() {
	"$1" --help | awk '
		function row() {
			if (match(text, /--[a-z-]+/) && !/^Usage/) {
				option = substr(text, RSTART, RLENGTH)
				if (match(text, /\[[^][]*\]$/)) {
					value = substr(text, RSTART + 1, RLENGTH - 2)
					sub(/, .*/, "", value)
					if (value !~ /[ $;]/)
						print option, value
				}
			}
			text = ""
		}
		/^ +-/ { row(); text = $0; next }
		/^ / { text = text $0; next }
		{ row() }'
}

# unchanged 'PROGRAM OPERAND...': each option with its default gives the output that the program gives without it.
unchanged() {
	local command=$1 program=${1%% *} option value

	defaults "$program" >known
	[ -s known ]
	while read -r option value; do
		context=
		case $program$option in
		shverify--weight) context='--measure cosine' ;;
		shfp--scheme) context='--permutations 4' ;;
		shfp--threshold | shfp--measure) context='--keys' ;;
		*--delimiter) continue ;; # of --csv
		shband--bands) continue ;; # all: of --rows
		*--documents-fields) continue ;; # those of -f
		shdedup--profile) continue ;; # -p default changes other defaults: see shdedup(1)
		shspan--count) continue ;; # the option selects another output
		shcut--min-tokens) continue ;; # of -u, which takes no -d
		shdedup--wait) context='-a archive --dry-run' ;;
		esac
		try "${command/ / $context }"
		exits 0
		mv out without
		try "${command/ / $context $option=$value }"
		exits 0
		same without out || { echo "$option=$value"; return 1; }
	done <known
}

@test "each default in --help is the default of the program" {
	head -n 40 "$T_DATA/en_dev.tsv" >docs
	shtok docs >features
	shfp docs >fingerprints
	shjoin -k 14 fingerprints >pairs
	sharchive init archive
	unchanged 'shtok docs'
	unchanged 'shdf features'
	unchanged 'shweight features'
	unchanged 'shfp docs'
	unchanged 'shband fingerprints'
	unchanged 'shjoin fingerprints'
	unchanged 'shverify -d docs pairs'
	unchanged 'shgroup pairs'
	unchanged 'shdedup -q docs'
	unchanged 'shstat pairs'
	unchanged 'shdoc docs'
	shgroup pairs >groups
	shspan docs >spans
	unchanged 'shdrop -d groups docs'
	unchanged 'shcut -d spans docs'
	unchanged 'shspan docs'
	unchanged 'shseed docs'
	unchanged 'shreport pairs'
	# The list has every program but sharchive, which has its own test, and shdict, which has no defaults.
	for path in "${SHBIN:-$BATS_TEST_DIRNAME/../bin}"/sh*; do
		[ -x "$path" ] || continue
		grep -q "unchanged '${path##*/} \|^@test \"${path##*/}:" "$BATS_TEST_FILENAME" || [ "${path##*/}" = shdict ] ||
			{ echo "${path##*/}: not tested"; return 1; }
	done
}

@test "sharchive: the default store in --help is the default of init" {
	value=$(defaults sharchive | sed -n 's/^--store //p')
	[ -n "$value" ]
	sharchive init archive
	sharchive stats archive | grep -qx -e "--store	$value"
}

# dropped_by_fingerprints DOCS: prints the ids of the documents that the pipe of fingerprints drops.
dropped_by_fingerprints() {
	shfp "$1" | shband | sort | shjoin | shverify -d "$1" | shgroup -d "$1" | awk -F'\t' '$1 != $2 { print $1 }' | sort
}

@test "the pipe of fingerprints and shdedup agree on 98 % of the duplicates that either finds in labelled documents" {
	for language in en zh; do
		dropped_by_fingerprints "$T_DATA/${language}_dev.tsv" >by_fingerprints
		shdedup -q --dry-run --report - "$T_DATA/${language}_dev.tsv" | cut -f 1 | sort >by_keys
		both=$(comm -12 by_fingerprints by_keys | wc -l)
		either=$(sort -u by_fingerprints by_keys | wc -l)
		echo "$language: $both of $either"
		[ "$either" -ge 200 ]
		[ $((100 * both)) -ge $((98 * either)) ]
	done
}

@test "features are single tokens, but keys and similarities are of n-grams of three tokens" {
	head -n 40 "$T_DATA/en_dev.tsv" >docs
	shfp docs | shjoin -k 20 >pairs
	for command in 'shtok:-n 1 docs' 'shfp:-n 1 docs' 'shfp:-n 3 --keys docs' 'shverify:-n 3 -d docs pairs' \
		'shdedup:-n 3 -q docs'; do
		options=${command#*:}
		try "${command%%:*} $options"
		exits 0
		mv out given
		try "${command%%:*} ${options#-n ?}"
		same given out
	done
}
