// A server with a call that is up, while its store refuses writes.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "environment.h"

namespace faults {

// How long an outage lasts, and whether the recovery is measured: PATCHBAY_OUTAGE_SEC, otherwise 5 s and only
// for hangs, because other tests share the processors.
std::chrono::seconds outage();
void check_recovery(const kills::ServerProcess& server, const char* of_what);

class FaultyServer {
 public:
  // `before`: as in ServerProcess; `prepare` gets the data folder before the start.
  explicit FaultyServer(bool on_postgres, const std::vector<std::string>& before = {},
                        const std::function<void(const std::string&)>& prepare = {});

  // Starts a call, and waits until it has been answered.
  void start_call();
  // Adds numbers until the server refuses one, at most for a minute.
  bool write_until_refused();
  // Adds numbers for that long, whatever happens to each.
  void write_meanwhile(std::chrono::seconds how_long);
  // A number, a key and a call: each is 503 `unavailable`. Remembers them.
  void check_refused();
  void check_reads();
  void check_call_is_up();
  // Ends the call, stops the server and checks that all that was acknowledged is there, and what was refused
  // is not.
  void finish();

  kills::Environment environment;
  std::unique_ptr<kills::ServerProcess> server;

 private:
  std::string next_number() { return "+4989" + std::to_string(5'000'000 + ++numbered_); }

  std::string call_;
  std::set<std::string> accepted_, refused_;  // numbers, of the whitelist or called
  int numbered_ = 0;
};

}  // namespace faults
