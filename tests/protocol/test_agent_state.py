"""The state of an agent and its changes. Hostile ones are cheap and raise nothing."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat_ui.protocol.dialects.families.ag_ui.states import AgentState, PatchBudget, copy_of
from chat_ui.protocol.events import ContextReceived
from chat_ui.protocol.recently_used import size_of
from tests.growth import assert_in_proportion
from tests.made_sets import thinned
from tests.protocol.asking import events, fold
from tests.protocol.test_ag_ui import body, run, said, snapshot

MOST = 64 * 1024 * 1024


def changed(state: Any, *operations: Any) -> tuple[Any, bool]:
    agent = AgentState(PatchBudget(), state)
    fits = agent.change(list(operations))
    return agent.current, fits


def test_each_operation_of_rfc_6902_changes_the_state_and_not_copies() -> None:
    operations: list[tuple[dict[str, Any], Any]] = [
        ({"op": "add", "path": "/b", "value": 2}, {"a": [1], "b": 2}),
        ({"op": "add", "path": "/a/-", "value": 2}, {"a": [1, 2]}),
        ({"op": "add", "path": "/a/0", "value": 0}, {"a": [0, 1]}),
        ({"op": "remove", "path": "/a"}, {}),
        ({"op": "replace", "path": "/a", "value": None}, {"a": None}),
        ({"op": "replace", "path": "", "value": [7]}, [7]),
        ({"op": "move", "from": "/a", "path": "/c"}, {"c": [1]}),
        ({"op": "copy", "from": "/a", "path": "/c"}, {"a": [1], "c": [1]}),
        ({"op": "test", "path": "/a/0", "value": 1}, {"a": [1]}),
    ]
    for operation, expected in operations:
        agent = AgentState(PatchBudget(), {"a": [1]})
        told = copy_of(agent.current)
        assert agent.change([operation])
        assert (operation, agent.current, told) == (operation, expected, {"a": [1]})


MISFITS: list[Any] = [
    {"op": "test", "path": "/a/0", "value": 2},
    {"op": "replace", "path": "/x", "value": 2},
    {"op": "remove", "path": "/a/7"},
    {"op": "add", "path": "/a/99999999999999999999", "value": 2},
    {"op": "add", "path": f"/a/{'9' * 5000}", "value": 2},
    {"op": "add", "path": "/a/-1", "value": 2},
    {"op": "add", "path": "/a/01", "value": 2},
    {"op": "add", "path": "/a" * 50_000, "value": 2},
    {"op": "move", "from": "/a", "path": "/a/b"},
    {"op": "copy", "from": "/x", "path": "/b"},
    {"op": "add", "path": "a", "value": 2},
    {"op": "add", "path": "/~7", "value": 2},
    {"op": "add", "path": "/b"},
    {"op": "grow", "path": "/a"},
    {"op": "add", "path": 7, "value": 2},
    {"path": "/a"},
    {}, [], None, "add",
]  # fmt: skip


def test_an_inapplicable_operation_leaves_the_state_and_earlier_ones_apply() -> None:
    for misfit in MISFITS:
        assert changed({"a": [1]}, misfit) == ({"a": [1]}, False), str(misfit)[:60]
    first, last = {"op": "add", "path": "/b", "value": 2}, {"op": "add", "path": "/c", "value": 3}
    assert changed({}, first, {"op": "remove", "path": "/x"}, last) == ({"b": 2}, False)
    odd: list[Any] = [None, 7, "add", {"op": "add"}]
    assert not any(AgentState(PatchBudget(), {}).change(operations) for operations in odd)


def doubled(times: int) -> list[dict[str, Any]]:
    """Operations that copy a state into itself that many times."""
    return [{"op": "copy", "from": "/a", "path": f"/a/{'b' * (number + 1)}"} for number in range(times)]


def test_a_state_copied_into_itself_stays_small() -> None:
    state, fits = changed({"a": {"text": "x" * 10_000}}, *doubled(60))
    assert not fits
    assert size_of((state,), MOST) < 16 * 1024 * 1024
    budget = PatchBudget()
    fitted = [AgentState(budget, {"a": {"text": "x" * 100_000}}).change(doubled(3)) for _ in range(40)]
    assert fitted[0]
    assert not fitted[-1]
    assert budget.left < 0


@pytest.mark.parametrize(("budget", "value", "tries"), [
    pytest.param(PatchBudget(200_000), 1, 20, id="a small state, quoted by each error"),
    pytest.param(PatchBudget(), "x" * 1_500_000, 2, id="a large state, quoted by few errors"),
])  # fmt: skip
def test_inapplicable_changes_are_tried_a_limited_number_of_times(
    budget: PatchBudget, value: object, tries: int
) -> None:
    agent = AgentState(budget, {"a": value})
    for _ in range(tries):
        assert not agent.change([{"op": "remove", "path": "/x/y"}])
    assert not agent.change([{"op": "add", "path": "/b", "value": 2}])
    assert agent.current == {"a": value}


def test_a_large_state_is_reported_a_few_times_and_at_the_end() -> None:
    changes = [{"op": "replace", "path": "/number", "value": number} for number in range(90)]
    run_of_changes = body(
        {"type": "STATE_SNAPSHOT", "snapshot": {"text": "x" * 1_000_000, "number": -1}},
        *({"type": "STATE_DELTA", "delta": [change]} for change in changes),
        *({"type": "RUN_FINISHED"} for _ in range(90)),
    )
    contexts = [event for event in events(run_of_changes) if isinstance(event, ContextReceived)]
    assert 1 < len(contexts) < 10
    assert contexts[-1].context["steps"]["state"]["description"]["number"] == 89  # type: ignore[index,call-overload]


def nested(depth: int) -> Any:
    state: Any = {}
    for _ in range(depth):
        state = {"a": state}
    return state


def test_a_deeply_nested_state_raises_nothing() -> None:
    for depth in (100, 900, 3_000):
        agent = AgentState(PatchBudget(), nested(depth))
        agent.change([{"op": "copy", "from": "/a", "path": "/b"}, {"op": "test", "path": "/b", "value": nested(depth)}])
        assert (copy_of(agent.current) is None) is (depth > 100)
    operations = [{"op": "add", "path": "/a" * (number + 1), "value": {}} for number in range(600)]
    changes = [{"type": "STATE_DELTA", "delta": [operation]} for operation in operations]
    assert run({"type": "STATE_SNAPSHOT", "snapshot": {}}, *changes, *said("A")).text == "A"


OPERATIONS = st.fixed_dictionaries(
    {},
    optional={
        "op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test"]) | st.none() | st.integers(),
        "path": st.sampled_from(["", "/", "/a", "/a/b", "/a/0", "/a/-", "/-", "/~1", "/a/99999999999", "a", None]),
        "from": st.sampled_from(["", "/", "/a", "/a/b", "/a/0", "/a/-"]) | st.booleans(),
        "value": st.none() | st.integers() | st.just({"b": [1]}) | st.just([1]) | st.text(max_size=3),
    },
)
STATES = st.sampled_from([None, {}, [], "a", 7, {"a": [1]}, {"a": {"b": 1}}, [[1]]])


@given(STATES, st.lists(OPERATIONS, max_size=8))
def test_any_operations_raise_nothing(state: Any, operations: list[dict[str, Any]]) -> None:
    agent = AgentState(PatchBudget(), state)
    assert agent.change(operations) in {True, False}


def repeated(count: int, *events: dict[str, Any]) -> list[dict[str, Any]]:
    return [event for _ in range(count) for event in events]


FINISHED: dict[str, Any] = {"type": "RUN_FINISHED"}
LONGER = [{"op": "add", "path": "/list/-", "value": "x"}]
PLAN = {"messageId": "a", "activityType": "PLAN"}
CALL = {"toolCallId": "c", "toolCallName": "search"}
READER = {"subagentRunId": "s", "messageId": "m"}


def activities(count: int) -> list[dict[str, Any]]:
    changes = repeated(count, {"type": "ACTIVITY_DELTA", **PLAN, "patch": LONGER})
    return [{"type": "ACTIVITY_SNAPSHOT", **PLAN, "content": {"list": []}}, *changes, FINISHED]


def calls(count: int) -> list[dict[str, Any]]:
    piece = {"type": "TOOL_CALL_ARGS", **CALL, "delta": '{"x": "' + "x" * 50}
    return repeated(count, piece, {"type": "TOOL_CALL_END", **CALL})


def told(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, **fields}


RUNS: dict[str, Callable[[int], list[dict[str, Any]]]] = {
    "a list that changes as often as it is long": lambda count: [
        told("STATE_SNAPSHOT", snapshot={"list": []}), *repeated(count, told("STATE_DELTA", delta=LONGER)), FINISHED,
    ],
    "a large state, and changes that do not fit it": lambda count: [
        told("STATE_SNAPSHOT", snapshot={"list": ["x"] * count}),
        *repeated(count, told("STATE_DELTA", delta=[{"op": "remove", "path": "/x/y"}])),
    ],
    "small states, each doubled as often as it may be": lambda count: repeated(
        count, told("STATE_SNAPSHOT", snapshot={"a": {"b": "x" * 50}}), told("STATE_DELTA", delta=doubled(16)),
    ),
    "messages that are told again after each": lambda count: [
        *repeated(count, snapshot(("user", "x" * 500))),
        *(event for number in range(count) for event in said("x", f"m{number}")), FINISHED,
    ],
    "an activity that changes as often as it is long": activities,
    "a call that ends after each piece of its arguments": calls,
    "runs that end, each with messages to compare the answer with": lambda count: [
        *(event for number in range(count) for event in said("x" * 50, f"m{number}")),
        *repeated(count, snapshot(("assistant", "x")), FINISHED),
    ],
    "a subagent that finishes after each piece of its text": lambda count: [
        told("SUBAGENT_STARTED", **READER, name="Reader"),
        *repeated(count, told("TEXT_MESSAGE_CONTENT", **READER, delta="x" * 50), told("SUBAGENT_FINISHED", **READER)),
    ],
    "a message with a citation after each piece of its text": lambda count: [
        told("TEXT_MESSAGE_CONTENT", messageId=f"m{number}", delta="ü" * 50,
             metadata={"citations": [{"title": "a.pdf", "textOffset": 3}]})
        for number in range(count)
    ],
}  # fmt: skip


@pytest.mark.parametrize("made", thinned(RUNS, 5))
def test_the_cost_grows_with_the_length(made: Callable[[int], list[dict[str, Any]]]) -> None:
    assert_in_proportion(events, 500, made=lambda count: body(*made(count)))


def test_a_frequent_activity_or_call_is_reported_with_its_final_value() -> None:
    assert fold(body(*activities(300))).thoughts[0].description == {"list": ["x"] * 300}
    end = {"type": "TOOL_CALL_RESULT", "toolCallId": "c", "content": "Two."}
    assert fold(body(*calls(40), end)).thoughts[0].description == "Two."
