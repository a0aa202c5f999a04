#include "support/sipp_peer.h"

#include <fstream>

#include "support/free_ports.h"

namespace patchbay::test {
namespace {

constexpr auto kStartLimit = std::chrono::seconds(60);
constexpr int kAttempts = 5;

// False when it exited first, because another program had the port.
bool wait_until_ready(Child& sipp, bool tcp, uint16_t port) {
  const auto deadline = std::chrono::steady_clock::now() + kStartLimit;
  while (!(tcp ? is_listening_on_tcp(port) : is_bound_on_udp(port))) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    if (sipp.wait(std::chrono::milliseconds(5))) return false;
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
  for (int attempt = 1;; ++attempt) {
    auto sipp = try_start(options);
    if (sipp || attempt == kAttempts) return sipp;
  }
}

Result<Sipp> Sipp::try_start(const Options& options) {
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
  if (options.target_port != 0)
    command.insert(command.end(), {"-l", std::to_string(options.calls),  // all at once
                                   "127.0.0.1:" + std::to_string(options.target_port)});
  auto child = Child::spawn(command, folder->path(), folder->file("output"));
  if (!child) return std::move(child).error();
  if (!wait_until_ready(*child, options.tcp, port))
    return {Code::timeout, "SIPp does not listen: " + read_text(folder->file("output"))};
  return Sipp(std::move(folder), *std::move(child), port, std::chrono::seconds(options.limit_sec));
}

int Sipp::result() { return child_.wait(limit_).value_or(-1); }

std::string Sipp::messages() const {
  return read_text(folder_->file("messages")) + read_text(folder_->file("errors"));
}

}  // namespace patchbay::test
