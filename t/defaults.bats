#!/usr/bin/env bats
# --help says in brackets what an option is when it is not given: given as that, it changes nothing.
load helper

# defaults PROGRAM: "option value" for each option whose default is one word
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

# unchanged 'PROGRAM OPERAND...' [OPTION...]: OPTION are those without which another says nothing
unchanged() {
	local command=$1 program=${1%% *} option value

	defaults "$program" >known
	[ -s known ]
	while read -r option value; do
		context=
		case $program$option in
		shverify--weight) context='--measure cosine' ;;
		shfp--scheme) context='--permutations 4' ;;
		shband--seed) context='--recall .99' ;;
		shdedup--weight) context='--simhash' ;;
		shdedup--profile) continue ;; # see shdedup(1)
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

@test "the defaults that --help names are those that hold" {
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
}

@test "sharchive: the default store is the one that --help names" {
	value=$(defaults sharchive | sed -n 's/^--store //p')
	[ -n "$value" ]
	sharchive init archive
	sharchive stats archive | grep -qx -e "--store	$value"
}
