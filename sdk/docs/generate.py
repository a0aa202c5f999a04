#!/usr/bin/env python3
"""Writes services/*.md from the comments of the SDK's headers, and events.md from the manifests of the plugins.

    generate.py [--include FOLDER] [--plugins FOLDER]           writes the pages
    generate.py --check [--include FOLDER] [--plugins FOLDER]   exit code 1, and why, when a page is stale or a function lacks
                                                                its description

Every method and every slot of a table says what it does. Its thread, its lifetime and the version that added it are in its own
comment or in that of its interface or table; a slot's own comment names its thread.
"""
import argparse
import json
import pathlib
import sys

sys.dont_write_bytecode = True
import parse

HERE = pathlib.Path(__file__).resolve().parent
NOTE = "<!-- Written by sdk/docs/generate.py; the words are the header's. -->\n"
EVENTS_NOTE = "<!-- What follows is written by sdk/docs/generate.py; the words are those of the manifests. -->\n"


def cell(text):
    if not text.startswith("`"):
        text = text.replace("<", "&lt;")
    return " ".join(text.split()).replace("|", "\\|")


def facts(words):
    """The lines about thread, lifetime and age."""
    return [f"- **{name}:** {words.facts[name]}" for name in ("Thread", "Lifetime", "Since") if name in words.facts]


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(cell(each) for each in row) + " |" for row in rows]


def message(struct):
    rows = [(f"`{f.name}`", f"`{f.type}`", f"`{f.default}`" if f.default else "", f.words) for f in struct.fields]
    lines = [f"### {struct.name}", ""]
    if struct.words.text:
        lines += [struct.words.text, ""]
    return lines + table(("field", "type", "default", "what"), rows) + [""]


def interface(struct):
    lines = [f"## {struct.name}: `{struct.id}`", ""]
    if struct.words.text:
        lines += [struct.words.text, ""]
    lines += facts(struct.words) + [""]
    rows = []
    for method in struct.methods:
        what = method.words.text + "".join(f" {k}: {v}" for k, v in method.words.facts.items())
        rows.append((f"`{method.name}`", f"`{method.request}`", f"`{method.reply}`", what))
    return lines + table(("method", "request", "reply", "what"), rows) + [""]


def service_page(header, helpers):
    lines = [NOTE, f"# {header.title}", "", header.words, "", f"`#include <patchbay/services/{header.name}>`, namespace `{header.space}`.", ""]
    for struct in header.structs:
        if struct.id:
            lines += interface(struct)
    for helper in helpers:
        lines += [f"## `patchbay/services/{helper.name}`", "", helper.words, ""]
    if header.functions:
        lines += ["## Functions", ""]
        lines += table(("function", "what"), [(f"`{f.signature}`", f.words.text) for f in header.functions]) + [""]
    messages = [s for s in header.structs if not s.id]
    if messages:
        lines += ["## Messages", ""]
        for struct in messages:
            lines += message(struct)
    return "\n".join(lines).rstrip() + "\n"


def slot(each):
    lines = [f"### {each.name}", "", "```c", each.signature, "```", each.words.text, ""]
    return lines + facts(each.words) + [""]


def table_page(header):
    lines = [NOTE, f"# {header.title}", "", header.words, "", f"`#include <patchbay/abi/{header.name}>`", ""]
    for struct in header.structs:
        if not struct.methods:
            continue
        lines += [f"## {struct.name}", ""]
        if struct.words.text:
            lines += [struct.words.text, ""]
        lines += ["Of each function, unless it says otherwise ([threads](abi-base.md)):"] + facts(struct.words) + [""]
        for each in struct.methods:
            lines += slot(each)
        data = [f for f in struct.fields if f.name not in ("size", "reserved")]
        if data:
            lines += ["Other members:", ""] + members(data) + [""]
    for struct in header.structs:
        if not struct.methods and struct.fields:
            lines += [f"## {struct.name}", ""]
            if struct.words.text:
                lines += [struct.words.text, ""]
            lines += members(struct.fields) + [""]
    if header.functions:
        lines += ["## Callbacks", ""]
        lines += table(("type", "what"), [(f"`{f.signature}`", f.words.text) for f in header.functions]) + [""]
    if header.constants:
        lines += ["## Constants", ""]
        lines += table(("name", "value", "what"), [(f"`{n}`", f"`{v}`", w) for n, v, w in header.constants]) + [""]
    return "\n".join(lines).rstrip() + "\n"


def members(fields):
    return table(("member", "type", "what"), [(f"`{f.name}`", f"`{f.type}`", f.words) for f in fields])


def index(services, tables):
    lines = [NOTE, "# Services and tables", "", "What plugins offer each other:", ""]
    rows = []
    for header in services:
        for struct in header.structs:
            if struct.id:
                methods = ", ".join(f"`{m.name}`" for m in struct.methods)
                rows.append((f"`{struct.id}`", f"[{header.stem}]({header.stem}.md)", methods))
    lines += table(("interface", "page", "methods"), rows)
    lines += ["", "What the host offers every plugin:", ""]
    rows = [(f"`{h.id}`" if h.id else "", f"[{h.stem}](abi-{h.stem}.md)", h.words.split("\n")[0]) for h in tables]
    lines += table(("table", "page", "what"), rows)
    return "\n".join(lines) + "\n"


def faults(services, tables):
    found = []
    for header in services:
        for struct in header.structs:
            if not struct.id:
                continue
            for name in ("Thread", "Lifetime", "Since"):
                if name not in struct.words.facts:
                    found.append(f"services/{header.name}: {struct.name} has no line \"{name}:\"")
            for method in struct.methods:
                if not method.words.text:
                    found.append(f"services/{header.name}: {struct.name}.{method.name} does not say what it does")
    for header in tables:
        for struct in header.structs:
            for each in struct.methods:
                where = f"abi/{header.name}: {struct.name}.{each.name}"
                if "Thread" not in each.words.facts:
                    found.append(f"{where} names no thread: [any], [strand ...], [media], [worker]")
                if not each.words.text:
                    found.append(f"{where} does not say what it does")
                for name in ("Lifetime", "Since"):
                    if name not in each.words.facts and name not in struct.words.facts:
                        found.append(f"{where} has no \"{name}:\", nor has its table")
    return found


def pages(include):
    services = [parse.service_header(path) for path in sorted((include / "patchbay/services").glob("*.h"))]
    tables = [parse.abi_header(path) for path in sorted((include / "patchbay/abi").glob("*.h"))]
    helpers = [h for h in services if not any(s.id for s in h.structs)]
    services = [h for h in services if h not in helpers]
    written = {"README.md": index(services, tables)}
    for header in services:
        of_it = [h for h in helpers if f'"{header.name}"' in h.includes]
        written[f"{header.stem}.md"] = service_page(header, of_it)
    for header in tables:
        written[f"abi-{header.stem}.md"] = table_page(header)
    return written, faults(services, tables)


def payload(schema):
    """The members of an event's payload: name, type or the only values it has, description."""
    lines = []
    for name, of in schema.get("properties", {}).items():
        kinds = of.get("type", "any")
        what = " or ".join(f'"{value}"' for value in of["enum"]) if "enum" in of else kinds if isinstance(kinds, str) else " or ".join(kinds)
        optional = "" if name in schema.get("required", []) else ", optional"
        lines.append((f"`{name}`", what + optional, of.get("description", "")))
    return lines


def events_page(page, plugins):
    """What stands above the note is written by hand, below it follows an event after the other."""
    lines = [page.read_text().split(EVENTS_NOTE)[0] + EVENTS_NOTE]
    for path in sorted(plugins.glob("*/manifest.json")):
        manifest = json.loads(path.read_text())
        for event in manifest.get("emits", []):
            if isinstance(event, str) or "schema" not in event:
                continue
            lines += [f"## {event['topic']}", "", f"{event.get('summary', '')} ({manifest['id']}). Subject: {event.get('subject', 'none')}.", ""]
            lines += table(("member", "value", "what"), payload(event["schema"])) + [""]
    return "\n".join(lines).rstrip() + "\n"


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--check", action="store_true")
    arguments.add_argument("--include", type=pathlib.Path, default=HERE.parent / "include")
    arguments.add_argument("--plugins", type=pathlib.Path, default=HERE.parent.parent / "plugins")
    given = arguments.parse_args()
    written, wrong = pages(given.include)
    events_path = HERE / "events.md"
    events = events_page(events_path, given.plugins)
    folder = HERE / "services"
    if given.check:
        for name, text in written.items():
            path = folder / name
            if not path.exists() or path.read_text() != text:
                wrong.append(f"docs/services/{name} is stale: run sdk/docs/generate.py")
        if events_path.read_text() != events:
            wrong.append("docs/events.md is stale: run sdk/docs/generate.py")
        wrong += [f"docs/services/{p.name} has no header any more" for p in folder.glob("*.md") if p.name not in written]
    else:
        folder.mkdir(exist_ok=True)
        for path in folder.glob("*.md"):
            if path.name not in written:
                path.unlink()
        for name, text in written.items():
            (folder / name).write_text(text)
        events_path.write_text(events)
    for each in wrong:
        print(each)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
