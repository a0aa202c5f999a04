// How the functions of the host cross, by their rows and signatures.
#include "isolation/host_call_wire.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace {

using namespace patchbay;
using namespace patchbay::core;
using namespace patchbay::core::isolation;

template <class T, class F>
constexpr CallKind kind(F T::*member) {
  CallKind found = CallKind::none;
  for_each_function<T>([&]<size_t I>() {
    if (function_number<T, I>() == function_number(member)) found = call_kind_of<T, I>();
  });
  return found;
}

}  // namespace

TEST_CASE("a function crosses as its row and its signature say") {
  CHECK(kind(&pb_bus::subscribe) == CallKind::registration);
  CHECK(kind(&pb_bus::unsubscribe) == CallKind::close);
  CHECK(kind(&pb_observe::log) == CallKind::notice);
  CHECK(kind(&pb_observe::report) == CallKind::request);
  CHECK(kind(&pb_store::query) == CallKind::question);
  CHECK(kind(&pb_store::emit) == CallKind::operation);
  CHECK(kind(&pb_store::seal) == CallKind::request);
  CHECK(kind(&pb_services::query) == CallKind::request);
  CHECK(kind(&pb_services::unlease) == CallKind::close);
  CHECK(kind(&pb_store::commit) == CallKind::none);
  CHECK(kind(&pb_runtime::now) == CallKind::none);
}

TEST_CASE("functions have the numbers that the seeds of the fuzzer hold") {
  CHECK(function_number(&pb_observe::log) == 0x200);
  CHECK(function_number(&pb_bus::subscribe) == 0x401);
  CHECK(function_number(&pb_store::statement) == 0x500);
  CHECK(function_number(&pb_services::watch_end) == 0x609);
  CHECK(function_number(&pb_media::port_close) == 0x703);
}

TEST_CASE("a question that cannot be answered fails in the form of its callback") {
  const std::string rows =
      failed_frame<int32_t, const pb_rows*, const pb_err*>(7, PB_E_EXHAUSTED, "too many", 0, nullptr, nullptr)
          .take();
  Decoder in(rows);
  CHECK(in.kind() == Kind::result);
  CHECK(in.u64() == 7);
  const Arguments<int32_t, const pb_rows*, const pb_err*> read(in);
  CHECK(in.whole());
  read.call([](int32_t status, const pb_rows* none, const pb_err* err) {
    CHECK(status == PB_E_EXHAUSTED);
    CHECK(none == nullptr);
    REQUIRE(err != nullptr);
    CHECK(std::string(err->text) == "too many");
  });
}

TEST_CASE("a commit whose rows are too large for a frame is still reported as committed") {
  const pb_value cell{PB_VALUE_INT, 0, 5, 0, {}};
  const pb_rows row{sizeof(pb_rows), 1, 1, &cell};
  const pb_rows* rows[] = {&row};
  const int32_t group = PB_OK;
  const pb_commit outcome{sizeof(pb_commit), PB_OK, -1, 1, &group, 1, 0, rows, {}};
  const std::string frame = failed_frame<const pb_commit*>(7, PB_E_EXHAUSTED, "too large", &outcome).take();
  Decoder in(frame);
  in.kind();
  in.u64();
  const Arguments<const pb_commit*> read(in);
  CHECK(in.whole());
  read.call([](const pb_commit* told) {
    CHECK(told->status == PB_OK);
    CHECK(told->savepoints == 1);
    CHECK(told->result_count == 0);
  });
}

TEST_CASE("a question whose answer cannot be read fails as exhausted") {
  struct Answer {
    int32_t status = PB_OK;
    bool has_json = true;
    std::string text;
  } answer;
  const pb_json_rows_fn take = [](void* user, int32_t status, pb_buf* json, uint64_t,
                                  const pb_err* err) noexcept {
    *static_cast<Answer*>(user) = {status, json != nullptr, err != nullptr ? err->text : ""};
  };
  // Stands for an answer whose copy found no memory: the decoder fails for both.
  Decoder cut(std::string_view("\0\0\0\0", 4));
  call_with_result(cut, take, &answer);
  CHECK(answer.status == PB_E_EXHAUSTED);
  CHECK_FALSE(answer.has_json);
  CHECK(answer.text == "there is no memory for the answer");

  const Buffer json = Buffer::copy("[]");
  const std::string frame =
      result_frame<int32_t, pb_buf*, uint64_t, const pb_err*>(7, PB_OK, json.get(), 0, nullptr).take();
  Decoder in(frame);
  in.kind();
  in.u64();
  call_with_result(in, take, &answer);
  CHECK(answer.status == PB_OK);
  CHECK(answer.has_json);
  CHECK(answer.text == "");
}

TEST_CASE("a query that failed has no JSON") {
  const std::string frame = failed_frame<int32_t, pb_buf*, uint64_t, const pb_err*>(
                                7, PB_E_TIMEOUT, "too slow", 0, nullptr, 0, nullptr)
                                .take();
  Decoder in(frame);
  in.kind();
  in.u64();
  const Arguments<int32_t, pb_buf*, uint64_t, const pb_err*> read(in);
  CHECK(in.whole());
  read.call([](int32_t status, const pb_buf* json, uint64_t, const pb_err*) {
    CHECK(status == PB_E_TIMEOUT);
    CHECK(json == nullptr);
  });
}
