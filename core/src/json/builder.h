// Builds a Document call by call. Not thread-safe; the caller closes what it opens, gives a key before each
// member and keeps keys apart (the parser checks that for texts).
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "json/document.h"

namespace patchbay::core::json {

class Builder {
 public:
  Builder();

  // The origin of the next value; 0 when not called.
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
  // Deep. Without `origins` the copy has origin 0 throughout.
  void copy(const Node& node, bool origins = true);

  size_t depth() const noexcept { return open_.size(); }
  // The name of the member that is being made, also while the elements of its array are; empty if there is
  // none.
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
    size_t first;  // of its children on the stack
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
