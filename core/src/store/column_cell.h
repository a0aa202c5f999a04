// add_cell(): appends a column of a database's result to rows. Columns has type(), integer(), real() and
// data() of a column, of the row that it is at.
#pragma once

#include <string>
#include <string_view>

#include "store/sql_value.h"

namespace patchbay::core {

inline Error too_large_result(size_t max_bytes) {
  return {Code::exhausted, "the result is larger than " + std::to_string(max_bytes) + " bytes"};
}

template <class Columns>
void add_cell(const Columns& columns, int column, Rows& rows) {
  const ValueType type = columns.type(column);
  switch (type) {
    case ValueType::integer:
      return rows.add_integer(columns.integer(column));
    case ValueType::real:
      return rows.add_real(columns.real(column));
    case ValueType::text:
    case ValueType::bytes: {
      const std::string_view data = columns.data(column);
      return rows.add_data(type, data.data(), data.size());
    }
    case ValueType::null:
      return rows.add_null();
  }
}

}  // namespace patchbay::core
