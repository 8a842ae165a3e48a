from chat_ui.errors import SignInNeededError


class Accounts:
    """People who signed in, with their groups, which `elsewhere` may have changed in another process. The token for
    `ended` has ended.
    """

    def __init__(self, is_required: bool = False, ended: str = "-", **people: str) -> None:
        self.people, self.is_required, self.ended = people, is_required, ended
        self.elsewhere: dict[str, frozenset[str] | None] = {}
        self.not_accepted: list[str] = []

    def groups(self, person: str) -> frozenset[str] | None:
        return frozenset(self.people[person].split()) if person in self.people else None

    async def current_groups(self, person: str) -> frozenset[str] | None:
        return self.elsewhere.get(person, self.groups(person))

    async def token(self, person: str, scope: str) -> str:
        if scope == self.ended:
            raise SignInNeededError("Sign in again.")
        return f"of {person} for {scope}" if person in self.people else ""

    def refused(self, token: str) -> None:
        self.not_accepted.append(token)
