// The server that is killed: a core with the probe in place of the public port. A request per line on
// standard input, an answer per line on standard output (see server_process.h). SIGTERM drains and stops it.
//   kills-server CONFIG PLUGIN_FOLDER LOG_FILE DRAIN_MS
#include <patchbay/core.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <mutex>
#include <sstream>
#include <thread>

#include "support/probe.h"

using namespace patchbay;

namespace {

constexpr int kThreads = 8;

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream rest(line);
  for (std::string field; std::getline(rest, field, '\t');) fields.push_back(field);
  fields.resize(8);
  return fields;
}

std::string answer_to(const std::vector<std::string>& fields) {
  http::Request request;
  request.tenant = "acme.example";
  request.username = "alice";
  request.role = "admin";
  request.remote = "192.0.2.7";
  request.limit = 1000;
  request.params = fields[4];
  request.query = "{}";
  request.headers = fields[5];
  request.json = fields[6];
  request.body = Buffer::copy(fields[6]);
  const auto response = probe::ask(fields[1], fields[2], request, fields[3]);
  std::string out = fields[0] + "\t";
  if (!response) return out + "503\t\t" + response.error().text + "\n";
  return out + std::to_string(response->status) + "\t" + response->headers + "\t" + response->body + "\n";
}

void write_all(const std::string& text) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  if (::write(STDOUT_FILENO, text.data(), text.size()) < 0) std::_Exit(3);
}

void serve_lines() {
  static std::mutex mutex;
  for (std::string line;;) {
    {
      const std::lock_guard lock(mutex);
      if (!std::getline(std::cin, line)) return;
    }
    write_all(answer_to(fields_of(line)));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return 2;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // not to outlive a test that was ended itself
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  CoreOptions options;
  options.config_file = argv[1];
  options.plugin_dir = argv[2];
  options.log_file = argv[3];
  options.drain_deadline_ms = std::atoi(argv[4]);
  options.linked_plugins = {probe::http_entry()};
  options.environment.emplace();
  auto core = Core::create(std::move(options));
  const Status started = core ? (*core)->start() : Status(core.error());
  if (!started) {
    write_all("refused\t" + started.error().text + "\n");
    return 4;
  }
  write_all("ready\n");
  for (int i = 0; i < kThreads; ++i) std::thread(serve_lines).detach();
  int signal = 0;
  sigwait(&stop, &signal);
  (*core)->drain();
  const Status stopped = (*core)->stop();
  if (!stopped) write_all("refused\t" + stopped.error().text + "\n");
  // The threads above wait in reads; they end with the process.
  std::_Exit(stopped ? 0 : 1);
}
