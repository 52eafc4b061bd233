"""An answer in the form that a request demands: a value for a JSON schema.

The stand-in has nothing of its own to say in such a form, so it gives the
smallest value that the schema allows. Left out: ``pattern``, and conditions
between the parts of a value (``not``, ``if``, ``dependentRequired``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

SAMPLE_TEXT = "(the stand-in)"
MAX_DEPTH = 30
_SAMPLES = {
    "date": "2026-01-01",
    "date-time": "2026-01-01T00:00:00Z",
    "time": "00:00:00Z",
    "email": "stand-in@example.org",
    "uri": "https://example.org/",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "hostname": "example.org",
}


def smallest_value(schema: Mapping[str, Any]) -> Any:
    """Give the smallest value that a JSON schema allows."""
    return _smallest(schema, schema, 0)


def _smallest(schema: Any, root: Mapping[str, Any], depth: int) -> Any:
    if not isinstance(schema, Mapping) or depth > MAX_DEPTH:
        return SAMPLE_TEXT
    if "$ref" in schema:
        return _smallest(_target(schema["$ref"], root), root, depth + 1)
    if "const" in schema:
        return schema["const"]
    if schema.get("enum"):
        return schema["enum"][0]
    for key in ("anyOf", "oneOf"):
        if schema.get(key):
            return _smallest(schema[key][0], root, depth + 1)
    if schema.get("allOf"):
        merged = _merged(schema, root)
        return _smallest(merged, root, depth + 1)
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = kind[0] if kind else None
    if kind == "object" or (kind is None and "properties" in schema):
        parts = schema.get("properties") or {}
        return {
            name: _smallest(parts.get(name, {}), root, depth + 1)
            for name in schema.get("required") or ()
        }
    if kind == "array":
        item = _smallest(schema.get("items", {}), root, depth + 1)
        return [item] * int(schema.get("minItems", 0))
    if kind == "integer":
        return math.ceil(_smallest_number(schema, step=1))
    if kind == "number":
        return _smallest_number(schema, step=0.5)
    if kind == "boolean":
        return False
    if kind == "null":
        return None
    return _smallest_text(schema)


def _smallest_number(schema: Mapping[str, Any], step: float) -> float:
    """Give zero, or the number nearest to it within the limits."""
    low, high = schema.get("minimum"), schema.get("maximum")
    if "exclusiveMinimum" in schema:
        low = math.floor(schema["exclusiveMinimum"] / step) * step + step
    if "exclusiveMaximum" in schema:
        high = math.ceil(schema["exclusiveMaximum"] / step) * step - step
    if low is not None and low > 0:
        return float(low)
    if high is not None and high < 0:
        return float(math.floor(high / step) * step)
    return 0


def _smallest_text(schema: Mapping[str, Any]) -> str:
    text = _SAMPLES.get(str(schema.get("format")), SAMPLE_TEXT)
    text = text.ljust(int(schema.get("minLength", 0)), ".")
    return text[: schema.get("maxLength")]


def _target(reference: object, root: Mapping[str, Any]) -> Any:
    """Find what ``#/$defs/Name`` refers to; nothing outside the schema is
    looked for.
    """
    found: Any = root
    for part in str(reference).removeprefix("#").strip("/").split("/"):
        if part:
            found = found.get(part) if isinstance(found, Mapping) else None
    return found


def _merged(
    schema: Mapping[str, Any], root: Mapping[str, Any]
) -> dict[str, Any]:
    merged = {key: part for key, part in schema.items() if key != "allOf"}
    for part in schema["allOf"]:
        one = _target(part["$ref"], root) if "$ref" in part else part
        both = merged.get("properties", {}) | (one or {}).get("properties", {})
        needed = [
            *merged.get("required", ()),
            *(one or {}).get("required", ()),
        ]
        merged = {**merged, **(one or {})}
        if both:
            merged["properties"] = both
            merged["required"] = needed
    return merged
