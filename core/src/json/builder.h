// Builds a Document call by call. Not thread-safe. The caller must end each array and object, give a key
// before each member, and give no key twice (for texts, the parser checks that).
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace patchbay::core::json {

class Builder {
 public:
  Builder() : Builder(1024) {}
  // `expected_bytes`: of the document's memory, so that it is allocated at once.
  explicit Builder(size_t expected_bytes);

  // Sets the origin of the next value; 0 by default.
  Builder& origin(uint32_t where) {
    origin_ = where;
    return *this;
  }

  void begin_object() { begin(Type::object); }
  void begin_array() { begin(Type::array); }
  void end();
  void key(std::string_view name);
  void null() { add(Node{}, Type::null); }
  void boolean(bool value);
  void integer(int64_t value);
  void number(double value);
  void string(std::string_view value);
  // Deep copy. Without `origins`, every node of the copy has origin 0.
  void copy(const Node& node, bool origins = true);

  size_t depth() const noexcept { return open_.size(); }
  // The name of the member being built, also inside its array; empty if there is none.
  std::string_view name() const noexcept;
  // The members of the innermost open object so far.
  const Member* members() const noexcept { return stack_.data() + open_.back().first; }
  size_t count() const noexcept { return stack_.size() - open_.back().first; }

  static Document empty_object();
  // The finished document; the builder may not be used afterwards.
  Document finish();

 private:
  struct Open {
    Type type;
    size_t first;  // index of its first child on the stack
    uint32_t origin;
    std::string_view key;
  };

  void begin(Type type);
  void add(Node node, Type type);
  std::string_view keep(std::string_view text);

  Document document_;
  std::vector<Member> stack_;
  std::vector<Open> open_;
  std::string_view key_;
  uint32_t origin_ = 0;
};

}  // namespace patchbay::core::json
