"""A deployment of azure-search-openai-demo without Azure. It keeps to the source at 8e2eea9b, in app/backend."""

import asyncio
import json
import mimetypes
import re
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.datastructures import UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.stand_ins.retrieval import CHUNKS, FOLLOW_UP, Chunk, Found, agentic, search
from tests.stand_ins.shelf import pdf
from tests.stand_ins.stand_in import Received

MOST_BYTES = 16 * 2**20
SILENCE = bytes.fromhex("fff348c0") + bytes(140)
"""An MP3 frame of 36 ms: MPEG-2 layer III, 16 kHz, 32 kbit/s, mono."""
_ON = """showSemanticRankerOption streamingEnabled showVectorOption ragSearchTextEmbeddings ragSearchImageEmbeddings
    ragSendTextSources ragSendImageSources"""
_OFF = """showMultimodalOptions showQueryRewritingOption showReasoningEffortOption showUserUpload showLanguagePicker
    showSpeechInput showSpeechOutputBrowser showSpeechOutputAzure showChatHistoryBrowser showChatHistoryCosmos
    showAgenticRetrievalOption webSourceEnabled sharepointSourceEnabled"""
_EFFORTS: dict[str, Any] = {
    "defaultReasoningEffort": None, "reasoningEffortOptions": [], "defaultRetrievalReasoningEffort": "low",
}  # fmt: skip
_ERROR = """The app encountered an error processing your request.
If you are an administrator of the app, check the application logs for a full traceback.
Error type: {}
"""
_UPLOAD_ERROR = "Error uploading file, check server logs for details."
_HIDDEN = re.compile(r"/|images|(?i:\.(png|jpe?g|gif|bmp)$)")
_FAULTS = (LookupError, AttributeError, TypeError, ValueError, OSError, RuntimeError)
_Handler = Callable[[Request, str], Awaitable[Response]]


def _error(error: Exception) -> dict[str, str]:
    """error.py `error_dict`."""
    return {"error": _ERROR.format(type(error))}


class Deployment:
    """Serve `.app` with `tests.features.demo.serving.serving(deployment.app)`, which yields its base URL.

    `pause` is the time between two words, in seconds.

    A test may change the attributes at any time:
        config: the object at GET /config, which also switches the services on. The 23 keys of the plainest deployment:
            ranker, vectors and streaming are on, the retrieval effort is `low`, everything else is off.
        raw_config: bytes in place of `config`, with `config_status`, `config_headers` (media type, Location) and
            `config_seconds` before the answer. `config_requests` counts.
        tokens: the oid of each valid token. Empty: login is off. A token that was taken out has expired.
        is_open: with a login, people without a token may ask as well. `raw_auth_setup`: in place of GET /auth_setup.
        requests: every request, with method, path and query, headers and body (`.json`), which is empty if refused.
        files: the bytes of uploaded files, by oid and name.
        sessions: the history, by oid and id: `{"title", "timestamp" in ms, "answers": [[question, response]]}`.
        fails: paths whose storage, Cosmos or speech service raises: `/upload`, `/chat_history/sessions/{id}`.
        documents: the bytes of documents, by their name at /content.
    """

    def __init__(self, pause: float = 0) -> None:
        self.config: dict[str, Any] = {**dict.fromkeys(_ON.split(), True), **_EFFORTS}
        self.config |= dict.fromkeys(_OFF.split(), False)
        self.raw_config: bytes | None = None
        self.config_status, self.config_headers = 200, {"Content-Type": "application/json"}
        self.config_seconds, self.config_requests = 0.0, 0
        self.tokens: dict[str, str] = {}
        self.is_open = False
        self.raw_auth_setup: Any = None
        self.requests: list[Received] = []
        self.files: dict[str, dict[str, bytes]] = {}
        self.sessions: dict[str, dict[str, dict[str, Any]]] = {}
        self.fails: set[str] = set()
        self.documents = {one.file: pdf(*["Benefits"] * (one.page - 1), f"{one.content}.") for one in CHUNKS}
        self._pause = pause
        routes = [
            self._route("/config", self._config, "GET", login=False),
            self._route("/auth_setup", self._auth_setup, "GET", login=False),
            self._route("/chat", self._chat, "POST", _error),
            self._route("/chat/stream", self._chat, "POST", _error),
            self._route("/upload", self._upload, "POST", lambda _: {"message": _UPLOAD_ERROR, "status": "failed"}),
            self._route("/list_uploaded", self._uploaded, "GET"),
            self._route("/delete_uploaded", self._uploaded, "POST"),
            self._route("/chat_history", self._history, "POST", _error),
            self._route("/chat_history/sessions", self._history, "GET", _error),
            self._route("/chat_history/sessions/{id}", self._history, "GET DELETE", _error),
            self._route("/speech", self._speech, "POST", lambda error: {"error": str(error)}, login=False),
            self._route("/content/{name}", self._content, "GET"),
        ]
        self.app = Starlette(routes=routes, exception_handlers={HTTPException: _page})

    def _route(self, path: str, handler: _Handler, methods: str, failed: Any = None, *, login: bool = True) -> Route:
        """decorators.py `authenticated`, and Quart: OPTIONS, large bodies, and the page or JSON of an exception."""

        async def serve(request: Request) -> Response:
            if request.method == "OPTIONS":
                return HTMLResponse(headers={"Allow": ", ".join([*methods.split(), "OPTIONS"])})
            target = f"{request.url.path}?{request.url.query}".removesuffix("?")
            self.requests.append(received := Received(request.method, target, dict(request.headers), b""))
            oid = self._oid(request) if login else ""
            request._body = received.body = await _body(request)
            try:
                if path in self.fails:
                    raise ConnectionError("The service failed.")
                return await handler(request, oid)
            except _FAULTS as error:
                return JSONResponse(failed(error), 500) if failed else await _page(request, error)

        return Route(path, serve, methods=[*methods.split(), "OPTIONS"])

    def _oid(self, request: Request) -> str:
        """core/authentication.py `get_auth_claims_if_enabled`."""
        if not self.tokens:
            return ""
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        if token not in self.tokens and self.is_open:
            return ""
        if token not in self.tokens:
            raise HTTPException(403)
        return self.tokens[token]

    async def _config(self, _: Request, __: str) -> Response:
        """app.py `config`."""
        self.config_requests += 1
        await asyncio.sleep(self.config_seconds)
        body = json.dumps(self.config).encode() if self.raw_config is None else self.raw_config
        return Response(body, self.config_status, self.config_headers)

    async def _auth_setup(self, _: Request, __: str) -> Response:
        """core/authentication.py `get_auth_setup_for_client`."""
        login = bool(self.tokens)
        tenant, server = ("TENANT", "SERVER") if login else ("None", "None")
        authority, scope = f"https://login.microsoftonline.com/{tenant}", f"api://{server}/access_as_user"
        setup = {
            "useLogin": login,
            "requireAccessControl": login,
            "enableUnauthenticatedAccess": self.is_open or not login,
            "msalConfig": {"auth": {"clientId": "CLIENT" if login else None, "authority": authority}},
            "loginRequest": {"scopes": [".default"]},
            "tokenRequest": {"scopes": [scope]},
        }
        return JSONResponse(setup if self.raw_auth_setup is None else self.raw_auth_setup)

    async def _chat(self, request: Request, oid: str) -> Response:
        """app.py `chat` and `chat_stream`."""
        body = await _json(request)
        state = body.get("session_state")
        if state is None and (self.config.get("showChatHistoryCosmos") or self.config.get("showChatHistoryBrowser")):
            state = str(uuid.uuid4())
        asked = (body["messages"], body.get("context", {}).get("overrides", {}), oid)
        if request.url.path.endswith("/stream"):
            return StreamingResponse(self._lines(*asked, state), media_type="application/json-lines")
        found, shown = self._found(*asked)
        if asked[1].get("suggest_followup_questions"):
            shown["followup_questions"] = [] if found.is_answer else [FOLLOW_UP]
        return JSONResponse({"output_text": found.text, "context": shown, "session_state": state})

    def _found(self, messages: Any, overrides: Any, oid: str, *, streamed: bool = False) -> tuple[Found, Any]:
        """approaches/chatreadretrieveread.py `run_until_final_call`."""
        chunks = [*CHUNKS, *(Chunk(name, 0, f"{name} is one of your files") for name in self._listed(oid))]
        question = messages[-1]["content"]
        if not overrides.get("use_agentic_knowledgebase"):
            found = search(chunks, question, overrides)
        elif streamed and overrides.get("use_web_source"):
            raise RuntimeError("Streaming is not supported with agentic retrieval when web source is enabled.")
        else:
            found = agentic(chunks, question, overrides, self.config)
        return found, found.context(question, overrides)

    async def _lines(self, messages: Any, overrides: Any, oid: str, state: Any) -> AsyncIterator[str]:
        """app.py `format_as_ndjson`: the line of an error has no newline."""
        try:
            found, shown = self._found(messages, overrides, oid, streamed=True)
            shown["answer"] = found.text if found.is_answer else None
            event = {"type": "response.context", "context": shown, "session_state": state}
            yield json.dumps(event) + "\n"
            for piece in [found.text] if found.is_answer else re.findall(r"\s*\S+", found.text):
                yield json.dumps({"type": "response.output_text.delta", "delta": piece}) + "\n"
                await asyncio.sleep(self._pause)
            if overrides.get("suggest_followup_questions"):
                shown["followup_questions"] = [] if found.is_answer else [FOLLOW_UP]
            yield json.dumps(event) + "\n"
        except _FAULTS as error:
            yield json.dumps(_error(error))

    async def _upload(self, request: Request, oid: str) -> Response:
        """app.py `upload`: a file of the same name is replaced, and every type is stored."""
        file = (await request.form()).get("file")
        if not isinstance(file, UploadFile):
            return JSONResponse({"message": "No file part in the request", "status": "failed"}, 400)
        self.files.setdefault(oid, {})[file.filename or ""] = await file.read()
        return JSONResponse({"message": "File uploaded successfully"})

    def _listed(self, oid: str) -> list[str]:
        """prepdocslib/blobmanager.py `list_blobs`: neither pictures nor folders."""
        return [name for name in self.files.get(oid, {}) if not _HIDDEN.search(name)]

    async def _uploaded(self, request: Request, oid: str) -> Response:
        """app.py `list_uploaded` and `delete_uploaded`."""
        if request.method != "POST":
            return JSONResponse(self._listed(oid))
        del self.files.get(oid, {})[name := (await _json(request))["filename"]]
        return JSONResponse({"message": f"File {name} deleted successfully"})

    async def _history(self, request: Request, oid: str) -> Response:
        """chat_history/cosmosdb.py: only `continuation_token` is read; a deletion of an unknown session fails."""
        if not self.config.get("showChatHistoryCosmos"):
            return JSONResponse({"error": "Chat history not enabled"}, 400)
        if not oid:
            return JSONResponse({"error": "User OID not found"}, 401)
        own, key = self.sessions.setdefault(oid, {}), request.path_params.get("id", "")
        if request.method == "POST":
            _keep(own, await _json(request))
            return JSONResponse({}, 201)
        if request.method == "DELETE":
            del own[key]
            return Response(status_code=204)
        if key:
            answers = own[key]["answers"] if key in own else []
            return JSONResponse({"id": key, "entra_oid": oid, "answers": answers})
        count, start = (int(request.query_params.get(k, d)) for k, d in (("count", 10), ("continuation_token", 0)))
        newest = sorted(own, key=lambda one: own[one]["timestamp"], reverse=True)
        page = [{"id": one, "entra_oid": oid, "title": own[one]["title"], "timestamp": own[one]["timestamp"]}
                for one in newest[start : start + count]]  # fmt: skip
        token = str(start + count) if start + count < len(newest) else None
        return JSONResponse({"sessions": page, "continuation_token": token})

    async def _speech(self, request: Request, _: str) -> Response:
        """app.py `speech`: a whole MP3 at once, here silence of 15 characters a second."""
        text = (await _json(request))["text"]
        return Response(SILENCE * (1 + len(text) * 1000 // (15 * 36)), media_type="audio/mp3")

    async def _content(self, request: Request, oid: str) -> Response:
        """app.py `content_file`: a document of everyone, or a file of this person."""
        found = self.documents.get(name := request.path_params["name"], self.files.get(oid, {}).get(name))
        if found is None:
            raise HTTPException(403 if oid and self.config.get("showUserUpload") else 404)
        return Response(found, media_type=mimetypes.guess_type(name)[0] or "application/octet-stream")


def _keep(own: dict[str, dict[str, Any]], body: Any) -> None:
    """Upsert the whole session."""
    answers = body["answers"]
    first = answers[0][0]
    earlier = own.get(body["id"], {"answers": []})["answers"]
    title = first + "..." if len(first) > 50 else first
    # A later write is newer, even in the same millisecond.
    now = max([int(time.time() * 1000), *(1 + one["timestamp"] for one in own.values())])
    own[body["id"]] = {"title": title, "timestamp": now, "answers": [*answers, *earlier[len(answers) :]]}


async def _page(_: Request, error: Exception) -> Response:
    """The page of Quart for a status; the sample answers 415 itself."""
    status = HTTPStatus(getattr(error, "status_code", 500))
    if status == 415:
        return JSONResponse({"error": "request must be json"}, status)
    name = "Request Entity Too Large" if status == 413 else status.phrase
    head = f"<!doctype html>\n<html lang=en>\n<title>{status} {name}</title>\n<h1>{name}</h1>\n"
    return HTMLResponse(f"{head}<p>{status.description}</p>\n", status)


async def _body(request: Request) -> bytes:
    """The body, up to Quart's `MAX_CONTENT_LENGTH`."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_BYTES:
            raise HTTPException(413)
    return bytes(body)


async def _json(request: Request) -> Any:
    if not request.headers.get("content-type", "").startswith("application/json"):
        raise HTTPException(415)
    return await request.json()
