// SmtpServer: a real SMTP server on loopback, smtp_server.py with Debian's python3-aiosmtpd. Used on the
// test's thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "support/child_process.h"

namespace patchbay::test {

class SmtpServer {
 public:
  struct Options {
    std::string certificate_pem = {}, key_pem = {};  // both: STARTTLS is required
    bool tls = false;                                // TLS from the beginning
    std::string user = {}, password = {};            // authentication is required
  };
  struct Message {
    std::string envelope;  // JSON: from, to, tls, user, client
    std::string content;   // as received, with CRLF
  };

  // Fails the test when the server does not start within a minute.
  explicit SmtpServer(const Options& options);
  SmtpServer() : SmtpServer(Options{}) {}

  uint16_t port() const { return port_; }
  // Waits at most a minute for that many messages; returns those received by then.
  std::vector<Message> wait_for(size_t count) const;
  std::vector<Message> messages() const;

 private:
  TempFolder folder_;
  std::optional<Child> child_;
  uint16_t port_ = 0;
};

// The bytes of the n-th part (from 0) of that media type in a message, decoded from base64; "" without one.
std::string mail_part(const std::string& content, const std::string& media_type, size_t number = 0);

}  // namespace patchbay::test
