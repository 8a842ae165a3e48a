from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from chat_ui.errors import UnusableSettingsError
from chat_ui.settings import Settings, SettingsGroup, names_people

LinkReaders: TypeAlias = Literal["off", "signed-in", "anyone"]


class SharingSettings(SettingsGroup):
    shared_links: LinkReaders | None = Field(
        default=None,
        description="Readers of shared links: users who signed in, or anyone with the link. Not set: `anyone` on "
        "your own machine, `off` on a network.",
    )
    shared_link_days: int = Field(default=30, ge=1, le=3650, description="Maximum days until a shared link expires.")


def link_readers(chosen: Settings, *, is_local: bool) -> LinkReaders:
    """The readers of shared links: by default anyone if the page `is_local` without the policy public, else off.

    Raises:
        UnusableSettingsError: only signed-in readers are allowed, but neither a proxy nor a sign-in names them.
    """
    readers = SharingSettings.of(chosen).shared_links or ("anyone" if is_local and chosen.policy != "public" else "off")
    if readers == "signed-in" and not names_people(chosen):
        raise UnusableSettingsError(
            "CHAT_UI_SHARED_LINKS: signed-in needs CHAT_UI_OIDC_ISSUER, or an authenticating proxy with "
            "CHAT_UI_TRUSTED_PROXIES and CHAT_UI_IDENTITY_HEADER."
        )
    return readers


def link_days(chosen: Settings) -> int:
    """Maximum days of a shared link: not longer than conversations are stored."""
    days, kept = SharingSettings.of(chosen).shared_link_days, chosen.retention_days
    return min(days, max(1, int(kept))) if kept else days
