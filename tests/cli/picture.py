"""One plot of the HTML report as a picture of its own: picture.py LABEL <report.html >picture.svg

LABEL is the beginning of the plot's aria-label.
"""
import re
import sys

page = sys.stdin.read()
plot = next(m.group(0) for m in re.finditer(r'<svg class="plot".*?</svg>\s*(?=<ul|</figure|<figcaption)', page, re.S)
            if re.search('aria-label="' + re.escape(sys.argv[1]), m.group(0)))
style = re.search(r"<style>(.*?)</style>", page, re.S).group(1)
colours = dict(re.findall(r"(--\w+):(#\w+)", re.search(r":root\{(.*?)\}", style).group(1)))
rules = [l for l in style.split("\n") if re.match(r"(svg text|svg \.halo|\.grid|path|\.ribbon|line\.|text\.)", l)]
rules = [re.sub(r"var\((--\w+)\)", lambda m: colours[m.group(1)], l) for l in rules]
plot = re.sub(r"<rect[^>]*class=\"hit\".*?(</rect>|/>)|<g class=\"hit\".*?</g>", "", plot, flags=re.S)
label = re.search(r'aria-label="([^"]*)"', plot).group(1)
plot = re.sub(r'<svg class="plot" height="(\d+)"', r'<svg x="52" y="28" width="790" height="\1" overflow="visible"', plot, count=1)
svg = ('<svg xmlns="http://www.w3.org/2000/svg" width="860" height="300" viewBox="0 0 860 300">\n<title>%s</title>\n'
       '<style>\n%s\n</style>\n<rect width="860" height="300" fill="#fcfcfa"/>\n%s\n</svg>\n'
       % (label, "\n".join(rules), plot.strip()))
sys.stdout.write(svg.replace("&nbsp;", "&#160;"))
