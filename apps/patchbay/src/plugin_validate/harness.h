// Harness: runs the plugin on a fake host, with stand-ins for services that other plugins would provide.
#pragma once

#include <patchbay/testing/test_environment.h>

#include <string>

#include "plugin_validate/step.h"

namespace patchbay::app::validate {

// Used by one thread, as testing::TestEnvironment.
class Harness : public testing::TestEnvironment {
 public:
  struct Options {
    bool stand_ins = true;          // provide the services that Patchbay's own plugins provide
    bool stand_ins_refuse = false;  // they answer every call with an error
  };
  Harness(const StepContext& context, const pb_entry& entry, Options options);
  Harness(const StepContext& context, const pb_entry& entry) : Harness(context, entry, Options()) {}

  // Runs one lifecycle step (PB_STEP_...) and waits for it while the clock advances. `config` defaults to the
  // subject's.
  Status step(uint32_t which);
  Status step(uint32_t which, const std::string& config);
  // A plugin whose start fails is destroyed.
  Status create_and_start();
  Status stop_and_destroy();
  const StepContext& context() const noexcept { return context_; }

 private:
  void provide_stand_ins(bool refuse);

  const StepContext& context_;
  uint64_t plugin_ = 0;
};

// Advice for a step that failed with `status`.
const char* fix_for(const Status& status);

// An error without a text beyond the name of its code.
bool has_no_message(const Status& status);

// The outcome of a plugin that started but does not stop.
Outcome not_stopped(const Status& status);

// The first rule of the boundary that the plugin broke, with its fix; passed when it broke none.
Outcome first_problem(const testing::TestEnvironment& environment);

}  // namespace patchbay::app::validate
