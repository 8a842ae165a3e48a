"""Texts that cost, or once cost, far more than their length. Each is a function of its approximate length."""

from collections.abc import Callable, Mapping
from typing import Final


def _wide_table(length: int) -> str:
    width = max(2, length // 50)
    return "|a" * width + "|\n" + "|-" * width + "|\n" + "a\n" * ((length - 4 * width) // 2)


COSTLY: Final[Mapping[str, Callable[[int], str]]] = {
    "blank lines of code": lambda length: "```java\n" + "\n" * length,
    "short lines of code": lambda length: "```csharp\n" + "a\n" * (length // 2),
    "many blocks of code": lambda length: "```c\n\n\n\n\n```\n" * (length // 13),
    "blocks of Markdown without an end": lambda length: "```md\n```c\n```\n" * (length // 14),
    "blocks of Markdown in an item": lambda length: "- a\n" + "  ```md\n  ```c\n  ```\n" * (length // 20),
    "one long line of code": lambda length: "```ini\n" + "=" * length,
    "a wide table of short rows": _wide_table,
    "many wide tables": lambda length: (_wide_table(2_000) + "\n") * (length // 2_000),
    "open brackets": lambda length: "[" * length,
    "open brackets and commas": lambda length: "[," * (length // 2),
    "open images": lambda length: "![" * (length // 2),
    "nested brackets": lambda length: "[" * (length // 2) + "]" * (length // 2),
    "bracket pairs": lambda length: "[a]" * (length // 3),
    "half addresses": lambda length: "[https://x.y/" * (length // 13),
    "addresses with brackets": lambda length: "https://x.y/[" * (length // 13),
    "brackets after addresses": lambda length: "https://x.y/[a.b[1][2] " * (length // 23),
    "addresses with spaces": lambda length: "[a](https://x.y/ " * (length // 17),
    "brackets in addresses with spaces": lambda length: "[a](https://x.y/ 'b" + "(c) 'd" * (length // 6),
    "URLs with marks": lambda length: "https://x.y/a*~日 " * (length // 17),
    "joiners in a URL": lambda length: "https://x.y/" + "\u0915\u200d" * (length // 2),
    "wide marks of emphasis": lambda length: "**（a）**b" * (length // 8),
    "claims": lambda length: "a. [a.pdf] " * (length // 11),
    "one long claim": lambda length: "word " * 180 + "[a.pdf]" * (length // 7),
    "open heavy brackets": lambda length: "【" * length,
    "heavy brackets": lambda length: "【4:0†a.pdf】" * (length // 11),
    "raised brackets": lambda length: "^[a]^[" * (length // 6),
    "open sources in brackets": lambda length: "(Source: a, " * (length // 12),
    "sources in brackets": lambda length: "(Source: a.pdf) " * (length // 16),
    "round brackets in a source": lambda length: "(Source: " + "(a)" * (length // 3),
    "links to a source": lambda length: "[a](a.pdf) " * (length // 11),
    "titles of links to a source": lambda length: "[a](a.pdf 'b " * (length // 13),
    "links around numbers": lambda length: "[[1]](https://x.y/(a)" * (length // 21),
    "daggers": lambda length: "[1" + "†a" * (length // 2) + "]",
    "open marks of ChatGPT": lambda length: "\ue200cite\ue202" * (length // 6),
    "marks of ChatGPT": lambda length: "a \ue200cite\ue202turn0search1\ue201" * (length // 21),
    "open cite elements": lambda length: "<cite>a" * (length // 7),
    "cite elements around words": lambda length: '<cite id="1">*a' * (length // 15),
    "half cite elements": lambda length: "<cite a=" + " " * length,
    "pages in words": lambda length: "[a.pdf" + " p. 1, S. 2" * 120 + "] " + "[a.pdf 第3页] " * (length // 13),
    "ranges": lambda length: "[1-6, 2-7]" * (length // 10),
    "arrays": lambda length: "the array [7] " * (length // 14),
    "lists of citations": lambda length: "[7, 7]" * (length // 6),
    "headings": lambda length: "# a\n" * (length // 4),
    "small tables": lambda length: "a|b\n-|-\n" * (length // 8),
    "footnotes": lambda length: "[^a]: b\n" * (length // 8),
    "one footnote often": lambda length: "[^1] " * (length // 5) + "\n\n[^1]: x\n",
    "formulas": lambda length: "".join(f"$x^{number}$ " for number in range(length // 9)),
    "fractions": lambda length: "$" + "\\frac{a}{b}" * 180 + "$ " + "$a$ " * (length // 4),
    "deep fractions": lambda length: ("$" + "\\sqrt{" * 180 + "}" * 180 + "$\n\n") * (length // 1_300),
    "deep lists": lambda length: "\n".join(" " * (2 * (level % 90)) + "- a" for level in range(length // 90)),
    "deep quotes": lambda length: "\n".join(">" * (level % 90) + "a" for level in range(length // 45)),
    "marks of emphasis": lambda length: "*a _b " * (length // 6),
    "direction marks": lambda length: "\u202ea\u2066" * (length // 3),
}
