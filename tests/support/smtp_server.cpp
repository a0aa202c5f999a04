#include "support/smtp_server.h"

#include <doctest/doctest.h>
#include <patchbay/base64.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

namespace patchbay::test {
namespace {

constexpr auto kMaxWait = std::chrono::seconds(60);

template <class F>
bool wait_until(F done) {
  const auto deadline = std::chrono::steady_clock::now() + kMaxWait;
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

}  // namespace

SmtpServer::SmtpServer(const Options& options) {
  std::vector<std::string> command{"/usr/bin/python3", SMTP_SERVER_SCRIPT, folder_.path()};
  if (!options.certificate_pem.empty()) {
    std::ofstream(folder_.file("server.pem")) << options.key_pem << options.certificate_pem;
    command.insert(command.end(), {"--certificate", folder_.file("server.pem")});
  }
  if (options.tls) command.emplace_back("--tls");
  if (!options.user.empty())
    command.insert(command.end(), {"--user", options.user, "--password", options.password});
  auto child = Child::spawn(command, folder_.path(), folder_.file("output"));
  REQUIRE(child);
  child_ = *std::move(child);
  const bool is_up =
      wait_until([&] { return std::filesystem::exists(folder_.file("port")) || !child_->running(); });
  INFO(read_text(folder_.file("output")));
  REQUIRE(is_up);
  REQUIRE(std::filesystem::exists(folder_.file("port")));
  port_ = static_cast<uint16_t>(std::stoi(read_text(folder_.file("port"))));
}

std::vector<SmtpServer::Message> SmtpServer::messages() const {
  std::vector<Message> all;
  for (size_t i = 1;; ++i) {
    const std::string name = folder_.file(std::to_string(i));
    if (!std::filesystem::exists(name + ".eml")) return all;
    all.push_back({read_text(name + ".json"), read_text(name + ".eml")});
  }
}

std::vector<SmtpServer::Message> SmtpServer::wait_for(size_t count) const {
  wait_until([&] { return messages().size() >= count; });
  return messages();
}

std::string mail_part(const std::string& content, const std::string& media_type, size_t number) {
  size_t at = content.find("Content-Type: " + media_type);
  for (size_t i = 0; i < number && at != std::string::npos; ++i)
    at = content.find("Content-Type: " + media_type, at + 1);
  if (at == std::string::npos) return {};
  const size_t begin = content.find("\r\n\r\n", at) + 4;
  std::string digits = content.substr(begin, content.find("\r\n--", begin) - begin);
  digits.erase(std::remove_if(digits.begin(), digits.end(), [](char c) { return c == '\r' || c == '\n'; }),
               digits.end());
  return from_base64(digits).value_or("");
}

}  // namespace patchbay::test
