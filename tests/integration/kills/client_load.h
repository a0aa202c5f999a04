// Load: clients that create and cancel calls, and write, and a journal of the acknowledged requests.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "management_load.h"
#include "server_process.h"

namespace kills {

// The requests, and their acknowledgements.
struct Journal {
  std::set<std::string> calls;
  std::set<std::string> cancelled;
  std::set<std::string> numbers;
  std::set<std::string> refused;                 // numbers; 503, so not applied
  std::map<std::string, Request> requests;       // by Idempotency-Key; sent, possibly unanswered
  std::map<std::string, std::string> responses;  // call ids, by Idempotency-Key
  std::vector<std::string> complaints;           // wrong answers
};

class Load {
 public:
  // `receiver`: of the subscriptions that are made. `first`: where telephone numbers and names begin, so that
  // loads at the same time differ in them.
  Load(unsigned seed, std::string receiver, int first = 0)
      : management(std::move(receiver), first), random_(seed), numbered_(first) {}

  // Runs four clients until the server is gone or stop(), with at most `calls` new calls.
  void run(ServerProcess& server, int calls, bool retries);
  void stop() { stopped_ = true; }  // [any thread]
  // The least time between two new calls, so that a run of many calls lasts. Default: none.
  void space_calls(std::chrono::milliseconds pause) { pause_ = pause; }
  // Checks that repeated keys get the original answers.
  void repeat_all(ServerProcess& server);

  // Read them between runs only.
  Journal journal;
  ManagementLoad management;

 private:
  void client(ServerProcess& server);
  Request next();
  Request new_call();
  void acknowledged(const Request& request, const Answer& answer);
  int draw(int below) { return std::uniform_int_distribution(0, below - 1)(random_); }

  std::mutex mutex_;  // guards the members below and the journal
  std::mt19937 random_;
  std::atomic<bool> stopped_{false};
  int calls_left_ = 0;
  bool retries_ = false;
  int numbered_;
  std::chrono::milliseconds pause_{0};
  std::chrono::steady_clock::time_point next_call_{};
};

}  // namespace kills
