"""The schemas of what is printed and written as JSON, and whether something fits one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry, Resource

import clusterdiff

FOLDER = Path(clusterdiff.__file__).parent / "schemas"
SCHEMAS: dict[str, Any] = {path.stem: json.loads(path.read_text("utf-8")) for path in FOLDER.glob("*.json")}
REGISTRY: Registry[Any] = Registry().with_resources(
    (f"{name}.json", Resource.from_contents(schema)) for name, schema in SCHEMAS.items()
)


def misfit(name: str, data: object) -> str | None:
    """Where something does not fit a schema, if it does not."""
    error = best_match(Draft202012Validator(SCHEMAS[name], registry=REGISTRY).iter_errors(data))
    return None if error is None else f"{name}: {error.json_path}: {error.message}"
