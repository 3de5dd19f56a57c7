"""Pages: one HTML file each, with its own style, script and data, that loads nothing and runs nothing else."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from clusterdiff.palette import variables
from clusterdiff.table import JOINERS
from clusterdiff.wording import change, count, number, percent, plural

#: A label or attribute is cut after so many characters.
TEXT = 200
#: Where the files that pages share lie, and those of every page, in the order in which they are joined.
COMMON, STYLES, SCRIPTS = (
    "clusterdiff.show.common",
    ("base.css",),
    ("elements.js", "numbers.js", "values.js", "theme.js"),
)


def render_page(
    room: str, data: object, styles: Sequence[str], scripts: Sequence[str], **context: Any
) -> str:
    """A page from ``page.html`` and the named files of a room, after those of every page, with ``data`` for its script.

    A file that the room lacks is one of those that pages share. The files are joined in their order, and the scripts
    share one scope: what one defines the next ones know.
    """
    style = "\n".join([colours(), *_sources(room, [*STYLES, *styles])])
    script = "\n".join(['"use strict";', "{", *_sources(room, [*SCRIPTS, *scripts]), "}"])
    template: Any = _environment(room).get_template("page.html")
    page: str = template.render(
        style=style,
        script=script,
        data=_json(data),
        # Nothing may be loaded and nothing run but the very style and script of this page.
        policy=(
            f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
            "base-uri 'none'; form-action 'none'"
        ),
        **context,
    )
    return page


@cache
def _environment(room: str) -> Any:
    """What makes pages of a room's templates, which are compiled once."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader([jinja2.PackageLoader(place, ".") for place in (room, COMMON)]),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "change": change,
        "counted": count,
        "measure": measure_name,
        "measures": measure_names,
        "named": named,
        "number": number,
        "percent": percent,
        "plural": plural,
        "sentence": lambda text: text[:1].upper() + text[1:],
        "visible": visible,
    }
    return environment


def colours() -> str:
    """The palette for light and dark, as the system has it or as the reader chose."""
    light, dark = variables("light"), variables("dark")
    return (
        f':root {{ {light} }}\n:root[data-theme="dark"] {{ {dark} }}\n'
        f'@media (prefers-color-scheme: dark) {{ :root:not([data-theme="light"]) {{ {dark} }} }}'
    )


def _sources(room: str, names: Sequence[str]) -> list[str]:
    own, shared = files(room), files(COMMON)
    found = [own / name if (own / name).is_file() else shared / name for name in names]
    return [file.read_text(encoding="utf-8") for file in found]


def table_of(records: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The other columns of records, by the text of the record, for a page that shows records."""
    columns = list(dict.fromkeys(name for record in records.values() for name in record))
    return {
        "columns": [visible(name, 60) for name in columns],
        "records": {
            point: [visible(record.get(name)) for name in columns] for point, record in records.items()
        },
    }


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _json(data: object) -> str:
    """JSON that can stand inside a script element: no label can end it, or turn the text around."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return re.sub(
        r"[<>&\x7f-\xa0\u00ad\u061c\u200e-\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff]", _escape, text
    )


def _escape(sign: re.Match[str]) -> str:
    return f"\\u{ord(sign[0]):04x}"


def visible(value: object, width: int = TEXT) -> str:
    r"""Any value as text for a page: control characters are spelt out, long text is cut, and says so.

    >>> visible("a" + chr(27) + "b"), visible("x" * 300, 5), visible(None)
    ('a\\x1bb', 'xxxxx… (300 characters)', '')
    """
    text = "" if value is None else str(value)
    length = len(text)
    text = text[:width]
    if not text.isprintable():
        text = "".join(c if c.isprintable() or c in JOINERS else _spelt(c) for c in text)
    return text if length <= width else f"{text}… ({length:,} characters)"


def named(value: object, width: int = 60) -> str:
    """A label, which must be seen: blanks at its ends have a sign, and one of nothing has quotes.

    >>> named("ann"), named("  "), named(""), named(" ann")
    ('ann', '␣␣', '""', '␣ann')
    """
    text = visible(getattr(value, "spoken", value), width)
    inner = text.strip(" ")
    before = len(text) - len(text.lstrip(" "))
    after = len(text) - len(inner) - before if inner else 0
    return f"{'␣' * before}{inner}{'␣' * after}" or '""'


def measure_name(name: str) -> str:
    """What a measure is called, in HTML: S_H as people write it.

    >>> measure_name("S_H"), measure_name("b3.f1")
    (Markup('S<sub>H</sub>'), 'b3.f1')
    """
    from markupsafe import Markup

    return Markup("S<sub>H</sub>") if name == "S_H" else visible(name, 60)


def measure_names(text: str) -> str:
    """A text in HTML, with measures that it names as people write them.

    >>> measure_names("2 systems by S_H"), measure_names("a<b: AS_H")
    (Markup('2 systems by S<sub>H</sub>'), Markup('a&lt;b: AS_H'))
    """
    from markupsafe import Markup

    return Markup("").join(
        measure_name(part) if part == "S_H" else part for part in re.split(r"\b(S_H)\b", text)
    )


def _spelt(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode()
