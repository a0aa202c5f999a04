// Formats lists and objects of the API for a terminal by the names of their members. Pure; any thread.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "json/document.h"

namespace patchbay::app {

// A column's heading, and the member that it shows.
using Columns = std::vector<std::pair<std::string, std::string>>;

// A row for each object of the array in `list`; elements of arrays are joined by commas.
std::string list_table(const core::json::Node& list, const Columns& columns, const char* array = "data");
// A line per member: its name and value.
std::string record_text(const core::json::Node& record);

}  // namespace patchbay::app
