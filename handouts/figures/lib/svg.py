"""Drawing for the figures: shapes and text, in a few colours with names.

Each script in handouts/figures/ writes one SVG to standard output; its argument is the facts' JSON file. Colours
follow the reader's light or dark scheme. They differ in lightness, so that readers can distinguish them in grey and
with colour blindness; shapes, hatching or labels repeat everything important.
"""
import html
import math

# Filled shapes have an outline in the ink's colour; labels on them are dark or light in either scheme.
STYLE = """
text{font:13px system-ui,sans-serif;fill:#1b1f24}
.dim{fill:#57606a}.small{font-size:11px}.strong{font-weight:600}.code{font-family:ui-monospace,monospace;font-size:12px}
.line{stroke:#1b1f24;fill:none}.faint{stroke:#c5ccd3;fill:none}.thick{stroke-width:2.5}.dashed{stroke-dasharray:4 3}
.a{fill:#0b5394}.b{fill:#f1b24a}.c{fill:#7cc0b0}.d{fill:#c26d97}.e{fill:#dce6ef}.none{fill:none}.ink{fill:#1b1f24}
.box{stroke:#1b1f24;stroke-width:1}.on-a{fill:#fff}.on-b{fill:#1b1f24}
@media (prefers-color-scheme:dark){
text{fill:#e6e3dc}.dim{fill:#a7adb5}.line{stroke:#e6e3dc}.faint{stroke:#4b525a}
.a{fill:#4f96d8}.e{fill:#39424c}.box{stroke:#e6e3dc}.ink{fill:#e6e3dc}.on-a,.on-b{fill:#10141a}}
""".replace("\n", "")

# Colours that tell four threads apart, each with the class of the text on it.
COLOURS = (("a", "on-a"), ("b", "on-b"), ("c", "on-b"), ("d", "on-b"))


class Picture:
    """A picture of WIDTH x HEIGHT. A screen reader reads TITLE first."""

    def __init__(self, width, height, title):
        self.width, self.height, self.title, self.parts = width, height, title, []

    def add(self, text):
        self.parts.append(text)

    def rect(self, x, y, width, height, kind="none box", round=0):
        corners = f' rx="{round}"' if round else ""
        self.add(f'<rect class="{kind}" x="{n(x)}" y="{n(y)}" width="{n(width)}" height="{n(height)}"{corners}/>')

    def line(self, x1, y1, x2, y2, kind="line"):
        self.add(f'<path class="{kind}" d="M{n(x1)} {n(y1)}L{n(x2)} {n(y2)}"/>')

    def path(self, points, kind="line"):
        self.add(f'<path class="{kind}" d="M{"L".join(f"{n(x)} {n(y)}" for x, y in points)}"/>')

    def arrow(self, x1, y1, x2, y2, kind="line"):
        """A line with an arrowhead at its second end."""
        length = math.hypot(x2 - x1, y2 - y1)
        ux, uy = (x2 - x1) / length, (y2 - y1) / length
        self.line(x1, y1, x2 - 5 * ux, y2 - 5 * uy, kind)
        bx, by = x2 - 7 * ux, y2 - 7 * uy
        self.add(f'<path class="ink" d="M{n(x2)} {n(y2)}L{n(bx - 3.5 * uy)} {n(by + 3.5 * ux)}'
                 f'L{n(bx + 3.5 * uy)} {n(by - 3.5 * ux)}Z"/>')

    def circle(self, x, y, radius, kind="ink"):
        self.add(f'<circle class="{kind}" cx="{n(x)}" cy="{n(y)}" r="{n(radius)}"/>')

    def text(self, x, y, words, kind="", at="start"):
        kind = f' class="{kind}"' if kind else ""
        at = f' text-anchor="{at}"' if at != "start" else ""
        self.add(f'<text{kind} x="{n(x)}" y="{n(y)}"{at}>{html.escape(str(words))}</text>')

    def cell(self, x, y, width, height, words, colour="e", on=""):
        """A box with text in its middle."""
        self.rect(x, y, width, height, colour + " box")
        if words != "":
            self.text(x + width / 2, y + height / 2 + 4, words, ("small " + on).strip(), "middle")

    def hatch(self, x, y, width, height):
        """A hatched area: present, but not used."""
        self.rect(x, y, width, height, "box", 0)
        self.parts[-1] = self.parts[-1].replace('class="box"', 'class="box" fill="url(#hatch)"')

    def show(self):
        print(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" '
            f'width="{self.width}" height="{self.height}" role="img"><title>{html.escape(self.title)}</title>'
            f"<style>{STYLE}</style>"
            '<defs><pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" '
            'patternTransform="rotate(45)"><path class="faint" d="M0 0V6" stroke-width="4"/></pattern></defs>'
        )
        print("\n".join(self.parts))
        print("</svg>")


def n(value):
    """A number as short as it can be."""
    return f"{value:.1f}".rstrip("0").rstrip(".") if value % 1 else str(int(value))
