// What the store gives and takes, in frames: values, rows, outcomes, jobs. The operations of a transaction
// are in operations.h.
#pragma once

#include <patchbay/abi/store.h>
#include <patchbay/str.h>

#include <deque>
#include <vector>

#include "isolation/wire.h"

namespace patchbay::core::isolation {

constexpr uint32_t kMostValues = 32768;

void put_values(Encoder& out, const pb_value* values, uint32_t count);
// Borrow the frame; Decoder::ok() says whether they were there.
std::vector<pb_value> get_values(Decoder& in);

void put_rows(Encoder& out, const pb_rows* rows);  // NULL is none
// What arrived, with the cells it points to. Borrows the frame.
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

void put_job(Encoder& out, const pb_job& job);
pb_job get_job(Decoder& in);

}  // namespace patchbay::core::isolation
