// What the store gives and takes, in frames: values, rows, outcomes. The operations of a transaction
// are in operations.h.
#pragma once

#include <patchbay/abi/store.h>
#include <patchbay/str.h>

#include <deque>
#include <vector>

#include "isolation/frame.h"

namespace patchbay::core::isolation {

void put_value(Encoder& out, const pb_value& value);
// Borrow the frame; Decoder::ok() says whether all was there.
pb_value get_value(Decoder& in);

void put_rows(Encoder& out, const pb_rows* rows);  // NULL is none
// What arrived, with the cells it points to.
class ReadRows {
 public:
  explicit ReadRows(Decoder& in);
  const pb_rows* get() const noexcept { return there_ ? &rows_ : nullptr; }

 private:
  bool there_ = false;
  std::vector<pb_value> cells_;
  pb_rows rows_{};
};

void put_outcome(Encoder& out, const pb_commit& outcome);
class ReadOutcome {
 public:
  explicit ReadOutcome(Decoder& in);
  const pb_commit* get() const noexcept { return &outcome_; }

 private:
  std::vector<int32_t> savepoints_;
  std::deque<ReadRows> results_;
  std::vector<const pb_rows*> pointers_;
  pb_commit outcome_{};
};

}  // namespace patchbay::core::isolation
