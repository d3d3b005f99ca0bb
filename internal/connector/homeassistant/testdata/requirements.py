"""Prints what the integrations of the tests' Home Assistant need from PyPI.

It would install that by itself at its first start, too late for what was loaded before.
"""

import json
import pathlib

import homeassistant.components

ROOT = pathlib.Path(homeassistant.components.__path__[0])
WANTED = ["api", "assist_pipeline", "config", "conversation", "demo", "frontend", "local_calendar", "local_todo", "onboarding", "stream", "timer", "wyoming"]

found: dict[str, list[str]] = {}


def add(name: str) -> None:
    file = ROOT / name / "manifest.json"
    if name in found or not file.exists():
        return
    manifest = json.loads(file.read_text())
    found[name] = manifest.get("requirements", [])
    for other in manifest.get("dependencies", []) + manifest.get("after_dependencies", []):
        add(other)


for name in WANTED + [f.stem for f in (ROOT / "demo").glob("*.py")]:
    add(name)
print(*sorted({r for all in found.values() for r in all}), sep="\n")
