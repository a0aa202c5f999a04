// Rig: the plugin on a fake host, with stand-ins for the services that others would offer.
#pragma once

#include <patchbay/testing/test_environment.h>

#include <string>

#include "validate/step.h"

namespace patchbay::app::validate {

// One thread's, as TestEnvironment.
class Rig : public testing::TestEnvironment {
 public:
  struct Options {
    bool stand_ins = true;          // what it requires and wants is there
    bool stand_ins_refuse = false;  // and answers every call with an error
  };
  Rig(const Run& run, const pb_entry& entry, Options options);
  Rig(const Run& run, const pb_entry& entry) : Rig(run, entry, Options()) {}

  // One step of its life, waited for while the clock moves on; a start with the subject's configuration
  // unless given.
  Status step(uint32_t which);
  Status step(uint32_t which, const std::string& config);
  // create and start; a plugin that refuses is destroyed.
  Status begin();
  // stop and destroy.
  Status end();
  const Run& of() const noexcept { return run_; }

 private:
  void provide_stand_ins(bool refuse);

  const Run& run_;
  uint64_t plugin_ = 0;
};

// What to do about a step that failed: it did not answer, or it refused.
const char* cure_of(const Status& status);

// An error that says no more than its code.
bool wordless(const Status& status);

// The first rule that was broken, with its cure.
Outcome first_problem(const testing::TestEnvironment& world);

}  // namespace patchbay::app::validate
