"""A person's own files in a deployment, from the paper clip."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import expect_no_violations
from tests.browser.opening import expect_alive
from tests.browser.places import open_settings, save
from tests.features.demo.serving import serving
from tests.stand_ins.deployment import Deployment


@pytest.fixture
def deployment() -> Iterator[tuple[Deployment, str]]:
    stand_in = Deployment()
    stand_in.config["showUserUpload"] = True
    stand_in.tokens["secret"] = "ann"
    with serving(stand_in.app) as url:
        yield stand_in, f"{url}/chat"


@pytest.mark.wcag("2.1.1", "2.4.3", "3.3.1", "3.3.3", "4.1.3")
def test_files_are_uploaded_refused_in_words_and_deleted_after_a_question(
    page: Page, deployment: tuple[Deployment, str]
):
    service, url = deployment
    settings = open_settings(page)
    settings.get_by_label("Backend URL").fill(url)
    settings.get_by_label("Key", exact=True).fill("secret")
    save(settings)
    expect_alive(page)
    page.get_by_role("button", name="Attach files").press("Enter")
    page.get_by_role("menuitem", name="Your files").press("Enter")
    files = page.get_by_role("dialog", name="Your files")
    expect(files).to_contain_text("No files yet.")

    def upload(*chosen: tuple[str, bytes]) -> None:
        with page.expect_file_chooser() as chooser:
            files.get_by_role("button", name="Upload files").press("Enter")
        chooser.value.set_files([{"name": name, "mimeType": "", "buffer": data} for name, data in chosen])

    upload(("a.pdf", b"%PDF-1.7"), ("b.txt", b"words"), ("empty.txt", b""), ("c.exe", b"MZ"))
    stored = files.get_by_role("list", name="Your files").get_by_role("listitem")
    expect(stored).to_have_count(2)
    uploads = files.get_by_role("list", name="Uploads").get_by_role("listitem")
    refused = "Files of this type cannot be searched. Choose a PDF, an Office file, a text or a picture."
    expect(uploads).to_contain_text(["The file is empty.", refused])
    files.get_by_role("button", name="Hide: c.exe").press("Enter")
    upload(("empty.txt", b"full"))
    expect(stored).to_have_count(3)
    expect(uploads).to_have_count(0)
    assert service.files == {"ann": {"a.pdf": b"%PDF-1.7", "b.txt": b"words", "empty.txt": b"full"}}

    service.fails.add("/upload")
    upload(("b.txt", b"more words"))
    files.get_by_role("button", name="Replace: b.txt").click()
    expect(uploads).to_contain_text("Error uploading file, check server logs for details.")
    expect_no_violations(page)
    service.fails.clear()
    files.get_by_role("button", name="Try again: b.txt").press("Enter")
    expect(uploads).to_have_count(0)
    assert service.files["ann"]["b.txt"] == b"more words"

    files.get_by_role("button", name="Delete: a.pdf").press("Enter")
    expect(files.get_by_role("alert")).to_have_text("Delete this file? Answers will no longer use it.")
    expect(files.get_by_role("button", name="Cancel: a.pdf")).to_be_focused()
    page.keyboard.press("Enter")
    expect(files.get_by_role("button", name="Delete: a.pdf")).to_be_focused()
    page.keyboard.press("Enter")
    files.get_by_role("button", name="Delete: a.pdf").press("Enter")
    expect(stored).to_have_count(2)
    expect(files).to_be_focused()
    assert list(service.files["ann"]) == ["b.txt", "empty.txt"]
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Attach files")).to_be_focused()
