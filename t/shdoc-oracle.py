#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write random files, and the records that shdoc must write of them, by Python's own libraries.

    shdoc-oracle.py mail|http|html|containers SEED N [no-html] [no-charsets] [zlib]

The input in the current folder is mail.mbox; pages.warc and pages.warc.gz; *.html in html/; or *.tar and *.zip, and the
folder `members` with the same files. expected.tsv has the expected records. The documents of mail are those that mailbox
and email read, those of HTML are read by html.parser, and those of containers by tarfile and zipfile. The bodies of HTTP
responses are known.
"""
import email
import email.policy
import gzip
import html
import html.parser
import io
import mailbox
import os
import random
import re
import sys
import tarfile
import zipfile
import zlib
from email.mime.base import MIMEBase
from email.mime.message import MIMEMessage
from email.mime.multipart import MIMEMultipart
from email.mime.nonmultipart import MIMENonMultipart
from email.charset import Charset, BASE64, QP

# A charset, and characters that it has under each of its names.
CHARSETS = {
    "utf-8": [(0x20, 0x7F), (0xC0, 0x100), (0x400, 0x450), (0x4E00, 0x9FA0), (0x1F600, 0x1F640)],
    "us-ascii": [(0x20, 0x7F)],
    "iso-8859-1": [(0x20, 0x7F), (0xC0, 0x100)],
    "windows-1251": [(0x20, 0x7F), (0x410, 0x450)],
    "koi8-r": [(0x20, 0x7F), (0x410, 0x450)],
    "gb2312": [(0x20, 0x7F), (0x4E00, 0x5000)],
    "gb18030": [(0x20, 0x7F), (0x4E00, 0x9FA0), (0x1F600, 0x1F640)],
    "big5": [(0x20, 0x7F), (0x4E00, 0x5000)],
    "shift_jis": [(0x20, 0x5C), (0x61, 0x7B), (0x3042, 0x3090), (0x4E00, 0x4F00)],
    "iso-2022-jp": [(0x20, 0x5C), (0x61, 0x7B), (0x3042, 0x3090)],
    "euc-kr": [(0x20, 0x7F), (0xAC00, 0xAC20)],
}


def escape(text):
    for char, letter in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r")):
        text = text.replace(char, letter)
    return text


def tidy(text):
    return text.replace("\r\n", "\n").replace("\r", "\n").rstrip(" \t\n\f\v")


class Maker:
    def __init__(self, seed, flags):
        self.random = random.Random(seed)
        self.html = "no-html" not in flags
        self.charsets = ["utf-8", "us-ascii"] if "no-charsets" in flags else list(CHARSETS)

    def one_in(self, n):
        return self.random.randrange(n) == 0

    def word(self, charset):
        blocks = CHARSETS[charset]
        out = ""
        while len(out) < self.random.randint(1, 9):
            char = chr(self.random.randrange(*self.random.choice(blocks)))
            try:
                if len(char.encode(charset)) > 2 and charset == "euc-kr":
                    continue  # KS X 1001 spells rare syllables by letter
            except UnicodeEncodeError:
                continue
            out += char
        return out.strip() or "x"

    def line(self, charset):
        words = [self.word(charset) for _ in range(self.random.randint(0, 12))]
        if self.one_in(6):
            words.insert(0, self.random.choice(["From", ">From", ">>From", "--", ".", "=20", "-- "]))
        return self.random.choice([" ", " ", "  ", "\t"]).join(words)

    def text(self, charset):
        lines = [self.line(charset) for _ in range(self.random.randint(0, 12))]
        return "\n".join(lines) + "\n" * self.random.randint(0, 3)

    # ---- mail ----

    def leaf(self, subtype, text, charset):
        part = MIMENonMultipart("text", subtype, charset=charset)
        cs = Charset(charset)
        cs.body_encoding = self.random.choice([BASE64, QP, None])
        if charset == "iso-2022-jp":
            cs.output_codec = charset
        if cs.body_encoding is None:
            data = text.encode(charset).decode("ascii", "surrogateescape")
            part["Content-Transfer-Encoding"] = "8bit"
            part._payload = data
        elif cs.body_encoding == BASE64:
            import base64
            part["Content-Transfer-Encoding"] = self.random.choice(["base64", "BASE64", "Base64"])
            part._payload = base64.encodebytes(text.encode(charset)).decode()
        else:
            import quopri
            part["Content-Transfer-Encoding"] = "quoted-printable"
            part._payload = quopri.encodestring(text.encode(charset)).decode()
        if self.one_in(6):
            part["Content-Disposition"] = self.random.choice(["inline", "inline; filename=a"])
        return part

    def plain(self):
        charset = self.random.choice(self.charsets)
        return self.leaf("plain", self.text(charset), charset)

    def page(self):
        charset = self.random.choice(self.charsets)
        body = "".join("<p>%s</p>\n" % html.escape(self.line(charset)) for _ in range(3))
        return self.leaf("html", "<html><body>%s</body></html>" % body, charset)

    def attachment(self):
        part = MIMEBase(*self.random.choice([("image", "png"), ("text", "plain"), ("application", "pdf")]))
        part.set_payload(bytes(self.random.randrange(256) for _ in range(50)))
        email.encoders.encode_base64(part)
        part["Content-Disposition"] = 'attachment; filename="a b"'
        return part

    def part(self, depth):
        kind = self.random.randrange(10 if depth < 3 else 4)
        if kind < 4:
            return self.page() if self.html and kind == 0 else self.plain()
        if kind < 6:
            multi = MIMEMultipart("alternative")
            multi.attach(self.plain())
            if self.html:
                multi.attach(self.page())
            return multi
        if kind == 6:
            return MIMEMessage(self.message(depth + 1))
        multi = MIMEMultipart(self.random.choice(["mixed", "related", "report", "unheard-of"]))
        for _ in range(self.random.randint(0, 3)):
            multi.attach(self.attachment() if self.one_in(3) else self.part(depth + 1))
        if self.one_in(3):
            multi.preamble = "preamble\n"
            multi.epilogue = "epilogue\n"
        return multi

    def message(self, depth=0):
        message = self.part(depth)
        if isinstance(message, MIMEMessage):
            outer = MIMEMultipart("mixed")
            outer.attach(message)
            message = outer
        message["From"] = "a@b"
        message["Subject"] = "Sub\n ject"
        if not self.one_in(5):
            message["Message-ID"] = self.random.choice(["<%d@x>", "\n <%d@x>", "%d@x"]) % self.random.getrandbits(60)
        return message


def texts(part):
    """The texts of a part, by the rules of shdoc(1)."""
    if part.get_content_disposition() == "attachment":
        return []
    if part.get_content_type() == "message/rfc822":
        return texts(part.get_payload(0))
    if part.is_multipart():
        parts = part.get_payload()
        if part.get_content_type() != "multipart/alternative":
            return [t for p in parts for t in texts(p)]
        for want in (True, False):
            for p in parts:
                if (p.get_content_type() == "text/plain") == want:
                    found = texts(p)
                    if any(found):
                        return found
        return []
    if part.get_content_type() not in ("text/plain", "text/html"):
        return [] if part.get_content_maintype() != "multipart" else [tidy(part.get_payload())]
    text = part.get_payload(decode=True).decode(part.get_content_charset("utf-8"), "replace")
    return [page_text(text) if part.get_content_type() == "text/html" else tidy(text)]


def make_mail(maker, n):
    box = mailbox.mbox("mail.mbox")
    for _ in range(n):
        box.add(mailbox.mboxMessage(maker.message()))
    box.flush()
    box.close()
    if maker.one_in(2):  # a file from elsewhere
        data = open("mail.mbox", "rb").read()
        open("mail.mbox", "wb").write(data.replace(b"\n", b"\r\n"))
    read_mail()


def read_mail():
    data = open("mail.mbox", "rb").read().replace(b"\r\n", b"\n")
    open("plain.mbox", "wb").write(data)
    out = open("expected.tsv", "w", encoding="utf-8", newline="\n")
    box = mailbox.mbox("plain.mbox", create=False)
    for i, key in enumerate(box.keys()):
        raw = re.sub(rb"(?m)^>(>*From )", rb"\1", box.get_bytes(key))
        message = email.message_from_bytes(raw)
        ident = re.sub(r"\s+", "", message["Message-ID"] or "").strip("<>")
        text = "\n".join(t for t in texts(message) if t)
        out.write("%s\t%s\n" % (ident or "mail.mbox#%d" % (i + 1), escape(text)))
    out.close()
    os.remove("plain.mbox")


# ---- HTML ----

BLOCKS = ["p", "div", "section", "li", "h1", "td-free", "blockquote", "article", "main", "dd"]
INLINE = ["b", "i", "span", "a", "em", "custom-tag", "font"]
HIDE = ["script", "style", "template", "noscript", "hidden", "display", "title"]


class Page(html.parser.HTMLParser):
    """Text of well-formed pages."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.out, self.hidden, self.depth, self.open = [], None, 0, []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        style = dict(attrs).get("style") or ""
        if self.hidden is None and (
            tag in ("script", "style", "template", "noscript", "title")
            or "hidden" in dict(attrs)
            or "display:none" in style
        ):
            self.hidden = len(self.open)
            self.out.append("\n" if tag in BLOCKS else " ")
        elif self.hidden is None and (tag in BLOCKS or tag in ("br", "html", "body", "head", "ul")):
            self.out.append("\n")
        if tag == "br":
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open[-1] == tag, (self.open, tag)
        if self.hidden == len(self.open):
            self.hidden = None
        if self.hidden is None and (tag in BLOCKS or tag in ("html", "body", "head", "ul")):
            self.out.append("\n")
        self.open.pop()

    def handle_data(self, data):
        if self.hidden is None:
            self.out.append(re.sub(r"[ \t\r\n\f]+", " ", data))


def page_text(text):
    page = Page()
    page.feed(text)
    page.close()
    lines = [re.sub(" +", " ", line).strip(" ") for line in "".join(page.out).split("\n")]
    return "\n".join(line for line in lines if line)


def make_element(maker, depth):
    r = maker.random
    kind = r.randrange(8)
    if depth == 0 or kind < 3:
        return html.escape(maker.line("utf-8")).replace("&quot;", r.choice(["&#34;", "&#x22;", "&quot;", '"']))
    inner = "".join(make_element(maker, depth - 1) for _ in range(r.randint(0, 4)))
    if kind == 3:
        return "<br>" + inner
    if kind == 4:
        how = r.choice(HIDE)
        if how in ("script", "style", "template", "noscript", "title"):
            if how in ("template", "noscript"):
                inner = html.escape(maker.line("utf-8"))
            return "<%s>%s</%s>" % (how, "x < y" if how in ("script", "style") else html.escape(inner), how)
        return "<div %s>%s</div>" % ("hidden" if how == "hidden" else 'style="color:red;display:none"', inner)
    # Blocks go in <div>s, where nothing closes them by itself; inline ones in anything.
    if kind == 5:
        tag = r.choice(INLINE)
        return "<%s class=x>%s</%s>" % (tag, html.escape(maker.line("utf-8")), tag)
    tag = r.choice(["div", "section", "blockquote", "article", "main"])
    return "<%s>%s</%s>" % (tag, inner, tag)


def make_html(maker, n):
    os.mkdir("html")
    out = open("expected.tsv", "w", encoding="utf-8", newline="\n")
    for i in range(n):
        body = "".join(make_element(maker, 5) for _ in range(4))
        text = "<!DOCTYPE html>\n<html><head><title>T</title></head><body>%s</body></html>" % body
        open("html/%03d.html" % i, "w", encoding="utf-8", newline="\n").write(text)
        out.write("%03d.html\t%s\n" % (i, escape(page_text(text))))


# ---- HTTP in WARC ----


def chunked(maker, data):
    out = b""
    while data:
        n = maker.random.randint(1, 200)
        size = maker.random.choice(["%x", "%X", "000%x", "%x;name=value", "%x "]) % len(data[:n])
        out += size.encode() + b"\r\n" + data[:n] + b"\r\n"
        data = data[n:]
    return out + b"0\r\n" + maker.random.choice([b"", b"Trailer: x\r\n"]) + b"\r\n"


def raw_deflate(data):
    c = zlib.compressobj(wbits=-15)
    return c.compress(data) + c.flush()


def response(maker, body, charset, codings):
    head = "HTTP/1.%d %d OK\r\n" % (maker.random.randint(0, 1), maker.random.choice([200, 203]))
    fields = ["Server: x", "X-Folded: a\r\n b", "Content-Type: text/plain;charset=%s" % charset]
    for coding in maker.random.choices(codings, k=maker.random.choice([0, 1, 1, 2, 3, 4]) if codings else 0):
        body = {"gzip": gzip.compress, "x-gzip": gzip.compress, "deflate": zlib.compress}[coding](body)
        if coding == "deflate" and maker.one_in(2):
            body = raw_deflate(zlib.decompress(body))
        fields.append("Content-Encoding: %s" % coding)
    given = [f.split(": ")[1] for f in fields if f.startswith("Content-Encoding")]
    fields = [f for f in fields if not f.startswith("Content-Encoding")]
    if given:
        fields.append("content-encoding: " + ", ".join(given))
    if maker.one_in(2):
        body = chunked(maker, body)
        fields.append("Transfer-Encoding: Chunked")
    maker.random.shuffle(fields)
    return (head + "\r\n".join(fields) + "\r\n\r\n").encode() + body


def record(kind, fields, block):
    head = "WARC/1.%d\r\nWARC-Type: %s\r\n" % (len(block) % 2, kind)
    head += "".join("%s: %s\r\n" % f for f in fields) + "Content-Length: %d\r\n\r\n" % len(block)
    return head.encode() + block + b"\r\n\r\n"


def make_http(maker, n, zlib_there):
    codings = ["gzip", "x-gzip", "deflate"] if zlib_there else []
    out = open("expected.tsv", "w", encoding="utf-8", newline="\n")
    records = []
    for i in range(n):
        uri = "http://h/%d?é" % i
        target = ("WARC-Target-URI", maker.random.choice([uri, "<%s>" % uri]))
        charset = maker.random.choice(maker.charsets)
        text = maker.text(charset)
        body = text.encode(charset)
        kind = maker.random.randrange(8)
        if kind == 0:
            records.append(record("warcinfo", [], b"software: x\r\n"))
            records.append(record("request", [target], b"GET / HTTP/1.1\r\n\r\n"))
        elif kind == 1:
            block = b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\n\r\n" + body
            records.append(record("response", [target], block))
        elif kind == 2:
            block = b"HTTP/1.1 200 OK\r\nContent-Type: image/png\r\n\r\n" + body
            records.append(record("response", [target], block))
        else:
            if kind == 3:
                fields = [target, ("Content-Type", "text/plain; charset=%s" % charset)]
                records.append(record(maker.random.choice(["conversion", "resource"]), fields, body))
            else:
                fields = [target, ("Content-Type", "application/http; msgtype=response")]
                block = response(maker, body, charset, codings) if codings or maker.one_in(2) else (
                    b"HTTP/1.1 200\r\nContent-Type: text/plain; charset=" + charset.encode() + b"\r\n\r\n" + body)
                records.append(record("response", fields, block))
            out.write("%s\t%s\n" % (uri, escape(tidy(text))))
    open("pages.warc", "wb").write(b"".join(records))
    open("pages.warc.gz", "wb").write(b"".join(gzip.compress(r) for r in records))


def make_member(maker, i):
    """A name and the bytes of a text. The name has a folder, and characters beyond ASCII."""
    folder = maker.random.choice(["", "d/", "d/e/", "lang " + "x" * maker.random.randrange(120) + "/"])
    name = folder + maker.random.choice(["a", "\u00fc", "\u6f22", "a b"]) + "%d.txt" % i
    text = " ".join(maker.random.choice(["rain", "Wind", "\u96e8", "s\u00fc\u00df"]) for _ in
                    range(maker.random.randrange(1, maker.random.choice([3, 300, 30000]))))
    return name, (text + "\n").encode()


def write_containers(maker, members):
    for name, form in (("ustar", tarfile.GNU_FORMAT), ("pax", tarfile.PAX_FORMAT)):
        with tarfile.open(name + ".tar", "w", format=form) as tar:
            for path, data in members:
                info = tarfile.TarInfo(path)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
    for name, method in (("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED),
                         ("lzma", zipfile.ZIP_LZMA), ("bzip2", zipfile.ZIP_BZIP2)):
        with zipfile.ZipFile(name + ".zip", "w", method) as packed:
            for path, data in members:
                if maker.one_in(4):  # sizes behind the data, as a writer to a pipe has it
                    with packed.open(path, "w", force_zip64=maker.one_in(2)) as out:
                        out.write(data)
                else:
                    packed.writestr(path, data)


def make_containers(maker, n):
    members = [make_member(maker, i) for i in range(n)]
    write_containers(maker, members)
    with open("expected.tsv", "w", encoding="utf-8", newline="\n") as out:
        for name in "ustar.tar", "pax.tar", "stored.zip", "deflated.zip", "lzma.zip", "bzip2.zip":
            if name.endswith(".tar"):
                with tarfile.open(name) as tar:
                    found = [(m.name, tar.extractfile(m).read()) for m in tar]
            else:
                with zipfile.ZipFile(name) as packed:
                    found = [(path, packed.read(path)) for path in packed.namelist()]
            for path, data in found:
                out.write("%s#%s\t%s\n" % (name, path, escape(tidy(data.decode()))))
    for path, data in members:
        path = os.path.join("members", path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as out:
            out.write(data)


def main():
    what, seed, n, flags = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    maker = Maker(seed, flags)
    if what == "mail":
        make_mail(maker, n)
    elif what == "html":
        make_html(maker, n)
    elif what == "containers":
        make_containers(maker, n)
    else:
        make_http(maker, n, "zlib" in flags)


if __name__ == "__main__":
    main()
