from chat_ui.conversations.store.conversation_list import StoredList
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.rows import Batch, conversation_row
from chat_ui.conversations.store.store import Store
from chat_ui.features.deployment.session_table import SessionTable
from tests.conversations.kept import conversation


async def test_a_session_has_the_conversation_until_that_is_purged(
    database: Database, store: Store, listed: StoredList
):
    talks = [conversation(1), conversation(2)]
    await store.bring_in(Batch([{**conversation_row(one), "deleted_at": None} for one in talks]))
    table = SessionTable(lambda: database)
    for one in talks:
        await table.keep("me", "service", "1", one.id)
    assert await table.of("me", "service", ["1", "2"]) == {"1": (talks[1].id, False)}
    for owner, service, sessions in (("me", "service", []), ("you", "service", ["1"]), ("me", "other", ["1"])):
        assert await table.of(owner, service, sessions) == {}
    await listed.delete("me", talks[1].id)
    assert await table.of("me", "service", ["1"]) == {"1": (talks[1].id, True)}
    await listed.hand_over("me", "anna")
    assert await table.of("anna", "service", ["1"]) == {"1": (talks[1].id, True)}
    await table.keep("anna", "service", "1", talks[0].id)
    assert await table.of("anna", "service", ["1"]) == {"1": (talks[0].id, False)}
    await listed.delete_all("anna")
    assert await table.of("anna", "service", ["1"]) == {}
