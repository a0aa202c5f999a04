// A plugin's entry, found in its file and checked.
#pragma once

#include <patchbay/abi/plugin.h>
#include <patchbay/result.h>

#include <string>

namespace patchbay::fake {

// Loads the file, never to be unloaded, as a server does. Errors are one sentence.
Result<const pb_entry*> load_entry(const std::string& file);
Status check_entry(const pb_entry& entry);

}  // namespace patchbay::fake
