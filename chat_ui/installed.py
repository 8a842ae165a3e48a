"""The features of the app, in the order of their parts on the page, their commands and their routes."""

from __future__ import annotations

from typing import Final

from chat_ui.feature import Feature
from chat_ui.features.approvals.feature import FEATURE as APPROVALS
from chat_ui.features.branding.feature import FEATURE as BRANDING
from chat_ui.features.checking.feature import FEATURE as CHECKING
from chat_ui.features.claims.feature import FEATURE as CLAIMS
from chat_ui.features.commands.feature import FEATURE as COMMANDS
from chat_ui.features.comparing.feature import FEATURE as COMPARING
from chat_ui.features.demo.feature import FEATURE as DEMO
from chat_ui.features.deployment.feature import FEATURE as DEPLOYMENT
from chat_ui.features.embedding.feature import FEATURE as EMBEDDING
from chat_ui.features.evaluation.feature import FEATURE as EVALUATION
from chat_ui.features.exporting.feature import FEATURE as EXPORTING
from chat_ui.features.feedback.feature import FEATURE as FEEDBACK
from chat_ui.features.office.feature import FEATURE as OFFICE
from chat_ui.features.presenting.feature import FEATURE as PRESENTING
from chat_ui.features.recordings.feature import FEATURE as RECORDINGS
from chat_ui.features.sharing.feature import FEATURE as SHARING
from chat_ui.features.signing_in.feature import FEATURE as SIGNING_IN
from chat_ui.features.speech.feature import FEATURE as SPEECH
from chat_ui.features.telemetry.feature import FEATURE as TELEMETRY

FEATURES: Final[tuple[Feature, ...]] = (
    BRANDING,
    COMMANDS,
    SPEECH,
    COMPARING,
    CHECKING,
    RECORDINGS,
    EMBEDDING,
    PRESENTING,
    EVALUATION,
    APPROVALS,
    CLAIMS,
    FEEDBACK,
    OFFICE,
    EXPORTING,
    SHARING,
    TELEMETRY,
    DEPLOYMENT,
    SIGNING_IN,
    DEMO,
)
