// The Gemini Live server of the tests as a program: prints where it is, and serves until its standard input
// closes.
//   gemini-server [answer_ms=N] [setup_delay_ms=N] [key=TEXT] [TURN=EVENT]...     e.g.  2=drop 3=tool_call
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "support/gemini_server.h"

using patchbay::support::GeminiScript;
using Event = GeminiScript::Event;

namespace {

const std::map<std::string, Event> kEvents = {
    {"answer", Event::answer},
    {"tool_call", Event::tool_call},
    {"cancelled_tool_call", Event::cancelled_tool_call},
    {"drop", Event::drop},
    {"close_1011", Event::close_1011},
    {"go_away", Event::go_away},
    {"garbage", Event::garbage},
    {"garbage_only", Event::garbage_only},
    {"fragments", Event::fragments},
    {"silent_turn", Event::silent_turn},
    {"quiet_audio", Event::quiet_audio},
    {"no_answer", Event::no_answer},
    {"odd_fields", Event::odd_fields},
    {"usage_deltas", Event::usage_deltas},
};

bool apply(GeminiScript& script, const std::string& argument) {
  size_t equals = argument.find('=');
  if (equals == std::string::npos) return false;
  std::string name = argument.substr(0, equals), value = argument.substr(equals + 1);
  if (name == "answer_ms") {
    script.answer_ms = std::atoi(value.c_str());
  } else if (name == "setup_delay_ms") {
    script.setup_delay_ms = std::atoi(value.c_str());
  } else if (name == "go_away_ms") {
    script.go_away_ms = std::atoi(value.c_str());
  } else if (name == "key") {
    script.api_key = value;
  } else {
    auto event = kEvents.find(value);
    if (std::atoi(name.c_str()) < 1 || event == kEvents.end()) return false;
    script.at_turn[std::atoi(name.c_str())] = event->second;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  GeminiScript script;
  for (int i = 1; i < argc; ++i)
    if (!apply(script, argv[i])) {
      std::fprintf(stderr, "gemini-server: what is '%s'?\n", argv[i]);
      return 2;
    }
  std::signal(SIGTERM, [](int) { ::close(STDIN_FILENO); });
  patchbay::support::GeminiServer server(std::move(script));
  std::printf("url=%s\nca=%s\n", server.url().c_str(), server.ca_file().c_str());
  std::fflush(stdout);
  char byte;
  while (::read(STDIN_FILENO, &byte, 1) > 0) {
  }
  auto seen = server.seen();
  std::printf("connections=%d turns=%d complaints=%zu\n", seen.connections, seen.turns,
              seen.complaints.size());
  return seen.complaints.empty() ? 0 : 1;
}
