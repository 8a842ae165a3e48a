import base64
import re

from playwright.sync_api import Page, expect

DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
PIXEL = "data:image/gif;base64,R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=="
PICTURE = {"name": "buoy 1.png", "mimeType": "image/png", "buffer": DOT}


def attach(page: Page, *files: dict[str, object]) -> None:
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name=re.compile("Attach (images|files)")).click()
    chooser.value.set_files(list(files))  # type: ignore[arg-type]


def attach_picture(page: Page) -> None:
    """Attach an image, and wait until it can be sent."""
    attach(page, PICTURE)
    expect(attached(page)).to_have_attribute("aria-busy", "false")


def attached(page: Page):
    return page.get_by_role("list", name="Attached files").get_by_role("listitem")
