"""Short recordings of a stand-in's answers, and backends that replay them."""

import json
from collections.abc import Mapping
from pathlib import Path

from chat_ui.backends.profile import recorded_profile
from chat_ui.backends.replaying import OperatorRecordings, Replaying, label_of_file
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.recordings.recording import Recording
from chat_ui.protocol.recordings.recording_format import Header, RecordedBackend

QUESTION = "Who pays for glasses?"
RECORDED = "The plan pays. (recorded)"
AT = "2025-11-20T09:30:02+00:00"


def recording_of(path: Path, *answers: str, question: str = QUESTION, rest: str = "", after: float = 0.02) -> Path:
    """A recording with one exchange for each answer, each answer in one piece. The `rest` comes that many seconds
    later.
    """
    header = Header("2025-11-20T09:30:00Z", RecordedBackend("Plans", "https://plans.example", "/chat"))
    lines = [header.line.decode()]
    for number, text in enumerate(answers, 1):
        request = {"messages": [{"role": "user", "content": question}]}
        asked = {
            "exchange": number,
            "at": AT,
            "method": "POST",
            "path": "/chat/stream",
            "question": question,
            "place": 1,
        }
        came = {"request": request, "status": 200, "headers": {"content-type": "application/jsonl"}}
        said = [json.dumps({"delta": {"role": "assistant", "content": part}}) + "\n" for part in (text, rest)]
        readings = [0.01, "text", said[0]], [after, "text", said[1]], [after, "end", ""]
        lines += [json.dumps(line) + "\n" for line in ({**asked, **came}, *readings)]
    path.write_text("".join(lines))
    return path


def backend_of(path: Path) -> Backend:
    return recorded_profile(Recording.open(path), label_of_file(path), "Plans").backend()


def replaying(files: tuple[Path, ...] = (), fallback: Mapping[str, Path] | None = None) -> Replaying:
    """Replays these files of the operator and, by their ids, the fallbacks of backends."""
    replaced = {profile: (path, backend_of(path)) for profile, path in (fallback or {}).items()}
    offered = OperatorRecordings({label_of_file(path): path for path in files}, replaced)
    return Replaying(offered)
