"""Parses the declarations and comments of the SDK's headers, which follow one form."""
import dataclasses
import re

THREADS = re.compile(r"^(?:\[(?:any|media|worker|strand[^\]]*)\]\s*)+")
FACT = re.compile(r"(?:^|\n|(?<=\.) )(Thread|Lifetime|Since): ")


@dataclasses.dataclass
class Words:
    text: str = ""
    facts: dict = dataclasses.field(default_factory=dict)


@dataclasses.dataclass
class Field:
    name: str
    type: str
    default: str
    words: str


@dataclasses.dataclass
class Method:
    name: str
    words: Words
    request: str = ""
    reply: str = ""
    signature: str = ""


@dataclasses.dataclass
class Struct:
    name: str
    words: Words
    id: str = ""
    fields: list = dataclasses.field(default_factory=list)
    methods: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Header:
    name: str
    stem: str
    title: str
    words: str
    id: str = ""
    space: str = ""
    includes: str = ""
    structs: list = dataclasses.field(default_factory=list)
    functions: list = dataclasses.field(default_factory=list)
    constants: list = dataclasses.field(default_factory=list)


def one_line(text):
    return " ".join(text.split())


def uncomment(text):
    """The text of a comment without its markers; line breaks are kept."""
    text = re.sub(r"^\s*/\*|\*/\s*$", "", text.strip())
    return "\n".join(re.sub(r"^\s*(?://|\*(?!/))\s?", "", line).rstrip() for line in text.strip().split("\n")).strip()


def words_of(comment):
    """Splits a comment into its text and its facts; a leading "[any]" is the thread."""
    text = uncomment(comment or "")
    parts = FACT.split(text)
    facts = {name: one_line(value) for name, value in zip(parts[1::2], parts[2::2])}
    said = one_line(parts[0])
    threads = THREADS.match(said)
    if threads:
        facts = {"Thread": threads.group(0).strip(), **facts}
        said = said[threads.end():]
    return Words(said, facts)


def prose(comment):
    """A header's first comment as Markdown: indented lines outside of lists are code."""
    text, in_list = [], False
    for line in uncomment(comment).split("\n"):
        item = re.match(r"\s*- ", line)
        in_list = bool(item) or (in_list and line.startswith(" "))
        if item:
            line = line.strip()
        elif in_list:
            line = "  " + line.strip()
        elif line.startswith("  "):
            line = "  " + line
        if text and text[-1] and line.startswith("    ") != text[-1].startswith("    "):
            text.append("")
        text.append(line)
    return "\n".join(text)


COMMENT = r"((?:[ \t]*//[^\n]*\n)*)"


def service_fields(body):
    fields = []
    pattern = re.compile(r"((?:  //[^\n]*\n)*)  ([\w:]+) (\w+)(?: = ([^;]+))?;[ \t]*(//[^\n]*(?:\n {12,}//[^\n]*)*)?")
    for above, kind, name, default, beside in pattern.findall(body.split("  PATCHBAY_FIELDS")[0]):
        said = one_line(uncomment(above) + " " + uncomment(beside))
        fields.append(Field(name, kind, default, said))
    return fields


def service_methods(body):
    pattern = re.compile(r"((?:  //[^\n]*\n)*)  static constexpr Method<\d+, (\w+), (\w+)>\s+(\w+)\{\s*\"\w+\"\};[ \t]*(//[^\n]*)?")
    return [Method(name, words_of(above + beside), request, reply)
            for above, request, reply, name, beside in pattern.findall(body)]


def service_header(path):
    text = path.read_text()
    top, rest = text.split("#pragma once", 1)
    header = Header(path.name, path.stem, f"`{path.stem}`", prose(top))
    header.includes = rest
    space = re.search(r"namespace (\S+) \{", rest)
    header.space = space.group(1) if space else ""
    for above, name, body in re.findall(COMMENT + r"struct (\w+) \{\n(.*?)\n\};", rest, re.S):
        struct = Struct(name, words_of(above))
        found = re.search(r'static constexpr char id\[\] = "([^"]+)"', body)
        if found:
            struct.id = found.group(1)
            struct.methods = service_methods(body)
            header.id = header.id or struct.id
        else:
            struct.fields = service_fields(body)
        header.structs.append(struct)
    for above, signature in re.findall(COMMENT + r"inline ([^{;]+) \{", rest):
        header.functions.append(Method("", words_of(above), signature=one_line(signature)))
    return header


C_COMMENT = r"((?:[ \t]*/\*(?:(?!\*/).)*\*/\n)?)"


def abi_members(body):
    """The fields and functions of a struct, in order."""
    fields, methods = [], []
    pattern = re.compile(C_COMMENT + r"  ([^;/]+);[ \t]*(/\*(?:(?!\*/).)*\*/)?", re.S)
    for above, code, beside in pattern.findall(body + "\n"):
        code = one_line(code)
        function = re.match(r"(.+?)\(\*(\w+)\)\((.*)\)\s*PB_NOEXCEPT$", code)
        if function:
            signature = code.replace("PB_NOEXCEPT", "").rstrip() + ";"
            methods.append(Method(function.group(2), words_of(above or beside), signature=signature))
            continue
        kind, name = re.match(r"(.*?)(\w+(?:\[\d+\])?)$", code).groups()
        fields.append(Field(name, kind.strip(), "", one_line(uncomment(above) + " " + uncomment(beside))))
    return fields, methods


def abi_header(path):
    text = path.read_text()
    top = re.match(r"/\*.*?\*/", text, re.S).group(0)
    rest = text[len(top):]
    found = re.search(r'#define PB_\w+_ID "([^"]+)"', rest)
    header = Header(path.name, path.stem, f"`{found.group(1)}`" if found else f"`abi/{path.name}`", prose(top))
    header.id = found.group(1) if found else ""
    structs = re.compile(C_COMMENT + r"(?:typedef )?struct (pb_\w+) \{\n(.*?)\n\}", re.S)
    for above, name, body in structs.findall(rest):
        struct = Struct(name, words_of(above))
        struct.fields, struct.methods = abi_members(body)
        header.structs.append(struct)
    callbacks = re.compile(C_COMMENT + r"typedef ([^;{]+\(\*(pb_\w+)\)[^;]+) PB_NOEXCEPT;", re.S)
    for above, signature, name in callbacks.findall(rest):
        header.functions.append(Method(name, words_of(above), signature=one_line(signature)))
    constants = re.compile(r"^#define (PB_\w+) (\(?-?[\w\"./]+\)?)[ \t]*(?:/\* (.*?) \*/)?$", re.M)
    for name, value, said in constants.findall(rest):
        if not name.startswith(("PB_NOEXCEPT", "PB_EXTERN")):
            header.constants.append((name, value.strip("()"), said))
    return header
