// A plugin of the cookbook for TestServer's `linked`, from the .so that its own build file makes.
#pragma once

#include <functional>
#include <string>

struct pb_entry;

namespace patchbay::test {

// Fails the test when the file cannot be loaded.
const pb_entry* example(const std::string& id);

// Looks again and again, for a minute at most, until it holds.
bool eventually(const std::function<bool()>& holds);

}  // namespace patchbay::test
