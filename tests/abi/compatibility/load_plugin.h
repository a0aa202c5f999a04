// Loads a plugin's file as the core does, and returns its entry for TestServer, so that several builds of one
// plugin can be tested.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>

#include "plugins/plugin_file.h"

namespace patchbay::test {

inline const pb_entry* load_plugin(const std::filesystem::path& file) {
  auto source = core::read_plugin_file(file);
  if (!source) FAIL(file.string() << ": " << source.error().text);
  if (const Status status = core::load_plugin(*source); !status)
    FAIL(file.string() << ": " << status.error().text);
  return source->entry;
}

}  // namespace patchbay::test
