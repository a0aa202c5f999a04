// JSON of virtual numbers: the schemas of the routes, and the records. Pure; any thread.
#pragma once

#include <patchbay/json.h>

#include <string>

#include "virtual_number.h"

namespace patchbay::numbers {

std::string create_schema();   // with defaults
std::string change_schema();   // without
std::string record_schema();   // of responses
std::string deleted_schema();  // {deleted: <record>}

// The whole record, apiKey included, as the specification says.
void write_number(JsonWriter& out, const VirtualNumber& number);
std::string number_json(const VirtualNumber& number);
// For the audit log: in place of apiKey it says whether there is one, and in `after` whether it was replaced.
std::string audit_json(const VirtualNumber& number, bool key_replaced = false);

}  // namespace patchbay::numbers
