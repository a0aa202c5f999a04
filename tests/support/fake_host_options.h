// Options of a fake host whose store is in the database that the tests use (test_store.h).
#pragma once

#include <patchbay/testing/test_environment.h>

#include <utility>

#include "support/test_store.h"

namespace patchbay::test {

// Hosts with a temporary folder share the database, because each makes a schema of its own there; the same
// folder gets the same schema again. Runs after the other options are set.
inline testing::Options on_test_store(testing::Options options = {}) {
  options.store =
      test_store(options.folder.empty() ? std::string("fake hosts") : options.folder + "/patchbay.db");
  return options;
}

}  // namespace patchbay::test
