// A layer of tables between the fake host and the plugin: it sees what the plugin offers and listens to, and
// can make any one function give an answer that hosts may give and plugins tend to forget.
#pragma once

#include <patchbay/abi.h>

#include <string>
#include <vector>

namespace patchbay::app::validate::layer {

// A function of a table that can fail.
struct Slot {
  const char* name;  // "store.commit"
  int32_t code;      // what it fails with, where it says a code; NULL, 0 or nothing otherwise
};
const std::vector<Slot>& slots();
const std::vector<const char*>& interfaces();

// An entry that puts the layer before `real`. One plugin in a process; forgets what it saw of the one before.
const pb_entry& over(const pb_entry& real);

// [any] From now on; -1: none.
void fail_slot(int index);
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

}  // namespace patchbay::app::validate::layer
