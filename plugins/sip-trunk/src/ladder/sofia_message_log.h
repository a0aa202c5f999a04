// Reads the SIP messages that sofia-sip sends and receives out of its log (TPTAG_LOG), which is the only
// place where it shows the text of what it sends. Each thread has its own reader.
#pragma once

#include <cstdarg>
#include <string>

namespace patchbay::sip_trunk {

struct LoggedMessage {
  bool is_sent = false;
  std::string peer;  // "udp 192.0.2.1:5060"
  std::string text;  // lines end with \n; untrusted
};

// Receives messages on the thread that logs them. Return soon.
class MessageListener {
 public:
  virtual void on_message(LoggedMessage message) = 0;

 protected:
  ~MessageListener() = default;
};

// Sets the listener of the messages that the calling thread logs; null: none.
void set_message_listener(MessageListener* listener) noexcept;

// sofia-sip's logger, for su_log_redirect(): takes each part of a message and drops everything else.
// Recognises the parts by their format strings, because a peer controls their text.
void read_sofia_log(void* stream, const char* format, va_list arguments);

}  // namespace patchbay::sip_trunk
