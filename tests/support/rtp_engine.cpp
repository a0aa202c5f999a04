#include "support/rtp_engine.h"

#include <algorithm>
#include <utility>

#include "support/free_ports.h"

namespace patchbay::test {
namespace {

constexpr auto kEngineStartLimit = std::chrono::seconds(60);
constexpr int kEngineAttempts = 5;

}  // namespace

Result<RtpEngine> RtpEngine::start(int ports) {
  for (int attempt = 1;; ++attempt) {
    auto started = try_start(ports);
    if (started || attempt == kEngineAttempts) return started;
  }
}

Result<RtpEngine> RtpEngine::try_start(int ports) {
  auto folder = std::make_unique<TempFolder>();
  const uint16_t control_port = free_port();
  const int first_port = std::min(free_port() & ~1, 65'534 - ports);
  // Without its kernel module (table -1). Of its range it passes over ports that others have bound.
  auto child = Child::spawn(
      {"rtpengine", "--foreground", "--log-stderr", "--log-level=6", "--config-file=none", "--table=-1",
       "--num-threads=2", "--interface=127.0.0.1", "--listen-ng=127.0.0.1:" + std::to_string(control_port),
       "--port-min=" + std::to_string(first_port), "--port-max=" + std::to_string(first_port + ports - 1)},
      folder->path(), folder->file("output"));
  if (!child) return std::move(child).error();
  const auto deadline = std::chrono::steady_clock::now() + kEngineStartLimit;
  while (read_text(folder->file("output")).find("Startup complete") == std::string::npos) {
    if (std::chrono::steady_clock::now() >= deadline || child->wait(std::chrono::milliseconds(10)))
      return {Code::timeout, "rtpengine does not start: " + read_text(folder->file("output"))};
  }
  return RtpEngine(std::move(folder), *std::move(child), control_port, first_port, ports);
}

std::string RtpEngine::output() const { return read_text(folder_->file("output")); }

}  // namespace patchbay::test
