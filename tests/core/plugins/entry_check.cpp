#include <doctest/doctest.h>
#include <patchbay/plugin.h>

#include <cstddef>
#include <string_view>

#include "plugins/plugin_file.h"

namespace {

using patchbay::core::read_plugin_entry;

constexpr std::string_view kManifest = R"({"id": "old", "version": "1.0.0"})";

pb_entry entry_of_size(uint32_t size) {
  return {PB_MAGIC,
          size,
          PB_ABI_MAJOR,
          PB_ABI_MINOR,
          0,
          {kManifest.data(), kManifest.size()},
          {},
          [](auto...) noexcept { return int32_t{PB_OK}; }};
}

}  // namespace

TEST_CASE("an entry is as long as that of 0.1 at least, whatever this core's header has appended") {
  static_assert(PB_ENTRY_FLOOR == offsetof(pb_entry, create) + sizeof(pb_entry::create));
  CHECK(read_plugin_entry(entry_of_size(PB_ENTRY_FLOOR)).ok());
  CHECK(read_plugin_entry(entry_of_size(PB_ENTRY_FLOOR + 64)).ok());
  const auto shorter = read_plugin_entry(entry_of_size(PB_ENTRY_FLOOR - 8));
  REQUIRE(!shorter.ok());
  CHECK(shorter.error().text.find("impossible size") != std::string::npos);
}
