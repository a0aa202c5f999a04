// JSON for the peers of tests: lookups can be chained, because lookups in an absent value are absent.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "json/parse.h"
#include "json/writer.h"

namespace patchbay::support {

// A value inside a JsonDocument, possibly absent. Borrowed from its document.
class JsonView {
 public:
  JsonView() = default;
  explicit JsonView(const core::json::Node* node) : node_(node) {}

  explicit operator bool() const { return node_ != nullptr; }
  bool is_object() const { return is(core::json::Type::object); }
  bool is_array() const { return is(core::json::Type::array); }
  bool is_string() const { return is(core::json::Type::string); }
  bool is_number() const { return is(core::json::Type::number); }
  bool is_bool() const { return is(core::json::Type::boolean); }
  bool is_null() const { return is(core::json::Type::null); }
  bool is_integer() const { return node_ && node_->is_integer(); }

  JsonView operator[](std::string_view key) const { return JsonView(node_ ? node_->find(key) : nullptr); }
  uint32_t size() const { return node_ ? node_->size() : 0; }
  JsonView at(uint32_t index) const { return JsonView(node_ ? node_->element(index) : nullptr); }
  std::pair<std::string_view, JsonView> member(uint32_t index) const {
    const auto* found = node_ ? node_->member(index) : nullptr;
    return found ? std::pair{found->key, JsonView(&found->value)} : std::pair{std::string_view{}, JsonView{}};
  }
  std::string_view string() const { return node_ ? node_->string() : std::string_view{}; }
  bool boolean() const { return node_ && node_->boolean(); }
  int64_t integer() const { return node_ ? node_->integer() : 0; }
  double number() const { return node_ ? node_->number() : 0; }
  std::string write() const { return node_ ? core::json::write(*node_) : "null"; }

 private:
  bool is(core::json::Type type) const { return node_ && node_->is(type); }
  const core::json::Node* node_ = nullptr;
};

class JsonDocument {
 public:
  static Result<JsonDocument> parse(std::string_view text, size_t max_bytes) {
    PB_TRY_VALUE(auto parsed, core::json::parse(text, {max_bytes, 32}));
    JsonDocument document;
    document.parsed_ = std::move(parsed);
    return document;
  }
  JsonView root() const { return JsonView(&parsed_.root()); }

 private:
  core::json::Document parsed_;
};

}  // namespace patchbay::support
