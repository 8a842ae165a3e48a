from __future__ import annotations

import reflex as rx

from chat_ui.backends.settings import TYPED_KEY
from chat_ui.features.checking.page.state.report import ReportState
from chat_ui.page.languages import in_digits, rich, t
from chat_ui.page.shared import BackStep, button, verdict
from chat_ui.page.slots import Parts, SettingsTab
from chat_ui.protocol.conformance.examination import MAX_QUESTIONS, MAX_REQUESTS


def _report_head() -> rx.Component:
    return rx.el.div(
        rx.dialog.title(t("Protocol report")),
        rx.dialog.description(
            rich(
                "Sends up to {requests} requests to {backend}; at most {questions} of them ask a "
                "model. The report shows which rules of its protocol pass and fail.",
                requests=in_digits(rx.Var.create(MAX_REQUESTS)),
                backend=rx.el.strong(ReportState.about),
                questions=in_digits(rx.Var.create(MAX_QUESTIONS)),
            ),
            size="2",
        ),
        class_name="framed-head",
    )


def _report_body() -> rx.Component:
    summary = rx.cond(ReportState.summary != "", rx.el.strong(ReportState.summary, class_name="report-summary"))
    said = verdict(ReportState.outcome, summary, ReportState.verdict)
    return rx.el.div(
        rx.el.div(
            rx.cond(ReportState.step != "", rx.el.p(ReportState.step, class_name="report-step verdict")),
            rx.cond(
                ReportState.summary != "",
                rx.el.div(said, lang="en", dir="ltr"),
                rx.cond(ReportState.verdict != "", said),
            ),
            role="status",
        ),
        rx.cond(ReportState.html != "", rx.html(ReportState.html, class_name="report", lang="en", dir="ltr")),
        class_name="framed-body",
    )


def _report_foot() -> rx.Component:
    return rx.el.div(
        rx.cond(
            ReportState.step != "",
            button(t("Stop"), on_click=ReportState.stop_check),
            button(t("Start check"), is_primary=True, on_click=ReportState.run_check(TYPED_KEY)),
        ),
        rx.el.span(class_name="spacer"),
        rx.dialog.close(button(t("Close report"))),
        class_name="framed-foot dialog-buttons",
    )


def _report_dialog() -> rx.Component:
    """The full report on a backend, in English for its developers."""
    return rx.dialog.root(
        rx.dialog.trigger(button(t("Check protocol…"))),
        rx.dialog.content(
            BackStep.create(on_back=ReportState.set_open(False)),
            rx.el.div(_report_head(), _report_body(), _report_foot(), class_name="framed-form"),
            class_name="framed",
            max_width="60rem",
            aria_describedby=None,
        ),
        open=ReportState.is_open,
        on_open_change=ReportState.set_open,
    )


def _report() -> rx.Component:
    return rx.el.div(
        rx.el.p(
            t("Checks the backend against its protocol with a few requests. You confirm before anything is sent."),
            class_name="field-help",
        ),
        _report_dialog(),
        class_name="field",
    )


PARTS = Parts(settings_tab=SettingsTab(name="report", label=lambda: t("Report"), content=_report))
