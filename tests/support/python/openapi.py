"""The OpenAPI document as operations, and samples of what their schemas accept and refuse."""

import copy
import re

import jsonschema

FORM = "application/x-www-form-urlencoded"
METHODS = ("get", "post", "put", "patch", "delete", "options", "head")
# In no field's name or rule, so that an error that repeats input is found.
MARK = "zq7mark"


class Operation:
    def __init__(self, document, method, path, node):
        self.document = document
        self.method = method.upper()
        self.path = path
        self.node = node

    def __str__(self):
        return f"{self.method} {self.path}"

    @property
    def needs_bearer(self):
        schemes = [name for one in self.node.get("security", []) for name in one]
        return any(name in ("bearer", "oidc") for name in schemes) and "adminSignature" not in schemes

    @property
    def takes_keys(self):
        return any("bearer" in one for one in self.node.get("security", []))

    @property
    def role(self):
        return self.node.get("x-role", "none")

    def parameters(self, where):
        return [one for one in self.node.get("parameters", []) if one["in"] == where]

    def body_schema(self):
        content = self.node.get("requestBody", {}).get("content", {})
        return content.get("application/json", {}).get("schema")

    def body_example(self):
        content = self.node.get("requestBody", {}).get("content", {}).get("application/json", {})
        for example in content.get("examples", {}).values():
            return copy.deepcopy(example["value"])
        schema = content.get("schema")
        return sample(schema) if schema else None

    def takes_form(self):
        return FORM in self.node.get("requestBody", {}).get("content", {})

    def form_example(self):
        """The text of a form, by default an empty one."""
        return next((one["value"] for one in self.node["requestBody"]["content"][FORM].get("examples", {}).values()), "")

    def variants(self):
        """(query, schema, example) of each form of the body: routes of one path that differ by a query parameter have one each."""
        content = self.node.get("requestBody", {}).get("content", {}).get("application/json", {})
        schema = content.get("schema")
        if schema is None:
            return []
        examples = [(name, copy.deepcopy(one["value"])) for name, one in content.get("examples", {}).items()]
        discriminators = [one["name"] for one in self.parameters("query") if one.get("required") and "enum" in one["schema"]]
        if "anyOf" in schema and discriminators and len(examples) == len(schema["anyOf"]):
            return [({discriminators[0]: name}, one, example) for one, (name, example) in zip(schema["anyOf"], examples)]
        return [({}, schema, examples[0][1] if examples else sample(schema))]

    def response(self, status):
        node = self.node["responses"].get(str(status))
        return self.document.resolve(node) if node is not None else None

    def faults(self, answer):
        """What of an answer the document does not say."""
        node = self.response(answer.status)
        if node is None:
            return [f"status {answer.status} is not documented"]
        content = node.get("content", {})
        if not answer.body:
            return [] if not content or self.method == "HEAD" else ["the answer has no body"]
        kind = answer.headers.get("content-type", "").split(";")[0].strip()
        if kind not in content:
            return [f"content type {kind!r} is not documented, but {sorted(content)}"]
        schema = content[kind].get("schema")
        if schema is None or not kind.endswith("json"):
            return []
        try:
            value = answer.json()
        except ValueError:
            return ["the body is no JSON"]
        return self.document.mismatches(value, schema)

    def example_faults(self):
        """What of the examples of answers their schemas do not say."""
        faults = []
        for status, node in self.node["responses"].items():
            for content in self.document.resolve(node).get("content", {}).values():
                examples = [content["example"]] if "example" in content else [one["value"] for one in content.get("examples", {}).values()]
                for value in examples if "schema" in content else []:
                    faults += [f"{status}: {one}" for one in self.document.mismatches(value, content["schema"])]
        return faults


class Document:
    def __init__(self, json):
        self.json = json
        self.operations = [
            Operation(self, method, path, node)
            for path, item in json["paths"].items()
            for method, node in item.items()
            if method in METHODS
        ]

    def mismatches(self, value, schema):
        validator = jsonschema.Draft202012Validator(self.strict(schema))
        return [f"{'.'.join(map(str, one.absolute_path))}: {one.message[:200]}" for one in validator.iter_errors(value)]

    def resolve(self, node):
        while "$ref" in node:
            at = self.json
            for part in node["$ref"].removeprefix("#/").split("/"):
                at = at[part.replace("~1", "/").replace("~0", "~")]
            node = at
        return node

    def strict(self, schema):
        """The schema with references resolved; members that it does not name are refused, being undocumented."""
        if isinstance(schema, list):
            return [self.strict(one) for one in schema]
        if not isinstance(schema, dict):
            return schema
        schema = {key: self.strict(value) for key, value in self.resolve(schema).items()}
        if "properties" in schema and "additionalProperties" not in schema and schema.get("type") == "object":
            schema["additionalProperties"] = False
        return schema


def types_of(schema):
    kind = schema.get("type", [])
    return [kind] if isinstance(kind, str) else list(kind)


def sample(schema):
    """A value that the schema accepts."""
    if "example" in schema:
        return schema["example"]
    if "default" in schema:
        return schema["default"]
    if "enum" in schema:
        return schema["enum"][0]
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return sample(schema[key][0])
    kinds = types_of(schema)
    if "object" in kinds:
        return {name: sample(schema["properties"][name]) for name in schema.get("required", [])}
    if "array" in kinds:
        return [sample(schema.get("items", {})) for _ in range(schema.get("minItems", 0))]
    if "integer" in kinds or "number" in kinds:
        return schema.get("minimum", 1)
    if "boolean" in kinds:
        return True
    return "x" * max(1, schema.get("minLength", 1))


def wrong_types(schema):
    """Values of types that the schema does not accept."""
    kinds = [one for one in types_of(schema) if one != "null"]
    if not kinds or "anyOf" in schema or "oneOf" in schema:
        return []
    wrong = []
    if "string" not in kinds:
        wrong.append(MARK)
    if "integer" not in kinds and "number" not in kinds:
        wrong.append(7)
    if "boolean" not in kinds:
        wrong.append(True)
    if "array" not in kinds:
        wrong.append([MARK])
    if "object" not in kinds:
        wrong.append({MARK: 1})
    if kinds == ["integer"]:
        wrong += [1.5, 1e300]
    return wrong


def out_of_range(schema):
    """Values just beyond the schema's bounds."""
    beyond = []
    if "minimum" in schema:
        beyond.append(schema["minimum"] - 1)
    if "maximum" in schema:
        beyond.append(schema["maximum"] + 1)
    if schema.get("minLength", 0) > 0:
        beyond.append("x" * (schema["minLength"] - 1))
    if "maxLength" in schema:
        beyond.append((MARK * (schema["maxLength"] // len(MARK) + 1))[: schema["maxLength"] + 1])
    if "enum" in schema and all(one is None or isinstance(one, str) for one in schema["enum"]):
        beyond.append(MARK)
    if "pattern" in schema and not re.search(schema["pattern"], MARK + "!"):
        beyond.append(MARK + "!")
    if schema.get("minItems", 0) > 0:
        beyond.append([])
    return beyond


def items_of(schema):
    """The schema of an array's items; None: it is no array."""
    return schema.get("items", {}) if "array" in types_of(schema) else None
