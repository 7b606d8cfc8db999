#!/usr/bin/env bats
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
		shfp--weight) context='--simhash' ;;
		shfp--scheme) context='--permutations 4' ;;
		shband--seed) context='--recall .99' ;;
		shdedup--profile) continue ;; # -p default changes other defaults: see shdedup(1)
		shspan--count) continue ;; # the option selects another output
		shcut--min-tokens) context='-u line' ;;
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
	unchanged 'shshare features'
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

# pipe DOCS [OPTION...]: the pipe without options and shdedup with OPTION find the same groups, keepers, distances and
# similarities.
pipe() {
	local docs=$1
	shift
	shdedup -q --dry-run "$@" --report report "$docs"
	shfp --empty skip "$docs" 2>/dev/null | shband | sort | shjoin | shverify -d "$docs" >pairs
	shgroup -d "$docs" pairs | awk -F'\t' '$1 != $2' | sort >by_pipe
	cut -f 1,2 report | sort >by_shdedup
	same by_shdedup by_pipe
	awk -F'\t' -v OFS='\t' '$1 < $2 { print $1, $2, $3, $4 } $1 > $2 { print $2, $1, $3, $4 }' pairs | sort >known
	awk -F'\t' -v OFS='\t' '$1 < $2 { print $1, $2, $3, $4 } $1 > $2 { print $2, $1, $3, $4 }' report | sort >reported
	[ -z "$(comm -23 reported known)" ]
}

@test "the pipe without options finds the duplicates that shdedup finds, in labelled documents" {
	pipe "$T_DATA/en_dev.tsv"
	[ "$(wc -l <by_pipe)" -ge 250 ]
	pipe "$T_DATA/zh_dev.tsv"
	[ "$(wc -l <by_pipe)" -ge 200 ]
}

@test "the pipe without options finds the duplicates that shdedup finds, in edited copies" {
	for language in en zh; do
		python3 "$BATS_TEST_DIRNAME/quality/edited.py" $language "$T_DATA" >copies
		pipe copies
		[ "$(wc -l <by_pipe)" -ge 600 ]
		awk -F'\t' '{ split($1, a, "-"); split($2, b, "-"); n += a[1] != b[1] } END { exit n > 0 }' by_pipe
	done
}

@test "-k keys finds at least 98 % of the duplicates that the default distance finds" {
	for language in en zh; do
		python3 "$BATS_TEST_DIRNAME/quality/edited.py" $language "$T_DATA" >copies
		for docs in copies "$T_DATA/${language}_dev.tsv"; do
			shdedup -q --dry-run --report - "$docs" | cut -f 1 | sort >by_distance
			shdedup -q -k keys --dry-run --report - "$docs" | cut -f 1 | sort >by_keys
			[ "$(wc -l <by_distance)" -ge 200 ]
			[ "$(comm -12 by_distance by_keys | wc -l)" -ge "$(($(wc -l <by_distance) * 98 / 100))" ]
			[ "$(wc -l <by_keys)" -ge "$(wc -l <by_distance)" ]
		done
	done
}

# The documents are groups of copies with words replaced, removed, added and moved.
@test "the pipe without options finds the duplicates that shdedup finds, in random documents" {
	for shortest in 1 60; do
		awk -v seed=$shortest -v shortest=$shortest '
			function any() { return sprintf("w%d", rand() * (rand() < .3 ? 20 : 5000)) }
			BEGIN {
				srand(seed)
				for (family = 0; family < 150; family++) {
					n = shortest + int(rand() * rand() * 300)
					for (i = 0; i < n; i++)
						word[i] = any()
					copies = 1 + int(rand() * 7)
					for (copy = 0; copy < copies; copy++) {
						share = copy ? rand() * rand() * .3 : 0
						cut = rand() < .2 ? int(rand() * n) : 0
						text = ""
						for (i = 0; i < n; i++) {
							edit = rand() < share ? 1 + int(rand() * 3) : 0
							if (edit != 1)
								text = text " " (edit == 2 ? any() : word[(i + cut) % n])
							if (edit == 3)
								text = text " " any()
						}
						printf "%d-%d\t%s\n", rand() * 1000000, NR++, text
					}
				}
			}' >random
		if [ $shortest -lt 20 ]; then
			pipe random --few 0
		else
			pipe random
		fi
		[ "$(wc -l <by_pipe)" -ge 100 ]
	done
}
