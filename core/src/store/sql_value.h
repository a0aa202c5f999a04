// Parameters of a statement and rows of its result.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace patchbay::core {

enum class ValueType : uint8_t { null, integer, real, text, bytes };

// One bound parameter. Text is UTF-8 without NUL, because PostgreSQL stores no other; bytes may be anything.
struct Value {
  Value() = default;
  template <std::integral T>
  Value(T number) : type(ValueType::integer), integer(static_cast<int64_t>(number)) {}
  Value(double number) : type(ValueType::real), real(number) {}
  Value(std::string text) : type(ValueType::text), data(std::move(text)) {}
  Value(std::string_view text) : type(ValueType::text), data(text) {}
  Value(const char* text) : type(ValueType::text), data(text) {}

  static Value bytes(std::string_view raw) {
    Value value(raw);
    value.type = ValueType::bytes;
    return value;
  }

  ValueType type = ValueType::null;
  int64_t integer = 0;
  double real = 0;
  std::string data;  // text or bytes
};

using Values = std::vector<Value>;

// The rows of one statement, in two blocks of memory: cells, and their text. Views stay valid as long as the
// Rows. Reading a cell as another type returns 0 or "".
class Rows {
 public:
  size_t row_count() const { return columns_ == 0 ? 0 : cells_.size() / columns_; }
  size_t column_count() const { return columns_; }
  bool empty() const { return cells_.empty(); }
  size_t byte_size() const { return cells_.size() * sizeof(Cell) + heap_.size(); }

  ValueType type(size_t row, size_t column) const { return cell(row, column).type; }
  bool is_null(size_t row, size_t column) const { return type(row, column) == ValueType::null; }
  int64_t integer(size_t row, size_t column) const {
    const Cell& at = cell(row, column);
    return at.type == ValueType::integer ? at.payload.integer : 0;
  }
  double real(size_t row, size_t column) const {
    const Cell& at = cell(row, column);
    if (at.type == ValueType::integer) return static_cast<double>(at.payload.integer);
    return at.type == ValueType::real ? at.payload.real : 0;
  }
  // Text or bytes.
  std::string_view text(size_t row, size_t column) const {
    const Cell& at = cell(row, column);
    if (at.type != ValueType::text && at.type != ValueType::bytes) return {};
    return std::string_view(heap_).substr(static_cast<size_t>(at.payload.integer), at.size);
  }

  // To fill: start(), then add the cells row by row.
  void start(size_t columns) { columns_ = columns; }
  void add_null() { cells_.push_back({}); }
  void add_integer(int64_t number) { cells_.push_back({ValueType::integer, 0, {.integer = number}}); }
  void add_real(double number) { cells_.push_back({ValueType::real, 0, {.real = number}}); }
  void add_data(ValueType type, const char* data, size_t size) {
    cells_.push_back({type, static_cast<uint32_t>(size), {.integer = static_cast<int64_t>(heap_.size())}});
    heap_.append(data, size);
  }

 private:
  struct Cell {
    ValueType type = ValueType::null;
    uint32_t size = 0;
    union {
      int64_t integer;  // the number, or the offset of text in the heap
      double real;
    } payload = {.integer = 0};
  };
  const Cell& cell(size_t row, size_t column) const { return cells_[row * columns_ + column]; }

  size_t columns_ = 0;
  std::vector<Cell> cells_;
  std::string heap_;
};

}  // namespace patchbay::core
