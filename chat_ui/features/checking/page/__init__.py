from __future__ import annotations

import reflex as rx

from chat_ui.backends.settings import TYPED_KEY
from chat_ui.features.checking.page.state.report import ReportState
from chat_ui.page.commands import Command
from chat_ui.page.languages import in_digits, rich, t
from chat_ui.page.painted import allowed
from chat_ui.page.shared import OF_A_DIALOG, BackStep, button, close_button, verdict
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
    is_running = ReportState.step != ""
    is_checked = ReportState.verdict != ""
    return rx.el.div(
        rx.el.span(class_name="spacer"),
        # One button, which keeps the focus.
        rx.el.button(
            rx.cond(is_running, t("Stop"), rx.cond(is_checked, t("Check again"), t("Start check"))),
            type="button",
            class_name=rx.cond(is_running | is_checked, "button", "button button-primary"),
            on_click=ReportState.check_or_stop(TYPED_KEY),
        ),
        class_name="framed-foot dialog-buttons",
    )


def _report_dialog() -> rx.Component:
    """The full report on a backend, in English for its developers."""
    return rx.dialog.root(
        rx.dialog.content(
            BackStep.create(on_back=ReportState.set_open(False)),
            rx.el.div(_report_head(), _report_body(), _report_foot(), class_name="framed-form"),
            close_button(),
            class_name="framed",
            max_width="60rem",
            aria_describedby=None,
            custom_attrs=OF_A_DIALOG,
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
        button(t("Check protocol…"), on_click=ReportState.set_open(True)),
        class_name="field",
    )


def _page() -> tuple[rx.Component, ...]:
    command = Command.create(
        name="check-protocol",
        label=t("Check protocol…"),
        hints=t("backend rules report test"),
        on_run=ReportState.open_for_current,
    )
    return _report_dialog(), rx.cond(allowed("settings"), command)


PARTS = Parts(page=_page, settings_tab=SettingsTab(name="report", label=lambda: t("Report"), content=_report))
