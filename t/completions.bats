#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Completions: what bash, zsh and fish offer.
load helper

setup_file() {
	here=$(cd "$BATS_TEST_DIRNAME/.." && pwd)
	made=$BATS_FILE_TMPDIR/made
	"$here/share/completions" "$SHBIN" "$made"
	export here made
}

# cases: prints lines PROGRAM|LINE|WORDS. The shell must offer the WORDS, sorted, for the LINE.
cases() {
	cat <<-'END'
	shfp|shfp --bar|--bare
	shfp|shfp -u |char word
	shfp|shfp --unit=w|word
	shfp|shfp -n 2 -w t|tf
	shfp|shfp --bits |128 256 32 64
	shtok|shtok --segment jieba-n|jieba-nohmm
	shtok|shtok --stem=swe|swedish
	shtok|shtok --keep-words=h|han hangul
	shverify|shverify --measure c|containment containment1 containment2 cosine
	shgroup|shgroup --keep l|lead longest
	shdedup|shdedup --keep m|max: min:
	shjoin|shjoin -o le|lead
	shjoin|shjoin le|lead
	shjoin|shjoin --tmpdir=d|dir
	shband|shband -k |
	shdict|shdict --ch|--check
	shdf|shdf --trai|--trailer
	shdf|shdf --trailer=|in out
	shdf|shdf --trailer d|dir
	END
}

# by_bash PROGRAM LINE: prints the words, sorted, that the completion of bash offers for the line.
by_bash() {
	bash --norc --noprofile -c '
	source "$1/bash/$2"
	read -ra COMP_WORDS <<<"${3//=/ = }"
	[[ $3 != *" " && $3 != *= ]] || COMP_WORDS+=("")
	[[ $3 != *= ]] || unset "COMP_WORDS[-1]"
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	read -ra how <<<"$(complete -p "$2")"
	[[ ${how[2]} = "_$2" ]] || exit
	"${how[2]}" 2>/dev/null
	printf "%s\n" "${COMPREPLY[@]}"' bash "$made" "$1" "$2" | sort | paste -sd ' '
}

by_fish() {
	HOME=$PWD XDG_CONFIG_HOME=$PWD fish --no-config -c '
	source $argv[1]/fish/$argv[2].fish
	complete -C $argv[3]' "$made" "$1" "$2" | cut -f 1 | sed 's/^--[a-z-]*=\(.\)/\1/; s/=$//; s,/$,,' | sort -u | paste -sd ' '
}

all_cases() {
	local program line want
	mkdir dir
	: >lead
	while IFS='|' read -r program line want; do
		"$1" "$program" "$line" >got
		[ "$(sed 's/ $//' got)" = "$want" ] && continue
		echo "$1 offers for '$line': $(cat got)"
		echo "expected: $want"
		return 1
	done < <(cases)
}

@test "bash completes options, values of options, and file names where an option takes a file" {
	all_cases by_bash
}

@test "fish completes options, values of options, and file names where an option takes a file" {
	command -v fish >/dev/null || skip 'no fish'
	all_cases by_fish
}

# typed SHELL SETUP KEYS SHOWN: the shell on a terminal shows SHOWN after SETUP and KEYS were typed. KEYS are typed
# after the prompt appears, because only then the shell reads single keys.
typed() {
	script -qec true /dev/null >/dev/null 2>&1 </dev/null || skip 'no script(1), or no pseudo-terminals'
	printf '%s\n' "$2" 'PS1=done:' >setup
	: >screen
	(until_true 60 test -s screen && printf '. ./setup\r' &&
		until_true 60 grep -qF done: screen && printf '%s\r' "$3" &&
		until_true 60 grep -qF -e "$4" screen && printf 'exit\r' && sleep 0.2) |
		HOME=$PWD TERM=dumb timeout 240 script -qec "$1" /dev/null >screen 2>&1 || true
	grep -qF -e "$4" screen && return
	cat -v screen
	return 1
}

@test "bash and zsh complete options and values when the TAB key is typed" {
	typed 'bash --norc --noprofile -i' "source $made/bash/shfp; shfp() { printf '<%s>' \"\$@\"; }" \
		$'shfp --bar\t --weight=l\t -u c\t' '<--bare><--weight=log><-u><char>'
	command -v zsh >/dev/null || skip 'no zsh'
	typed 'zsh -f -i' "unsetopt zle_bracketed_paste; fpath=($made/zsh \$fpath); autoload -U compinit
		compinit -u -D; shfp() { printf '<%s>' \"\$@\" }" $'shfp --bar\t --weight=l\t -u c\t' \
		'<--bare><--weight=log><-u><char>'
}

@test "bash, fish and zsh complete every option of every program" {
	for program in "$SHBIN"/sh*; do
		[ -x "$program" ] && [ ! -d "$program" ] || continue
		name=${program##*/}
		case $name in *.*) continue ;; esac
		"$program" --help | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort >want
		[ -s want ]
		sed -n 's/.*compgen -W \$.\(-.*\). -- .*/\1/p' "$made/bash/$name" | sed 's/\\n/\n/g' | grep -oE '^--[a-z-]+' |
			sort >got
		same want got
		grep -oE '^complete .* -l [a-z-]+' "$made/fish/$name.fish" | sed 's/.* -l /--/' | sort >got
		same want got
		grep -oE "(^	'|,)--[a-z-]+" "$made/zsh/_$name" | grep -oE -- '--[a-z-]+' | sort >got
		same want got
	done
}

@test "share/completions fails with a message in a folder without programs" {
	mkdir none
	try "'$here/share/completions' none got"
	exits 2
	says 'completions: no programs in none'
}
