"""The steps of the build after Reflex's own, which complete the page and adapt it to its server."""

from __future__ import annotations

import json
import re
from pathlib import Path
from shutil import copytree, ignore_patterns
from typing import Any, Final

from reflex.constants import Dirs
from reflex.plugins import Plugin, RadixThemesPlugin

_USED_THEMES: Final = Path(__file__).with_name("used_themes.js")
MESSAGES: Final = "messages.json"
"""The file of the messages in English that the page's scripts use, in the folder of the built page."""
_PDF_FOLDERS: Final = ("cmaps", "standard_fonts", "wasm", "iccs")
_PDF_UNUSED: Final = ignore_patterns("quickjs*", "*QUICKJS")
"""The interpreter of scripts in documents, which the page does not run."""
_ADDRESS: Final = re.compile(r"""[`"'](http|ws)s?://[^/`"']+(/[^`"']*)[`"']""")
_OWN: Final = {"http": 'location.origin+"{}"', "ws": 'location.origin.replace("http","ws")+"{}"'}


class UsedThemes(RadixThemesPlugin):  # type: ignore[misc]
    """Radix Themes with only the used parts of its script and of its styles."""

    def get_frontend_dependencies(self, **_context: Any) -> tuple[str, ...]:
        return ()

    def get_stylesheet_paths(self, **_context: Any) -> tuple[str, ...]:
        """The tokens of the page's colours, the components and their utilities."""
        colours = (f"tokens/colors/{name}" for name in ("indigo", "slate", "amber", "green", "red"))
        return tuple(f"@radix-ui/themes/{name}.css" for name in ("tokens/base", *colours, "components", "utilities"))

    def pre_compile(self, **context: Any) -> None:
        """Have PostCSS remove the rules of unused components."""
        context["add_save_task"](lambda: (_USED_THEMES.name, _USED_THEMES.read_text("utf-8")))
        context["add_modify_task"](Dirs.POSTCSS_JS, _with_used_themes)


def _with_used_themes(config: str) -> str:
    imports = '"postcss-import": {},'
    own = f'"./{_USED_THEMES.name}": {{}},'
    return config if own in config else config.replace(imports, f"{imports}\n    {own}")


class BuiltPage(Plugin):
    """Finishes the page: the files of pdf.js, addresses of its own origin, and the list of its messages."""

    def post_build(self, **context: Any) -> None:
        page: Path = context["static_dir"]
        _copy_pdf_files(page)
        _use_own_address(page)
        _list_messages(page)


def _copy_pdf_files(page: Path) -> None:
    """Copy files that pdf.js loads for some documents: character maps, fonts, decoders, colour profiles."""
    package = page.parents[1] / "node_modules" / "pdfjs-dist"
    version = json.loads((package / "package.json").read_text("utf-8"))["version"]
    for folder in _PDF_FOLDERS:
        copytree(package / folder, page / "assets" / f"pdfjs-{version}" / folder, ignore=_PDF_UNUSED)


def _use_own_address(page: Path) -> None:
    """Have the page connect to its own server, under any name and port: Reflex writes one port into it."""
    for script in (page / "assets").glob("reflex-env-*.js"):
        script.write_text(with_own_address(script.read_text("utf-8")), "utf-8")
        for packed in script.parent.glob(f"{script.name}.*"):
            packed.unlink()


def with_own_address(script: str) -> str:
    """The script with each absolute address replaced by the same path on the page's own origin."""
    return _ADDRESS.sub(lambda found: _OWN[found[1]].format(found[2]), script)


def _list_messages(page: Path) -> None:
    # Only the build needs Babel to read code.
    from chat_ui.languages.messages import messages_of_page  # noqa: PLC0415

    (page / MESSAGES).write_text(json.dumps(messages_of_page(), ensure_ascii=False), "utf-8")
