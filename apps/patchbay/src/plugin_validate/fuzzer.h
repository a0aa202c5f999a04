// Fuzzer: sends a running plugin random events, calls, configurations and audio; reproducible by its seed.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "plugin_validate/fault_injector.h"
#include "plugin_validate/harness.h"
#include "plugin_validate/random_input.h"

namespace patchbay::app::validate {

// The harness's plugin must have been created from faults::wrap(), and be running.
class Fuzzer {
 public:
  Fuzzer(Harness& harness, uint64_t seed) : harness_(harness), random_(seed) {}

  // Performs one random action, which is noted first.
  void act();
  void act(int times) {
    for (int i = 0; i < times; ++i) act();
  }
  uint64_t actions() const noexcept { return actions_; }

 private:
  void publish();
  void emit();
  void call();
  void reconfigure();
  void move_audio();
  std::string topic();
  NewEvent event();
  // A request of that shape. Its strings point into texts_ until the next call.
  std::string message(const pb_shape& shape);
  std::string field_text(std::string_view name);
  void note(const std::string& what);

  Harness& harness_;
  RandomInput random_;
  uint64_t actions_ = 0;
  std::vector<std::unique_ptr<std::string>> texts_;  // strings of the current request
};

}  // namespace patchbay::app::validate
