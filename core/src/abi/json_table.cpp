#include <cstddef>
#include <memory>
#include <utility>

#include "abi/boundary_copies.h"
#include "abi/guarded_table.h"
#include "abi/host_context.h"
#include "abi/limits.h"
#include "json/parse.h"
#include "json/schema.h"
#include "json/writer.h"

// The core's documents and nodes, which are opaque to plugins.
struct pb_json_doc {
  patchbay::core::json::Document document;
};

namespace patchbay::core {
namespace json_slots {
namespace {

using json::Node;
using json::Type;

const Node* of(const pb_json_node* node) noexcept { return reinterpret_cast<const Node*>(node); }
const pb_json_node* out(const Node* node) noexcept { return reinterpret_cast<const pb_json_node*>(node); }

int32_t parse(void*, pb_str source, pb_json_doc** doc, pb_err* err) noexcept {
  auto parsed = json::parse(from_abi(source), kPluginJsonLimits);
  if (!parsed) return write_error(err, parsed.error().code, parsed.error().text);
  *doc = new pb_json_doc{std::move(*parsed)};
  return PB_OK;
}

void free_doc(void*, pb_json_doc* doc) noexcept { delete doc; }

const pb_json_node* root(const pb_json_doc* doc) noexcept { return out(&doc->document.root()); }

uint32_t type(const pb_json_node* node) noexcept {
  if (node == nullptr) return PB_JSON_NULL;
  switch (of(node)->type()) {
    case Type::null:
      return PB_JSON_NULL;
    case Type::boolean:
      return PB_JSON_BOOL;
    case Type::number:
      return of(node)->is_integer() ? PB_JSON_INT : PB_JSON_NUMBER;
    case Type::string:
      return PB_JSON_STRING;
    case Type::array:
      return PB_JSON_ARRAY;
    case Type::object:
      return PB_JSON_OBJECT;
  }
  return PB_JSON_NULL;
}

uint64_t count(const pb_json_node* node) noexcept { return node == nullptr ? 0 : of(node)->size(); }

const pb_json_node* at(const pb_json_node* node, uint64_t index) noexcept {
  if (node == nullptr || index >= of(node)->size()) return nullptr;
  const auto i = static_cast<uint32_t>(index);
  if (const json::Member* member = of(node)->member(i)) return out(&member->value);
  return out(of(node)->element(i));
}

pb_str key_at(const pb_json_node* node, uint64_t index) noexcept {
  if (node == nullptr || index >= of(node)->size()) return {};
  const json::Member* member = of(node)->member(static_cast<uint32_t>(index));
  return member != nullptr ? to_abi(member->key) : pb_str{};
}

const pb_json_node* get(const pb_json_node* node, pb_str key) noexcept {
  return node == nullptr ? nullptr : out(of(node)->find(from_abi(key)));
}

int32_t boolean(const pb_json_node* node) noexcept { return node != nullptr && of(node)->boolean() ? 1 : 0; }
int64_t integer(const pb_json_node* node) noexcept { return node == nullptr ? 0 : of(node)->integer(); }
double number(const pb_json_node* node) noexcept { return node == nullptr ? 0 : of(node)->number(); }
pb_str string_of(const pb_json_node* node) noexcept {
  return node == nullptr ? pb_str{} : to_abi(of(node)->string());
}

pb_buf* write(void*, const pb_json_node* node) noexcept {
  return copied_buffer(node == nullptr ? std::string("null") : json::write(*of(node)));
}

uint64_t schema(void* host, pb_str source, pb_err* err) noexcept {
  auto compiled = json::Schema::compile(from_abi(source));
  if (!compiled) {
    write_error(err, compiled.error().code, compiled.error().text);
    return 0;
  }
  return HostContext::of(host).handles().schemas.add(
      std::make_shared<const json::Schema>(std::move(*compiled)));
}

void schema_free(void* host, uint64_t schema) noexcept {
  HostContext::of(host).handles().schemas.take(schema);
}

// The bytes of a text in `err`, which its owner may make longer than the member.
size_t text_room(const pb_err* err) noexcept {
  return err != nullptr && err->size > offsetof(pb_err, text) ? err->size - offsetof(pb_err, text) - 1 : 0;
}

int32_t schema_read(void* host, uint64_t handle, pb_str source, pb_json_doc** doc, pb_err* err) noexcept {
  const auto held = HostContext::of(host).handles().schemas.find(handle);
  if (!held) return write_error(err, Code::gone, "the schema was freed");
  auto parsed = json::parse(from_abi(source), kPluginJsonLimits);
  if (!parsed) return write_error(err, parsed.error().code, parsed.error().text);
  json::Checked checked =
      std::static_pointer_cast<const json::Schema>(held)->check(parsed->root(), json::CheckOptions{});
  if (!checked.ok()) return write_error(err, Code::invalid, checked.error(text_room(err)).text);
  *doc = new pb_json_doc{std::move(checked.value)};
  return PB_OK;
}

constexpr pb_json kFunctions{sizeof(pb_json), 0,          &parse,  &free_doc, &root,        &type,
                             &count,          &at,        &key_at, &get,      &boolean,     &integer,
                             &number,         &string_of, &write,  &schema,   &schema_free, &schema_read};
constexpr pb_json kTable = guarded<kFunctions>();

}  // namespace
}  // namespace json_slots

const pb_json& json_table() noexcept { return json_slots::kTable; }
const pb_json& json_table_without_host() noexcept { return json_slots::kFunctions; }

}  // namespace patchbay::core
