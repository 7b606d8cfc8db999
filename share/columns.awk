# Lay changed lines, as `diff` marks them, side by side in 80 columns: "<text" left, ">text" right.
# Bytes are UTF-8 and the locale is C, so that every awk counts alike.
#
#     diff --unchanged-line-format= --old-line-format='<%L' --new-line-format='>%L' A B |
#         LC_ALL=C awk -v places=3 -f columns.awk

BEGIN {
	width = 38 # of one side
	rows = 2   # at most, of one place
	context = 12
	for (i = 1; i < 256; i++)
		byte[sprintf("%c", i)] = i
}

/^</ { if (right != "") place(); left = joined(left, substr($0, 2)); next }
/^>/ { right = joined(right, substr($0, 2)) }
END { place() }

function joined(text, line)
{
	return text == "" ? line : text " " line
}

# Show one place: both sides from shortly before the first byte in which they differ.
function place(    same, skipped, a, b, row, l, r)
{
	if (places-- <= 0)
		exit
	same = 0
	if (left != "" && right != "")
		while (same < length(left) && substr(left, same + 1, 1) == substr(right, same + 1, 1))
			same++
	skipped = start(left, same)
	a = (skipped ? "..." : "") substr(left, skipped + 1)
	b = (skipped ? "..." : "") substr(right, skipped + 1)
	for (row = 0; row < rows && (a != "" || b != ""); row++) {
		l = cut(a)
		a = substr(a, length(l) + 1)
		r = cut(b)
		b = substr(b, length(r) + 1)
		printf "  %s%" (width - columns(l)) "s | %s\n", l, "", r
	}
	if (a != "" || b != "")
		printf "  %-" width "s | %s\n", a != "" ? "..." : "", b != "" ? "..." : ""
	print ""
	left = right = ""
}

# Up to `context` columns before byte number `same`, never within a character.
function start(text, same,    n)
{
	n = same
	while (n > 0 && columns(substr(text, n + 1, same - n)) < context)
		n--
	while (n > 0 && continues(substr(text, n + 1, 1)))
		n--
	return n
}

# The beginning of text that fills one side.
function cut(text,    n, used, w)
{
	used = 0
	for (n = 1; n <= length(text); n++) {
		w = columns(substr(text, n, 1))
		if (used + w > width)
			break
		used += w
	}
	return substr(text, 1, n - 1)
}

# The width that a terminal gives to text, as far as it is Latin or Chinese: a character counts at
# its first byte, those of three bytes from U+2E80 on and of four bytes are two columns wide.
function columns(text,    i, b, sum)
{
	sum = 0
	for (i = 1; i <= length(text); i++) {
		b = byte[substr(text, i, 1)]
		sum += b < 128 ? 1 : b < 192 ? 0 : b >= 227 ? 2 : 1
	}
	return sum
}

function continues(c)
{
	return byte[c] >= 128 && byte[c] < 192
}
