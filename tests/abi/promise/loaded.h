// A plugin's file, read and loaded as the core does it, as an entry for TestServer: several builds of one
// plugin can so be told apart by their files.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>

#include "plugins/plugin_source.h"

namespace patchbay::test {

inline const pb_entry* loaded(const std::filesystem::path& file) {
  auto source = core::read_plugin_file(file);
  if (!source) FAIL(file.string() << ": " << source.error().text);
  if (const Status status = core::load_plugin(*source); !status)
    FAIL(file.string() << ": " << status.error().text);
  return source->entry;
}

}  // namespace patchbay::test
