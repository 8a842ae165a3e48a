from dataclasses import replace

from chat_ui.protocol.backends.backend import Attachment, Backend, ChatRequest, Message
from chat_ui.protocol.detection.question import form_from_refusal, guessed_forms, misses_model
from chat_ui.protocol.dialects.registry import KNOWN_BACKENDS
from chat_ui.protocol.events import ErrorInfo, SessionState

URL = "http://a.example/chat"
PLAIN = ChatRequest((Message("user", "Hi"),))
WITH_OPTIONS = ChatRequest((Message("user", "Hi"),), overrides={"top": 3})
WITH_FILE = ChatRequest((Message("user", "Hi", (Attachment("a.png", "image/png", b"a"),)),))


def test_a_refusal_asks_for_a_form() -> None:
    cases = [
        ({}, PLAIN, 422, "body.context: Field required", {"requires_context": True}),
        ({}, PLAIN, 400, "KeyError: 'overrides'", {"requires_context": True}),
        ({}, PLAIN, None, "context is missing", {"requires_context": True}),
        ({}, PLAIN, 401, "context is missing", None),
        ({}, PLAIN, 429, "context is missing", None),
        ({}, PLAIN, 400, "The context length must be set lower", None),
        ({}, PLAIN, 400, "What is said of a context is nothing", None),
        ({"overrides": "none"}, PLAIN, 422, "'context' is required", {"overrides": "nested", "requires_context": True}),
        ({}, WITH_OPTIONS, 400, "context: Extra inputs are not permitted", {"overrides": "none"}),
        ({}, WITH_OPTIONS, 400, "Unknown field context", {"overrides": "none"}),
        ({}, WITH_OPTIONS, None, "1 validation error for AIChatRequest\ncontext\n  Input should be a valid bytes",
         {"overrides": "none"}),
        ({}, WITH_OPTIONS, 400, "body/context/overrides must be string", {"overrides": "flat"}),
        ({"overrides": "flat"}, WITH_OPTIONS, 400, "body/context/overrides must be string", {"overrides": "none"}),
        ({"requires_context": True}, PLAIN, 400, "context should be a string",
         {"overrides": "none", "requires_context": False}),
        ({}, PLAIN, 400, "Unknown field context", None),
        ({"overrides": "body"}, WITH_OPTIONS, 400, "Unknown field context", None),
        ({}, PLAIN, 422, "body.input: Field required", {"messages_key": "input"}),
        ({}, PLAIN, 500, "'input'", {"messages_key": "input"}),
        ({}, PLAIN, 422, "body.messages: Field required", None),
        ({"messages_key": "input"}, PLAIN, 422, "body.messages: Field required", {"messages_key": "messages"}),
        ({}, PLAIN, 422, "input and context are required", {"messages_key": "input", "requires_context": True}),
        ({"files": "multipart"}, WITH_FILE, 415, "", {"stream": False}),
        ({"files": "multipart", "stream": False}, WITH_FILE, 415, "", None),
        ({"files": "multipart"}, PLAIN, 415, "", None),
        ({"files": "parts"}, WITH_FILE, 415, "", None),
        ({"files": "multipart"}, WITH_FILE, 400, "", None),
    ]  # fmt: skip
    for asked, request_, status, said, form in cases:
        backend = Backend(URL, **asked)
        expected = None if form is None else Backend(URL, **{**asked, **form})
        assert form_from_refusal(backend, request_, ErrorInfo(said, status=status)) == expected


def test_a_refusal_asks_for_a_model_if_none_was_named() -> None:
    cases = [
        (None, 400, "model is required", True),
        (None, 404, "The model '' does not exist", True),
        (None, 422, "you must provide a model parameter", True),
        (None, 400, "The model's maximum is not found", False),
        (None, 400, "This model is small", False),
        (None, None, "model is required", False),
        (None, 401, "model is required", False),
        ("m", 400, "model is required", False),
    ]
    for model, status, said, is_missed in cases:
        assert misses_model(Backend(URL, model=model), ErrorInfo(said, status=status)) is is_missed


UNHANDLED = ErrorInfo("The backend answered with status 500: Internal Server Error", status=500)
WORDLESS = ErrorInfo("The backend answered with status 500 (internal error).", status=500)
IN_WORDS = ErrorInfo("The backend answered with status 500: No plan", status=500)
NO_LIST = ErrorInfo("Cannot read properties of undefined (reading 'map')", status=500)
NO_LIST_OF_BUN = ErrorInfo("TypeError: undefined is not an object (evaluating 'message.parts.some')", status=500)


def test_other_forms_are_guessed_if_nothing_was_handled() -> None:
    cases = [
        ("/agent", {}, UNHANDLED, ["ag-ui", "input", "ai-sdk"]),
        ("/ask", {}, UNHANDLED, ["input", "ai-sdk", "ag-ui"]),
        ("/chat", {}, UNHANDLED, ["input", "ai-sdk"]), ("/api/chat", {}, UNHANDLED, ["ai-sdk", "input"]),
        ("/api/chat", {}, WORDLESS, ["ai-sdk"]), ("/ag-ui", {}, WORDLESS, ["ag-ui"]), ("/chat", {}, WORDLESS, []),
        ("/chat", {}, NO_LIST, ["ai-sdk", "ag-ui"]), ("/api/chat", {}, IN_WORDS, []),
        ("/chat", {}, NO_LIST_OF_BUN, ["ai-sdk", "ag-ui"]),
        ("/chat", {"streaming": "path"}, UNHANDLED, ["input"]),
        ("/api/chat", {"streaming": "path"}, WORDLESS, []),
        ("/chat", {"messages_key": "input"}, UNHANDLED, ["ai-sdk"]),
        ("/api/chat", {"request_format": KNOWN_BACKENDS["ai-sdk"].template.request_format}, UNHANDLED, []),
    ]  # fmt: skip
    for path, asked, error, forms in cases:
        backend = Backend(f"http://a.example{path}", headers={"X-Key": "k"}, **asked)
        assert guessed_forms(backend, error) == [
            replace(backend, messages_key="input")
            if form == "input"
            else KNOWN_BACKENDS[form].at(backend.url, headers={"X-Key": "k"})
            for form in forms
        ]


def test_a_refusal_asks_for_a_form_by_missing_and_not_by_named_values() -> None:
    cases = [
        (422, "body.threadId: Field required", "ag-ui"),
        (422, "body.run_id: Field required", "ag-ui"),
        (500, "3 validation errors for RunAgentInput\nthreadId\n  Field required", "ag-ui"),
        (400, "messages.0.parts: Invalid input: expected array", "ai-sdk"),
        (400, "messages[0] is to be a message with “parts”.", "ai-sdk"),
        (422, "body.id: Field required", "ai-sdk-4"),
        (400, "Missing required field: id", "ai-sdk-4"),
        (400, "The field id is required", "ai-sdk-4"),
        (422, "body.id: Field required; body.messages.0.parts: Field required", "ai-sdk"),
        (422, "body.messages.0.id: Field required", None),
        (400, "session id is required", None),
        (400, "Missing session_id", None),
        (500, "Run failed: run_id=run_123 thread_id=thread_9: rate limit exceeded", None),
        (422, '[{"type":"missing","loc":["body","threadId"],"msg":"Fi', "ag-ui"),
        (400, "The prompt was filtered: parts of it violate our policy.", None),
        (500, "{'thread_id': 'thread_2', 'status': 'failed'}", None),
        (None, "body.threadId: Field required", None),
        (429, "body.threadId: Field required", None),
    ]
    for status, said, form in cases:
        backend = Backend(URL)
        expected = None if form is None else KNOWN_BACKENDS[form].at(URL)
        assert form_from_refusal(backend, PLAIN, ErrorInfo(said, status=status)) == expected


def test_a_server_without_memory_gets_the_whole_conversation() -> None:
    said_before = (Message("user", "Hi"), Message("assistant", "Hello"))
    state = SessionState("previous_response_id", "resp_1")
    question = ChatRequest((*said_before, *PLAIN.messages), session_state=state)
    cases = [
        ("Unknown parameter: 'previous_response_id'", True),
        ("Previous response with id 'resp_1' not found", True),
        ("Unsupported field: conversation", True),
        ("Conversation with id 'conv_1' not found.", True),
        ("The conversation conv_1 does not exist.", True),
        ("body.conversation: Extra inputs are not permitted", True),
        ("The conversation could not be stored after the answer.", False),
        ("This conversation violates our usage policy", False),
        ("The conversation could be long", False),
    ]
    for said, is_refused in cases:
        form = form_from_refusal(KNOWN_BACKENDS["openai-responses"].at(URL), question, ErrorInfo(said, status=400))
        assert (form is not None) is is_refused
