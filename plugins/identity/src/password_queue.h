// Checks passwords on workers, a few at a time, because a check costs memory and time and needs no
// credential. Addresses take turns, so that one address with many connections delays the others by one check
// each at most. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/strand.h>

#include <deque>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "password_hash.h"

namespace patchbay::identity {

class PasswordQueue {
 public:
  static constexpr size_t kMaxRunning = 2;
  static constexpr size_t kMaxWaiting = 256;
  static constexpr size_t kMaxWaitingPerAddress = 4;

  struct Question {
    std::string address;  // key of the client's address: those of one key share a turn
    std::shared_ptr<Credential> credential;
    std::string password;
    int64_t delay_ms = 0;     // held so long before it joins the queue; it counts as waiting meanwhile
    Function<bool()> wanted;  // asked when its turn comes
  };
  // Code::cancelled: wanted() said no. Code::exhausted: no worker is free.
  using Done = Function<void(Result<bool> matches)>;
  explicit PasswordQueue(const Host& host) : host_(&host) {}

  // Code::exhausted when too many wait, in all or of this address; nothing is called then.
  Status check(Question question, Done done);

 private:
  struct Check {
    Question question;
    Done done;
  };
  using Shared = std::shared_ptr<Check>;  // shared with the worker that runs it
  struct Lane {
    std::deque<Shared> ready;
    size_t waiting = 0;  // ready or held
  };
  void hold(Shared check);
  void enqueue(Shared check);
  Shared take_next();
  void run_waiting();
  bool run(const Shared& check);

  const Host* host_;
  std::map<std::string, Lane> lanes_;  // by address
  std::deque<std::string> turns_;      // addresses with something ready, each once
  std::list<Timer> held_;
  size_t waiting_ = 0;  // over all lanes
  size_t running_ = 0;
  Lifetime alive_;
};

}  // namespace patchbay::identity
