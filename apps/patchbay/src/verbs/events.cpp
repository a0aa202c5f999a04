// patchbay events: the newest events of a tenant's log and, with --follow, those that come.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <thread>

#include "admin_client.h"
#include "event_lines.h"
#include "json/parse.h"
#include "json/writer.h"
#include "server_verb.h"
#include "terminal_text.h"
#include "verbs.h"

namespace patchbay::app {
namespace {

// Between attempts to reach a server that has ended the stream, and how many.
constexpr std::chrono::seconds kReconnectAfter(2);
constexpr int kMaxReconnects = 30;
constexpr int kMaxEventsAsked = 500;

struct EventsCommand {
  ServerOptions server;
  std::string topic;
  std::string after;  // "": the newest ones
  int limit = 50;
  bool follow = false;
};

void print_event(const core::json::Node& event, bool json) {
  if (json) {
    std::printf("%s\n", core::json::write(event).c_str());
    return;
  }
  const core::json::Node* data = event.find("data");
  std::printf("%8s  %s  %-24s  %s\n", member(event, "seq").c_str(), member(event, "ts").c_str(),
              member(event, "event").c_str(),
              data != nullptr ? harmless(core::json::write(*data)).c_str() : "");
}

// Reads the log page by page; `after` is where it goes on.
class LogPages {
 public:
  LogPages(AdminClient& client, const EventsCommand& command) : client_(client), command_(command) {}

  // Where the newest events begin, `limit` of them: their numbers have no gaps.
  int begin(std::string& after) {
    const PageResult oldest = page("0", 1);
    if (oldest.exit_code != kDone && oldest.oldest == 0) return refusal(oldest);
    after = std::to_string(std::max<int64_t>(oldest.newest - command_.limit, oldest.oldest));
    return kDone;
  }

  // Prints at most `limit` events and moves `after` behind them. `more`: the log has further ones.
  int print(std::string& after, int limit, bool& more) {
    const PageResult read = page(after, std::min(limit, kMaxEventsAsked));
    if (read.exit_code != kDone) return refusal(read);
    const core::json::Node* data = read.document.root().find("data");
    for (uint32_t i = 0; data != nullptr && i < data->size(); ++i)
      print_event(*data->element(i), command_.server.json);
    printed_ = data != nullptr ? static_cast<int>(data->size()) : 0;
    std::fflush(stdout);
    after = std::to_string(read.after);
    more = read.after < read.newest;
    return kDone;
  }
  int printed() const noexcept { return printed_; }

  // Prints the events after `after` and those that come.
  int follow(const std::string& after) {
    EventLines lines([this](const std::string& data) {
      const auto event = core::json::parse(data, {AdminClient::kMaxAnswerBytes, 32});
      if (event && event->root().find("seq") != nullptr) print_event(event->root(), command_.server.json);
      std::fflush(stdout);
    });
    bool was_connected = false;
    int failures = 0;
    while (true) {
      const auto ended = client_.follow("/api.ashx/v1/events", {{"after", after}, {"topic", command_.topic}},
                                        lines.last_id(), [&](std::string_view octets) {
                                          was_connected = true, failures = 0;
                                          lines.take(octets);
                                          return true;
                                        });
      lines.restart();
      if (ended && !ended->ok() && ended->status != 503) return report_refusal(*ended);
      if (!ended && (!was_connected || ++failures > kMaxReconnects)) return report(ended.error());
      std::this_thread::sleep_for(kReconnectAfter);
    }
  }

 private:
  struct PageResult {
    int exit_code = kDone;
    int64_t after = 0, newest = 0, oldest = 0;
    AdminClient::Answer answer;
    core::json::Document document;
  };

  // An error without an answer has been reported by page().
  static int refusal(const PageResult& result) {
    return result.answer.status != 0 ? report_refusal(result.answer) : result.exit_code;
  }

  PageResult page(const std::string& after, int limit) {
    PageResult result;
    auto answer =
        client_.request("GET", "/api.ashx/v1/events",
                        {{"after", after}, {"limit", std::to_string(limit)}, {"topic", command_.topic}});
    if (!answer) {
      result.exit_code = report(answer.error());
      return result;
    }
    result.answer = *std::move(answer);
    if (auto read = core::json::parse(result.answer.body, {AdminClient::kMaxAnswerBytes, 32}))
      result.document = *std::move(read);
    const auto number = [&](const char* name) {
      const core::json::Node* node = result.document.root().find(name);
      return node != nullptr ? node->integer() : 0;
    };
    result.after = number("after"), result.newest = number("newest"), result.oldest = number("oldest");
    if (!result.answer.ok()) result.exit_code = kRefused;
    return result;
  }

  AdminClient& client_;
  const EventsCommand& command_;
  int printed_ = 0;
};

int run_events(const EventsCommand& command) {
  auto client = AdminClient::connect(command.server);
  if (!client) return report(client.error());
  LogPages pages(*client, command);
  std::string after = command.after;
  if (after.empty()) {
    if (const int code = pages.begin(after); code != kDone) return code;
  }
  bool more = true;
  if (command.follow) return pages.follow(after);
  for (int left = command.limit; more && left > 0; left -= pages.printed())
    if (const int code = pages.print(after, left, more); code != kDone) return code;
  return kDone;
}

}  // namespace

void add_events(Verb app, int& exit_code) {
  Verb verb = app.add_verb("events", "List the events that webhooks deliver, oldest first");
  const auto command = std::make_shared<EventsCommand>();
  verb.add_option("--after", command->after,
                  "Only those after the event with this number; by default the newest ones")
      .type_name("N");
  verb.add_option("--topic", command->topic, "Only these events, separated by commas").type_name("NAMES");
  verb.add_option("--limit", command->limit, "Maximum number of events").type_name("N");
  verb.add_flag("--follow", command->follow, "Go on with the events that come, until interrupted");
  add_server_options(verb, command->server);
  verb.footer(
      "With --json, each event is a line of its own.\n\n"
      "Examples:\n  patchbay events --follow --topic call.started,call.ended\n"
      "  patchbay events --after 1700 --limit 500 --json");
  verb.callback([command, &exit_code] { exit_code = run_events(*command); });
}

}  // namespace patchbay::app
