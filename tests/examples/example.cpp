#include "example.h"

#include <doctest/doctest.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "plugins/plugin_file.h"

namespace patchbay::test {

const pb_entry* example(const std::string& id) {
  const char* elsewhere = std::getenv("PATCHBAY_EXAMPLES");  // builds of another compiler
  const std::string folder = elsewhere != nullptr ? elsewhere : PATCHBAY_EXAMPLES;
  auto source = core::read_plugin_file(folder + "/" + id + ".so");
  if (!source) FAIL(source.error().text);
  if (const Status loaded = core::load_plugin(*source); !loaded) FAIL(loaded.error().text);
  return source->entry;
}

bool eventually(const std::function<bool()>& holds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!holds()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace patchbay::test
