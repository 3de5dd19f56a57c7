"""What can be done to a module: every small change to its code, as a replacement of some bytes of its text."""

from __future__ import annotations

import ast
import copy
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

COMPARED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
COMPUTED: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
#: Functions and methods that are easily taken for each other.
CALLED = {
    one: other
    for pair in (
        ("min", "max"),
        ("any", "all"),
        ("minimum", "maximum"),
        ("argmin", "argmax"),
        ("floor", "ceil"),
        ("zeros", "ones"),
        ("union", "intersection"),
    )
    for one, other in (pair, pair[::-1])
} | {"sorted": "list", "abs": "float", "cumsum": "asarray"}
#: Functions that take their first two arguments in either order, or in one that a type error tells.
SYMMETRIC = {"min", "max", "minimum", "maximum", "logical_and", "logical_or", "array_equal", "isinstance"}
#: The same for words of SQL, which only strings have.
WORDS = {
    " AND ": " OR ",
    " OR ": " AND ",
    " IS NULL": " IS NOT NULL",
    " IS NOT NULL": " IS NULL",
    "FULL JOIN": "JOIN",
    "LEFT JOIN": "JOIN",
    " DESC": "",
    "SUM(": "MAX(",
    "MIN(": "MAX(",
    "MAX(": "MIN(",
    "count(*)": "count(*) + 1",
    "DISTINCT ": "",
}


@dataclass(frozen=True)
class Mutation:
    """Bytes ``start`` to ``end`` of a text replaced; ``first`` to ``last`` are the lines of the statement around."""

    kind: str
    line: int
    start: int
    end: int
    old: str
    new: str
    first: int
    last: int

    def applied(self, text: str) -> str:
        """The text with this change."""
        content = text.encode()
        return (content[: self.start] + self.new.encode() + content[self.end :]).decode()

    def matters(self, text: str) -> bool:
        """Whether a module is left which compiles and says something else."""
        try:
            return ast.dump(ast.parse(self.applied(text))) != ast.dump(ast.parse(text))
        except SyntaxError:
            return False


def mutations(text: str) -> list[Mutation]:
    """Every change to a module, in the order of its text; a few do not matter."""
    return sorted({*_Finder(text).found(ast.parse(text)), *_words(text)}, key=_place)


def _place(mutation: Mutation) -> tuple[int, int, str, str]:
    return mutation.start, mutation.end, mutation.kind, mutation.new


def _starts(text: str) -> list[int]:
    """Where each line starts, in bytes."""
    return [0, *accumulate(len(line.encode()) for line in text.splitlines(keepends=True))]


class _Finder:
    """Walks over a module; what only readers and type checkers see is left out."""

    def __init__(self, text: str) -> None:
        self.content, self.starts = text.encode(), _starts(text)
        #: The lines that tests reach if the change matters to them.
        self.first, self.last = 1, len(self.starts)

    def found(self, node: ast.AST, inside: bool = False, nested: bool = False) -> Iterator[Mutation]:
        """The mutations in a node: ``inside`` a function, where a statement may be ``nested`` in another.

        What is computed when a module is imported matters to whoever reaches any line of the function that it stands
        above, of the class or of the module.
        """
        if isinstance(node, ast.JoinedStr) or _typing(node):
            return  # Python does not say where the parts of an f-string are
        outer = self.first, self.last
        match node:
            case ast.FunctionDef(body=body, end_lineno=int(end)):
                self.first, self.last = body[0].lineno, end
            case ast.ClassDef(lineno=start, end_lineno=int(end)) if not inside:
                self.first, self.last = start, end
            case ast.stmt() if inside:
                self.first, self.last = node.lineno, _head(node)
        lines = self.first, self.last
        if isinstance(node, ast.stmt):
            yield from self._removed(node, nested)
        if isinstance(node, ast.expr):
            for kind, new in _changes(node):
                yield self._replaced(kind, node, f"({ast.unparse(new)})")
        below = isinstance(node, (ast.If, ast.For, ast.While, ast.Try, ast.With))
        for field, value in ast.iter_fields(node):
            if field in ("annotation", "returns") or (field == "slice" and _generic(node)):
                continue
            within = inside or (isinstance(node, ast.FunctionDef) and field == "body")
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.AST):
                    yield from self.found(part, within, below)
                    self.first, self.last = lines
        self.first, self.last = outer

    def _removed(self, node: ast.stmt, nested: bool) -> Iterator[Mutation]:
        """A statement left out: a call, an assignment, an error raised, an early return, the end of a loop."""
        match node:
            case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Raise():
                yield self._replaced("statement", node, "pass")
            case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):  # a name would just be missed
                yield self._replaced("statement", node, "pass")
            case ast.Continue() | ast.Break():
                yield self._replaced("statement", node, "pass")
            case ast.Return() if nested:
                yield self._replaced("return", node, "pass")
            case ast.If(test=test):
                yield self._replaced("condition", test, f"(not ({ast.unparse(test)}))")

    def _replaced(self, kind: str, node: ast.stmt | ast.expr, new: str) -> Mutation:
        start = self.starts[node.lineno - 1] + node.col_offset
        end = self.starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        old = self.content[start:end].decode()
        return Mutation(kind, node.lineno, start, end, old, new, self.first, self.last)


def _head(node: ast.stmt) -> int:
    """The last line of a statement without the statements in it."""
    body = getattr(node, "body", None)
    return (body[0].lineno - 1 if body else node.end_lineno) or node.lineno


def _typing(node: ast.AST) -> bool:
    """Whether a node is there for readers or type checkers: docstrings, imports, assertions, names exported."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Assert() | ast.Expr(value=ast.Constant()):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Assign(targets=[ast.Name(id="__all__" | "__slots__")]):
            return True
        case ast.Call(func=ast.Name(id="cast" | "TypeVar" | "overload")):
            return True
        case ast.FunctionDef(decorator_list=[ast.Name(id="overload")]):
            return True
        case ast.BinOp(op=ast.BitOr()):
            return _names_types(node.left) or _names_types(node.right)
    return False


def _names_types(node: ast.AST) -> bool:
    match node:
        case ast.Constant(value=None) | ast.Name(id="int" | "float" | "str" | "bool" | "list" | "dict"):
            return True
        case ast.Subscript():
            return _generic(node)
    return False


def _generic(node: ast.AST) -> bool:
    """Whether a subscript makes a type: ``dict[str, int]``."""
    match node:
        case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name[:1].isupper() or name in ("list", "dict", "tuple", "set", "type")
    return False


def _changes(node: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """What an expression can become, by kind of change."""
    match node:
        case ast.Compare(ops=ops):
            for i, op in enumerate(ops):
                yield "comparison", _with(node, ops=[*ops[:i], COMPARED[type(op)](), *ops[i + 1 :]])
        case ast.BinOp(op=op) if type(op) in COMPUTED:
            yield "arithmetic", _with(node, op=COMPUTED[type(op)]())
        case ast.BoolOp(op=op, values=values):
            yield "boolean", _with(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
            for i in range(len(values)):
                rest = [*values[:i], *values[i + 1 :]]
                yield "boolean", rest[0] if len(rest) == 1 else _with(node, values=rest)
        case ast.UnaryOp(operand=operand):
            yield "sign", operand
        case ast.IfExp(test=test):
            yield "condition", _with(node, test=ast.UnaryOp(ast.Not(), test))
        case ast.Constant(value=bool() as value):
            yield "constant", ast.Constant(not value)
        case ast.Constant(value=int() | float() as value):
            yield "constant", ast.Constant(value + 1)
            yield "constant", ast.Constant(value - 1)
        case ast.Subscript(slice=ast.Slice(lower=lower, upper=upper, step=step) as cut):
            for field, bound in (("lower", lower), ("upper", upper), ("step", step)):
                if bound is not None:
                    yield "slice", _with(node, slice=_with(cut, **{field: None}))
        case ast.Call():
            yield from _calls(node)


def _calls(node: ast.Call) -> Iterator[tuple[str, ast.expr]]:
    """What a call can become: of another function, with its first arguments swapped, or without one that is named."""
    name = ""
    match node.func:
        case ast.Name(id=name):
            other = ast.Name(CALLED.get(name, name))
        case ast.Attribute(attr=name):
            other = _with(node.func, attr=CALLED.get(name, name))
    if name in CALLED:
        yield "function", _with(node, func=other)
    starred = any(isinstance(arg, ast.Starred) for arg in node.args[:2])
    if len(node.args) > 1 and not starred and name not in SYMMETRIC:
        yield "arguments", _with(node, args=[node.args[1], node.args[0], *node.args[2:]])
    for i, keyword in enumerate(node.keywords):
        if keyword.arg is not None:
            yield "keyword", _with(node, keywords=[*node.keywords[:i], *node.keywords[i + 1 :]])


def _with(node: Any, **fields: Any) -> Any:
    """A copy of a node with other fields."""
    changed = copy.copy(node)
    for field, value in fields.items():
        setattr(changed, field, value)
    return changed


def _words(text: str) -> Iterator[Mutation]:
    """Words of SQL changed in strings, f-strings included."""
    starts, lines = _starts(text), text.splitlines(keepends=True)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type != tokenize.STRING or token.string.lstrip("rfbRFB").startswith('"""'):
            continue
        (line, column), base = token.start, 0
        base = starts[line - 1] + len(lines[line - 1][:column].encode())
        for word, other in WORDS.items():
            for hit in re.finditer(re.escape(word), token.string):
                start = base + len(token.string[: hit.start()].encode())
                at = line + token.string[: hit.start()].count("\n")
                yield Mutation("query", at, start, start + len(word.encode()), word, other, at, at)
