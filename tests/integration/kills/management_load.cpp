#include "management_load.h"

#include <algorithm>
#include <iterator>

#include "environment.h"

namespace kills {
namespace {

constexpr char kKeys[] = "/api.ashx/v1/admin/keys";
constexpr char kSubscriptions[] = "/api.ashx/v1/admin/webhooks";
constexpr char kShares[] = "/api.ashx/v1/admin/shares";
constexpr char kTranscripts[] = "/api.ashx/v1/transcripts";
constexpr size_t kMaxAlive = 8;  // of each kind; then the oldest is removed

bool begins(const std::string& text, const char* with) { return text.rfind(with, 0) == 0; }

std::string in_tenant(const std::string& path) { return path + "?tenant=acme.example"; }

// The segment of a path after `collection`.
std::string id_of(const std::string& path, const char* collection) {
  const size_t begin = std::string(collection).size() + 1;
  return path.substr(begin, path.find('?') - begin);
}

}  // namespace

bool ManagementLoad::is_mine(const Request& request) {
  return begins(request.path, "/api.ashx/v1/admin/") ||
         (request.method == "DELETE" && begins(request.path, kTranscripts));
}

Request ManagementLoad::next(std::mt19937& random, const std::set<std::string>& calls) {
  const auto draw = [&](int below) { return std::uniform_int_distribution(0, below - 1)(random); };
  const int what = draw(8);
  if (what < 2) return new_key();
  if (what == 2) return remove_one(kKeys, journal.keys, "");
  if (what == 3 || calls.empty()) return new_subscription();
  const std::string call = *std::next(calls.begin(), draw(static_cast<int>(calls.size())));
  if (what == 4) return remove_one(kShares, journal.shares, call);
  if (what == 5 && draw(4) == 0) {
    journal.transcripts.emplace(call, false);
    return {"DELETE", in_tenant(std::string(kTranscripts) + "/" + call), "", ""};
  }
  return {"POST", in_tenant(kShares), "", R"({"file":")" + call + R"(.json"})"};
}

// Removes the first whose removal was not requested yet. Without any, makes a key, or a share of `call`.
Request ManagementLoad::remove_one(const char* path, std::map<std::string, Made>& from,
                                   const std::string& call) {
  for (auto& [id, each] : from) {
    if (each.asked_to_remove) continue;
    each.asked_to_remove = true;
    return {"DELETE", in_tenant(std::string(path) + "/" + id), "", ""};
  }
  if (call.empty()) return new_key();
  return {"POST", in_tenant(kShares), "", R"({"file":")" + call + R"(.json"})"};
}

Request ManagementLoad::new_key() {
  return {"POST", in_tenant(kKeys), "", R"({"name":"key )" + std::to_string(++numbered_) + R"("})"};
}

Request ManagementLoad::new_subscription() {
  const auto alive = std::count_if(journal.subscriptions.begin(), journal.subscriptions.end(),
                                   [](const auto& each) { return !each.second.asked_to_remove; });
  if (static_cast<size_t>(alive) >= kMaxAlive) return remove_one(kSubscriptions, journal.subscriptions, "");
  return {"POST", in_tenant(kSubscriptions), "",
          R"({"url":")" + receiver_ + "/more-" + std::to_string(++numbered_) +
              R"(","events":["outbound-ai.finished"],"secret":")" + kReceiverSecret + R"("})"};
}

bool ManagementLoad::acknowledged(const Request& request, const Answer& answer) {
  if (request.method == "POST") return made(request, answer);
  return removed(request.path, answer.status);
}

bool ManagementLoad::made(const Request& request, const Answer& answer) {
  const bool share = begins(request.path, kShares);
  if (share && answer.status == 404) return true;  // the call has no transcript (yet, or any more)
  if (answer.status != 201) return false;
  const std::string id = json_text(answer.body, "id");
  if (share) {
    const std::string file = json_text(request.body, "file");
    journal.shares[id] = {json_text(answer.body, "token"), file.substr(0, file.rfind('.'))};
  } else if (begins(request.path, kKeys)) {
    journal.keys[id] = {json_text(answer.body, "key"), ""};
  } else {
    journal.subscriptions[id] = {json_text(request.body, "url"), ""};
  }
  return !id.empty();
}

bool ManagementLoad::removed(const std::string& path, int status) {
  if (begins(path, kTranscripts)) {
    if (status == 200) journal.transcripts[id_of(path, kTranscripts)] = true;
    return status == 200 || status == 404;
  }
  if (begins(path, kShares)) {
    Made& share = journal.shares[id_of(path, kShares)];
    if (status == 404) return journal.transcripts.count(share.call) != 0;  // went with its transcript
    return (share.removed = status == 200);
  }
  const bool key = begins(path, kKeys);
  const std::string id = id_of(path, key ? kKeys : kSubscriptions);
  return ((key ? journal.keys : journal.subscriptions)[id].removed = status == 200);
}

}  // namespace kills
