#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write jieba_user.tsv: what jieba 0.42.1 makes of texts with user dictionaries.

Columns: user dictionary, sum of all frequencies after it, mode, text, words...
"""

import logging

import jieba
import jieba.finalseg

DICTIONARIES = [
    "云计算 5\n李小福 2 nr\n创新办 3 i\neasy_install 3 eng\n好用 300\n韩玉赏鉴 3 nz\n"
    "八一双鹿 3 nz\n台中\n凱特琳 nz\nEdu Trust认证 2000\n",
    "\ufeff台中\n杭研大厦 \r\n杭研 n\n\n  \t\n李小福李小福\n",
    "江大桥 20000\n长江大桥 0\n今天天气 0\n中将 0\n",
    "a 5\nab 3\nB 100000\nc+ 7\n1 90\n的的的 12\n",
    "①号 500\n①队\n①\n①号\n𠮷野家 10 ns\n𠮷野\n",
    "词 5 n 7\n词  5\n5 n\n 8\nn\n小 明 3\n",
    "的 900000000\n一 1000000000000\n",
    "龦龧 0\n骉骉 0\n傻了 0\n",
    "杭研 0\n\ufeff 8\n\ufeff8 5\n",
]

TEXTS = [
    "李小福是创新办主任也是云计算方面的专家",
    "我来到台中看杭研大厦和easy_install,Edu Trust认证好用吗?",
    "南京市长江大桥 如果放到post中将出错 今天天气不错",
    "xaby aab1B c+c+c++ ab的的的的a1b2.5%",
    "①号①队 𠮷野家𠮷 小 明 词 5",
    "龦龧龨骉骉骉傻了吧唧的去一一的的",
    "他来到了网易杭研大厦",
]

MODES = {
    "cut": lambda t, s: t.lcut(s),
    "cut_nohmm": lambda t, s: t.lcut(s, HMM=False),
    "cut_all": lambda t, s: t.lcut(s, cut_all=True),
    "search": lambda t, s: t.lcut_for_search(s),
    "search_nohmm": lambda t, s: t.lcut_for_search(s, HMM=False),
}


def escape(s):
    for char, text in ("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n"), ("\r", "\\r"), ("\0", "\\0"):
        s = s.replace(char, text)
    return s


class Lines(list):
    """An open file, as far as jieba asks."""

    name = "user"


jieba.setLogLevel(logging.ERROR)
with open("jieba_user.tsv", "w", encoding="utf-8") as out:
    print("#user dictionary", "total", "mode", "text", "word...", sep="\t", file=out)
    for words in DICTIONARIES:
        jieba.finalseg.Force_Split_Words.clear()  # jieba keeps these for all tokenizers
        tokenizer = jieba.Tokenizer()
        tokenizer.load_userdict(Lines(l + b"\n" for l in words.encode().split(b"\n")))
        for text in TEXTS:
            for mode, cut in MODES.items():
                row = [words, str(tokenizer.total), mode, text] + cut(tokenizer, text)
                print(*map(escape, row), sep="\t", file=out)
