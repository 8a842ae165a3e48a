from tests.stand_ins.lookalikes import Rule
from tests.stand_ins.stand_in import Received, Reply


class Counted:
    """A rule, and the number of its answers with text."""

    def __init__(self, rule: Rule) -> None:
        self._rule = rule
        self.answered = 0

    def __call__(self, request: Received) -> Reply:
        reply = self._rule(request)
        written = b"".join(piece for piece in reply.writes if isinstance(piece, bytes))
        self.answered += request.method == "POST" and b"One pair" in written
        return reply
