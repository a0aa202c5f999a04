#include "client_load.h"

#include <patchbay/utc.h>

#include <chrono>
#include <iterator>
#include <thread>

#include "environment.h"

namespace kills {
namespace {

constexpr int kClients = 4;
constexpr auto kPace = std::chrono::milliseconds(15);

std::string in_a_moment(int ms) {
  const auto when = std::chrono::system_clock::now() + std::chrono::milliseconds(ms);
  return patchbay::utc_text(
      std::chrono::duration_cast<std::chrono::milliseconds>(when.time_since_epoch()).count());
}

// "" for a request without an Idempotency-Key.
std::string key_of(const Request& request) {
  constexpr std::string_view kName = "Idempotency-Key: ";
  if (request.headers.rfind(kName, 0) != 0) return {};
  return request.headers.substr(kName.size(), request.headers.find('\r') - kName.size());
}

}  // namespace

void Load::run(ServerProcess& server, int calls, bool retries) {
  calls_left_ = calls;
  retries_ = retries;
  std::vector<std::thread> clients;
  for (int i = 0; i < kClients; ++i) clients.emplace_back([&] { client(server); });
  for (auto& each : clients) each.join();
}

void Load::client(ServerProcess& server) {
  while (!stopped_) {
    Request request;
    {
      const std::lock_guard lock(mutex_);
      request = next();
    }
    const auto answer = server.ask(request);
    if (!answer) return;
    {
      const std::lock_guard lock(mutex_);
      acknowledged(request, *answer);
    }
    std::this_thread::sleep_for(kPace);  // the rate of the load
  }
}

Request Load::next() {
  const int what = draw(14);
  const auto now = std::chrono::steady_clock::now();
  if (calls_left_ > 0 && what < 5 && now >= next_call_) {
    next_call_ = now + pause_;
    return new_call();
  }
  if (what >= 10) return management.next(random_, journal.calls);
  if (!journal.calls.empty() && what < 7) {
    const int at = draw(static_cast<int>(journal.calls.size()));
    const std::string& id = *std::next(journal.calls.begin(), at);
    return draw(30) == 0 ? hang_up(id) : get_call(id);
  }
  return add_number("+4989" + std::to_string(1'000'000 + ++numbered_));
}

Request Load::new_call() {
  --calls_left_;
  // A request without an answer is sent again, as clients do.
  for (const auto& [key, request] : journal.requests)
    if (journal.responses.count(key) == 0 && draw(2) == 0) return request;
  const bool again = retries_ && draw(2) == 0;
  const int digit = again ? 6 + draw(4) : draw(10);  // those are not answered
  const std::string phone = "+4930" + std::to_string(1'000'000 + ++numbered_) + std::to_string(digit);
  std::string more;
  if (again) more += R"(,"retries":1,"retryDelayMinutes":1)";
  if (draw(4) == 0) more += R"(,"scheduleAtUtc":")" + in_a_moment(draw(3000)) + "\"";
  const std::string key = draw(2) == 0 ? "key-" + std::to_string(numbered_) : "";
  Request request = create_call(phone, more, key);
  if (!key.empty()) journal.requests[key] = request;
  return request;
}

void Load::acknowledged(const Request& request, const Answer& answer) {
  const bool conflict = answer.status == 409 && !key_of(request).empty();  // two at once with one key
  const bool refused = is_refused(answer);
  if (refused && request.path.rfind("/signal.ashx", 0) == 0)
    journal.refused.insert(json_text(request.body, "number"));
  if (refused || answer.status == 503 || conflict) return;  // the server is going, or its database is away
  if (ManagementLoad::is_mine(request)) {
    if (management.acknowledged(request, answer)) return;
    journal.complaints.push_back(request.method + " " + request.path + ": " + std::to_string(answer.status) +
                                 " " + answer.body);
    return;
  }
  if (answer.status != 200) {
    journal.complaints.push_back(request.path + ": " + std::to_string(answer.status) + " " + answer.body);
    return;
  }
  if (request.path.rfind("/signal.ashx", 0) == 0) {
    journal.numbers.insert(json_text(request.body, "number"));
  } else if (request.path == "/api.ashx/v1/calls") {
    const std::string id = json_text(answer.body, "callId");
    journal.calls.insert(id);
    journal.numbers.insert(json_text(request.body, "phone"));
    if (const std::string key = key_of(request); !key.empty()) {
      const auto [known, fresh] = journal.responses.emplace(key, id);
      if (known->second != id)
        journal.complaints.push_back(key + " made " + id + " as well as " + known->second);
    }
  } else if (request.method == "POST" && json_text(answer.body, "wasNoop") == "false") {
    journal.cancelled.insert(json_text(answer.body, "callId"));
  }
}

void Load::repeat_all(ServerProcess& server) {
  for (const auto& [key, id] : std::map(journal.responses)) {
    const auto answer = server.ask(journal.requests.at(key));
    const bool same = answer && answer->status == 200 && json_text(answer->body, "callId") == id &&
                      answer->head.find("Idempotent-Replayed") != std::string::npos;
    if (!same) journal.complaints.push_back(key + " is forgotten: " + (answer ? answer->body : "no answer"));
  }
}

}  // namespace kills
