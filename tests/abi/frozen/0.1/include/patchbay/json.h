// JSON: documents parsed by the host, views of their values, and a writer.
#pragma once

#include <cmath>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "abi/json.h"
#include "json_string.h"
#include "str.h"

namespace patchbay {

class Host;

// A value in a document. Cheap to copy; valid as long as the document. Accessors return the fallback for
// absent members and other types.
class JsonView {
 public:
  JsonView() = default;
  JsonView(const pb_json* table, const pb_json_node* node) : table_(table), node_(node) {}

  explicit operator bool() const noexcept { return node_ != nullptr; }
  uint32_t type() const noexcept { return node_ != nullptr ? table_->type(node_) : PB_JSON_NULL; }
  bool is_null() const noexcept { return type() == PB_JSON_NULL; }
  bool is_string() const noexcept { return type() == PB_JSON_STRING; }
  bool is_object() const noexcept { return type() == PB_JSON_OBJECT; }
  bool is_array() const noexcept { return type() == PB_JSON_ARRAY; }
  size_t size() const noexcept { return is_object() || is_array() ? table_->count(node_) : 0; }

  JsonView at(size_t index) const noexcept { return {table_, table_->at(node_, index)}; }
  std::string_view key(size_t index) const noexcept { return from_abi(table_->key_at(node_, index)); }
  JsonView operator[](std::string_view name) const noexcept {
    return is_object() ? JsonView{table_, table_->get(node_, to_abi(name))} : JsonView{};
  }

  std::string_view text(std::string_view fallback = {}) const noexcept {
    return is_string() ? from_abi(table_->string(node_)) : fallback;
  }
  int64_t integer(int64_t fallback = 0) const noexcept {
    return type() == PB_JSON_INT ? table_->integer(node_) : fallback;
  }
  double number(double fallback = 0) const noexcept {
    return type() == PB_JSON_INT || type() == PB_JSON_NUMBER ? table_->number(node_) : fallback;
  }
  bool boolean(bool fallback = false) const noexcept {
    return type() == PB_JSON_BOOL ? table_->boolean(node_) != 0 : fallback;
  }

  std::string_view text(std::string_view name, std::string_view fallback) const noexcept {
    return (*this)[name].text(fallback);
  }
  int64_t integer(std::string_view name, int64_t fallback) const noexcept {
    return (*this)[name].integer(fallback);
  }
  double number(std::string_view name, double fallback) const noexcept {
    return (*this)[name].number(fallback);
  }
  bool boolean(std::string_view name, bool fallback) const noexcept {
    return (*this)[name].boolean(fallback);
  }

  const pb_json_node* node() const noexcept { return node_; }

 private:
  const pb_json* table_ = nullptr;
  const pb_json_node* node_ = nullptr;
};

// Owns a parsed document. The root of an empty one is absent.
class Json {
 public:
  Json() = default;
  Json(const pb_json* table, void* host, pb_json_doc* doc) : table_(table), doc_(doc, Free{table, host}) {}
  JsonView root() const noexcept { return doc_ ? JsonView{table_, table_->root(doc_.get())} : JsonView{}; }
  JsonView operator[](std::string_view name) const noexcept { return root()[name]; }

 private:
  struct Free {
    const pb_json* table;
    void* host;
    void operator()(pb_json_doc* doc) const noexcept { table->free_doc(host, doc); }
  };
  const pb_json* table_ = nullptr;
  std::unique_ptr<pb_json_doc, Free> doc_{nullptr, Free{nullptr, nullptr}};
};

// [any] A compiled schema, for JSON that a plugin validates itself.
class Schema {
 public:
  Schema() = default;
  // Error: why the schema is invalid.
  static Result<Schema> compile(const Host& host, std::string_view text);
  Schema(Schema&& other) noexcept
      : table_(other.table_), host_(other.host_), id_(std::exchange(other.id_, 0)) {}
  Schema& operator=(Schema&& other) noexcept {
    std::swap(table_, other.table_);
    std::swap(host_, other.host_);
    std::swap(id_, other.id_);
    return *this;
  }
  ~Schema() {
    if (id_ != 0) table_->schema_free(host_, id_);
  }

  // Parses and validates: the result has names in camelCase, no unknown members, and defaults filled in.
  // Errors name the field and the limit.
  Result<Json> read(std::string_view text) const {
    if (id_ == 0) return {Code::misuse, "an empty schema"};
    pb_json_doc* doc = nullptr;
    pb_err err = empty_error();
    const int32_t status = table_->schema_read(host_, id_, to_abi(text), &doc, &err);
    if (status != PB_OK) return read_error(status, &err);
    return Json(table_, host_, doc);
  }

 private:
  Schema(const pb_json* table, void* host, uint64_t id) : table_(table), host_(host), id_(id) {}
  const pb_json* table_ = nullptr;
  void* host_ = nullptr;
  uint64_t id_ = 0;
};

// Writes one JSON value, in the order of the calls; adds commas and quotes. Strings are always valid UTF-8.
//   JsonWriter w; w.object().member("ok", true).key("data").array().value(1).end().end(); w.str();
class JsonWriter {
 public:
  JsonWriter& object() { return open('{'); }
  JsonWriter& array() { return open('['); }
  JsonWriter& end() {
    out_ += stack_.back();
    stack_.pop_back();
    comma_ = true;
    return *this;
  }
  JsonWriter& key(std::string_view name) {
    separate();
    append_json_string(out_, name);
    out_ += ':';
    comma_ = false;
    return *this;
  }
  JsonWriter& value(std::string_view text) {
    separate();
    append_json_string(out_, text);
    return *this;
  }
  JsonWriter& value(const char* text) { return value(std::string_view(text)); }
  JsonWriter& value(const std::string& text) { return value(std::string_view(text)); }
  JsonWriter& value(bool yes) { return raw(yes ? "true" : "false"); }
  JsonWriter& value(double number) {
    if (!std::isfinite(number)) return null();
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", number);
    return raw(text);
  }
  template <class Int, class = std::enable_if_t<std::is_integral_v<Int> && !std::is_same_v<Int, bool>>>
  JsonWriter& value(Int number) {
    return raw(std::to_string(number));
  }
  JsonWriter& null() { return raw("null"); }
  // Inserts JSON text as it is.
  JsonWriter& raw(std::string_view json) {
    separate();
    out_ += json;
    return *this;
  }
  template <class T>
  JsonWriter& member(std::string_view name, const T& what) {
    return key(name).value(what);
  }
  const std::string& str() const& noexcept { return out_; }
  std::string str() && noexcept { return std::move(out_); }

 private:
  JsonWriter& open(char bracket) {
    separate();
    out_ += bracket;
    stack_ += bracket == '{' ? '}' : ']';
    comma_ = false;
    return *this;
  }
  void separate() {
    if (comma_) out_ += ',';
    comma_ = true;
  }
  std::string out_;
  std::string stack_;
  bool comma_ = false;
};

}  // namespace patchbay
