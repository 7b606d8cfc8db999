/* SPDX-License-Identifier: MIT */
/* A checksum of stems identifies the version of Snowball, which the library does not report. */
#include "text/stem.h"

#include <xxhash.h>

#include "base/buf.h"

/* Folded words of each language that Snowball has, and of some that it may add. Each stemmer stems
 * all of them. Never add, remove or change a word: every archive would warn. */
static const char words[] =
    "running runner happily happiness relational conditional electricity organisation agreed "
    "flying "
    "dying skies generously communism university universe pasted past evenings geologist "
    "biologists "
    "oppositions adjustable goodness hopefully succeeds news inning proceed arsenal knightly "
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
