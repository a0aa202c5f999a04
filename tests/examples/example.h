// An example plugin for TestServer's `linked`, from the .so built by its CMakeLists.txt.
#pragma once

#include <functional>
#include <string>

struct pb_entry;

namespace patchbay::test {

// Fails the test when the file cannot be loaded.
const pb_entry* example(const std::string& id);

// Polls for at most a minute until it returns true.
bool eventually(const std::function<bool()>& holds);

}  // namespace patchbay::test
