// A parsed JSON text as a tree of nodes in one arena.
//
// Threads: a Document is immutable once made; any thread may read it. Ownership: nodes, keys and strings
// belong to their Document and live as long as it does, even when it is moved. A Node pointer is one word and
// needs no release, so it crosses a C table as it is.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "json/arena.h"

namespace patchbay::core::json {

enum class Type : uint8_t { null, boolean, number, string, array, object };

// "a string", "an object": for messages.
const char* type_name(Type type) noexcept;

struct Member;

class Node {
 public:
  Node() = default;

  Type type() const noexcept { return type_; }
  bool is(Type type) const noexcept { return type_ == type; }

  // Bytes of a string, elements of an array, members of an object; 0 for the others.
  uint32_t size() const noexcept { return size_; }

  // nullptr when out of range, not found, or when this node is of another type.
  const Node* element(uint32_t index) const noexcept;
  const Member* member(uint32_t index) const noexcept;
  const Node* find(std::string_view key) const noexcept;

  // May contain NUL. Returns `fallback` unless this is a string.
  std::string_view string(std::string_view fallback = {}) const noexcept;
  bool boolean(bool fallback = false) const noexcept;
  // A number without a fraction that an int64_t holds exactly: 1, 1.0 and 1e3 are, 2^63 and 0.5 are not.
  bool is_integer() const noexcept;
  int64_t integer(int64_t fallback = 0) const noexcept;
  double number(double fallback = 0) const noexcept;

  // Where the value was written: the byte offset after its first token in the parsed text, or the origin that
  // the Builder was given.
  uint32_t origin() const noexcept { return origin_; }

 private:
  friend class Builder;
  Type type_ = Type::null;
  bool exact_ = false;  // a number stored as integer
  uint32_t size_ = 0;
  uint32_t origin_ = 0;
  union {
    bool boolean;
    int64_t integer;
    double number;
    const char* text;
    const Node* elements;
    const Member* members;
  } as_ = {.integer = 0};
};

struct Member {
  Node value;
  std::string_view key;
};

// Equal as JSON values: 1 equals 1.0, the order of members does not count.
bool equal(const Node& a, const Node& b) noexcept;

class Document {
 public:
  Document() = default;  // the value null
  Document(Document&&) noexcept = default;
  Document& operator=(Document&&) noexcept = default;

  const Node& root() const noexcept { return root_; }

 private:
  friend class Builder;
  std::unique_ptr<Arena> arena_;
  Node root_;
};

}  // namespace patchbay::core::json
