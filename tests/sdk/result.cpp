#include <doctest/doctest.h>
#include <patchbay/abi/base.h>
#include <patchbay/guard.h>
#include <patchbay/result.h>

#include <memory>
#include <stdexcept>

namespace {

using namespace patchbay;

Result<std::unique_ptr<int>> make(bool well) {
  if (!well) return {Code::exhausted, "no more"};
  return std::make_unique<int>(7);
}

Result<int> use(bool well) {
  PB_TRY_VALUE(const auto made, make(well));
  return *made + 1;
}

Status both(const Status& first, int& reached) {
  PB_TRY(first);
  ++reached;
  return {};
}

}  // namespace

TEST_CASE("a result is a value or an error") {
  CHECK(use(true).ok());
  CHECK(*use(true) == 8);
  const auto failed = use(false);
  REQUIRE(!failed);
  CHECK(failed.error().code == Code::exhausted);
  CHECK(failed.error().text == "no more");
  CHECK(use(false).value_or(3) == 3);
}

TEST_CASE("PB_TRY returns an error and continues without one") {
  int reached = 0;
  CHECK(both({}, reached).ok());
  CHECK(reached == 1);
  CHECK(both({Code::denied, "no"}, reached).error().code == Code::denied);
  CHECK(reached == 1);
}

TEST_CASE("within() prepends context to an error") {
  CHECK(Error{Code::invalid, "line 3"}.within("config").text == "config: line 3");
}

TEST_CASE("codes have the values of the boundary, and each has a name") {
  const int32_t values[] = {PB_OK,
                            PB_E_FAILED,
                            PB_E_INVALID,
                            PB_E_NOT_FOUND,
                            PB_E_CONFLICT,
                            PB_E_UNAVAILABLE,
                            PB_E_TIMEOUT,
                            PB_E_CANCELLED,
                            PB_E_DENIED,
                            PB_E_EXHAUSTED,
                            PB_E_FENCED,
                            PB_E_MISUSE,
                            PB_E_UNSUPPORTED,
                            PB_E_GONE};
  for (int32_t i = 0; i < 14; ++i) {
    CHECK(values[i] == -i);
    CHECK(std::string(code_name(static_cast<Code>(values[i]))) != "unknown");
  }
  CHECK(std::string(code_name(static_cast<Code>(-99))) == "unknown");
}

TEST_CASE("an error's text is truncated to the caller's buffer") {
  pb_err err = empty_error();
  CHECK(write_error(&err, Code::invalid, std::string(1000, 'x')) == PB_E_INVALID);
  CHECK(std::string(err.text).size() == sizeof(err.text) - 1);
  pb_err small = empty_error();
  small.size = offsetof(pb_err, text) + 4;
  small.text[4] = '!';
  write_error(&small, Code::invalid, "abcdef");
  CHECK(std::string(small.text) == "abc");
  CHECK(small.text[4] == '!');
  CHECK(write_error(nullptr, Code::gone, "withdrawn") == PB_E_GONE);
}

TEST_CASE("an error without a text has its code's name") {
  CHECK(read_error(PB_E_GONE, nullptr).text == "gone");
  CHECK(read_status(PB_OK, nullptr).ok());
}

TEST_CASE("guard turns any exception into a status") {
  pb_err err = empty_error();
  CHECK(guard(&err, []() -> int32_t { throw std::runtime_error("broken"); }) == PB_E_FAILED);
  CHECK(std::string(err.text) == "broken");
  CHECK(guard(&err, []() -> int32_t { throw 7; }) == PB_E_FAILED);
  CHECK(guard(&err, [] { return PB_OK; }) == PB_OK);
  std::string said;
  guard_void([] { throw std::runtime_error("broken"); }, [&](const char* text) { said = text; });
  CHECK(said == "broken");
  guard_void([] { throw 7; }, [](const char*) { throw 8; });
}
