// Fault injector: wraps the tables of the fake host. It records the plugin's services and subscriptions, and
// makes one chosen function of the host fail, to test error paths of the plugin. Which functions can fail,
// and with which code, is declared in core/src/abi/host_functions.h.
#pragma once

#include <patchbay/abi.h>

#include <string>
#include <vector>

namespace patchbay::app::validate::faults {

// The functions that can fail: "store.commit".
const std::vector<std::string>& functions();
const std::vector<std::string>& interfaces();

// Returns an entry that creates the plugin of `real` on wrapped tables. One plugin per process at a time;
// clears the records of the previous one.
const pb_entry& wrap(const pb_entry& real);

// [any] Makes functions()[index] fail from now on; -1: none.
void fail_function(int index);
// [any] Makes query() of this interface return NULL; "": of none.
void hide_interface(const std::string& id);

struct Provided {
  const pb_interface* interface;
  uint64_t instance;
};
// [any] The instances that the plugin provides now.
std::vector<Provided> provided();
// [any] The patterns of all its subscriptions and consumers so far.
std::vector<std::string> patterns();

}  // namespace patchbay::app::validate::faults
