// An accepted text must be written and read back as the same value, and the validator must survive it.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "json/parse.h"
#include "json/schema.h"
#include "json/writer.h"

using namespace patchbay::core;

namespace {

const json::Schema& schema() {
  static const json::Schema compiled = [] {
    auto result =
        json::Schema::compile(R"({"type":["object","array","string"],"required":["a"],"items":{"maximum":9},
      "properties":{"a":{"pattern":"^(a|b)*$","maxLength":9},"b":{"enum":["x","Y"],"x-ignore-case":true},
      "c":{"format":"uri"},"d":{"format":"date-time"},"e":{"type":"integer","minimum":1,"x-snap":true}}})");
    if (!result) std::abort();
    return std::move(result).value();
  }();
  return compiled;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto parsed = json::parse({reinterpret_cast<const char*>(data), size});
  if (!parsed) return 0;
  const json::Node& root = parsed.value().root();
  const auto again = json::parse(json::write(root), {.bytes = SIZE_MAX});
  if (!again || !json::equal(again.value().root(), root)) std::abort();
  for (const auto mode : {json::Mode::request, json::Mode::config}) schema().check(root, {.mode = mode});
  return 0;
}
