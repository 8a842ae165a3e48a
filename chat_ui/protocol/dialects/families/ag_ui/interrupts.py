"""Requests of AG-UI agents that wait for a person, and the decisions that resume their run.

Source: "Interrupt and resume" of the protocol's version 1.0. LangGraph's custom events and the calls by which ADK and
Agent Framework ask for approval are as their servers send them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from typing import Final
from uuid import NAMESPACE_OID, uuid5

from chat_ui.protocol.answers.pause import Decision, Resume
from chat_ui.protocol.answers.streaming_text import StreamingText
from chat_ui.protocol.dialects.objects import kind_of, list_in, object_in, objects_in, present, read_json, string_in
from chat_ui.protocol.dialects.tool_calls import MOST_CALLS, ToolCalls
from chat_ui.protocol.events import Interrupt, Json, JsonObject, Pause

WIRE: Final = "ag-ui"
ASKING_CALLS: Final = {"adk_request_confirmation": "confirmed", "confirm_changes": "accepted"}
"""Calls that ask for approval of another call, each with the key of its answer."""
_YES_OR_NO: Final = ("approved", "accepted", "confirmed")
_NEED_NO_SCHEMA: Final = frozenset({"tool_call", "confirmation"})
_USUAL_DESCRIPTION: Final = "Tool execution requires approval"
"""The beginning of LangChain's description, which only repeats the tool and its arguments."""
_ONLY: Final = "interrupt"
"""The id of the only interrupt of an agent that sends none."""
_TOLD: Final = frozenset({"responseSchema", "expiresAt", "reason"})
"""Keys of a value of LangGraph that its interrupt has as well."""
_NOTHING: Final[JsonObject] = {}
_DECLINED: Final = "The person declined."


def interrupts_in(outcome: Json, calls: ToolCalls) -> Iterator[Interrupt]:
    """The interrupts of a run's outcome."""
    for interrupt in objects_in(outcome, "interrupts"):
        metadata = object_in(interrupt, "metadata")
        call, schema = string_in(interrupt, "toolCallId"), object_in(interrupt, "responseSchema")
        message, (name, arguments) = string_in(interrupt, "message"), calls.told(call)
        known = Interrupt(string_in(interrupt, "id"), "approval", message, name, call=call, arguments=arguments)
        known = replace(known, ends_at=_time(interrupt.get("expiresAt")))
        if "langgraph" in metadata:
            yield from of_langgraph(known, object_in(metadata, "langgraph").get("raw"), schema)
        elif original := object_in(object_in(metadata, "adk"), "originalFunctionCall"):
            yield _approval_of(known.id, original, "resume confirmed")
        else:
            yield _of_schema(known, schema, "resume", interrupt)


def interrupts_in_events(events: Sequence[JsonObject]) -> Iterator[Interrupt]:
    """The interrupts in the custom events of a LangGraph agent, whose ids are only in the raw event."""
    for event in events:
        raw = object_in(event, "rawEvent")
        key = string_in(raw, "id")
        known = Interrupt(key or (_ONLY if len(events) == 1 else ""))
        value = read_json(event.get("value"))
        schema = object_in(raw, "response_schema") or object_in(value, "responseSchema")
        yield from of_langgraph(known, value, schema, "command" if key else "bare")


def interrupts_in_calls(calls: ToolCalls, *, are_last: bool) -> Iterator[Interrupt]:
    """The approvals that calls ask for; else calls without results, if they `are_last` in the answer."""
    waiting = [(key, *calls.told(key)) for key in calls.waiting]
    asking = [one for one in waiting if one[1] in ASKING_CALLS]
    for key, name, arguments in asking:
        original = object_in(arguments, "originalFunctionCall") or {
            "id": string_in(arguments, "function_call_id"),
            "name": string_in(arguments, "function_name"),
            "args": object_in(arguments, "function_arguments"),
        }
        yield _approval_of(key, original, f"tool {ASKING_CALLS[name]}")
    for key, name, arguments in waiting if are_last and not asking else ():
        may = frozenset({"words", "set_aside"})
        yield Interrupt(key, "result", tool=name, call=key, arguments=arguments, may=may, shape="tool value")


def takes_one_decision(interrupts: Sequence[Interrupt], outcome: Json) -> bool:
    """Whether several requests need the same decision: Agent Framework repeats a denied one for ever beside a yes."""
    agents = {key for one in objects_in(outcome, "interrupts") for key in object_in(one, "metadata")}
    return len(interrupts) > 1 and "agent_framework" in agents


def calls_before(resume: Resume) -> dict[str, tuple[str, Json]]:
    """The name and the arguments of each call before a pause."""
    messages = chain.from_iterable(objects_in(pause.kept, "messages") for pause, _ in resume.steps)
    calls = chain.from_iterable(objects_in(message, "toolCalls") for message in messages)
    functions = ((string_in(call, "id"), object_in(call, "function")) for call in calls)
    return {key: (string_in(one, "name"), read_json(one.get("arguments"))) for key, one in functions}


def _approval_of(key: str, call: JsonObject, shape: str) -> Interrupt:
    arguments = call.get("args")
    return Interrupt(key, tool=string_in(call, "name"), arguments=arguments, call=string_in(call, "id"), shape=shape)


def of_langgraph(known: Interrupt, value: Json, schema: JsonObject, transport: str = "command") -> Iterator[Interrupt]:
    """The requests in a value of LangGraph: of LangChain's middleware for approvals, or any other value.

    None is set aside: the adapter's mark for that is a value that many agents take for a yes.
    """
    allowed = {
        string_in(config, "action_name"): list_in(config, "allowed_decisions")
        for config in objects_in(value, "review_configs")
    }
    requests = objects_in(value, "action_requests")
    is_one = kind_of(value) == "tool_approval"
    for number, request in enumerate([value] if is_one and isinstance(value, Mapping) else requests):
        name, description = string_in(request, "name"), string_in(request, "description")
        yield replace(
            known,
            id=known.id if is_one or not known.id else f"{known.id}/{number}",
            message="" if description.startswith(_USUAL_DESCRIPTION) else description,
            tool=name,
            call=string_in(request, "tool_call_id") or known.call,
            arguments=request.get("args"),
            may=frozenset({"reason"} | ({"edit"} if "edit" in allowed.get(name, ()) else set())),
            shape=f"{transport} {'decision' if is_one else 'decisions'}",
        )
    if is_one or requests:
        return
    told: JsonObject = (
        value if isinstance(value, Mapping) else {"message" if isinstance(value, str) else "value": value}
    )
    message = string_in(told, "message", "question", "reason")
    rest = {key: held for key, held in told.items() if key not in _TOLD and held != message}
    known = replace(known, message=message, arguments=rest or None, ends_at=_time(told.get("expiresAt")))
    may = frozenset({"words"})
    yield _of_schema(known, schema, transport) if schema else replace(known, may=may, shape=f"{transport} value")


def _of_schema(known: Interrupt, schema: JsonObject, transport: str, interrupt: JsonObject = _NOTHING) -> Interrupt:
    """A request by the schema of its answer: yes or no, a form, or words."""
    properties = object_in(schema, "properties")
    is_simple = not schema and string_in(interrupt, "reason") in _NEED_NO_SCHEMA
    names = (key for key in _YES_OR_NO if kind_of(object_in(properties, key)) == "boolean" or is_simple)
    key = next(names, "")
    aside = {"set_aside"} if transport == "resume" else set[str]()
    if key and all(name == key for name in list_in(schema, "required")):
        edited = object_in(properties, "editedArgs")
        may = {name for name, asked in (("edit", "editedArgs"), ("reason", "reason")) if asked in properties}
        return replace(
            known,
            schema=edited if "properties" in edited else None,
            may=frozenset(may if known.ends_at is None else may | aside),
            shape=f"{transport} {key}",
        )
    told = object_in(interrupt, "metadata").get("reason")
    return replace(
        known,
        kind="input",
        message=known.message or (told if isinstance(told, str) else string_in(interrupt, "reason")),
        arguments=told if isinstance(told, Mapping) else known.arguments,
        schema=schema or None,
        may=frozenset(aside if schema else aside | {"words"}),
        shape=f"{transport} value",
    )


def _time(value: Json) -> float | None:
    """A date of ISO 8601 in seconds since 1970, in UTC without an offset; None for any other value."""
    try:
        date = datetime.fromisoformat(value if isinstance(value, str) else "")
        return (date if date.tzinfo is not None else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def resumed(body: Mapping[str, Json], resume: Resume) -> dict[str, Json]:
    """The body of the question that was paused, as the one that sends the last decisions.

    It repeats the messages since the question, which an agent without a memory needs. The id of the question is the one
    it had: other agents take a message with an unknown id for a new one.
    """
    messages = [*list_in(body, "messages")]
    if messages and isinstance(question := messages[-1], Mapping):
        messages[-1] = {**question, "id": string_in(resume.steps[0][0].kept, "question") or question.get("id")}
    sent: dict[str, Json] = {}
    for pause, decisions in resume.steps:
        answering, sent = answers(pause, decisions)
        messages += [*list_in(pause.kept, "messages"), *answering]
    if "command" in sent:
        sent = {"forwardedProps": {**object_in(body, "forwardedProps"), **sent}}
    return {**body, "messages": messages, **sent}


def answers(pause: Pause, decisions: Sequence[Decision]) -> tuple[list[Json], dict[str, Json]]:
    """The messages that answer a pause, and its answer under another key: `resume` or LangGraph's `command`."""
    given = {decision.interrupt: decision for decision in decisions}
    messages: list[Json] = []
    entries: list[Json] = []
    commands: dict[str, Json] = {}
    for interrupt in pause.interrupts:
        decision = given[interrupt.id]
        transport, _, form = interrupt.shape.partition(" ")
        payload, is_set_aside = _payload(interrupt, decision, form), decision.verdict == "set_aside"
        if transport == "tool":
            words = _DECLINED if is_set_aside else payload if isinstance(payload, str) else json.dumps(payload)
            answer: JsonObject = {"role": "tool", "toolCallId": interrupt.id, "content": words}
            messages.append({"id": f"{interrupt.id}-answer", **answer})
        elif transport == "resume":
            answer = {"status": "cancelled"} if is_set_aside else {"status": "resolved", "payload": payload}
            entries.append({"interruptId": interrupt.id, **answer})
        elif form == "decisions":
            name = interrupt.id.rpartition("/")[0]
            commands[name] = {"decisions": [*list_in(commands.get(name), "decisions"), payload]}
        else:
            commands[interrupt.id] = payload
    if entries:
        return messages, {"resume": entries}
    return messages, {"command": {"resume": commands.get(_ONLY, commands)}} if commands else {}


def _payload(interrupt: Interrupt, decision: Decision, form: str) -> Json:
    is_approved, reason = decision.verdict == "approved", decision.reason
    is_edited = is_approved and decision.value is not None
    match form:
        case "decision" | "decisions" if is_edited:
            return {"type": "edit", "edited_action": {"name": interrupt.tool, "args": decision.value}}
        case "decision" | "decisions":
            return present({"type": "approve" if is_approved else "reject", "message": "" if is_approved else reason})
        case "value":
            return decision.value if decision.verdict == "answered" else is_approved
    edits: JsonObject = {"editedArgs": decision.value} if is_edited else {}
    return {form: is_approved, **present({"reason": reason}), **edits}


def question_id(run: str) -> str:
    """The id of the question that a run answers."""
    return str(uuid5(NAMESPACE_OID, run.encode("utf-8", "replace").decode()))


class Transcript:
    """The messages of one answer under the ids that the agent gives them."""

    def __init__(self) -> None:
        self.question = ""
        """The id of the question."""
        self._messages: list[dict[str, Json]] = []
        self._by_id: dict[str, dict[str, Json]] = {}
        self._begun: list[tuple[int, dict[str, Json]]] = []
        """The messages with text, each with the index at which its text begins."""
        self._called: dict[str, dict[str, Json]] = {}
        """The message of each call."""

    def text(self, key: str, begun: int) -> None:
        """The text of a message begins at this index of the answer."""
        self._begun.append((begun, self._message(key)))

    def call(self, key: str, parent: str) -> None:
        """A call begins, in the message `parent` if the agent names it, else in the last one."""
        if key not in self._called and len(self._called) < MOST_CALLS:
            last = self._messages[-1] if self._messages else {}
            is_in_last = last.get("role") == "assistant"
            self._called[key] = self._message(parent or (str(last["id"]) if is_in_last else f"{key}-call"))

    def result(self, key: str, name: str, content: Json) -> None:
        """The result of a call, in the message `name`."""
        self._add({"id": name or f"{key}-result", "role": "tool", "toolCallId": key, "content": content})

    def _message(self, key: str) -> dict[str, Json]:
        return self._by_id.get(key) or self._add({"id": key, "role": "assistant"})

    def _add(self, message: dict[str, Json]) -> dict[str, Json]:
        if len(self._messages) < MOST_CALLS:
            self._messages.append(message)
            self._by_id[str(message["id"])] = message
        return message

    def kept(self, calls: ToolCalls, text: StreamingText, asked: Sequence[Interrupt]) -> Json:
        """The messages with their text and calls, of which those that ask for approval must be `asked`; None for too
        many.
        """
        ends = [*(begun for begun, _ in self._begun[1:]), text.length]
        for (begun, message), end in zip(self._begun, ends, strict=False):
            message["content"] = f"{message.get('content', '')}{text.between(begun, end)}".strip("\n")
        for key, message in self._called.items():
            if calls.told(key)[0] not in ASKING_CALLS or any(interrupt.id == key for interrupt in asked):
                message["toolCalls"] = [*list_in(message, "toolCalls"), calls.as_function(key)]
        is_whole = max(len(self._messages), len(self._called)) < MOST_CALLS
        self._begun, self._called = [], {}
        return {"question": self.question, "messages": [*self._messages]} if is_whole else None
