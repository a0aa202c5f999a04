// Checks passwords on workers, a few at a time: they cost memory and time, and strangers may ask for them.
// Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/strand.h>

#include <deque>
#include <memory>
#include <string>

#include "password_hash.h"

namespace patchbay::identity {

class PasswordQueue {
 public:
  // Code::cancelled: it was not wanted any more when its turn came. Code::exhausted: no worker is free.
  using Done = Function<void(Result<bool> matches)>;
  explicit PasswordQueue(const Host& host) : host_(&host) {}

  // `wanted` is asked when its turn comes. Code::exhausted when too many wait already; nothing is called
  // then.
  Status check(std::shared_ptr<Credential> credential, std::string password, Function<bool()> wanted,
               Done done);

 private:
  static constexpr size_t kMostRunning = 2;
  static constexpr size_t kMostWaiting = 256;
  struct Check {
    std::shared_ptr<Credential> credential;
    std::string password;
    Function<bool()> wanted;
    Done done;
  };
  void run_waiting();
  bool run(const std::shared_ptr<Check>& check);

  const Host* host_;
  std::deque<std::shared_ptr<Check>> waiting_;  // shared with the worker that has it
  size_t running_ = 0;
  Lifetime alive_;
};

}  // namespace patchbay::identity
