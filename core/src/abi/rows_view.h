// RowsView: rows of the store as pb_rows; borrows the text, owns the cells.
#pragma once

#include <patchbay/abi/store.h>
#include <patchbay/str.h>

#include <vector>

#include "store/sql_value.h"

namespace patchbay::core {

class RowsView {
 public:
  explicit RowsView(const Rows& rows);
  const pb_rows* get() const noexcept { return &raw_; }
  RowsView(RowsView&&) noexcept = default;

 private:
  std::vector<pb_value> cells_;
  pb_rows raw_;
};

inline RowsView::RowsView(const Rows& rows)
    : raw_{sizeof(pb_rows), static_cast<uint32_t>(rows.column_count()), rows.row_count(), nullptr} {
  cells_.reserve(rows.row_count() * rows.column_count());
  for (size_t row = 0; row < rows.row_count(); ++row) {
    for (size_t column = 0; column < rows.column_count(); ++column) {
      cells_.push_back({static_cast<uint32_t>(rows.type(row, column)), 0, rows.integer(row, column),
                        rows.real(row, column), to_abi(rows.text(row, column))});
    }
  }
  raw_.cells = cells_.data();
}
static_assert(static_cast<uint32_t>(ValueType::bytes) == PB_VALUE_BYTES);
static_assert(static_cast<uint32_t>(ValueType::integer) == PB_VALUE_INT);

Values read_values(const pb_value* values, uint32_t count);

}  // namespace patchbay::core
