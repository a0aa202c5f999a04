// OwnedRows: a copy of the rows of a statement that a test ran.
#pragma once

#include <string>
#include <vector>

#include "../store.h"

namespace patchbay::testing {

class OwnedRows {
 public:
  OwnedRows() = default;
  explicit OwnedRows(const pb_rows* rows) : columns_(rows != nullptr ? rows->columns : 0) {
    const size_t count = rows != nullptr ? rows->rows * rows->columns : 0;
    for (size_t i = 0; i < count; ++i) cells_.push_back(Cell(rows->cells[i]));
  }

  size_t size() const noexcept { return columns_ == 0 ? 0 : cells_.size() / columns_; }
  bool empty() const noexcept { return cells_.empty(); }
  bool is_null(size_t row, size_t column) const noexcept { return at(row, column).kind == PB_VALUE_NULL; }
  // The value of text and bytes; "" for numbers.
  const std::string& text(size_t row, size_t column) const noexcept { return at(row, column).text; }
  int64_t integer(size_t row, size_t column) const noexcept { return at(row, column).integer; }
  double real(size_t row, size_t column) const noexcept { return at(row, column).real; }

 private:
  struct Cell {
    explicit Cell(const pb_value& from)
        : kind(from.kind), integer(from.integer), real(from.real), text(from_abi(from.bytes)) {}
    uint32_t kind;
    int64_t integer;
    double real;
    std::string text;
  };
  const Cell& at(size_t row, size_t column) const noexcept {
    assert(column < columns_ && row < size());
    return cells_[row * columns_ + column];
  }

  size_t columns_ = 0;
  std::vector<Cell> cells_;
};

}  // namespace patchbay::testing
