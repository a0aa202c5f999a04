#include "isolation/store/store_wire.h"

namespace patchbay::core::isolation {
namespace {

// The minimum size of a value in a frame. Bounds counts, so that a frame cannot demand more memory than its
// size.
constexpr size_t kValueBytes = 4;

}  // namespace

void put_value(Encoder& out, const pb_value& value) {
  out.u32(value.kind);
  if (value.kind == PB_VALUE_INT) out.i64(value.integer);
  if (value.kind == PB_VALUE_REAL) out.f64(value.real);
  if (value.kind == PB_VALUE_TEXT || value.kind == PB_VALUE_BYTES) out.str(from_abi(value.bytes));
}

pb_value get_value(Decoder& in) {
  pb_value value{};
  value.kind = in.u32();
  if (value.kind == PB_VALUE_INT) value.real = static_cast<double>(value.integer = in.i64());
  if (value.kind == PB_VALUE_REAL) value.real = in.f64();
  if (value.kind == PB_VALUE_TEXT || value.kind == PB_VALUE_BYTES) value.bytes = to_abi(in.str());
  if (value.kind > PB_VALUE_BYTES) in.fail();
  return value;
}

void put_rows(Encoder& out, const pb_rows* rows) {
  out.u32(rows != nullptr ? 1 : 0);
  if (rows == nullptr) return;
  out.u32(rows->columns).u64(rows->rows);
  for (uint64_t i = 0; i < rows->rows * rows->columns; ++i) put_value(out, rows->cells[i]);
}

ReadRows::ReadRows(Decoder& in) : there_(in.u32() != 0) {
  if (!there_) return;
  rows_.size = sizeof rows_;
  rows_.columns = in.u32();
  rows_.rows = in.u64();
  if (rows_.columns > 0 && rows_.rows > in.left() / kValueBytes / rows_.columns) in.fail();
  if (!in.ok()) rows_.rows = 0;
  const uint64_t count = rows_.rows * rows_.columns;
  cells_.reserve(count);
  while (cells_.size() < count && in.ok()) cells_.push_back(get_value(in));
  if (!in.ok()) rows_.rows = 0;
  rows_.cells = cells_.data();
}

void put_outcome(Encoder& out, const pb_commit& outcome) {
  out.u32(static_cast<uint32_t>(outcome.status)).u32(static_cast<uint32_t>(outcome.failed_operation));
  out.str(from_abi(outcome.text)).u32(outcome.savepoints);
  for (uint32_t i = 0; i < outcome.savepoints; ++i)
    out.u32(static_cast<uint32_t>(outcome.savepoint_status[i]));
  out.u32(outcome.result_count);
  for (uint32_t i = 0; i < outcome.result_count; ++i) put_rows(out, outcome.results[i]);
}

ReadOutcome::ReadOutcome(Decoder& in) {
  outcome_.size = sizeof outcome_;
  outcome_.status = static_cast<int32_t>(in.u32());
  outcome_.failed_operation = static_cast<int32_t>(in.u32());
  outcome_.text = to_abi(in.str());
  for (uint32_t left = in.u32(); left > 0 && in.ok(); --left)
    savepoints_.push_back(static_cast<int32_t>(in.u32()));
  for (uint32_t left = in.u32(); left > 0 && in.ok(); --left)
    pointers_.push_back(results_.emplace_back(in).get());
  outcome_.savepoints = static_cast<uint32_t>(savepoints_.size());
  outcome_.savepoint_status = savepoints_.data();
  outcome_.result_count = static_cast<uint32_t>(pointers_.size());
  outcome_.results = pointers_.data();
}

}  // namespace patchbay::core::isolation
