"""A judge of safe HTML: an HTML parser and a list of allowed parts, independent of the sanitiser's."""

import re
from html.parser import HTMLParser

_GLOBAL = {"dir", "lang"}
_OURS = {
    *("class", "title", "aria-label", "aria-hidden", "aria-current", "role", "tabindex"),
    *("data-active", "data-source"),
}
_MATH = set(
    str.split(
        "math mrow mi mn mo mtext mspace mfrac msqrt mroot mstyle mpadded mphantom msub msup msubsup munder mover "
        "munderover mtable mtr mtd menclose ms merror none mprescripts mmultiscripts"
    )
)
_TAGS = _MATH | set(
    str.split(
        "a abbr b bdi blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure "
        "h2 h3 h4 h5 h6 hr i img ins kbd li ol p pre q s samp small span strong sub summary sup table tbody td tfoot "
        "th thead time tr u ul var wbr button input mark section meter svg rect"
    )
)
_ATTRIBUTES = {
    "a": {"href", "target", "rel"}, "img": {"src", "alt", "loading", "decoding"},
    "button": set(
        str.split(
            "type data-citation data-use data-copy aria-pressed data-document data-kind data-page data-name data-title "
            "data-line data-place data-unfold data-point data-view data-image data-step"
        )
    ),
    "input": {"type", "disabled", "checked"}, "td": {"colspan", "rowspan", "align"},
    "th": {"colspan", "rowspan", "align", "scope"}, "ol": {"start", "reversed"}, "li": {"data-claim", "data-level"},
    "h3": {"data-block"}, "h4": {"data-block"}, "h5": {"data-block"}, "h6": {"data-block"},
    "details": {"open", "data-thought", "data-json"}, "meter": {"min", "max", "value"},
    "svg": {"viewbox", "preserveaspectratio"}, "rect": {"x", "width", "height"},
}  # fmt: skip
_CLASSES = re.compile(
    r"citation( citation-missing)?|citations( citations-many)?|cited( cited-close)?|"
    r"copy-code|wrap-code|copy-table|folded|unfold|view-image|open-document tool|icon icon-[a-z-]+|"
    r"card-(?:title|page|image)|numbered|code-(?:block|header|language|lines)|task|table-scroll|sheet|slide|notes|"
    r"(?:words|text)( unbroken)?|answer-text|"
    r"formula(?:-source)?|step-badge|link-address|remote-image|show-image|footnote-(?:reference|label)|[a-z]{1,3}\d?|(?:source|strip|thought|result|message|passage|"
    r"token|query|propert|usage|count|cut|values)[\w -]*"
)
_VOID = {"br", "col", "hr", "img", "input", "wbr"}


class _Judge(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.faults: list[str] = []
        self.open: list[str] = []
        self.buttons: list[dict[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _TAGS:
            self.faults.append(f"tag {tag}")
        if tag not in _VOID:
            self.open.append(tag)
        values = dict(attrs)
        if tag == "button":
            self.buttons.append(values)
        for name, value in attrs:
            self._attribute(tag, name, value or "")
        opener_kept = values.get("target") != "_blank" or "noopener" not in (values.get("rel") or "")
        if tag == "a" and "href" in values and opener_kept:
            self.faults.append(f"link that keeps its opener: {values}")
        if tag == "input" and "disabled" not in values:
            self.faults.append("an input that works")

    def _attribute(self, tag: str, name: str, value: str) -> None:
        if name == "class":
            if not _CLASSES.fullmatch(value):
                self.faults.append(f"class {value}")
        elif tag in _MATH:
            if not re.fullmatch(r"[a-z]+", name) or not re.fullmatch(r"[\w\s.%+-]*", value) or name.startswith("on"):
                self.faults.append(f"attribute {tag} {name}={value}")
        elif name not in _GLOBAL | _OURS | _ATTRIBUTES.get(tag, set()):
            self.faults.append(f"attribute {tag} {name}={value}")
        if name == "href" and not re.match(r"(?:https?://|mailto:)", value, re.IGNORECASE):
            self.faults.append(f"link to {value}")
        if name == "src" and not re.fullmatch(r"data:image/(?:png|jpeg|gif|webp);base64,[\w+/=]+", value):
            self.faults.append(f"image from {value}")

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"unbalanced </{tag}>")

    def handle_comment(self, data: str) -> None:
        self.faults.append(f"comment {data}")

    def handle_decl(self, decl: str) -> None:
        self.faults.append(f"declaration {decl}")

    def handle_pi(self, data: str) -> None:
        self.faults.append(f"instruction {data}")


def judged(html: str) -> _Judge:
    """The judge after a fragment. Its `faults` are empty if the fragment is harmless."""
    judge = _Judge()
    judge.feed(html)
    judge.close()
    if judge.open:
        judge.faults.append(f"left open: {judge.open}")
    return judge
