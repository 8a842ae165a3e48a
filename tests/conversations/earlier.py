"""Schemas of earlier versions, and where databases of each of them are."""

from __future__ import annotations

from pathlib import Path

from alembic.script import ScriptDirectory

from chat_ui.conversations.store.migrations import upgrade

SCHEMAS = Path(__file__).parent / "schemas"
STEPS = ScriptDirectory(str(Path(upgrade.__file__).parent))
EARLIER = [step.revision for step in STEPS.walk_revisions() if step.revision not in STEPS.get_heads()]
