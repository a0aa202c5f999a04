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
  using Done = Function<void(Result<bool> matches)>;  // Code::exhausted: no worker is free
  explicit PasswordQueue(const Host& host) : host_(&host) {}

  // Code::exhausted when too many wait already; done is not called then.
  Status check(std::shared_ptr<Credential> credential, std::string password, Done done);

 private:
  static constexpr size_t kMostRunning = 2;
  static constexpr size_t kMostWaiting = 64;
  struct Check {
    std::shared_ptr<Credential> credential;
    std::string password;
    Done done;
  };
  void run_next();

  const Host* host_;
  std::deque<Check> waiting_;
  size_t running_ = 0;
  Lifetime alive_;
};

}  // namespace patchbay::identity
