"""A model of Azure OpenAI that answers only with its data sources."""

import json

from tests.stand_ins.stand_in import Received, Reply, lines

DEPLOYMENT = "/openai/deployments/d/chat/completions?api-version=2024-10-21"
KEY = "search-k3y"
SOURCES = [{"type": "azure_search", "parameters": {"index_name": "i", "authentication": {"key": KEY}}}]
ASKS = "The extensions chat completions operation must have at least one extension."


def refused(words: str, status: int = 400) -> Reply:
    return Reply([json.dumps({"error": {"code": "BadRequest", "message": words}}).encode()], status)


def only_with_data(request: Received) -> Reply:
    if request.method != "POST":
        return Reply(status=405, headers={"Allow": "POST"})
    if "context" in request.json:
        return refused("Unrecognized request argument supplied: context")
    answer = {"choices": [{"delta": {"content": "One pair."}}], "object": "extensions.chat.completion.chunk"}
    stop = {"choices": [{"delta": {}, "finish_reason": "stop"}], "object": "extensions.chat.completion.chunk"}
    return Reply([lines(answer, stop)]) if request.json.get("data_sources") else refused(ASKS)
