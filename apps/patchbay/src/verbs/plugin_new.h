// The project that `patchbay plugin new` writes.
#pragma once

#include <patchbay/result.h>

#include <filesystem>
#include <string>
#include <vector>

namespace patchbay::app {

// Writes it into `folder`, which is made, and must be empty if it is there. The files, relative to it. Errors
// say what to do.
Result<std::vector<std::string>> write_project(const std::string& name, const std::filesystem::path& folder);

// "call-meter" is CallMeter.
std::string class_name(const std::string& plugin);

}  // namespace patchbay::app
