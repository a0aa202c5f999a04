// PasswordQueue: checks and hashes passwords on workers, a few at a time, because unauthenticated clients can
// request a check, which costs memory and time. Addresses take turns, so that an address with many
// connections delays each other address by one check at most. Main strand.
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
  struct Request {
    std::string address;  // key of the client's address; requests with the same key share turns
    std::shared_ptr<Credential> credential;
    std::string password;
    int64_t delay_ms = 0;           // before the request is queued; it counts as waiting meanwhile
    Function<bool()> still_wanted;  // called when its turn comes
    bool only_hash = false;         // Credential::prepare() instead of a check; the result is true
  };
  // Code::cancelled: still_wanted() returned false. Code::exhausted: no worker is free.
  using Done = Function<void(Result<bool> matches)>;
  explicit PasswordQueue(const Host& host) : host_(&host) {}

  // Code::exhausted: too many requests wait, in total or of this address; then nothing is called.
  Status check(Request request, Done done);

 private:
  struct Check {
    Request request;
    Done done;
  };
  using Shared = std::shared_ptr<Check>;  // shared with the worker that runs it
  struct AddressQueue {
    std::deque<Shared> ready;
    size_t waiting = 0;  // ready or held
  };
  void hold(Shared check);
  void enqueue(Shared check);
  Shared pop_next();
  void run_waiting();
  bool run(const Shared& check);

  const Host* host_;
  std::map<std::string, AddressQueue> queues_;  // by address
  std::deque<std::string> turns_;               // addresses with ready checks, each once
  std::list<Timer> held_;
  size_t waiting_ = 0;  // over all queues
  size_t running_ = 0;
  Lifetime alive_;
};

}  // namespace patchbay::identity
