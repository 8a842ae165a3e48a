"""The state of the open conversation."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, nullcontext, suppress
from typing import Any, Final

import reflex as rx
from reflex.config import get_config
from reflex.event import EventType
from reflex.state import BaseState

from chat_ui.backends.offer import Sent
from chat_ui.backends.state.backend_choice import (
    BackendState,
    asked,
    asked_there,
    keep_found,
    note_answer,
    use_remembered,
)
from chat_ui.conversations.conversation import Conversation
from chat_ui.conversations.people.attached_images import MOST as MOST_IMAGES
from chat_ui.conversations.people.attached_images import ImageName
from chat_ui.errors import (
    AlreadyDecidedError,
    LimitReachedError,
    SignInNeededError,
    StillAnsweringError,
    StoreUnavailableError,
    VaultError,
)
from chat_ui.languages.translation import gettext, translated
from chat_ui.page.state.decisions import LAPSED, NOT_RECEIVED, in_words, problem_of, read_decisions, takes_decision
from chat_ui.page.state.socket_people import person_at
from chat_ui.page.state.views import AnswerView, TurnView, shape_of, turn_views
from chat_ui.protocol.answers.pause import Decision, checked
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.errors import InvalidRequestError
from chat_ui.protocol.translatable import msg
from chat_ui.server.addresses import ANSWERS, ATTACHMENTS, CONVERSATION
from chat_ui.server.logs import REQUEST_HEADER, request_id
from chat_ui.server.services import services
from chat_ui.settings import settings

MAX_QUESTION: Final = settings().question_characters
"""Characters of a question."""
KEEP_ALIVE_SECONDS: Final = get_config().redis_token_expiration / 3
"""Seconds between refreshes of an open page's state, which would otherwise expire."""
RETRY_SECONDS: Final = 2.0
"""Seconds before a retry to read a conversation."""
WINDOW: Final = 20
"""Turns of a conversation that the page has when it opens, and gets at each scroll to the top."""
MOST_ASKED_AFTER: Final = 100
"""Questions in a request for their fate."""
LONGEST_NAME: Final = 100
"""Characters of a question's name."""
CONTINUE: Final = msg("Please continue your last answer from where it stopped.")


class ChatEvents(rx.State, mixin=True):
    """Turns of a conversation on the page, and the person's actions.

    `turns` changes with each question, but only `latest` during an answer, so that its cost does not grow with the
    conversation. `turns` has the end of a long conversation, and more after scrolling up.
    """

    turns: list[TurnView] = []
    latest: AnswerView = AnswerView()
    conversation_id: str = ""
    title: str = ""
    """The conversation's title; empty for a new or unavailable one."""
    refusal: str = ""
    sign_in: str = ""
    """The backend of the `refusal`, by the id of its profile, if the person must sign in first."""
    returned: str = ""
    returned_as: str = ""
    written: bool = True
    """Whether the store has all questions of the conversation."""
    has_earlier: bool = False
    missing: str = ""
    is_gone: bool = False
    """Whether the conversation on the page was deleted."""
    instead_of: str = ""
    """The conversation on the page when it sent its last question, if it was asked in another one."""
    unsaved: str = ""
    """Why this conversation is not saved, for the person; empty if it is."""
    apart: bool = False
    list_revision: int = 0

    _window: int = WINDOW
    _follower: int = 0
    _gone: str = ""
    """The deleted conversation of `is_gone`."""
    _confirmed: str = ""
    """The request that is carried out when it is repeated."""

    @rx.event(background=True)
    async def follow(self) -> EventType[()] | None:
        """Synchronize this tab with its conversation until the tab is gone or follows again; retry failed reads."""
        async with self:
            # With a count, a new state could have the number of the former follower.
            self._follower = follower = secrets.randbits(63)
            owner = self._owner
            services().conversations.look_up(owner, self.conversation_id)
        while True:
            async with self:
                if not self._is_followed or self._follower != follower:
                    return None
                followed = self.conversation_id
            # Without the state's lock, which Reflex takes away after ten seconds and then cancels this event.
            try:
                conversation = await services().conversations.get(owner, followed)
            except StoreUnavailableError:
                await asyncio.sleep(RETRY_SECONDS)
                continue
            seen = conversation.signal.revision if conversation is not None else 0
            async with self:
                if self._follower != follower:
                    return None
                if self.missing:
                    return self.__class__.open
                # Reflex discards unused states; refresh both while the page is open.
                chosen = await self._choice()
                if conversation is None or conversation.deleted or self.conversation_id != followed:
                    conversation = await self._conversation(owner)
                    seen = conversation.signal.revision
                self._show(conversation)
                if self.is_gone and self._asked_for == followed:
                    return rx.redirect("/", replace=True)
                if not self.latest.live:
                    keep_found(chosen, owner)
            with suppress(TimeoutError):
                async with asyncio.timeout(RETRY_SECONDS if conversation.stale else KEEP_ALIVE_SECONDS):
                    await conversation.signal.wait(seen)

    @rx.event(background=True)
    async def note_end(self, answer: str) -> None:
        """Wait for the end of a person's answer, and store the outcome of its backend, even after the reader has left
        its conversation.
        """
        async with self:
            owner = self._owner
        with suppress(StoreUnavailableError):
            generation = await services().conversations.answer(owner, answer)
            if generation is not None:
                await generation.wait_for_end()
                async with self:
                    note_answer(await self._choice(), generation)

    @rx.event
    async def ask(self, question: str) -> EventType[()] | list[EventType[Any]] | None:
        return await self._ask(question, [])

    async def _ask(
        self, question: str, attached: list[str], answer: str = "", shown: str = "", *, counted: int = 1
    ) -> EventType[()] | list[EventType[Any]] | None:
        """Send a question with the files of these ids; the page awaits its answer under the name `answer`.

        It is `counted` as several questions in the limits; a blank one is ignored. `shown` is the conversation on the
        page, which may be outdated after a deletion or a new one's start. A refused question goes back to the composer,
        with the reason in `refusal`.
        """
        if not question.strip():
            return None
        async with self._turn() if counted else nullcontext(True) as has_turn:
            if has_turn:
                return await self._ask_now(question, attached, answer, shown, counted)
        self._give_back(question)
        return None

    async def _ask_now(
        self, question: str, attached: list[str], answer: str, shown: str, counted: int
    ) -> EventType[()] | list[EventType[Any]] | None:
        backend_state = await self._choice()
        unfollowed = self.missing != ""
        conversation = await self._conversation()
        self.instead_of = shown[:LONGEST_NAME] if shown != conversation.id else ""
        self.is_gone = False
        begins = not conversation.turns
        chosen = await self._asked(backend_state)
        if chosen is None:
            self._give_back(question)
            return self.__class__.follow if unfollowed else None
        backend, sent = chosen
        images = await self._images(attached, backend)
        if images is None or not await self._may_ask(conversation, question, counted=counted):
            self._give_back(question)
            return self.__class__.follow if unfollowed else None
        turn = conversation.ask(
            services().backends.client, backend, question, sent.options, told=sent.told, images=images, answer=answer
        )
        if begins:
            services().conversations.lists.has_begun(conversation)
        self._show(conversation)
        await services().conversations.share(conversation, turn)
        noting = self.__class__.note_end(turn.generation.id)
        if self._asked_for not in ("", conversation.id):
            return [noting, rx.redirect("/", replace=True)]
        return [noting, self.__class__.follow] if unfollowed else noting

    def _give_back(self, question: str) -> None:
        self.returned = question
        self.returned_as = secrets.token_urlsafe(8)

    @rx.event
    def go_on(self) -> EventType[str]:
        """Ask for the rest of an interrupted or truncated answer, as a new question."""
        return self.__class__.ask(gettext(CONTINUE))

    @rx.event
    async def edit(self, turn: str, question: str) -> EventType[str] | None:
        """Replace a question by an edited one, and ask it; ignore a blank one. The page keeps the edited text in its
        box while that turn is shown. The composer gets it if the turn is gone.
        """
        async with self._turn() as has_turn:
            return await self._edit_now(turn, question) if has_turn else None

    async def _edit_now(self, turn: str, question: str) -> EventType[str] | None:
        backend_state = await self._choice()
        conversation = await self._conversation()
        if not question.strip():
            return None
        if all(one.id != turn for one in conversation.turns):
            self._give_back_edit(conversation, question)
            return None
        chosen = await self._asked(backend_state)
        if chosen is None:
            return None
        backend, sent = chosen
        images = next((one.images for one in conversation.turns if one.id == turn), ())
        if not await self._are_stored(images, backend) or not await self._may_ask(conversation, question):
            return None
        try:
            edited = conversation.edit(
                services().backends.client, backend, turn, question, sent.options, told=sent.told
            )
        except KeyError:
            self._give_back_edit(conversation, question)
            return None
        await services().conversations.share(conversation, edited)
        self._show(conversation)
        return self.__class__.note_end(edited.generation.id)

    def _give_back_edit(self, conversation: Conversation, question: str) -> None:
        # A double Enter sends a question again.
        if all(one.question != question for one in conversation.turns):
            self.refusal = gettext(EDITED_IS_GONE)
            self._give_back(question)
        self._show(conversation)

    @rx.event
    async def show_version(self, turn: str, number: int) -> None:
        conversation = await self._conversation()
        with suppress(KeyError):
            conversation.show_version(turn, number)
        self._show(conversation)

    @rx.event
    async def choose_answer(self, turn: str, number: int) -> None:
        conversation = await self._conversation()
        with suppress(KeyError):
            conversation.choose_answer(turn, number)
        self._show(conversation)

    @rx.event
    async def answer_again(self) -> EventType[str] | None:
        async with self._turn() as has_turn:
            return await self._answer_again_now() if has_turn else None

    async def _answer_again_now(self) -> EventType[str] | None:
        backend_state = await self._choice()
        conversation = await self._conversation()
        chosen = await self._asked(backend_state)
        if not conversation.turns or conversation.turns[-1].decides is not None or chosen is None:
            return None
        backend, sent = chosen
        if not await self._are_stored(conversation.turns[-1].images, backend) or not await self._may_ask(conversation):
            return None
        turn = conversation.answer_again(services().backends.client, backend, sent.options, told=sent.told)
        self._show(conversation)
        await services().conversations.share(conversation, turn)
        return self.__class__.note_end(turn.generation.id)

    @rx.event
    async def decide(self, answer: str, decisions: str) -> EventType[str] | None:
        """Send decisions on the requests of a waiting answer, as `read_decisions` reads them."""
        return await self._decide(answer[:LONGEST_NAME], read_decisions(decisions))

    @rx.event
    async def decide_again(self, turn: str) -> EventType[str] | None:
        """Send the decisions of the last turn again. The person confirms it if the backend may have received them."""
        turns = (await self._conversation()).turns
        if not turns or (last := turns[-1]).id != turn or last.decides is None:
            return None
        problems = [problem_of(one.head) for one in last.generations]
        words = msg("The tool may run twice. Press “Send again” once more to send the decision.")
        is_certain = set(problems) == {NOT_RECEIVED}
        if problems[-1] in ("", LAPSED) or not (is_certain or self._confirms(last.generations[-1].id, words)):
            return None
        return await self._decide(last.decides, again=turn)

    async def _decide(self, answer: str, given: Sequence[Decision] = (), again: str = "") -> EventType[str] | None:
        """Send decisions on an answer, or those of the turn `again`; `refusal` has the reason if they are not sent."""
        async with self._turn() as has_turn:
            client, conversations = services().backends.client, services().conversations
            conversation = await self._conversation()
            try:
                paused = await conversations.answer(self._owner, answer) if has_turn else None
                if paused is None or (pause := paused.answer.pause) is None:
                    return None
                profile = str(paused.asked_of.get("profile") or "")
                backend = await asked_there(await self._choice(), paused.asked_of)
                if not again:
                    # For some seconds `may_ask` keeps other processes from deciding.
                    checked(pause, given, time.time())
                await conversations.may_ask(conversation)
                words = in_words(pause, given)
                turn = await conversation.decide(client, backend, answer, given, words, again=bool(again))
            except (AlreadyDecidedError, StillAnsweringError):
                async with conversation.refreshing:
                    # The other tab's decision is written now.
                    pass
                conversation = await self._conversation()
                decision = next((one.question for one in conversation.turns if one.decides == answer), "")
                words = gettext("This request was decided in another tab: {decision}.", decision=decision)
                self.refusal = words if decision else gettext(STILL_ANSWERING)
                self._show(conversation)
            except StoreUnavailableError:
                self.refusal = gettext(NOT_SAVED)
            except (InvalidRequestError, KeyError, VaultError, ValueError) as problem:
                self.refusal = translated(LAPSED if isinstance(problem, KeyError) else str(problem))
                self.sign_in = profile if isinstance(problem, SignInNeededError) else ""
            else:
                await conversations.share(conversation, turn)
                self._show(conversation)
                return self.__class__.note_end(turn.generation.id)
            return None

    @rx.event
    async def stop(self) -> None:
        """Stop the streaming answer, in any tab."""
        conversation = await self._conversation()
        await services().conversations.stop(conversation)
        self._show(conversation)

    @rx.event
    async def show_earlier(self) -> None:
        if self.has_earlier:
            self._window += WINDOW
            self._show(await self._conversation())

    @property
    def _asked_for(self) -> str:
        """The conversation's id in the address, or empty."""
        return ""

    @property
    def _is_followed(self) -> bool:
        return self.missing != NOT_FOUND

    @property
    def _owner(self) -> str:
        return person_at(self)

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[bool]:
        """The turn of a question, before costly work; False with the reason in `refusal`."""
        self.refusal = self.returned = self.sign_in = ""
        self.returned_as = secrets.token_urlsafe(8)
        # Events run outside of the request that opened their socket.
        request_id.set(self.router.headers.raw_headers.get(REQUEST_HEADER, ""))
        async with AsyncExitStack() as stack:
            try:
                await stack.enter_async_context(services().admission.turn())
            except LimitReachedError as reached:
                self.refusal = translated(str(reached))
                yield False
            else:
                yield True

    def _may_drop(self, conversation: Conversation) -> bool:
        """Whether a question may drop the request of a waiting agent, which the person confirms by asking again."""
        last = conversation.turns[-1].generation.head if conversation.turns else None
        words = msg("The agent still waits for your answer. Ask again to drop its request.")
        return last is None or not takes_decision(last) or self._confirms(last.id, words)

    def _confirms(self, what: str, words: str) -> bool:
        """Whether the person repeats a request; the first time, `refusal` has the `words`."""
        is_confirmed, self._confirmed = self._confirmed == what, what
        self.refusal = "" if is_confirmed else gettext(words)
        return is_confirmed

    async def _may_ask(self, conversation: Conversation, question: str = "", *, counted: int = 1) -> bool:
        """Whether the person may ask `counted` questions now, until the next `await`; `refusal` has the reason."""
        owner = conversation.owner
        if not self._may_drop(conversation):
            return False
        try:
            conversation.check_not_answering()
            conversations, allowance = services().conversations, services().allowance
            await conversations.has_capacity(owner, counted * len(question))
            running = conversations.running(owner) + max(0, counted - 1)
            await allowance.take(
                owner, questions=counted, characters=len(question), conversation=conversation.id, running=running
            )
            await conversations.may_ask(conversation)
        except StillAnsweringError:
            self.refusal = gettext(STILL_ANSWERING)
        except LimitReachedError as reached:
            self.refusal = translated(str(reached))
        return not self.refusal

    async def _asked(self, chosen: BackendState) -> tuple[Backend, Sent] | None:
        """The backend to ask and the options; None, with the reason in `refusal`, if its key is unavailable."""
        try:
            return await asked(chosen)
        except (VaultError, ValueError) as problem:
            self.refusal = translated(str(problem))
            self.sign_in = chosen._shown if isinstance(problem, SignInNeededError) else ""
            return None

    async def _images(self, attached: list[str], backend: Backend) -> tuple[ImageName, ...] | None:
        """The files of these ids; None, with the reason in `refusal`, if they cannot be sent."""
        found = await services().conversations.attachments.find_all(self._owner, attached[:MOST_IMAGES])
        images = tuple(image.named for image in found)
        if len(images) < len(attached):
            self.refusal = gettext(
                "An attached file is not available any more. Attach it again, then send the question."
            )
            return None
        for image in images:
            if not backend.takes(image.media_type):
                self.refusal = gettext(
                    "This backend does not take {name}. Remove it, then send the question.", name=image.name
                )
                return None
        return images

    async def _are_stored(self, images: tuple[ImageName, ...], backend: Backend) -> bool:
        """Whether a question's files can be sent again; `refusal` has the reason."""
        if backend.recording:
            return True
        found = await services().conversations.attachments.find_all(self._owner, [image.id for image in images])
        if len(found) < len(images):
            self.refusal = gettext("A file of this question is not available any more. Attach it to a new question.")
            return False
        for image in images:
            if not backend.takes(image.media_type):
                self.refusal = gettext(
                    "This backend does not take {name}. Choose another backend, or ask without it in a new question.",
                    name=image.name,
                )
                return False
        return True

    async def _conversation(self, owner: str = "") -> Conversation:
        """The open conversation, or a new one if that is gone."""
        raise NotImplementedError

    async def _choice(self) -> BackendState:
        return await self.get_state(BackendState)

    def _show(self, conversation: Conversation) -> None:
        if conversation.id != self.conversation_id:
            self.conversation_id = conversation.id
        first = max(0, len(conversation.turns) - self._window)
        turns = turn_views(conversation, first, ANSWERS, ATTACHMENTS)
        if shape_of(self.turns) != shape_of(turns):
            self.turns = turns
        changes = {
            "title": conversation.record.title,
            "latest": turns[-1].answer if turns else AnswerView(),
            "has_earlier": first > 0,
            "unsaved": translated(services().conversations.unsaved_notice),
            "written": conversation.is_written,
            "apart": services().conversations.apart,
            "list_revision": services().conversations.lists.revision(conversation.owner),
        }
        for name, value in changes.items():
            if getattr(self, name) != value:
                setattr(self, name, value)


class ChatState(ChatEvents, rx.State):
    """The open conversation. The tab stores its id in `remembered`, for a server that does not know it."""

    remembered: str = rx.SessionStorage("", name="chat-ui-conversation")
    last: list[str] = []
    """The id and title of the conversation that the person began or opened last, while this one is empty."""
    missing_id: str = ""
    """The id of the `missing` conversation."""
    pongs: int = 0
    findings: dict[str, bool] = {}
    """Whether each requested question is stored, by its name; False for an unknown one."""

    _at_backend_of: str = ""

    @rx.event
    async def open(self) -> EventType[()] | None:
        """Show the conversation in the address, or else the tab's, and follow it; a new one in a new tab."""
        # `refusal` is for the page that asked.
        self.refusal = ""
        asked_for = self._asked_for
        wanted = asked_for or self.remembered
        if not wanted:
            await self._start()
            return ChatState.follow
        if wanted != self.conversation_id:
            self._window = WINDOW
        try:
            found = await services().conversations.get(self._owner, wanted)
            self.missing = NOT_FOUND if asked_for and found is None else ""
            self.conversation_id = wanted if not self.missing else ""
        except StoreUnavailableError:
            found = None
            self.missing, self.conversation_id = NOT_READABLE, wanted
        self.missing_id = wanted if self.missing else ""
        if found is not None and (first := found.record.compared_with) is not None:
            # A second column belongs only to the first one.
            self.conversation_id = first
            return rx.redirect(f"{CONVERSATION}/{first}", replace=True)
        if asked_for and found is not None:
            services().conversations.open(found)
            self.is_gone = False
        if self.missing:
            self.turns, self.latest, self.has_earlier, self.title = [], AnswerView(), False, ""
            return ChatState.follow if self.missing == NOT_READABLE else None
        conversation = await self._conversation()
        self._show(conversation)
        self.remembered = conversation.id
        if not conversation.turns:
            await self._look_back()
        if self._at_backend_of != conversation.id and "backend" not in self.router.url.query_parameters:
            await self._use_backend_of(conversation)
        return ChatState.follow

    @rx.event
    def ping(self) -> None:
        """Increment `pongs` to tell the page that all its earlier events are handled."""
        self.pongs += 1

    @rx.event
    async def find_questions(self, asked: list[str]) -> None:
        """Tell the page the fate of questions, named CONVERSATION.TURN, that a server's end may have lost."""
        findings = {}
        for name in asked[:MOST_ASKED_AFTER]:
            conversation_id, _, turn = name[:LONGEST_NAME].partition(".")
            with suppress(StoreUnavailableError):
                conversation = await services().conversations.get(self._owner, conversation_id)
                is_there = conversation is not None and conversation.has(turn)
                if conversation is None or (conversation.is_written and not conversation.stale):
                    findings[name[:LONGEST_NAME]] = is_there
        self.findings = findings

    @rx.event
    async def new_chat(self) -> EventType[()] | None:
        left, was_missing = self.conversation_id, self.missing
        self.refusal = ""
        await self._start()
        former = await services().conversations.get(self._owner, left) if left and not was_missing else None
        if former is not None:
            # Wakes the follower of this tab, which then finds another conversation.
            former.signal.bump()
        if str(self.router.url.path).startswith(CONVERSATION):
            return rx.redirect("/")
        return None

    async def _start(self) -> None:
        started = services().conversations.start(self._owner)
        self.missing = ""
        self.is_gone = False
        self._window = WINDOW
        self._show(started)
        await self._look_back()
        await self._use_backend_of(started)

    async def _look_back(self) -> None:
        last = await services().conversations.current(self._owner)
        self.last = [last.id, last.record.title] if last is not None else []

    async def _use_backend_of(self, conversation: Conversation) -> None:
        """Ask the backend of the last answer next; in a new conversation, the person's choice."""
        self._at_backend_of = conversation.id
        newest = None
        if conversation.turns:
            with suppress(StoreUnavailableError):
                newest = await services().conversations.answer(self._owner, conversation.turns[-1].generation.id)
        use_remembered(await self.get_state(BackendState), newest.asked_of if newest is not None else {})

    @property
    def _asked_for(self) -> str:
        return str(self.router.url.path).partition(f"{CONVERSATION}/")[2].strip("/")

    async def _conversation(self, owner: str = "") -> Conversation:
        owner = owner or self._owner
        # The new current conversation may be deleted too, with all others.
        is_gone = self.is_gone or self.turns != []
        try:
            found = await services().conversations.get(owner, self.conversation_id)
        except StoreUnavailableError:
            found, is_gone = None, self.is_gone
        if found is None or found.deleted:
            self.is_gone, self.missing, self._gone = is_gone, "", self.conversation_id
            found = services().conversations.start(owner)
            await self._look_back()
        return found

    def _show(self, conversation: Conversation) -> None:
        # The follower of a page that has just left shows its conversation again, and the new page has none.
        if self.conversation_id != conversation.id:
            self.remembered = conversation.id
        super()._show(conversation)


NOT_FOUND: Final = "not found"
"""A value of `missing`: the conversation does not exist."""
STILL_ANSWERING: Final = msg(
    "An answer is still being written in this conversation. Wait until it ends or stop it, then send "
    "the question again."
)
NOT_SAVED: Final = msg("Your decision was not sent, because it cannot be saved at the moment. Try again in a moment.")
EDITED_IS_GONE: Final = msg(
    "The question you edited is not shown any more. Your words are in the box below: send them as a new question."
)
NOT_READABLE: Final = "not readable"
"""A value of `missing`: the conversation cannot be read at the moment."""


def has_conversation(page: BaseState) -> bool:
    """Whether the page has a conversation, or has asked a question."""
    chat = page.get_substate(ChatState.get_full_name().split("."))
    return isinstance(chat, ChatState) and bool(chat.turns or chat.latest.live)
