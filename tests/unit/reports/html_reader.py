"""Reads the pages of tests: their tables as texts, and the data of their plots."""

import json
import re
from html.parser import HTMLParser


class _Tables(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tables, self.text = [], []
        self._cell = None

    def handle_starttag(self, tag, attrs):
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self._cell = []

    def handle_data(self, data):
        self.text.append(data)
        if self._cell is not None:
            self._cell.append(data)

    def handle_endtag(self, tag):
        if tag in ("td", "th"):
            self.tables[-1][-1].append("".join(self._cell))
            self._cell = None


def body(page):
    return re.search(r"<body>(.*)</main>", page, re.S)[1]


def tables(page):
    """Every table of a page: a list of rows, each a list of the texts of its cells."""
    reader = _Tables()
    reader.feed(body(page))
    return reader.tables


def text(page):
    """What people read of a page, apart from the plots."""
    reader = _Tables()
    reader.feed(body(page))
    return re.sub(r"\s+", " ", "".join(reader.text))


def data(page):
    """The data of the plots."""
    return json.loads(re.search(r'id="data">(.*?)</script>', page)[1])


def number(cell):
    return int(cell.replace(",", ""))
