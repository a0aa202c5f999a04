// Load: clients that create and cancel calls, and write, and a journal of the acknowledged requests.
#pragma once

#include <atomic>
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
  // `receiver`: of the subscriptions that are made.
  Load(unsigned seed, std::string receiver) : management(std::move(receiver)), random_(seed) {}

  // Runs four clients until the server is gone or stop(), with at most `calls` new calls.
  void run(ServerProcess& server, int calls, bool retries);
  void stop() { stopped_ = true; }  // [any thread]
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
  int numbered_ = 0;
};

}  // namespace kills
