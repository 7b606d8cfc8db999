/* SPDX-License-Identifier: MIT */
#include "text/stem.h"

#include <errno.h>
#include <libstemmer.h>
#include <stdio.h>
#include <xxhash.h>

#include "base/buf.h"

static void unknown(const char *algorithm, struct sh_error *err)
{
	char names[400] = "";
	size_t n = 0;

	for (const char **name = sb_stemmer_list(); *name; name++) {
		int len = snprintf(names + n, sizeof names - n, "%s%s", n ? ", " : "", *name);

		if (len < 0 || (size_t)len >= sizeof names - n)
			break;
		n += (size_t)len;
	}
	sh_error_set(err, SH_ERR_PARAM, "--stem '%.40s': expected one of %s", algorithm, names);
}

/* A struct sh_stemmer is a struct sb_stemmer of the library. */
struct sh_stemmer *sh_stemmer_new(const char *algorithm, struct sh_error *err)
{
	struct sb_stemmer *s;

	errno = 0;
	s = sb_stemmer_new(algorithm, "UTF_8");
	if (!s && errno == ENOMEM)
		sh_error_nomem(err);
	else if (!s)
		unknown(algorithm, err);
	return (struct sh_stemmer *)s;
}

void sh_stemmer_delete(struct sh_stemmer *s)
{
	if (s)
		sb_stemmer_delete((struct sb_stemmer *)s);
}

/* Snowball's time grows with the square of a word's length. */
static bool is_too_long(struct sh_slice word)
{
	size_t chars = 0;

	if (word.n <= SH_STEM_MAX)
		return false;
	for (size_t i = 0; i < word.n && chars <= SH_STEM_MAX; i++)
		chars += ((unsigned char)word.p[i] & 0xC0) != 0x80;
	return chars > SH_STEM_MAX;
}

bool sh_stem(struct sh_stemmer *s, struct sh_slice *word)
{
	struct sb_stemmer *snowball = (struct sb_stemmer *)s;
	const sb_symbol *stem;

	if (is_too_long(*word))
		return true;
	stem = sb_stemmer_stem(snowball, (const sb_symbol *)word->p, (int)word->n);
	if (stem)
		*word = sh_slice((const char *)stem, (size_t)sb_stemmer_length(snowball));
	return stem;
}

/* ---- the version of Snowball, which the library does not report ---- */

/* Folded words of each language that Snowball has, and of some that it may add. Each stemmer stems
 * all of them. Never add, remove or change a word: every archive would warn. */
static const char words[] =
    "running runner happily happiness relational conditional electricity organisation agreed "
    "flying dying skies generously communism university universe pasted past evenings geologist "
    "biologists oppositions adjustable goodness hopefully succeeds news inning proceed arsenal "
    "knightly "
    "häusern lieferantinnen aufeinanderfolgenden schönheiten kategorische sammelns göttinnen "
    "freundlichkeit bedürfnissen verständigung kaetzchen moeglichkeiten straße "
    "lichamelijkheden opgegeven mogelijkheid boeken vrouwelijke kinderen gelopen ontwikkelingen "
    "continuellement majestueusement accompagnées finissaient nationalité heureuses "
    "malheureusement "
    "abandonnata pronunciamento velocemente possibilità mangiandole dirglielo chiarissime "
    "torneándola rápidamente haciéndoselo nacionalidades actividades preguntáramos lógicas "
    "felizmente comunicações falávamos brasileiras impossibilidade "
    "frumuseţea abruptă organizaţiilor câştigătoare învăţătorului "
    "amablement organitzacions treballadores cantàvem felicitats "
    "undervisningen friheterna jaktkarlarne löst möjligheter berättelserna "
    "undersøgelserne venlighed havnedistriktet opmærksomheden "
    "havnedistriktene mulighetene vennligheten opplysningene "
    "edeltäjistään taloissammekin kauneimmat juoksentelisinkohan ystävällisyys "
    "gyermekeinknek megszentségteleníthetetlen házaikban szépségükért "
    "lietuviškumas mokytojams gražiausiuose skaitydavome "
    "evlerimizden çalıştırılamayacaklar kitapçılığın güzelliklerini "
    "важнейшими красивого бегавшими государственности образования возвратившись "
    "најлепшега школама пријатељство najljepšega gospodarstvima čovječanstvo "
    "ομορφότερα παιδιών εργαζόμενος γράφοντας ευχαριστήθηκα "
    "գեղեցկությունը դպրոցներում ուսանողների "
    "والكتابات المدرسون يستخدمونها فاستقبلهم كتابهم "
    "लड़कियाँ जाएगा पुस्तकों केटाहरूले गर्नुपर्छ विद्यालयमा "
    "மாணவர்களுடைய வீடுகளில் படிக்கிறார்கள் "
    "gcionnaíocht leabharlann mbriseadh bhfuinneoga cumhachtach "
    "memperbincangkan pembelajaran dipermainkannya berkelanjutan bukunyalah "
    "aberastasunaren etxeetatik zoriontsuenak ikastetxeetan "
    "געשריבענע בריוועלעך שענסטער פֿאַרשטאַנען "
    "malsanulejo lernantino kooliõpilastele ilusamateks nejkrásnějšími najpiękniejszych";

int sh_stem_checksum(const char *algorithm, uint64_t *sum, struct sh_error *err)
{
	struct sh_stemmer *s = sh_stemmer_new(algorithm, err);
	struct sh_buf stems = { 0 };
	int status = s ? 0 : -1;

	for (const char *at = words; status == 0 && *at; at += *at == ' ') {
		struct sh_slice word = sh_slice(at, strcspn(at, " "));

		at += word.n;
		if (!sh_stem(s, &word))
			status = sh_error_nomem(err);
		else if (sh_buf_add(&stems, word.p, word.n, err) < 0 ||
			 sh_buf_add(&stems, " ", 1, err) < 0)
			status = -1;
	}
	if (status == 0)
		*sum = XXH3_64bits(stems.p, stems.n);
	sh_buf_free(&stems);
	sh_stemmer_delete(s);
	return status;
}
