// SmtpSender: sends messages to SMTP servers (RFC 5321, 3207, 4954) on its own thread, where libcurl runs any
// number of them at once.
#pragma once

#include <patchbay/function.h>

#include <cstdint>
#include <memory>
#include <string>

#include "mail/mail_settings.h"

namespace patchbay::transcripts {

struct SmtpMessage {
  MailServer server;
  std::string client_name;  // for EHLO: a host name
  std::string recipient;    // passed is_mail_address()
  std::string content;
};

struct SmtpResult {
  enum class Kind : uint8_t {
    sent,
    refused,  // the server does not take this message: a 5xx reply to sender, recipient or content
    failed,   // may succeed later
  };
  Kind kind = Kind::failed;
  std::string error;  // one phrase, with the server's reply if it refused; "" when sent
};

class SmtpSender {
 public:
  using Done = Function<void(SmtpResult)>;

  explicit SmtpSender(int64_t timeout_ms);
  // Cancels the messages in flight, without calling `done`, and joins the thread.
  ~SmtpSender();
  SmtpSender(const SmtpSender&) = delete;
  SmtpSender& operator=(const SmtpSender&) = delete;

  // [any] Calls done() once, on the sender's thread; it must not block.
  void send(SmtpMessage message, Done done);

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace patchbay::transcripts
