// The verbs of `patchbay` against a running server, over its admin socket.
#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>
#include <thread>

#include "integration/verb_server.h"

using namespace patchbay;
using test::Child;
using test::kPatience;
using test::Program;
using test::Said;
using test::verb_server_yaml;
using test::VerbServer;

TEST_CASE("verbs reach the server through the configuration's admin socket") {
  VerbServer server;
  const Said plugins = server.ask({"plugin", "list"});
  CHECK(plugins.code == 0);
  CHECK(plugins.has("patchbay.telephony/1"));
  CHECK(plugins.has("running"));
  CHECK(server.ask({"plugin", "list", "--json"}).has("\"id\":\"rest-api\""));

  const Said key = server.ask({"key", "new", "billing"});
  CHECK(key.code == 0);
  CHECK(key.text.rfind("ak_", 0) == 0);
  CHECK(server.ask({"key", "new", "billing", "--tenant", "two.example", "--json"})
            .has("\"tenant\":\"two.example\""));

  const Said user = server.ask({"user", "create", "dora", "--role", "admin", "--generate"});
  CHECK(user.code == 0);
  CHECK(user.has("sipPassword"));
  CHECK(server.ask({"user", "list"}).has("dora"));
  CHECK(server.ask({"user", "disable", "dora"}).has("true"));
  CHECK(server.ask({"user", "sip-password", "dora"}).code == 0);
  CHECK(server.ask({"user", "show", "nobody"}).code == 1);
  CHECK(server.ask({"user", "delete", "dora"}).text == "deleted dora\n");

  const Said hook = server.ask(
      {"webhook", "add", "http://127.0.0.1:9/x", "--events", "outbound-ai.finished,transcript.saved"});
  CHECK(hook.code == 0);
  CHECK(hook.has("secret  "));
  CHECK(server.ask({"calls"}).text == "none\n");
}

TEST_CASE("virtual numbers are created, listed, shown, changed and deleted") {
  VerbServer server;
  const Said made =
      server.ask({"number", "create", "+49 30 123450", "--name", "Desk", "--prompt", "Help.", "--transfer-to",
                  "alice,bob", "--transfer-by", "refer", "--max-seconds", "60"});
  INFO(made.text);
  CHECK(made.code == 0);
  CHECK(made.has("number           +4930123450\n"));
  CHECK(made.has("transferTargets  alice bob\n"));
  CHECK(made.has("transferBy       refer\n"));
  CHECK(server.ask({"number", "list"}).has("+4930123450  Desk  live-voice-ai"));
  CHECK(server.ask({"number", "list", "--tenant", "two.example"}).text == "none\n");
  CHECK(server.ask({"number", "change", "004930123450", "--mode", "ring-user", "--user", "alice"}).code == 0);
  CHECK(server.ask({"number", "show", "+4930123450"}).has("mode             ring-user\n"));
  CHECK(server.ask({"number", "show", "+4930123450", "--json"}).has("\"maxDurationSec\":60"));
  CHECK(server.ask({"number", "create", "100", "--name", "A", "--transcripts", "no"}).code == 2);
  CHECK(server.ask({"number", "create", "100", "--name", "A"}).has("systemPrompt is required"));
  CHECK(server.ask({"number", "delete", "+4930123450"}).text == "deleted +4930123450\n");
  CHECK(server.ask({"number", "show", "+4930123450"}).has("404 not_found"));
}

TEST_CASE("API keys and subscriptions are managed without curl") {
  VerbServer server;
  CHECK(server.ask({"key", "create", "billing"}).code == 0);
  const Said keys = server.ask({"key", "list"});
  CHECK(keys.has("billing"));
  const std::string key = keys.text.substr(keys.text.find("key-"), 20);
  CHECK(server.ask({"key", "revoke", key}).text == "billing was revoked\n");
  CHECK(server.ask({"key", "revoke", key}).code == 1);
  CHECK(server.ask({"key", "list"}).text == "none\n");

  const Said made = server.ask({"webhook", "create", "http://127.0.0.1:9/x", "--events", "transcript.saved"});
  REQUIRE(made.code == 0);
  const std::string id = made.text.substr(8, 16);
  CHECK(server.ask({"webhook", "list"}).has(id + "  http://127.0.0.1:9/x  transcript.saved  true"));
  CHECK(server.ask({"webhook", "pause", id}).has("active        false"));
  CHECK(server.ask({"webhook", "change", id, "--events", "outbound-ai.finished,transcript.saved"})
            .has("events        outbound-ai.finished,transcript.saved"));
  CHECK(server.ask({"webhook", "resume", id}).has("active        true"));
  CHECK(server.ask({"webhook", "show", id}).has("url           http://127.0.0.1:9/x"));
  CHECK(server.ask({"webhook", "rotate", id}).has("secret  "));
  const Said sent = server.ask({"webhook", "test", id});
  CHECK(server.ask({"webhook", "deliveries", id}).has("webhook.test"));
  CHECK(server.ask({"webhook", "resend", id, "none"}).code == 1);
  CHECK(server.ask({"webhook", "delete", id}).text == id + " was deleted\n");
  CHECK(server.ask({"webhook", "show", id}).code == 1);

  const Said audit = server.ask({"audit", "--action", "webhook."});
  for (const char* action :
       {"webhook.created", "webhook.changed", "webhook.secret-rotated", "webhook.deleted"})
    CHECK(audit.has("operator  unix  " + std::string(action)));
  CHECK(server.ask({"audit", "--object", key, "--json"}).has(R"("action":"key.revoked")"));
  CHECK(server.ask({"audit", "--since", "tomorrow"}).code == 1);
}

TEST_CASE("the whitelist is managed without curl") {
  VerbServer server;
  CHECK(server.ask({"whitelist", "list"}).text == "none\n");
  CHECK(server.ask({"whitelist", "add", "+49 30 123456", "--comment", "Office"}).text ==
        "+49 30 123456 was added\n");
  CHECK(server.ask({"whitelist", "add", "+4930123456"}).text == "+49 30 123456 was there\n");
  CHECK(server.ask({"whitelist", "list"}).has("+49 30 123456  Office"));
  CHECK(server.ask({"whitelist", "remove", "004930123456"}).text == "+49 30 123456 was removed\n");
  CHECK(server.ask({"whitelist", "remove", "004930123456"}).code == 1);
  std::ofstream(server.program.folder.file("numbers.csv"))
      << "# ours\n+4930123456, Office, 2nd floor\r\n\n112\n";
  CHECK(server.ask({"whitelist", "write", "numbers.csv"}).text == "2 numbers\n");
  CHECK(server.ask({"whitelist", "list"}).has("+4930123456  Office, 2nd floor"));
  std::ofstream(server.program.folder.file("none.csv")) << "# none\n";
  CHECK(server.ask({"whitelist", "write", "none.csv"}).code == 1);
  CHECK(server.ask({"whitelist", "write", "none.csv", "--allow-empty"}).text == "0 numbers\n");
  CHECK(server.ask({"whitelist", "write", "missing.csv"}).code == 2);
}

TEST_CASE("status shows a healthy server on one screen") {
  VerbServer server;
  const Said status = server.ask({"status", "--interval", "0.2"});
  CHECK(status.code == 0);
  CHECK(status.has("10 of 10 running"));
  for (const char* area : {"calls ", "media ", "store ", "http ", "webhooks "})
    CHECK_MESSAGE(status.has(area), status.text);
  CHECK(status.has("Nothing is wrong."));
  CHECK(server.ask({"status", "--json", "--interval", "0.2"}).has("{\"healthy\":true,"));
}

TEST_CASE("status lists what was counted at the end of earlier calls") {
  std::string yaml = verb_server_yaml();
  const std::string one =
      "{defaultTrunkId: closed, trunks: [{id: closed, host: 127.0.0.1, port: 1, transport: tcp}]}";
  REQUIRE(yaml.find(one) != std::string::npos);
  yaml.replace(
      yaml.find(one), one.size(),
      "{outboundRoutes: [{match: \"*\", trunkIds: [a, b]}], trunks: [{id: a, host: 127.0.0.1, port: 1, "
      "transport: tcp}, {id: b, host: 127.0.0.1, port: 1, transport: tcp}]}");
  VerbServer server(yaml);
  CHECK(server.ask({"call", "+4930123456", "--prompt", "Hello.", "--watch"}).has("ended-failed-final"));
  const Said status = server.ask({"status", "--interval", "0.2"});
  INFO(status.text);
  CHECK(status.code == 0);
  CHECK(status.has("Nothing is wrong."));
  CHECK(status.has("Since the start "));
  CHECK(status.has("- 1 calls went to the next trunk"));
  CHECK(server.ask({"status", "--json", "--interval", "0.2"})
            .has("\"since_start\":[{\"problem\":\"1 calls went to the next trunk"));
}

TEST_CASE("status names a plugin that does not run, with the reason") {
  // Another socket has the SIP port.
  const int taken = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(::bind(taken, reinterpret_cast<const sockaddr*>(&address), size) == 0);
  REQUIRE(::getsockname(taken, reinterpret_cast<sockaddr*>(&address), &size) == 0);
  Program program(
      "server: {data: data}\nplugins: {rest-api: {listen: \"127.0.0.1:0\"}, media: {}, sip-trunk: "
      "{listenPort: " +
      std::to_string(ntohs(address.sin_port)) + "}}\ntenants: {one.example: {primary: true}}\n");
  const Child child = program.run({"serve"});
  REQUIRE(program.says("ready, patchbay.yaml"));
  const int code = program.run({"status", "--interval", "0.2"}, "answer").wait(kPatience).value_or(-1);
  CHECK(code == 1);
  const std::string text = program.output("answer");
  INFO(text);
  CHECK(text.find("! plugin sip-trunk is ") != std::string::npos);
  CHECK(text.find("cannot listen on 127.0.0.1") != std::string::npos);
  ::close(taken);
}

TEST_CASE("a refused request prints the reason and gives exit code 1") {
  VerbServer server;
  const Said transcript = server.ask({"transcript", "oac-000000000000"});
  CHECK(transcript.code == 1);
  CHECK(transcript.has("404 not_found"));
  CHECK(server.ask({"hangup", "oac-000000000000"}).code == 1);
  CHECK(server.ask({"calls", "--status", "asleep"}).has("400 invalid_request"));
  CHECK(server.ask({"webhook", "add", "ftp://x"}).code == 1);
  CHECK(server.ask({"calls", "--tenant", "three.example"}).code == 1);
  CHECK(server.ask({"transcript", "oac-000000000000", "--delete"}).has("404 not_found"));
  CHECK(server.ask({"ladder", "oac-000000000000"}).has("404 not_found"));
  CHECK(server.ask({"share", "create", "oac-000000000000"}).has("404 not_found"));
  CHECK(server.ask({"share", "revoke", "shr-000000000000"}).has("404 not_found"));
  CHECK(server.ask({"share", "list"}).text == "none\n");
  CHECK(server.ask({"mails"}).text == "none\n");
}

TEST_CASE("a call is watched to its end, listed, and cannot be hung up twice") {
  VerbServer server;
  const Said call =
      server.ask({"call", "+4930123456", "--prompt", "Hello.", "--watch"});  // no server at the trunk's port
  CHECK(call.code == 1);
  CHECK(call.has("ended-failed-final"));
  REQUIRE(call.has("oac-"));
  const std::string id = call.text.substr(call.text.find("oac-"), 16);
  CHECK(server.ask({"calls", "--status", "ended-failed-final"}).has(id));
  const Said ended = server.ask({"hangup", id});
  CHECK(ended.code == 0);
  CHECK(ended.has("had ended already"));
  const Said ladder = server.ask({"ladder", id});
  CHECK(ladder.code == 0);
  CHECK(ladder.text == "none\n");  // nothing could be sent
}

TEST_CASE("events are listed from the newest ones or after a number, one line each") {
  VerbServer server;
  CHECK(server.ask({"events"}).text.empty());
  CHECK(server.ask({"call", "+4930123456", "--prompt", "Hello.", "--watch"}).code == 1);
  const Said all = server.ask({"events", "--topic", "outbound-ai.finished"});
  CHECK(all.code == 0);
  CHECK(all.has("outbound-ai.finished"));
  CHECK(server.ask({"events", "--after", "0", "--limit", "1", "--json"})
            .text.rfind("{\"seq\":1,\"event\":", 0) == 0);
  CHECK(server.ask({"events", "--after", "99"}).has("400 invalid_request"));
  CHECK(server.ask({"events", "--topic", "call.dropped"}).has("is not the name of an event"));
  CHECK(server.ask({"events", "--tenant", "two.example"}).text.empty());
}

TEST_CASE("events are followed until interrupted") {
  VerbServer server;
  Child following = server.program.run({"events", "--follow", "--json"}, "followed");
  CHECK(server.ask({"call", "+4930123456", "--prompt", "Hello.", "--watch"}).code == 1);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  const auto has_finished = [&] {
    return server.program.output("followed").find("\"event\":\"outbound-ai.finished\"") != std::string::npos;
  };
  while (!has_finished() && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(has_finished());
  CHECK(server.program.output("followed").rfind("{\"seq\":", 0) == 0);
  following.signal(SIGTERM);
  CHECK(following.wait(kPatience));
  CHECK(server.ask({"events", "--follow", "--after", "99"}).has("400 invalid_request"));
}

TEST_CASE("an unreachable server gives exit code 3") {
  VerbServer server;
  server.child.signal(SIGTERM);
  CHECK(server.child.wait(kPatience) == 0);
  CHECK(server.ask({"calls"}).code == 3);
}
