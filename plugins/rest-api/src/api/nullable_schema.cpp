#include "nullable_schema.h"

#include <patchbay/json.h>

namespace patchbay::rest_api {
namespace {

bool has_text(JsonView list, std::string_view wanted) {
  for (size_t i = 0; i < list.size(); ++i)
    if (list.at(i).text() == wanted) return true;
  return false;
}

class Writer {
 public:
  explicit Writer(const Host& host) : host_(host) {}

  // A schema without `type` and `enum` accepts null already, as do those that name it.
  void schema(JsonView schema, bool optional) {
    if (!schema.is_object()) return void(out_.raw(host_.write_json(schema)));
    const bool untyped = !schema["type"] && !schema["enum"];
    out_.object();
    for (size_t i = 0; i < schema.size(); ++i) {
      const std::string_view keyword = schema.key(i);
      out_.key(keyword);
      if (keyword == "properties")
        properties(schema.at(i), schema["required"]);
      else if (keyword == "items" || keyword == "additionalProperties")
        this->schema(schema.at(i), false);
      else if (optional && keyword == "type")
        with_null(schema.at(i), "\"null\"");
      else if (optional && keyword == "enum")
        with_null(schema.at(i), "null");
      else if ((keyword == "anyOf" || keyword == "oneOf") && schema.at(i).is_array())
        alternatives(schema.at(i), optional && untyped);
      else
        out_.raw(host_.write_json(schema.at(i)));
    }
    out_.end();
  }

  std::string take() { return std::move(out_).str(); }

 private:
  void properties(JsonView members, JsonView required) {
    out_.object();
    for (size_t i = 0; i < members.size(); ++i) {
      out_.key(members.key(i));
      schema(members.at(i), !has_text(required, members.key(i)));
    }
    out_.end();
  }

  // Writes a value, or a list of them, with `null` at the end unless it is there.
  void with_null(JsonView values, std::string_view null) {
    bool there = false;
    out_.array();
    const auto write = [&](JsonView value) {
      const std::string text = host_.write_json(value);
      there = there || text == null;
      out_.raw(text);
    };
    if (!values.is_array()) write(values);
    for (size_t i = 0; values.is_array() && i < values.size(); ++i) write(values.at(i));
    if (!there) out_.raw(null);
    out_.end();
  }

  void alternatives(JsonView list, bool optional) {
    bool there = false;
    out_.array();
    for (size_t i = 0; i < list.size(); ++i) {
      schema(list.at(i), false);
      there = there || list.at(i)["type"].text() == "null" || has_text(list.at(i)["type"], "null");
    }
    if (optional && !there) out_.raw(R"({"type":"null"})");
    out_.end();
  }

  const Host& host_;
  JsonWriter out_;
};

}  // namespace

std::string nullable_schema(const Host& host, JsonView schema) {
  Writer writer(host);
  writer.schema(schema, false);
  return writer.take();
}

}  // namespace patchbay::rest_api
