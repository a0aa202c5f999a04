// Writes the project of `patchbay plugin new`.
#pragma once

#include <patchbay/result.h>

#include <filesystem>
#include <string>
#include <vector>

namespace patchbay::app {

// Creates `folder`, which must be empty if it exists, and returns the files written, relative to it. Errors
// say what to do.
Result<std::vector<std::string>> write_project(const std::string& name, const std::filesystem::path& folder);

// "CallMeter" for "call-meter".
std::string class_name(const std::string& plugin);

}  // namespace patchbay::app
