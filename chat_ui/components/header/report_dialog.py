"""The dialog with the full report on a backend, for people who build one: a report is in English."""

from __future__ import annotations

import reflex as rx

from chat_ui.components.languages import in_digits, rich, t
from chat_ui.components.settings.field import TYPED_KEY
from chat_ui.components.shared import BackStep, verdict
from chat_ui.protocol.conformance.examination import MAX_QUESTIONS, MAX_REQUESTS
from chat_ui.state.conformance import ReportState


def _head() -> rx.Component:
    return rx.el.div(
        rx.dialog.title(t("Protocol report")),
        rx.dialog.description(
            rich(
                "Up to {requests} requests go to {backend}, at most {questions} of them questions to a model. They "
                "show how well it keeps to the protocol that it speaks, what it does beyond it, and how it answers "
                "what it should refuse.",
                requests=in_digits(rx.Var.create(MAX_REQUESTS)),
                backend=rx.el.strong(ReportState.about),
                questions=in_digits(rx.Var.create(MAX_QUESTIONS)),
            ),
            size="2",
        ),
        class_name="framed-head",
    )


def _body() -> rx.Component:
    kept = rx.cond(ReportState.kept != "", rx.el.strong(ReportState.kept, class_name="report-kept"))
    said = verdict(ReportState.outcome, kept, ReportState.verdict)
    return rx.el.div(
        rx.el.div(
            rx.cond(ReportState.step != "", rx.el.p(ReportState.step, class_name="report-step verdict")),
            rx.cond(
                ReportState.kept != "", rx.el.div(said, lang="en", dir="ltr"), rx.cond(ReportState.verdict != "", said)
            ),
            role="status",
        ),
        rx.cond(ReportState.html != "", rx.html(ReportState.html, class_name="report", lang="en", dir="ltr")),
        class_name="framed-body",
    )


def _foot() -> rx.Component:
    return rx.el.div(
        rx.cond(
            ReportState.step != "",
            rx.el.button(t("Stop"), type="button", class_name="button", on_click=ReportState.stop_check),
            rx.el.button(
                t("Send the requests"),
                type="button",
                class_name="button button-primary",
                on_click=ReportState.run_check(TYPED_KEY),
            ),
        ),
        rx.el.span(class_name="spacer"),
        rx.dialog.close(rx.el.button(t("Close report"), type="button", class_name="button")),
        class_name="framed-foot dialog-buttons",
    )


def report_dialog() -> rx.Component:
    return rx.dialog.root(
        rx.dialog.trigger(
            rx.el.button(t("How well does it keep to the protocol?"), type="button", class_name="button")
        ),
        rx.dialog.content(
            BackStep.create(on_back=ReportState.set_open(False)),
            rx.el.div(_head(), _body(), _foot(), class_name="framed-form"),
            class_name="framed",
            max_width="60rem",
            aria_describedby=None,
        ),
        open=ReportState.is_open,
        on_open_change=ReportState.set_open,
    )
