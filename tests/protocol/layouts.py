"""Layouts of JSON in a body, with their values."""

from hypothesis import strategies as st

LAYOUTS = {
    "objects glued together": (b'{"n":1}{"n":2}{"n":3}', [{"n": 1}, {"n": 2}, {"n": 3}]),
    "pretty printed and glued": (b'{\n  "n": 1\n}{\n  "n": 2\n}\n', [{"n": 1}, {"n": 2}]),
    "carriage returns and line feeds": (b'{"n":1}\r\n{"n":2}\r\n', [{"n": 1}, {"n": 2}]),
    "carriage returns alone": (b'{"n":1}\r{"n":2}\r', [{"n": 1}, {"n": 2}]),
    "blank lines": (b'\n\n{"n":1}\n \t\n{"n":2}\n\n\n', [{"n": 1}, {"n": 2}]),
    "no last newline": (b'{"n":1}\n{"n":2}', [{"n": 1}, {"n": 2}]),
    "a byte order mark": (b'\xef\xbb\xbf{"n":1}\n', [{"n": 1}]),
    "an array": (b'[{"n":1},{"n":2}\n,{"n":3}]', [{"n": 1}, {"n": 2}, {"n": 3}]),
    "an array of everything": (b'[1,[2,[3]],"x",null,true]', [1, [2, [3]], "x", None, True]),
    "an empty array": (b"[]", []),
    "a JSON text sequence": (b'\x1e{"n":1}\n\x1e{"n":2}\n', [{"n": 1}, {"n": 2}]),
    "raw newlines in a string": (b'{"s":"a\nb\r\nc"}\n{"n":2}\n', [{"s": "a\nb\r\nc"}, {"n": 2}]),
    "a raw control character in a string": (b'{"s":"a\x01\tb"}\n', [{"s": "a\x01\tb"}]),
    "trailing commas": (b'{"a":[1,2,],"b":{"c":3,},}\n{"n":2,}', [{"a": [1, 2], "b": {"c": 3}}, {"n": 2}]),
    "a comma in a string before a bracket": (b'{"s":",]","t":[1,]}', [{"s": ",]", "t": [1]}]),
    "brackets and escaped quotes in strings": (b'{"s":"}{\\"[\\\\"}{"n":2}', [{"s": '}{"[\\'}, {"n": 2}]),
    "scalars": (b'"s"\n12\n -1.5e3\ntrue\nnull\n', ["s", 12, -1500.0, True, None]),
    "line separators in a string": ('{"s":"a\u2028b\u2029c\x85d"}\n'.encode(), [{"s": "a\u2028b\u2029c\x85d"}]),
    "an event with an array": (b'data: [{"n":1},{"n":2}]\n\ndata: [{"n":3},]\n\n', [{"n": 1}, {"n": 2}, {"n": 3}]),
    "events": (b'data: {"n":1}\n\ndata:{"n":2}\n\n', [{"n": 1}, {"n": 2}]),
    "events with carriage returns": (b'data: {"n":1}\r\n\r\ndata: {"n":2}\r\n\r\n', [{"n": 1}, {"n": 2}]),
    "events with carriage returns alone": (b'data: {"n":1}\r\rdata: {"n":2}\r\r', [{"n": 1}, {"n": 2}]),
    "an event over several data lines": (b'event: m\nid: 7\nretry: 9\ndata: {"n":\ndata: 1}\n\n', [{"n": 1}]),
    "events without blank lines": (b'data: {"n":1}\ndata: {"n":2}\n', [{"n": 1}, {"n": 2}]),
    "an event with two objects": (b'data: {"n":1}{"n":2}\n\n', [{"n": 1}, {"n": 2}]),
    "an event whose value goes on without a field": (b'data: {"s":"a\n  b"}\n\n', [{"s": "a\n  b"}]),
    "comments between JSON lines": (b': ping\n{"n":1}\n:\n: ping\n{"n":2}\n', [{"n": 1}, {"n": 2}]),
    "an event cut short by the next": (b'data: {"n\n\ndata: {"n":2}\n\n', [{"n": 2}]),
    "garbage between lines": (b'{"n":1}\nWARN [x] oops\n<p>{"n":2}\n', [{"n": 1}, {"n": 2}]),
    "a line that never closes": (b'{"d":{"c":"A"\n{"n":2}\n{"n":3}\n', [{"n": 2}, {"n": 3}]),
    "a string that never closes": (b'{"d":{"c":"A\n{"n":2}\n{"n":3}\n', [{"n": 2}, {"n": 3}]),
    "a line that breaks off after a comma": (b'{"d":{"c":"A"},\n{"n":2}\n{"n":3}\n', [{"n": 2}, {"n": 3}]),
    "a line that breaks off after a colon": (b'{"n":1}\n{"d":\n{"n":2}\n{"n":3}\n', [{"n": 1}, {"n": 2}, {"n": 3}]),
    "a last line after one that breaks off": (b'{"d":{"c":\n{"n":2}\n', [{"n": 2}]),
    "a line that breaks off in an array": (b'{"d":[1,\n{"n":2}\n\n{"n":3}', [{"n": 2}, {"n": 3}]),
    "printed without indentation": (
        b'{"a":\n{"b":\n[\n{"c":1},\n{"d":2}\n]\n}\n}\n',
        [{"a": {"b": [{"c": 1}, {"d": 2}]}}],
    ),
    "many backslashes in a string": (
        b'{"s":"' + b"\\\\" * 70 + b'"}{"s":"' + b"\\\\" * 70 + b'\\""}\n',
        [{"s": "\\" * 70}, {"s": "\\" * 70 + '"'}],
    ),
    "many escaped quotes in a string": (b'{"s":"' + b'\\"' * 40 + b'"}{"n":2}', [{"s": '"' * 40}, {"n": 2}]),
    "a field after a record separator": (b'{"n":1}\x1edata: {"n":2}\n\n', [{"n": 1}, {"n": 2}]),
    "a field after a byte order mark": (b'{"n":1}\xef\xbb\xbfdata: {"n":2}\n\n', [{"n": 1}, {"n": 2}]),
    "a field that goes on with carriage returns": (b'data: {"s":"a\rdat\rb"}\r\r', [{"s": "a\ndat\nb"}]),
    "a line that is no JSON inside brackets": (b"{oops}\n{'a': 1}\n{\"n\":2}\n", [{"n": 2}]),
}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
