"""Recordings on the page: the signs that one is being made or answers, its pace, and taking a file."""

from __future__ import annotations

import reflex as rx

from chat_ui.components import script


class DroppedRecording(rx.Component):
    """Takes the file of a recording that is dropped anywhere on the page, and sends it to `address`; `on_taken` gets
    its id. Once on a page.
    """

    library = script("recordings/dropped_recording.jsx")
    tag = "DroppedRecording"

    address: rx.Var[str]
    on_taken: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class RecordingFile(rx.Component):
    """A button to choose the file of a recording, which is sent to `address`; `on_taken` gets its id."""

    library = script("recordings/recording_file.jsx")
    tag = "RecordingFile"

    address: rx.Var[str]
    on_taken: rx.EventHandler[rx.event.passthrough_event_spec(str)]


class DownloadLink(rx.Component):
    """A link that has the browser keep the file at `href`; its children are its words."""

    library = script("recordings/download_link.jsx")
    tag = "DownloadLink"

    href: rx.Var[str]
