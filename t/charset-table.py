#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write texts of 24 charsets with right, wrong, missing and contradictory declarations, and what shdoc must read.

Each text stands in a page, a mail, a response of a WARC file, and a plain file. The right value is the text itself;
Python's codecs encoded it. The files are in the folder `files`, the records in expected.tsv, sorted.
"""
import os

GERMAN = "Die Straße führt über die Brücke zum Fluß; dort spielen Mädchen und Jungen, schön wäre es für alle."
FRENCH = "Le conseil a été réuni à l'hôtel de ville, où l'élève a reçu un prix; là-bas, ça sera bientôt fêté."
POLISH = "Zażółć gęślą jaźń: właśnie dziś pójdziemy na łąkę, żeby zobaczyć źrebięta i świeżą trawę nad rzeką."
RUSSIAN = "Центральный банк объявил об изменении политики, и рынок отреагировал спокойно, сообщили вчера газеты."
UKRAINIAN = "Їжак і лисиця живуть у лісі, де є багато ягід, ґрунт там вологий, а їхні сусіди співають щоранку."
GREEK = "Η κεντρική τράπεζα ανακοίνωσε αλλαγή της πολιτικής της και η αγορά αντέδρασε ήρεμα, λένε οι εφημερίδες."
TURKISH = "Bugün İstanbul'da güneşli bir gün; çocuklar bahçede oynuyor, ağaçların gölgesinde yaşlılar çay içiyor."
HEBREW = "הבנק המרכזי הודיע על שינוי במדיניות, והשוק הגיב ברוגע, כך דיווחו העיתונים אתמול בערב בירושלים."
ARABIC = "أعلن البنك المركزي عن تغيير في السياسة النقدية، وكان رد فعل السوق هادئا كما ذكرت الصحف أمس."
BALTIC = "Šodien centrālais banka paziņoja par izmaiņām; tirgus reaģēja mierīgi, ziņo laikraksti, žurnāli un ļaudis."
THAI = "ธนาคารกลางประกาศเปลี่ยนแปลงนโยบายการเงิน และตลาดตอบสนองอย่างสงบ หนังสือพิมพ์รายงานเมื่อวานนี้"
CHINESE = "中央银行宣布调整货币政策，市场反应平稳。专家认为，这一决定有利于经济的发展，人们的生活也会更好。"
TRADITIONAL = "中央銀行宣布調整貨幣政策，市場反應平穩。專家認為，這一決定有利於經濟的發展，人們的生活也會更好。"
JAPANESE = "中央銀行は金融政策の変更を発表し、市場は落ち着いて反応したと、昨日の新聞が伝えています。とても静かでした。"
KOREAN = "중앙은행이 통화 정책의 변경을 발표했고 시장은 차분하게 반응했다고 어제 신문이 전했습니다. 사람들은 기뻐했다."

# Python's codec, the label that is declared, the text, a label that contradicts it, whether bytes alone show it.
CHARSETS = [
    ("iso-8859-1", "iso-8859-1", GERMAN, "windows-1251", True),
    ("cp1252", "windows-1252", FRENCH, "koi8-r", True),
    ("iso-8859-2", "iso-8859-2", POLISH, "windows-1253", False),
    ("cp1250", "windows-1250", POLISH, "iso-8859-5", False),
    ("iso-8859-5", "iso-8859-5", RUSSIAN, "iso-8859-1", True),
    ("cp1251", "windows-1251", RUSSIAN, "iso-8859-1", True),
    ("koi8-r", "koi8-r", RUSSIAN, "iso-8859-1", True),
    ("koi8-u", "koi8-u", UKRAINIAN, "windows-1252", False),
    ("cp866", "ibm866", RUSSIAN, "iso-8859-1", True),
    ("iso-8859-7", "iso-8859-7", GREEK, "iso-8859-1", True),
    ("cp1254", "windows-1254", TURKISH, "windows-1251", False),
    ("cp1255", "windows-1255", HEBREW, "iso-8859-1", True),
    ("cp1256", "windows-1256", ARABIC, "iso-8859-1", True),
    ("cp1257", "windows-1257", BALTIC, "koi8-r", False),
    ("tis-620", "tis-620", THAI, "iso-8859-1", True),
    ("gb18030", "gb2312", CHINESE, "iso-8859-1", True),
    ("hz", "hz-gb-2312", CHINESE, "iso-8859-1", True),
    ("big5", "big5", TRADITIONAL, "windows-1252", True),
    ("shift_jis", "shift_jis", JAPANESE, "iso-8859-1", True),
    ("euc_jp", "euc-jp", JAPANESE, "iso-8859-1", True),
    ("iso2022_jp", "iso-2022-jp", JAPANESE, "iso-8859-1", True),
    ("iso2022_kr", "iso-2022-kr", KOREAN, "iso-8859-1", True),
    ("euc_kr", "euc-kr", KOREAN, "iso-8859-1", True),
    ("cp850", "cp-850", FRENCH, "ansi", False),
]

# Sentences of languages that bytes of Latin-1 and Windows-1252 show by their letters alone.
WESTERN = {
    "Danish": "Mange børn går i skole på øen. Det er ærgerligt, at så få læser aviser. Færgen sejler klokken ti.",
    "Dutch": "De coördinatie van ideeën blijft moeilijk. Daarna vertrok zij naar België. Vóór het ontbijt las hij één boek.",
    "Finnish": "Monet lapset käyvät koulua saarella. On sääli, että niin harvat lukevat. Työ on tärkeää.",
    "French": "Le bac part à dix heures. Là-bas, où êtes-vous allés, naïfs garçons? Beaucoup vont à l'école sur l'île.",
    "German": "Viele Kinder gehen über die Straße. Die Fähre fährt um zehn Uhr. Schöne Grüße!",
    "Icelandic": "Mörg börn ganga í skóla á eyjunni. Ríkisstjórnin hefur lagt til ný lög. Það er leitt, þótt þau séu góð.",
    "Italian": "Il traghetto non c'è perché è tardi. È un peccato che così pochi leggano. La città era più grande.",
    "Norwegian": "Mange barn går på skole på øya. Det er lettere å få tilgang til data. Særlig om våren er det grønt.",
    "Portuguese": "Muitas crianças vão à escola na ilha. O governo propôs uma lei. É uma pena, avós e irmãos têm opiniões.",
    "Spanish": "Muchos niños van a la escuela. ¿Por qué tan pocas personas leen periódicos? ¡Qué lástima, señor!",
    "Swedish": "Många barn går i skolan på ön. Färjan går varje dag. Det är synd att så få läser.",
    "Catalan": "És una llàstima que tan poca gent llegeixi. L'educació és difícil, però també útil.",
    "Polish": ("iso-8859-2", "Wiele dzieci chodzi do szkoły. Szkoda, że tak mało ludzi czyta gazety. Żółć i źrebięta są świetne."),
    "Czech": ("cp1250", "Mnoho dětí chodí do školy. Je škoda, že tak málo lidí čte noviny. Příliš žluťoučký kůň úpěl."),
    "Hungarian": ("iso-8859-2", "Sok gyerek a szigeten jár iskolába. A jövőben több hősünk tűnik el. Kár, hogy kevesen olvasnak újságot."),
    "Croatian": ("cp1250", "Mnoga djeca idu u školu. Šteta što tako malo ljudi čita novine. Učenici žele više."),
    "Turkish": ("cp1254", "Birçok çocuk adada okula gidiyor. Bu kadar az insanın okuması üzücü. Değişiklik şart, yağmur var."),
    "Latvian": ("cp1257", "Daudzi bērni iet skolā uz salas. Šodien ir ļoti auksts vējš. Valdība ierosināja jaunu likumu."),
}

# A word with one character beyond ASCII, and the declared charsets that do not make its bytes a word.
SINGLE = {
    "Café": "windows-1251 koi8-r iso-8859-5 ibm866 windows-1253 windows-1255 windows-1256 tis-620 gb2312 big5 euc-kr euc-jp",
    "École": "windows-1251 koi8-r iso-8859-5 ibm866 windows-1253 windows-1255 windows-1256 gb2312 big5 euc-kr shift_jis",
    "naïve idea": "windows-1251 koi8-r iso-8859-5 ibm866 windows-1253 windows-1255 windows-1256 tis-620 gb2312 big5 shift_jis",
    "© 2020 Example": "windows-1251 koi8-r ibm866 windows-1253 windows-1255 windows-1256 gb2312 big5 euc-kr euc-jp shift_jis",
    "5 € each": "windows-1251 koi8-r iso-8859-5 ibm866 windows-1253 windows-1255 gb2312 big5 euc-kr euc-jp shift_jis",
    "about 20° here": "windows-1251 koi8-r ibm866 windows-1253 windows-1255 windows-1256",
    "Η": "windows-1253 iso-8859-7 windows-1251 koi8-r",
    "г": "koi8-r iso-8859-5 ibm866",
}

count = 0
expected = []


def put(name, content, text):
    global count
    count += 1
    path = "%04d-%s" % (count, name)
    with open("files/" + path, "wb") as out:
        out.write(content)
    expected.append("%s\t%s" % (path, text))


def parameter(label):
    return b"; charset=" + label.encode() if label else b""


def page(name, data, text, meta=None, xml=None):
    put(name + ".html", b"".join([
        b"<?xml version='1.0' encoding='%s'?>" % xml.encode() if xml else b"", b"<html><head>",
        b"<meta http-equiv=Content-Type content='text/html; charset=%s'>" % meta.encode() if meta else b"",
        b"</head><body><p>", data, b"</p></body></html>"]), text)


def mail(name, data, text, header=None, meta=None):
    body = data
    kind = b"plain"
    if meta:
        kind = b"html"
        body = b"<meta charset=%s><p>%s</p>" % (meta.encode(), data)
    path = "%04d-%s.eml" % (count + 1, name)
    put(name + ".eml", b"From: a\nTo: b\nSubject: c\nMessage-ID: <%s>\nContent-Type: text/%s%s\n\n%s\n" %
        (path.encode(), kind, parameter(header), body), text)


def warc(name, data, text, header=None, meta=None):
    path = "%04d-%s.warc" % (count + 1, name)
    body = (b"<meta charset=%s>" % meta.encode() if meta else b"") + b"<p>" + data
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html%s\r\n\r\n%s" % (parameter(header), body)
    put(name + ".warc", b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n" %
        (path.encode(), len(block), block), text)


os.makedirs("files")
for codec, label, text, other, alone in CHARSETS:
    own = text.encode(codec)
    assert own.decode(codec) == text
    for variant in (label, label.upper(), label.replace("-", "_")):
        page("right", own, text, meta=variant)
        page("right", own, text, xml=variant)
        mail("right", own, text, header=variant)
        mail("right", own, text, meta=variant)
        warc("right", own, text, header=variant)
        warc("right", own, text, meta=variant)
    # UTF-8 under the wrong name
    for data in (text, text[:text.index(" ") if " " in text else 9]):
        utf8 = data.encode()
        if data.isascii():
            continue
        page("wrong", utf8, data, meta=label)
        page("wrong", utf8, data, xml=label)
        page("contradiction", utf8, data, xml=label, meta=other)
        mail("wrong", utf8, data, header=label)
        warc("wrong", utf8, data, header=label)
        warc("wrong", utf8, data, meta=label)
        warc("contradiction", utf8, data, header=label, meta=other)
        warc("contradiction", utf8, data, header="utf-8", meta=label)
        warc("contradiction", utf8, data, header=label, meta="utf-8")
        mail("contradiction", utf8, data, header=label, meta=other)
    # this charset beside another name
    for pair in ((label, "utf-8"), ("utf-8", label), (label, "no-such-charset"), ("x-unknown", label)):
        page("contradiction", own, text, xml=pair[0], meta=pair[1])
        warc("contradiction", own, text, header=pair[0], meta=pair[1])
        mail("contradiction", own, text, header=pair[0], meta=pair[1])
    if alone:
        for pair in ((label, other), (other, label)):
            page("contradiction", own, text, xml=pair[0], meta=pair[1])
            warc("contradiction", own, text, header=pair[0], meta=pair[1])
            mail("contradiction", own, text, header=pair[0], meta=pair[1])
        page("missing", own, text)
        page("wrong", own, text, meta="utf-8")
        mail("missing", own, text)
        mail("wrong", own, text, header="utf-8")
        warc("missing", own, text)
        warc("unknown", own, text, header="klingon")
        put("missing.txt", own, text)
    put("missing.txt", text.encode(), text)
    mail("missing", text.encode(), text)
    page("missing", text.encode(), text)

# The few characters of GB 2312 that are well-formed UTF-8 by chance stay as they are declared.
for text in ("一", "一一", "系统", "目录", "录录", "系统通知", "知识水平", "院证券"):
    page("right", text.encode("gb2312"), text, meta="gb2312")
    mail("right", text.encode("gb2312"), text, header="gbk")
for text in ("NESTLÉ®", "MARCHÉ»"):
    page("right", text.encode("cp1252"), text, meta="iso-8859-1")

for text in WESTERN.values():
    codec, text = ("cp1252", text) if isinstance(text, str) else text
    whole = text.encode(codec)
    page("western", whole, text)
    mail("western", whole, text)
    warc("western", whole, text)
    put("western.txt", whole, text)
    for sentence in text.split(". "):
        put("western.txt", sentence.encode(codec), sentence)

# Names in English text
for text in ("It’s a test", "“Quoted” – with dashes…", "£5 or ¥10", "Zoë", "5 °C outside", "résumé", "El Niño", "Ångström", "Müller",
             "São Paulo", "1½ cups", "Kraków", "Brontë sisters", "smörgåsbord", "voilà", "Curaçao", "København", "Reykjavík", "Citroën"):
    put("name.txt", text.encode("cp1252"), text)
for text in ("Łódź", "Dvořák and Škoda"):
    put("name.txt", text.encode("cp1250"), text)

for text, labels in SINGLE.items():
    for label in labels.split():
        page("single", text.encode(), text, meta=label)
        mail("single", text.encode(), text, header=label)
        warc("single", text.encode(), text, header=label)
# Single words of these charsets stay as they are declared.
for codec, words in (("cp1251", "да её нет"), ("koi8-r", "её бё да"), ("iso-8859-5", "ТА ЦБ ТВ её"), ("cp866", "да её"),
                     ("cp1253", "το να ΟΧΙ"), ("cp1256", "من آپ"), ("tis-620", "รก ยก"), ("gb2312", "没 路 校"),
                     ("big5", "一 路"), ("euc-kr", "이 그"), ("shift_jis", "の は")):
    for text in words.split():
        page("word", text.encode(codec), text, meta=codec)
        mail("word", ("one %s two" % text).encode(codec), "one %s two" % text, header=codec)

with open("expected.tsv", "w", encoding="utf-8") as out:
    out.writelines(line + "\n" for line in expected)
