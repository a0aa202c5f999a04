// Driver: makes a running plugin do whatever it can be made to do, by chance, the same from the same seed.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "validate/fault_injector.h"
#include "validate/random_input.h"
#include "validate/harness.h"

namespace patchbay::app::validate {

// The rig's plugin was made by faults::over(), and is running.
class Driver {
 public:
  Driver(Rig& rig, uint64_t seed) : rig_(rig), chance_(seed) {}

  // One action; what it was is noted before it happens.
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
  // A request of that shape; what it points to is kept in `texts` and `buffers`.
  std::string message(const pb_shape& shape);
  std::string field_text(std::string_view name);
  void note(const std::string& what);

  Rig& rig_;
  Chance chance_;
  uint64_t actions_ = 0;
  std::vector<std::unique_ptr<std::string>> texts_;  // of the request under way
};

}  // namespace patchbay::app::validate
