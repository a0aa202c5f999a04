#include "support/sipp.h"

#include <fstream>
#include <thread>

namespace patchbay::test {
namespace {

constexpr auto kStartLimit = std::chrono::seconds(10);

// SIPp's TCP listener has no UDP port to look at; it is ready when it listens.
bool is_listening_on_tcp(uint16_t port) {
  char wanted[32];
  std::snprintf(wanted, sizeof(wanted), ":%04X 00000000:0000 0A", port);
  return read_text("/proc/net/tcp").find(wanted) != std::string::npos;
}

bool wait_until_ready(uint16_t port, bool tcp) {
  if (!tcp) return wait_for_udp_port(port, kStartLimit);
  const auto deadline = std::chrono::steady_clock::now() + kStartLimit;
  while (!is_listening_on_tcp(port)) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

std::string fill(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values) {
    const std::string mark = "{{" + name + "}}";
    for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + value.size()))
      text.replace(at, mark.size(), value);
  }
  return text;
}

}  // namespace

Result<Sipp> Sipp::start(const Options& options) {
  auto folder = std::make_unique<TempFolder>();
  const std::string scenario = folder->file("scenario.xml");
  std::ofstream(scenario) << fill(read_text(options.scenario), options.values);
  const uint16_t port = free_port();
  std::vector<std::string> command = {"sipp",
                                      "-sf",
                                      scenario,
                                      "-i",
                                      "127.0.0.1",
                                      "-p",
                                      std::to_string(port),
                                      "-m",
                                      std::to_string(options.calls),
                                      "-nostdin",
                                      "-timeout",
                                      std::to_string(options.limit_sec) + "s",
                                      "-timeout_error",
                                      "-trace_msg",
                                      "-message_file",
                                      folder->file("messages"),
                                      "-trace_err",
                                      "-error_file",
                                      folder->file("errors"),
                                      "-mp",
                                      std::to_string(free_port()),
                                      "-t",
                                      options.tcp ? "t1" : "u1"};
  if (options.rtp_echo) command.emplace_back("-rtp_echo");
  auto child = Child::spawn(command, folder->path(), folder->file("output"));
  if (!child) return std::move(child).error();
  if (child->wait(std::chrono::milliseconds(0)) || !wait_until_ready(port, options.tcp))
    return {Code::timeout, "SIPp does not listen: " + read_text(folder->file("output"))};
  return Sipp(std::move(folder), *std::move(child), port, std::chrono::seconds(options.limit_sec));
}

int Sipp::result() { return child_.wait(limit_).value_or(-1); }

std::string Sipp::messages() const {
  return read_text(folder_->file("messages")) + read_text(folder_->file("errors"));
}

}  // namespace patchbay::test
