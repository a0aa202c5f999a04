// patchbay call: requests a call and, with --watch, shows its progress to the end.
#include <patchbay/percent_encoding.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "admin_client.h"
#include "answer_tables.h"
#include "json/parse.h"
#include "server_verb.h"
#include "terminal_text.h"
#include "verbs.h"
#include "verbs/call_request.h"

namespace patchbay::app {
namespace {

constexpr std::chrono::milliseconds kPollEvery(250);

constexpr const char* kCallFooter = R"(Examples:
  patchbay call +4930123456 --prompt "Ask whether Tuesday suits." --email office@example.com
  patchbay call +4930123456 --prompt @reminder.txt --voice Kore --max-seconds 120 --watch
  patchbay call +4930123456 --prompt reminder --at 2026-12-01T09:00:00Z --retries 2 --json)";

struct CallCommand {
  ServerOptions server;
  CallOptions call;
  bool watch = false;
};

// Prints a line per change; on a terminal the last line counts the seconds.
class Progress {
 public:
  explicit Progress(bool json) : json_(json), terminal_(isatty(STDOUT_FILENO) == 1 && !json) {}

  void show(const std::string& body, const core::json::Node& call) {
    const std::string line = json_ ? body : call_line(call);
    if (line != last_) std::printf("%s%s\n", terminal_ ? "\r\033[K" : "", line.c_str());
    last_ = line;
    if (terminal_ && !is_final(member(call, "status"))) {
      const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - began_).count();
      std::printf("\r\033[K  %lld s", static_cast<long long>(seconds));
    }
    std::fflush(stdout);
  }

 private:
  using Clock = std::chrono::steady_clock;
  const bool json_;
  const bool terminal_;
  const Clock::time_point began_ = Clock::now();
  std::string last_;
};

int watch(AdminClient& client, const std::string& id, bool json) {
  Progress progress(json);
  for (;;) {
    const auto answer = client.request("GET", "/api.ashx/v1/calls/" + percent_encode(id));
    if (!answer) return report(answer.error());
    if (!answer->ok()) return report_refusal(*answer);
    const auto document = core::json::parse(answer->body);
    if (!document) return report({Code::unavailable, document.error().text});
    progress.show(answer->body, document->root());
    const std::string status = member(document->root(), "status");
    if (is_final(status)) return status == "ended-success" ? kDone : kRefused;
    std::this_thread::sleep_for(kPollEvery);
  }
}

int run_call(const CallCommand& command) {
  const auto body = call_request(command.call);
  if (!body) {
    std::fprintf(stderr, "patchbay: %s\n", body.error().text.c_str());
    return kUsage;
  }
  auto client = AdminClient::connect(command.server);
  if (!client) return report(client.error());
  const auto answer = client->request("POST", "/api.ashx/v1/calls", {}, *body);
  if (!answer) return report(answer.error());
  if (command.server.json) std::printf("%s\n", answer->body.c_str());
  if (!answer->ok()) return report_refusal(*answer);
  const auto document = core::json::parse(answer->body);
  if (!document) return report({Code::unavailable, document.error().text});
  const std::string id = member(document->root(), "callId");
  if (!command.server.json) std::printf("%s\n", id.c_str());
  if (const std::string why = member(document->root(), "whitelistError"); !why.empty())
    std::fprintf(stderr, "patchbay: the number was not added to the whitelist: %s\n", why.c_str());
  return command.watch ? watch(*client, id, command.server.json) : kDone;
}

}  // namespace

void add_call(Verb app, int& exit_code) {
  Verb verb = app.add_verb("call", "Have an AI voice call a number");
  const auto command = std::make_shared<CallCommand>();
  CallOptions& call = command->call;
  verb.add_option("PHONE", call.phone, "Number to call, such as +4930123456").required();
  verb.add_option("--prompt", call.prompt,
                  "What the AI is to do: text, the name of a configured prompt, or @FILE")
      .required();
  verb.add_option("--email", call.email, "Address that gets outcome and transcript");
  verb.add_option("--display-name", call.display_name, "Label of the call; by default the number");
  verb.add_option("--api-key-file", call.api_key_file, "File with the AI engine's key").type_name("FILE");
  verb.add_option("--model", call.model, "AI model, such as local");
  verb.add_option("--voice", call.voice, "Voice, such as Aoede or Kore");
  verb.add_option("--language", call.language, "Language tag, such as en-US");
  verb.add_option("--max-seconds", call.max_seconds, "Maximum duration of the talk, 10 to 3600")
      .type_name("N");
  verb.add_option("--retries", call.retries, "Further attempts when the call is not answered, 0 to 10")
      .type_name("N");
  verb.add_option("--retry-minutes", call.retry_minutes, "Minutes between attempts").type_name("N");
  verb.add_option("--at", call.at, "When to dial, ISO 8601, UTC; by default at once").type_name("TIME");
  verb.add_flag("--watch", command->watch,
                "Show what happens until the call has ended; exit code 1 if it failed");
  add_server_options(verb, command->server);
  verb.footer(kCallFooter);
  verb.callback([command, &exit_code] { exit_code = run_call(*command); });
}

}  // namespace patchbay::app
