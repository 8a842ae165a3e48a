"""Questions in people's words, and the passage that answers each."""

from pathlib import Path

from chat_ui.features.evaluation.question_set import read_questions

QUESTION_SET = read_questions(Path(__file__).with_name("questions.jsonl")).questions
"""Questions written before the retrieval was tuned; `truth` is a fact with its sources, or empty if the documents do
not answer.
"""

MISSED = frozenset(
    {
        "What happens to holidays I haven't used by December?",
        "When do I get my travel expenses back?",
        "Is it ok to have another job on the side?",
    }
)
"""Questions of the set whose first sentence is not the answer."""

ANSWERED = tuple(
    (question.text, question.truth.strip("[]"))
    for question in read_questions(Path(__file__).with_name("sources.jsonl")).questions
)
"""Other questions, and the passage that answers each."""

UNANSWERED: tuple[str, ...] = (
    "What is the capital of France?",
    "Who won the football world cup in 2018?",
    "How do I bake sourdough bread?",
    "What will the stock market do tomorrow?",
    "Write me a poem about autumn",
    "Explain quantum entanglement",
    "Is there a swimming pool for elephants?",
    "What is the population of Japan?",
    "Hello",
    "asdfghjkl",
)

FOLLOWED: tuple[tuple[str, str, str], ...] = (
    ("What is the per diem in Norway?", "And in Iceland?", "Travel_and_Expenses.pdf#page=2"),
    ("How much parental leave do I get?", "What about twins?", "Leave_Policy.pdf#page=2"),
    ("Which health plan covers dental treatment?", "How much does it pay a year?", "Health_Plans.pdf#page=2"),
    ("How long is the warranty on a buoy?", "Does that cover damage by ice?", "Buoy_Catalogue.pdf#page=3"),
    ("How large is the learning budget?", "Can it be carried over?", "Learning_Budget.md#the-budget"),
)
"""A question, a follow-up question, and the passage that answers the second."""
