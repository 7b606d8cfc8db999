# Show changed lines of `diff` side by side in 80 columns: lines "<text" at the left, lines ">text" at the right.
# The text is UTF-8. The locale is C, so that every awk counts bytes.
#
#     diff --unchanged-line-format= --old-line-format='<%L' --new-line-format='>%L' A B |
#         LC_ALL=C awk -v changes=3 -f columns.awk

BEGIN {
	width = 38   # columns of one side
	rows = 2     # rows of one change, at most
	context = 12 # columns before the first difference, at most
	for (i = 1; i < 256; i++)
		byte[sprintf("%c", i)] = i
}

/^</ { if (right != "") show(); left = joined(left, substr($0, 2)); next }
/^>/ { right = joined(right, substr($0, 2)) }
END { show() }

function joined(text, line)
{
	return text == "" ? line : text " " line
}

# Prints one change: both sides from shortly before the first byte that differs. Exits after `changes` calls.
function show(    same, skipped, a, b, row, l, r)
{
	if (changes-- <= 0)
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

# The number of bytes to skip, so that some `context` columns before byte `same` are shown. Splits no character.
function start(text, same,    n)
{
	n = same
	while (n > 0 && columns(substr(text, n + 1, same - n)) < context)
		n--
	while (n > 0 && continues(substr(text, n + 1, 1)))
		n--
	return n
}

# The longest beginning of text that fits in one side.
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

# The columns of Latin or Chinese text on a terminal. A character is counted at its first byte. It has two columns
# when its first byte is at least 227 (from U+3000 on), else one.
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
