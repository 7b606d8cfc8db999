#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# shcut: removes the passages that spans name, or that occurred before, from documents.

load helper

@test "removes a passage, and leaves one blank between the words beside it" {
	printf 'a\tone two three four\nb\tunchanged text\n' >docs
	try 'printf "a\t4\t13\n" | shcut -d - docs'
	exits 0
	says
	gives 'a\tone four' 'b\tunchanged text'
	try 'printf "a\t0\t8\tmore\tfields\n" | shcut -d - docs | head -n 1'
	gives 'a\tthree four'
	try 'printf "a\t4\t18\n" | shcut -d - docs | head -n 1'
	gives 'a\tone '
	try 'printf "a\t0\t18\n" | shcut -d - docs | head -n 1'
	gives 'a\t'
	try 'printf "a\t3\t14\n" | shcut -d - docs | head -n 1'
	gives 'a\tone four'
}

@test "leaves a newline where the passage had one, and cuts no escape" {
	printf 'a\tone\\ntwo\\nthree\\nfour\n' >docs
	try 'printf "a\t5\t15\n" | shcut -d - docs'
	gives 'a\tone\\n\\nfour'
	try 'printf "a\t3\t17\n" | shcut -d - docs'
	gives 'a\tone\\nfour'
	try 'printf "a\t4\t15\n" | shcut -d - docs'
	exits 2
	says "shcut: docs:1: the span from 4 to 15 does not begin and end between characters of this text of 21 bytes: the spans are of other documents"
}

@test "accepts spans that overlap, in any order and in several files" {
	printf 'a\tone two three four five\nb\tone\n' >docs
	printf 'a\t14\t18\nb\t0\t3\n' >first
	printf 'a\t4\t7\na\t6\t13\n' >second
	try 'shcut -d first -d second docs'
	exits 0
	gives 'a\tone five' 'b\t'
}

@test "--replace writes a text in place of each passage" {
	try 'printf "a\t4\t7\n" | shcut --replace "[cut]" -d - <(printf "a\tone two three\n")'
	exits 0
	gives 'a\tone [cut] three'
}

@test "-f chooses the fields, -l takes line numbers as ids, and -j changes no byte" {
	printf 'x\ta\tone two\ty\n' >docs
	try 'printf "a\t0\t4\n" | shcut -f 2,3 -d - docs'
	gives 'x\ta\ttwo\ty'
	printf 'one two\nthree four\n' >lines
	try 'printf "2\t0\t6\n" | shcut -l -d - lines'
	gives 'one two' 'four'
	try 'shspan --exact 20 $T_DATA/en_dev.tsv >spans; shcut -d spans $T_DATA/en_dev.tsv'
	exits 0
	cp out one
	try 'shcut -j 3 -d spans $T_DATA/en_dev.tsv'
	same one out
}

@test "after shspan --exact | shcut at most five long passages are left, where two removed ones met" {
	for file in en_dev zh_dev; do
		try "shspan --exact 30 \$T_DATA/$file.tsv | shcut -d - \$T_DATA/$file.tsv >rest; shspan --exact 31 rest"
		exits 0
		[ "$(wc -l <out)" -le 5 ]
		# Every document stays, with the first copy of each passage.
		cut -f 1 "$T_DATA/$file.tsv" >expected
		cut -f 1 rest >out
		same expected out
	done
}

@test "refuses a span that divides a character, and a span of a missing document" {
	printf 'a\t中文\n' >docs
	try 'printf "a\t1\t3\n" | shcut -d - docs'
	exits 2
	try 'printf "a\t0\t9\n" | shcut -d - docs'
	exits 2
	try 'printf "b\t0\t3\n" | shcut -d - docs'
	exits 2
	says "shcut: 1 id of the spans not found in the documents, the first 'b'"
	try 'printf "a\t3\t0\n" | shcut -d - docs'
	says 'shcut: -:1: start and end are numbers of bytes, start first'
	try 'printf "a\n" | shcut -d - docs'
	says 'shcut: -:1: expected id<TAB>start<TAB>end (shspan writes such lines)'
	try 'shcut docs'
	exits 2
	try "shcut -d docs --replace \$'a\tb' docs"
	exits 2
}

@test "adds no blank where Chinese characters meet, and changes nothing beside whole lines" {
	printf 'a\t中文一二三四\nb\tone\\ntwo\\n  three\n' >docs
	try 'printf "a\t6\t12\nb\t5\t10\n" | shcut -d - docs'
	exits 0
	gives 'a\t中文三四' 'b\tone\\n  three'
}

@test "-u line removes lines that occurred before, and keeps the first copy" {
	printf '%s\t%s\n' a 'Home\nRain in the north.\nAll rights reserved.' \
		b 'home\nSun  in the south.\n---\n all RIGHTS reserved.\n---\nNew' \
		c 'Sun in the south.' d 'one\nHome' e 'Home\none\n' f 'Last\none\n\nHome\n' >docs
	try 'shcut -u line docs'
	exits 0
	says
	gives 'a\tHome\\nRain in the north.\\nAll rights reserved.' 'b\tSun  in the south.\\n---\\n---\\nNew' \
		'c\t' 'd\tone' 'e\t' 'f\tLast\\n\\n'
	try 'shcut -u line --no-fold docs | sed -n 2p'
	gives 'b\thome\\nSun  in the south.\\n---\\n all RIGHTS reserved.\\n---\\nNew'
	try 'shcut -u line --min-tokens 2 docs | sed -n "2p;4p"'
	gives 'b\thome\\nSun  in the south.\\n---\\n---\\nNew' 'd\tone\\nHome'
	try 'shcut -u line -n 2 docs | tail -n 2'
	gives 'e\tHome\\none\\n' 'f\tLast\\n'
	try 'shcut -u line --replace "[...]" docs | sed -n 3p'
	gives 'c\t[...]'
}

@test "-u sentence removes three sentences in a row that occurred before, in scripts with spaces and without" {
	printf '%s\t%s\n' a 'Rain fell. (Who knew?) "It did!" And the sun shone.' \
		b 'News. rain fell. (who knew?) "it did!" Then snow fell.' c 'Rain fell. (Who knew?) Then snow fell.' \
		d '雨下了。谁知道呢？“真的！”太阳出来了。' e '新闻。雨下了。谁知道呢？“真的！”后来下雪了。' \
		f '雨下了。谁知道呢？' g 'Rain\nfell. (Who knew?)\n"It  did!"' h 'Rain fell.\n\nWho knew' >docs
	try 'shcut -u sentence docs'
	exits 0
	gives 'a\tRain fell. (Who knew?) "It did!" And the sun shone.' 'b\tNews. Then snow fell.' \
		'c\tRain fell. (Who knew?) Then snow fell.' 'd\t雨下了。谁知道呢？“真的！”太阳出来了。' \
		'e\t新闻。后来下雪了。' 'f\t雨下了。谁知道呢？' 'g\t' 'h\tRain fell.\\n\\nWho knew'
	try 'shcut -u sentence -n 1 docs | sed -n "2p;3p;5p;6p;8p"'
	gives 'b\tNews. Then snow fell.' 'c\t' 'e\t新闻。后来下雪了。' 'f\t' 'h\tWho knew'
	try 'shcut -u sentence -n 2 docs | sed -n 6p'
	gives 'f\t'
}

@test "-u: what is removed is what a table of all lines or runs of sentences says" {
	for file in en_dev zh_dev; do
		head -n "$(fewer 1000 100)" "$T_DATA/$file.tsv" >docs
		for how in 'line 1' 'line 2' 'sentence 3' 'sentence 1'; do
			read -r unit n <<<"$how"
			python3 - $unit "$n" <<-'END' >expected
				import re, sys, unicodedata
				unit, n = sys.argv[1], int(sys.argv[2])
				def words(text):
				    return any(unicodedata.category(c)[0] in "LM" or unicodedata.category(c) == "Nd" for c in text)
				def split(text):
				    if unit == "line":
				        return re.findall(r"[^\n]*\n|[^\n]+$", text)
				    out, i = [], 0
				    ended = surely = False
				    now = ""
				    while i < len(text):
				        c = text[i]
				        if c in " \n\t\r\f\v\u3000\xa0\u2003":
				            j = i
				            while j < len(text) and text[j] in " \n\t\r\f\v\u3000\xa0\u2003":
				                j += 1
				            now += text[i:j]
				            if ended or text[i:j].count("\n") > 1 or j == len(text):
				                out.append(now)
				                now = ""
				            ended, i = False, j
				            continue
				        if c in ".!?…" or c in "。！？":
				            surely = c in "。！？" or ended and surely
				            ended = True
				        elif ended and c not in "\"')]}”’»›」』）】》〉":
				            if surely:
				                out.append(now)
				                now = ""
				            ended = False
				        now += c
				        i += 1
				    return out + [now] if now else out
				seen = set()
				for line in open("docs", encoding="utf8"):
				    id, text = line.rstrip("\n").split("\t")
				    text = re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t", "r": "\r"}.get(m[1], m[1]), text)
				    parts = split(text)
				    assert "".join(parts) == text
				    with_words = [i for i in range(len(parts)) if words(parts[i])]
				    gone = set()
				    for k in range(len(with_words) - n + 1):
				        run = tuple(" ".join(parts[i].split()) for i in with_words[k:k + n])
				        if run in seen:
				            gone.update(range(with_words[k], with_words[k + n - 1] + 1))
				        seen.add(run)
				    rest = "".join(p for i, p in enumerate(parts) if i not in gone)
				    if gone and parts[-1] == parts[-1].rstrip() and len(parts) - 1 in gone:
				        i = max((i for i in range(len(parts)) if i not in gone), default=-1)
				        rest = rest[:len(rest) - len(parts[i]) + len(parts[i].rstrip("\r\n" if unit == "line" else None))] if i >= 0 else ""
				    print(id + "\t" + rest.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t").replace("\r", "\\r"))
			END
			try "shcut -u $unit -n $n --no-fold docs"
			exits 0
			same expected out
			run ! cmp -s docs out
		done
	done
}

@test "-u gives the documents that shspan -u and shcut -d give, in any form, with any number of threads" {
	head -n "$(fewer 1000 100)" "$T_DATA/zh_dev.tsv" >docs
	head -n "$(fewer 1000 100)" "$T_DATA/en_dev.tsv" >>docs
	jq -cR 'split("\t") | {id: .[0], text: .[1] | gsub("\\\\n"; "\n")}' docs >docs.json
	jq -r '[.id, .text] | @csv' docs.json | { echo id,text; cat; } >docs.csv
	for form in docs '--json docs.json' '--csv docs.csv'; do
		for unit in line sentence; do
			try "shspan -u $unit $form | tee spans | shcut -d - $form"
			exits 0
			[ -s spans ]
			cp out expected
			for jobs in 1 3; do
				try "shcut -u $unit -j $jobs $form"
				exits 0
				same expected out
			done
		done
	done
}

@test "-u: bad records and blank lines are counted once" {
	printf '{"id":"a","text":"one"}\n\n{"id":"b"}\n{"id":"c","text":"One"}\n' >docs
	try 'shcut --json -d /dev/null --rejects bad1 docs'
	cp err expected.err
	try 'shcut --json -u line --rejects bad2 docs'
	exits 0
	gives '{"id":"a","text":"one"}' '{"id":"c","text":""}'
	same bad1 bad2
	sed -i 's/bad2/bad1/' err
	same expected.err err
}

@test "-u: refuses -d, and options that need -u" {
	printf 'a\tone\n' >docs
	try 'shcut -u line -d docs docs'
	exits 2
	says 'shcut: -d names the passages, and -u finds them: give one of both' "Try 'shcut --help' or 'man shcut'."
	try 'shcut -n 3 -d docs docs'
	exits 2
	says 'shcut: -n needs -u line or -u sentence' "Try 'shcut --help' or 'man shcut'."
	try 'shcut -u page docs'
	exits 2
}
