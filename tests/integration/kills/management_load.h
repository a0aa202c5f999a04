// ManagementLoad: the requests of admins: keys, subscriptions, shares and transcripts are made and removed.
// Not thread-safe; Load guards it.
#pragma once

#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "server_process.h"

namespace kills {

// What was made, and how far its removal has got.
struct Made {
  std::string secret;  // the key, the share's token, the subscription's URL
  std::string call;    // of a share
  bool asked_to_remove = false, removed = false;
};

struct ManagementJournal {
  std::map<std::string, Made> keys, shares, subscriptions;  // acknowledged, by id
  std::map<std::string, bool> transcripts;                  // whose deletion was sent: acknowledged?
};

class ManagementLoad {
 public:
  // New subscriptions are to `receiver` and a path. Names end in numbers after `first`.
  explicit ManagementLoad(std::string receiver, int first = 0)
      : receiver_(std::move(receiver)), numbered_(first) {}

  Request next(std::mt19937& random, const std::set<std::string>& calls);
  static bool is_mine(const Request& request);
  // False for an answer that such a request must not get.
  bool acknowledged(const Request& request, const Answer& answer);

  ManagementJournal journal;

 private:
  Request remove_one(const char* path, std::map<std::string, Made>& from, const std::string& otherwise);
  Request new_key();
  Request new_subscription();
  bool made(const Request& request, const Answer& answer);
  bool removed(const std::string& path, int status);

  const std::string receiver_;
  int numbered_;
};

}  // namespace kills
