"""The mutants of a module: its source with one small fault in the body or the defaults of one function.

A mutant turns or shifts a comparison, negates a condition, swaps `and` with `or`, swaps an operator, adds one to a
number or to a bound of a slice, leaves out a statement that is a call, drops a returned value, removes a `not`, or
flips a boolean constant. Docstrings, annotations, decorators, log messages, `__repr__` and `if TYPE_CHECKING` have
none. Nor has a module's level, and so none of the constants there that bound memory or time.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef

_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Lt: ast.GtE, ast.GtE: ast.Lt, ast.Gt: ast.LtE, ast.LtE: ast.Gt,
}  # fmt: skip
_SHIFTED: dict[type[ast.cmpop], type[ast.cmpop]] = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}
_SWAPPED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr,
}  # fmt: skip
_LEFT_OUT = {"annotation", "returns", "decorator_list"}


@dataclass(frozen=True, eq=False)
class Mutant:
    """One fault: `node`, which is at `field` of `parent`, is replaced with `fault`."""

    path: Path
    tree: ast.Module
    parent: ast.AST
    field: str
    place: int | None
    """Of `node` in the list that the field is, if it is one."""
    node: ast.AST
    fault: ast.AST
    lines: range
    """Of the statement whose run reaches it: of a compound one its head, of a default the function's body."""
    coroutine: range
    """Of the coroutine that it is in; empty where it is in none. Python traces none any more that an exception was
    thrown into, as where it is cancelled, so that a run of its statement may go unseen.
    """

    @property
    def source(self) -> str:
        """The module with the fault in it."""
        self._put(self.fault)
        text = ast.unparse(self.tree)
        self._put(self.node)
        return text

    def __str__(self) -> str:
        line = getattr(self.node, "lineno", self.lines.start)
        before, after = (" ".join(ast.unparse(one).split()) for one in (self.node, self.fault))
        return f"{self.path}:{line if line in self.lines else self.lines.start}: {before} → {after}"

    def _put(self, node: ast.AST) -> None:
        if self.place is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.place] = node


def mutants_of(path: Path) -> Iterator[Mutant]:
    """All mutants of the module at `path`, in the order of its source."""
    tree = ast.parse(path.read_bytes())
    for parent, field, place, node, lines, coroutine in _places(tree, range(0), range(0)):
        for fault in _faults(parent, field, node):
            yield Mutant(path, tree, parent, field, place, node, fault, lines, coroutine)


def _places(
    parent: ast.AST, lines: range, coroutine: range
) -> Iterator[tuple[ast.AST, str, int | None, ast.AST, range, range]]:
    """Every node within a function, with the lines of its statement and of its coroutine; `lines` is empty outside of
    functions.
    """
    if isinstance(parent, ast.AsyncFunctionDef):
        coroutine = range(parent.body[0].lineno, (parent.end_lineno or 0) + 1)
    for field, value in ast.iter_fields(parent):
        if field in _LEFT_OUT:
            continue
        for place, node in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(node, ast.AST) or _is_left_out(node):
                continue
            if isinstance(parent, Function) or (lines and isinstance(node, ast.stmt)):
                own = _lines(parent.body if field == "args" and isinstance(parent, Function) else [node])
            else:
                own = lines
            if own:
                yield parent, field, place, node, own, coroutine
            yield from _places(node, own, coroutine)


def _lines(statements: Sequence[ast.AST]) -> range:
    first, last = statements[0], statements[-1]
    start, end = getattr(first, "lineno", 1), getattr(last, "end_lineno", 0)
    within = getattr(first, "body", None) if first is last else None
    return range(start, max(start + 1, within[0].lineno) if isinstance(within, list) else end + 1)


def _is_left_out(node: ast.AST) -> bool:
    match node:
        case ast.FunctionDef(name="__repr__") | ast.If(test=ast.Name("TYPE_CHECKING")):
            return True
        case ast.Expr(ast.Call(ast.Attribute(ast.Name("logger")))):
            return True
    return False


def _faults(parent: ast.AST, field: str, node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(left, ops, comparators):
            for place, op in enumerate(ops):
                for table in (_TURNED, _SHIFTED):
                    if type(op) in table:
                        yield ast.Compare(left, [*ops[:place], table[type(op)](), *ops[place + 1 :]], comparators)
        case ast.BoolOp(op, values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.BinOp(left, op, right) if type(op) in _SWAPPED and not isinstance(left, ast.JoinedStr):
            yield ast.BinOp(left, _SWAPPED[type(op)](), right)
        case ast.AugAssign(target, op, value) if type(op) in _SWAPPED:
            yield ast.AugAssign(target, _SWAPPED[type(op)](), value)
        case ast.Constant(bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(int() | float() as value):
            yield ast.Constant(value + 1)
        case ast.Expr(ast.Call() | ast.Await(ast.Call())):
            yield ast.Pass()
        case ast.Return(value) if value is not None and not (isinstance(value, ast.Constant) and value.value is None):
            yield ast.Return(ast.Constant(None))
        case ast.Slice(lower, upper, step):
            if lower is None or not isinstance(lower, ast.Constant):
                yield ast.Slice(_one_more(lower), upper, step)
            if upper is None or not isinstance(upper, ast.Constant):
                yield ast.Slice(lower, _one_more(upper) if upper else ast.Constant(-1), step)
    is_condition = field == "test" or (field == "ifs" and isinstance(parent, ast.comprehension))
    if is_condition and isinstance(node, ast.expr) and not isinstance(node, ast.Compare | ast.UnaryOp):
        yield ast.UnaryOp(ast.Not(), node)


def _one_more(bound: ast.expr | None) -> ast.expr:
    return ast.BinOp(bound, ast.Add(), ast.Constant(1)) if bound else ast.Constant(1)
