"""page.py FILE... - what must hold for every HTML report: well formed, headings in order, nothing that
runs or is fetched, pictures and tables that name themselves, below 300,000 bytes."""

import html.parser
import re
import sys

VOID = {"meta", "link", "br", "hr", "img", "input"}
ALLOWED = set(
    "html head meta title link style body header main footer section nav h1 h2 h3 p a b strong span ul ol li dl "
    "dt dd div figure figcaption svg g path rect line text table caption thead tbody tr th td pre".split()
)
LIMIT = 300_000


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.level, self.ids, self.links, self.faults = [], 0, set(), [], []

    def fault(self, what):
        self.faults.append("line %d: %s" % (self.getpos()[0], what))

    def handle_starttag(self, tag, attrs):
        if tag not in VOID:
            self.open.append(tag)
        self.look(tag, dict(attrs))

    def handle_startendtag(self, tag, attrs):
        if "svg" not in self.open:
            self.fault("<%s/> outside SVG" % tag)
        self.look(tag, dict(attrs))

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.fault("</%s> closes something else" % tag)

    def look(self, tag, attrs):
        if tag not in ALLOWED:
            self.fault("<%s> in the page" % tag)
        for name, value in attrs.items():
            if name.startswith("on") or name in ("style", "src", "srcset", "action", "xlink:href"):
                self.fault("attribute %s" % name)
            if name == "href" and not (value.startswith("#") or value == "data:,"):
                self.fault("leads to %s" % value)
        if "id" in attrs:
            if attrs["id"] in self.ids:
                self.fault("id %s twice" % attrs["id"])
            self.ids.add(attrs["id"])
        if attrs.get("href", "").startswith("#"):
            self.links.append(attrs["href"][1:])
        if attrs.get("role") == "img" and not attrs.get("aria-label"):
            self.fault("a picture without words")
        if re.fullmatch("h[1-6]", tag):
            if int(tag[1]) > self.level + 1:
                self.fault("<%s> after <h%d>" % (tag, self.level))
            self.level = int(tag[1])
        for name in ("d", "x", "y", "width", "height", "x1", "x2", "y1", "y2"):
            if re.search("nan|inf", attrs.get(name, ""), re.I):
                self.fault("%s=%s" % (name, attrs[name][:40]))

    def handle_comment(self, data):
        self.fault("a comment")


def check(path):
    raw = open(path, "rb").read()
    text = raw.decode("utf-8")
    page = Page()
    page.feed(text)
    page.close()
    faults = page.faults
    if page.open:
        faults.append("never closed: %s" % page.open)
    faults += ["no anchor %s" % a for a in page.links if a not in page.ids]
    if len(raw) >= LIMIT:
        faults.append("%d bytes" % len(raw))
    if not text.startswith("<!DOCTYPE html>"):
        faults.append("no doctype")
    if "default-src 'none'" not in text:
        faults.append("no content security policy")
    if re.search(r"url\(|@import|javascript:", text.split("</style>")[0]):
        faults.append("the style sheet fetches something")
    if re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]", text):
        faults.append("a control character")
    if text.count("<h1") != 1:
        faults.append("%d <h1>" % text.count("<h1"))
    return faults


def main(paths):
    status = 0
    for path in paths:
        for fault in check(path):
            print("%s: %s" % (path, fault))
            status = 1
    return status


sys.exit(main(sys.argv[1:]))
