"""The tabs of the dialog Backend settings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import reflex as rx
from reflex.event import EventSpec

from chat_ui.backends.profile import AUTOMATIC
from chat_ui.backends.settings import VERBATIM, FormTabs, changing, field, own_value, switching, text_field
from chat_ui.backends.state.backend_dialog import DOCUMENTS_FIELD, BackendDialog
from chat_ui.backends.state.option_rows import OptionRow, OptionRows
from chat_ui.page.languages import t, tn
from chat_ui.page.painted import allowed
from chat_ui.page.shared import button
from chat_ui.page.slots import filled

OptionChange: TypeAlias = Callable[[Any, Any], EventSpec]
_OF_PEOPLE = allowed("backends_of_people")


def locked(*fields: rx.Component) -> rx.Component:
    """Fields that change only where settings are open."""
    return rx.el.fieldset(*fields, disabled=~allowed("settings"), class_name="dialog-form")


def _switch(
    label: rx.Var[str],
    help_text: rx.Var[str],
    checked: rx.Var[bool],
    on_change: Callable[[rx.Var[bool]], EventSpec],
    **attributes: Any,
) -> rx.Component:
    return rx.el.label(
        own_value("switch", checked, on_change, aria_label=label, **attributes),
        rx.el.span(
            rx.el.span(label, class_name="field-label"),
            rx.el.span(help_text, class_name="field-help"),
            class_name="field-text",
        ),
        class_name="field-row",
    )


def _option_input(row: rx.Var[OptionRow], name: str, on_change: OptionChange) -> rx.Component:
    own = rx.cond(row.told != "", t("{value} (deployment's default)", value=row.told), t("Default"))
    common = {"id": name, "name": name, "aria_describedby": f"{name}-note", "class_name": "input"}

    def change(value: rx.Var[str]) -> EventSpec:
        return on_change(row.key, value)

    return rx.cond(
        row.choices.length() > 0,
        own_value(
            "select",
            row.value,
            change,
            rx.el.option(own, value=""),
            rx.foreach(
                row.choices,
                lambda choice: rx.el.option(choice[1], value=choice[0], disabled=choice[2] != "", lang="en", dir="ltr"),
            ),
            **common,
        ),
        own_value(
            "input",
            row.value,
            change,
            placeholder=own,
            aria_invalid=row.problem != "",
            **VERBATIM,
            **common,
        ),
    )


def _in_english(words: rx.Var[str]) -> rx.Component:
    return rx.el.span(words, lang="en", dir="ltr")


def _option_field(row: rx.Var[OptionRow], on_change: OptionChange, prefix: str) -> rx.Component:
    name = f"{prefix}-{row.key}"
    return field(
        _in_english(row.label),
        name,
        _option_input(row, name, on_change),
        error=row.problem,
        help_text=rx.fragment(_in_english(row.help), rx.cond(row.note != "", rx.fragment(" ", rx.el.b(row.note)))),
        badge=rx.cond(row.changed, rx.el.span(t("changed"), class_name="badge")),
    )


def option_fields(state: type[OptionRows], on_change: OptionChange, prefix: str) -> rx.Component:
    """The fields of options, with `prefix` in their ids; `on_change` gets the key and the new value of one."""

    def fields(*, of_search: bool) -> rx.Component:
        def shown(row: rx.Var[OptionRow]) -> rx.Component:
            return rx.cond(row.is_of_search == of_search, _option_field(row, on_change, prefix))

        return rx.el.div(rx.foreach(state.rows, shown), class_name="options")

    return rx.fragment(
        fields(of_search=False),
        rx.cond(
            state.has_search,
            rx.el.details(
                rx.el.summary(t("Azure search options")),
                fields(of_search=True),
                open=state.opens_search,
                class_name="search-options",
            ),
        ),
    )


def _dialect_field() -> rx.Component:
    return field(
        t("API format"),
        "backend-dialect",
        own_value(
            "select",
            BackendDialog.dialect,
            changing("dialect"),
            rx.el.option(t("Automatic"), value=AUTOMATIC),
            rx.foreach(BackendDialog.dialects, lambda one: rx.el.option(one[1], value=one[0])),
            id="backend-dialect",
            name="backend-dialect",
            class_name="input",
        ),
    )


def _model_field() -> rx.Component:
    return text_field(
        t("Model"),
        "backend-model",
        BackendDialog.model,
        changing("model"),
        placeholder=t("Only if the backend requires one"),
    )


def _documents_field() -> rx.Component:
    return text_field(
        t("Documents"),
        DOCUMENTS_FIELD,
        BackendDialog.documents,
        changing("documents"),
        error=BackendDialog.documents_error,
        help_text=t(
            "Base address of cited documents, if not content/ next to the chat endpoint. Applies to new questions."
        ),
        input_mode="url",
        placeholder="{origin}/content/{source}",
    )


def _streaming() -> rx.Component:
    return rx.cond(
        BackendDialog.may_stream,
        _switch(
            t("Stream answers"),
            rx.cond(
                BackendDialog.unstreamed != "", BackendDialog.unstreamed, t("Show the text while it is being written.")
            ),
            BackendDialog.stream & (BackendDialog.unstreamed == ""),
            switching("stream"),
            aria_disabled=BackendDialog.unstreamed != "",
            aria_description=BackendDialog.unstreamed,
        ),
    )


def _followups() -> rx.Component:
    return rx.cond(
        BackendDialog.may_suggest,
        _switch(
            t("Suggest follow-up questions"),
            t("Ask the backend to suggest next questions."),
            BackendDialog.followups,
            switching("followups"),
        ),
    )


def _as_sample() -> rx.Component:
    """The switch for the options of the sample's own page, where the deployment tells none."""
    return rx.cond(
        BackendDialog.has_sample,
        _switch(
            t("Ask as the sample's page does"),
            rx.cond(
                BackendDialog.is_sample,
                t(
                    "Hybrid retrieval, semantic ranker, 3 sources. On by default, because this is "
                    "azure-search-openai-javascript."
                ),
                t(
                    "Hybrid retrieval, semantic ranker, 3 sources. Off by default, because the deployment tells no "
                    "options."
                ),
            ),
            BackendDialog.as_sample,
            switching("as_sample"),
        ),
    )


def _options() -> rx.Component:
    return rx.fragment(
        _as_sample(),
        option_fields(BackendDialog, BackendDialog.set_option, "option"),
        text_field(
            t("Other options, as JSON"),
            "option-more",
            BackendDialog.more,
            BackendDialog.set_more,
            error=BackendDialog.more_error,
            control="textarea",
            rows=3,
        ),
        rx.el.div(
            button(t("Reset"), on_click=BackendDialog.reset_options),
            rx.cond(
                BackendDialog.differing > 0,
                rx.el.span(tn("one changed", "{count} changed", BackendDialog.differing), class_name="field-help"),
            ),
            class_name="options-reset",
        ),
    )


def _request() -> rx.Component:
    how = rx.cond(
        _OF_PEOPLE,
        rx.fragment(
            rx.el.div(
                _dialect_field(),
                rx.cond(BackendDialog.wants_model, _model_field()),
                class_name="options",
            ),
            _streaming(),
        ),
    )
    return locked(how, _followups(), rx.cond(BackendDialog.takes_options, _options()))


def _trigger(tab: str, *words: rx.Component | rx.Var[str]) -> rx.Component:
    return rx.tabs.trigger(*words, value=tab, custom_attrs={"type": "button"})


def _panel(tab: str, content: rx.Component) -> rx.Component:
    return rx.tabs.content(content, value=tab, force_mount=True)


def tabs() -> rx.Component:
    added = [parts.settings_tab for parts in filled() if parts.settings_tab]
    changed = rx.cond(
        BackendDialog.differing > 0, rx.el.span(BackendDialog.differing, class_name="badge", aria_hidden="true")
    )
    return FormTabs.create(
        rx.tabs.list(
            _trigger("request", t("Request"), changed),
            rx.cond(_OF_PEOPLE, _trigger("documents", t("Documents"))),
            *(_trigger(tab.name, tab.label()) for tab in added),
        ),
        _panel("request", _request()),
        rx.cond(_OF_PEOPLE, _panel("documents", locked(_documents_field()))),
        *(_panel(tab.name, tab.content()) for tab in added),
        first="request",
        fault=BackendDialog.fault,
        faults=BackendDialog.faults,
    )
