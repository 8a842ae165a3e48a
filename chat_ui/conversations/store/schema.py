"""The tables of the core, as its newest migration leaves them; a feature has its own beside it."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Double, Integer, LargeBinary, MetaData, Table, Text

# `size` is in bytes: of a turn and a generation with its texts, of a snapshot with its document, of feedback, of a
# conversation with all of them.
METADATA = MetaData()

_SERIAL = BigInteger().with_variant(Integer, "sqlite")

conversation = Table(
    "conversation",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("renamed", Boolean, nullable=False),
    Column("pinned", Boolean, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("updated_at", Double, nullable=False),
    Column("deleted_at", Double),
    Column("size", BigInteger, nullable=False, default=0),
    Column("arm_of", Text, key="compared_with"),
)

# Full-text search knows a row by its `serial`. `decides` is unique: the first decision on an answer counts.
turn = Table(
    "turn",
    METADATA,
    Column("serial", _SERIAL, primary_key=True),
    Column("id", Text, unique=True, nullable=False),
    Column("conversation", Text, nullable=False),
    Column("parent", Text),
    Column("place", Integer, nullable=False),
    Column("question", Text, nullable=False),
    Column("asked_at", Double, nullable=False),
    Column("shown", Boolean, nullable=False),
    Column("chosen", Integer, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("decides", Text),
    Column("decision", Text, nullable=False, default=""),
)

# `text` is empty while it runs: the text is then in `piece`. `answer` is JSON with everything but the text; `error` (or
# the reason of a cut), `sources` and `followups` repeat parts for an outline.
generation = Table(
    "generation",
    METADATA,
    Column("serial", _SERIAL, primary_key=True),
    Column("id", Text, unique=True, nullable=False),
    Column("conversation", Text, nullable=False),
    Column("turn", Text, nullable=False),
    Column("number", Integer, nullable=False),
    Column("status", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("answer", Text, nullable=False),
    Column("error", Text),
    Column("sources", Integer, nullable=False),
    Column("followups", Text, nullable=False),
    Column("backend", Text, nullable=False),
    Column("overrides", Text, nullable=False),
    Column("started_at", Double, nullable=False),
    Column("ended_at", Double),
    Column("alive_at", Double, nullable=False),
    Column("size", BigInteger, nullable=False),
)

piece = Table(
    "piece",
    METADATA,
    Column("generation", Text, primary_key=True),
    Column("start", Integer, primary_key=True),
    Column("text", Text, nullable=False),
)

# The preference between two answers to one question: `better` is left, right or equal.
preference = Table(
    "preference",
    METADATA,
    Column("left_answer", Text, primary_key=True),
    Column("right_answer", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("better", Text, nullable=False),
    Column("chosen_at", Double, nullable=False),
)

# `reasons` and `doubted` are JSON; `rating` is empty with only doubted citations.
feedback = Table(
    "feedback",
    METADATA,
    Column("answer", Text, primary_key=True),
    Column("conversation", Text, nullable=False),
    Column("rating", Text),
    Column("reasons", Text, nullable=False),
    Column("comment", Text, nullable=False),
    Column("doubted", Text, nullable=False),
    Column("given_at", Double, nullable=False),
    Column("size", BigInteger, nullable=False),
)

person = Table(
    "person",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("current", Text, nullable=False),
)

# `digest` is of the token in its address. `document` is compressed, and `policy` is the CSP of its page: both never
# change.
snapshot = Table(
    "snapshot",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("digest", Text, unique=True, nullable=False),
    Column("conversation", Text, nullable=False),
    Column("title", Text, nullable=False),
    Column("made_at", Double, nullable=False),
    Column("ends_at", Double, nullable=False),
    Column("policy", Text, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("document", LargeBinary, nullable=False),
)
