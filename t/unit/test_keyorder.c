/* The check that equal keys are adjacent, compared with an oracle that stores all keys. */
#include <string.h>

#include "join/keyorder.h"
#include "rng.h"
#include "tap.h"

enum { KEYS = 3000, ROUNDS = 20000 };

static unsigned key[KEYS];

/* Keys that mostly repeat or follow the one before, so that some streams are in order, some only
 * grouped, some neither. */
static size_t random_keys(size_t most)
{
	size_t n = rng_below(most);
	unsigned values = 1 + (unsigned)rng_below(n + 1), jumps = (unsigned)rng_below(4);
	int step = rng_below(2) ? 1 : -1;

	for (size_t i = 0; i < n; i++) {
		if (i > 0 && rng_below(3) > 0)
			key[i] = key[i - 1];
		else if (i > 0 && rng_below(4) >= jumps)
			key[i] = key[i - 1] + (unsigned)step;
		else
			key[i] = 10 * KEYS + (unsigned)rng_below(values);
	}
	return n;
}

/* Returns the number of keys before the first that returns, or n + 1 when none returns. */
static size_t oracle(size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (key[i] != key[i - 1])
			for (size_t j = 0; j + 1 < i; j++)
				if (key[j] == key[i])
					return i;
	return n + 1;
}

static bool check(size_t n, size_t max, unsigned *refused, unsigned *passed)
{
	struct sh_keyorder o;
	struct sh_error err;
	size_t bad = oracle(n), i = 0;
	bool good = sh_keyorder_init(&o, max, &err) == 0;

	for (; good && i < n; i++) {
		char text[16];
		int got;

		snprintf(text, sizeof text, "%09u", key[i]);
		got = sh_keyorder_next(&o, sh_slice_str(text), &err);
		if (got < 0)
			break;
		good = i != bad && got == (i == 0 || key[i] != key[i - 1]);
	}
	/* With memory for all keys the check refuses exactly the first key that returns. */
	good = good && (i == n ? bad > n : max < n || i == bad);
	*refused += i < n;
	*passed += i == n;
	sh_keyorder_free(&o);
	return good;
}

static void rounds(size_t most, size_t max, unsigned times, const char *what)
{
	unsigned refused = 0, passed = 0;
	bool good = true;

	for (unsigned r = 0; r < times && good; r++)
		good = check(random_keys(most), max, &refused, &passed);
	ok(good && refused > times / 20 && passed > times / 20,
	    "%s: %u streams are accepted, %u refused", what, passed, refused);
}

static int next_key(struct sh_keyorder *o, unsigned number)
{
	struct sh_error err;
	char text[16];

	snprintf(text, sizeof text, "%09u", number);
	return sh_keyorder_next(o, sh_slice_str(text), &err);
}

/* Every key of many unsorted keys is found when it returns: growth of the table loses no key. */
static void all_remembered(size_t n)
{
	unsigned wrong = 0, step = 7919; /* a prime: all numbers below n, once each */

	for (size_t back = 0; back + 1 < n; back += 1 + n / 100) {
		struct sh_keyorder o;
		struct sh_error err;

		must(sh_keyorder_init(&o, n + 1, &err) == 0);
		for (size_t i = 0; i < n; i++)
			wrong += next_key(&o, (unsigned)(i * step % n)) != 1;
		wrong += next_key(&o, (unsigned)(back * step % n)) >= 0;
		sh_keyorder_free(&o);
	}
	ok(wrong == 0, "each of %zu unsorted keys is found when it returns", n);
}

int main(void)
{
	rng_init(0x0DE2);
	rounds(14, 1 << 12, ROUNDS, "short streams");
	rounds(KEYS, 1 << 12, 300, "long streams");
	rounds(60, 8, ROUNDS, "streams of more keys than can be remembered");
	all_remembered(500);
	all_remembered(2500);
	return done_testing();
}
