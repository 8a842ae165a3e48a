import json

from chat_ui.backends.personal_choices import (
    LastOutcome,
    Outcome,
    outcomes_to_json,
    read_outcomes,
    with_outcome,
    with_use,
    without_outcome,
)


def test_an_outcome_is_kept_with_its_time_for_offered_backends_only():
    known = with_outcome(with_use({}, "own:a", 1), "own:b", Outcome.FAILED, 2)
    kept = outcomes_to_json(known, {"own:a", "own:b"})
    assert read_outcomes(kept) == {"own:a": LastOutcome(used_at=1), "own:b": LastOutcome(Outcome.FAILED, 2, 2)}
    assert read_outcomes(outcomes_to_json(known, {"own:a"})) == {"own:a": LastOutcome(used_at=1)}


def test_a_later_choice_keeps_the_outcome_and_a_new_address_drops_it():
    known = with_use(with_outcome({}, "own:a", Outcome.ANSWERED, 1), "own:a", 5)
    assert known["own:a"] == LastOutcome(Outcome.ANSWERED, 1, 5)
    assert with_outcome(known, "own:a", Outcome.FAILED, 2)["own:a"] == LastOutcome(Outcome.FAILED, 2, 5)
    assert without_outcome(known, "own:a")["own:a"] == LastOutcome(used_at=5)
    assert without_outcome({}, "own:a")["own:a"] == LastOutcome()


def test_invalid_stored_outcomes_and_times_are_ignored():
    for text in ("", "{", "[]", "1", "[" * 100_000, '{"own:a": 1}'):
        assert read_outcomes(text) == {}

    for time in (-1, 1e13, True, "1", None, [], float("nan"), float("inf"), 10**30):
        entries = {
            "own:a": {"outcome": "answered", "at": time, "used_at": time, "other": 1},
            "own:b": {"outcome": ["answered"], "at": 0},
            "own:c": {"outcome": "answered"},
        }
        assert set(read_outcomes(json.dumps(entries)).values()) == {LastOutcome()}, time
