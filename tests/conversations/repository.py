import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from inspect import isawaitable
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Engine, event
from sqlalchemy import text as sql
from sqlalchemy.util import await_only

from chat_ui.conversations.conversation import Conversation, Turn
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.generations.generation import Generation
from chat_ui.conversations.generations.local import Asked, LocalGeneration
from chat_ui.conversations.people.attached_images import Attachments
from chat_ui.conversations.records.records import StoredAnswer
from chat_ui.conversations.store.database import Database, engine_at
from chat_ui.errors import StoreUnavailableError
from chat_ui.protocol.backends.backend import Backend, ChatRequest, Message
from chat_ui.protocol.transport.client import AsyncClient
from tests.stand_ins.stand_in import StandIn, lines
from tests.timeouts import TIMEOUT

HALF = lines({"delta": {"content": "Half an answer"}})
T = TypeVar("T")
REST = lines({"delta": {"content": ", and the rest."}})
FOR_EVER = float("inf")


async def nowhere() -> Database:
    """Stands for a database that cannot be reached."""
    raise StoreUnavailableError("there is none")


def path_of(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


async def execute(url: str, statement: str, **values: object) -> None:
    """Execute a statement on a separate connection."""
    engine = engine_at(url)
    async with engine.begin() as connection:
        await connection.execute(sql(statement), values)
    await engine.dispose()


async def made_empty(url: str) -> None:
    await (await Database.open(url)).close()


@asynccontextmanager
async def repository(url: str, **settings: Any) -> AsyncIterator[Conversations]:
    conversations = Conversations(lambda: Database.open(url), **settings)
    await conversations.begin()
    try:
        yield conversations
    finally:
        await conversations.end_running(grace=0)
        await conversations.end()


def ask(client: AsyncClient, talk: Conversation, backend: StandIn, question: str = "Who is there?") -> Turn:
    return talk.ask(client, Backend(f"{backend.url}/chat", headers={"api-key": "top-secret"}), question, {"top": 3})


def answer_of(backend: StandIn, answer: str = "talk.answer", question: str = "Who is there?") -> LocalGeneration:
    """An answer to a question, not started yet."""

    async def prepare() -> ChatRequest:
        return ChatRequest((Message("user", question),))

    asked = Asked("me", answer.partition(".")[0], "turn", 1, question, {})
    return LocalGeneration(
        answer, asked, Backend(f"{backend.url}/chat"), prepare, lambda: None, attachments=Attachments()
    )


async def signalled(by: Generation | Conversation, condition: Callable[[], bool]) -> None:
    """Return once the condition holds, checked at each change."""
    seen = 0
    async with asyncio.timeout(TIMEOUT):
        while not condition():
            seen = await by.signal.wait(seen)


async def reached(answer: Generation, text: str) -> None:
    await signalled(answer, lambda: answer.answer.text == text)


async def is_deleted(talk: Conversation) -> None:
    await signalled(talk, lambda: talk.deleted)


async def is_failing(conversations: Conversations, talk: Conversation, *, is_so: bool = True) -> None:
    """Return once writes fail, or succeed again."""
    await signalled(talk, lambda: conversations.repository.failing is is_so)


async def until(condition: Callable[[], T | Awaitable[T]]) -> T:
    """The first truthy result of the condition."""
    async with asyncio.timeout(TIMEOUT):
        while True:
            found = condition()
            if found := await found if isawaitable(found) else found:
                return found
            # Another process's store announces nothing.
            await asyncio.sleep(0.02)


@asynccontextmanager
async def held(words: str) -> AsyncIterator[Callable[[], Awaitable[object]]]:
    """Hold statements with these words before the database within the context. Call the yielded function to wait for
    one.
    """
    arrived, left, go_on = asyncio.Semaphore(0), asyncio.Semaphore(0), asyncio.Event()
    inside = 0

    def wait(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        nonlocal inside
        if words not in statement:
            return
        inside += 1
        arrived.release()
        try:
            await_only(go_on.wait())
        finally:
            left.release()

    event.listen(Engine, "before_cursor_execute", wait)
    try:
        async with asyncio.timeout(TIMEOUT):
            yield arrived.acquire
    finally:
        go_on.set()
        # SQLAlchemy cannot remove a listener during its statement.
        for _ in range(inside):
            await left.acquire()
        event.remove(Engine, "before_cursor_execute", wait)


async def kept(conversations: Conversations, made: Turn) -> StoredAnswer | None:
    return await conversations.repository.store.answer("me", made.generation.id)


async def until_kept(
    conversations: Conversations, made: Turn, looks: Callable[[StoredAnswer], bool] = lambda _: True
) -> StoredAnswer:
    """The stored answer, once the condition holds."""

    async def found() -> StoredAnswer | None:
        answer = await kept(conversations, made)
        return answer if answer is not None and looks(answer) else None

    return await until(found)
