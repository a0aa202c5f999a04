// Load: clients that call, cancel and write, and the journal of what they were promised.
#pragma once

#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "server_process.h"

namespace kills {

// What was acknowledged.
struct Journal {
  std::set<std::string> calls;
  std::set<std::string> cancelled;
  std::set<std::string> numbers;
  std::map<std::string, Request> requests;       // by Idempotency-Key; sent, perhaps not answered
  std::map<std::string, std::string> responses;  // call ids, by Idempotency-Key
  std::vector<std::string> complaints;           // answers that should not have been
};

class Load {
 public:
  explicit Load(unsigned seed) : random_(seed) {}

  // With four clients, until the server has gone. At most `calls` new ones.
  void run(ServerProcess& server, int calls, bool retries);
  // Answers under a key are still what they were.
  void repeat_all(ServerProcess& server);

  Journal journal;  // between runs

 private:
  void client(ServerProcess& server);
  Request next();
  Request new_call();
  void acknowledged(const Request& request, const Answer& answer);
  int draw(int below) { return std::uniform_int_distribution(0, below - 1)(random_); }

  std::mutex mutex_;  // over all below, and the journal
  std::mt19937 random_;
  int calls_left_ = 0;
  bool retries_ = false;
  int numbered_ = 0;
};

}  // namespace kills
