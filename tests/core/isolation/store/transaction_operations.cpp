// Operations of transactions, written by one half and run by the other.
#include "isolation/store/transaction_operations.h"

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace patchbay;
using namespace patchbay::core;
using namespace patchbay::core::isolation;

std::string frames_written;
int32_t add_operation(uint64_t, const Encoder& operation) {
  frames_written += operation.frame();
  return PB_OK;
}

std::string ops_run;
// A store that records the operations it runs, with their arguments.
pb_store recording_store() {
  pb_store table{};
  table.exec = [](void*, uint64_t tx, uint64_t statement, const pb_value* values, uint32_t count,
                  int64_t expected) noexcept -> int32_t {
    ops_run += "exec " + std::to_string(tx) + " " + std::to_string(statement) + " " + std::to_string(count) +
               " " + std::to_string(values[0].integer) + " " + std::to_string(expected) + "\n";
    return PB_OK;
  };
  table.savepoint = [](void*, uint64_t) noexcept -> int32_t {
    ops_run += "savepoint\n";
    return PB_OK;
  };
  table.emit = [](void*, uint64_t, const pb_event* event, pb_str key) noexcept -> int32_t {
    ops_run += "emit " + std::string(from_abi(event->topic)) + " " + std::string(from_abi(key)) + "\n";
    return PB_OK;
  };
  table.job_retry = [](void*, uint64_t, int64_t job, int64_t fence, int64_t due_ms) noexcept -> int32_t {
    ops_run += "job_retry " + std::to_string(job) + " " + std::to_string(fence) + " " +
               std::to_string(due_ms) + "\n";
    return PB_OK;
  };
  return table;
}

bool run_all(std::string_view frame) {
  ops_run.clear();
  Decoder in(frame);
  return run_operations(in, recording_store(), nullptr, 9);
}

}  // namespace

TEST_CASE("operations are run in their order with the arguments that were written") {
  constexpr pb_store child = with_operations<&add_operation>({});
  frames_written.clear();
  const pb_value value{PB_VALUE_INT, 0, 5, 0, {}};
  pb_event event{};
  event.size = sizeof event;
  event.topic = to_abi("note.added");
  CHECK(child.exec(nullptr, 1, 7, &value, 1, -1) == PB_OK);
  CHECK(child.savepoint(nullptr, 1) == PB_OK);
  CHECK(child.emit(nullptr, 1, &event, to_abi("once")) == PB_OK);
  CHECK(child.job_retry(nullptr, 1, 2, 3, 4) == PB_OK);
  CHECK(run_all(frames_written));
  CHECK(ops_run == "exec 9 7 1 5 -1\nsavepoint\nemit note.added once\njob_retry 2 3 4\n");
}

TEST_CASE("an operation that is cut off or unknown is refused, and not run") {
  constexpr pb_store child = with_operations<&add_operation>({});
  frames_written.clear();
  child.job_retry(nullptr, 1, 2, 3, 4);
  CHECK_FALSE(run_all(std::string_view(frames_written).substr(0, frames_written.size() - 1)));
  CHECK(ops_run == "");
  Encoder unknown;
  CHECK_FALSE(run_all(unknown.u32(0).frame()));
  Encoder beyond;
  CHECK_FALSE(run_all(beyond.u32(function_number(&pb_store::commit)).frame()));
}
