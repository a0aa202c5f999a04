// The fault injector stands between the fake host and the plugin: it sees what the plugin offers and listens
// to, and can make any one function of the host give an answer that hosts may give and plugins tend to
// forget. Which functions fail and how, the rows of the host's functions say (core/src/abi/host_functions.h).
#pragma once

#include <patchbay/abi.h>

#include <string>
#include <vector>

namespace patchbay::app::validate::faults {

// The functions that can fail: "store.commit".
const std::vector<std::string>& functions();
const std::vector<std::string>& interfaces();

// An entry that puts the injector before `real`. One plugin in a process; forgets what it saw of the one
// before.
const pb_entry& over(const pb_entry& real);

// [any] From now on functions()[index] fails; -1: none does.
void fail_function(int index);
// [any] query() of it gives NULL; "": of none.
void hide_interface(const std::string& id);

struct Provided {
  const pb_interface* interface;
  uint64_t instance;
};
// [any] What the plugin offers now.
std::vector<Provided> provided();
// [any] Patterns of its subscriptions and consumers, all so far.
std::vector<std::string> patterns();

}  // namespace patchbay::app::validate::faults
