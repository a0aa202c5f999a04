#include "ladder/sofia_message_log.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

#include "patchbay/guard.h"

namespace patchbay::sip_trunk {
namespace {

// The formats of tport_log_msg() in sofia-sip 1.12.11.
constexpr std::string_view kSeparator = "%s   ------";  // with the stamp before a message, or after its text
constexpr std::string_view kLinePart = "%s%.*s";        // indentation, length, text
constexpr std::string_view kLineEnd = "\n";
constexpr size_t kMaxText = 65536;

struct Reader {
  MessageListener* listener = nullptr;
  bool in_message = false;
  LoggedMessage message;
};
thread_local Reader reader;

// "send 512 bytes to udp/[192.0.2.1]:5060 at 12:00:00.000000:\n" or "recv ... from ...".
bool read_stamp(std::string_view stamp, LoggedMessage& message) {
  message.is_sent = stamp.substr(0, 5) == "send ";
  if (!message.is_sent && stamp.substr(0, 5) != "recv ") return false;
  const std::string_view before = message.is_sent ? " to " : " from ";
  const size_t start = stamp.find(before);
  const size_t end = stamp.find(" at ");
  if (start == std::string_view::npos || end == std::string_view::npos || end <= start) return false;
  message.peer = stamp.substr(start + before.size(), end - start - before.size());
  const size_t slash = message.peer.find('/');
  if (slash != std::string::npos) message.peer[slash] = ' ';
  if (message.peer.find(':') == message.peer.rfind(':'))  // IPv4 needs no brackets
    message.peer.erase(
        std::remove_if(message.peer.begin(), message.peer.end(), [](char c) { return c == '[' || c == ']'; }),
        message.peer.end());
  return true;
}

void append(std::string_view part) {
  std::string& text = reader.message.text;
  text.append(part.substr(0, kMaxText - std::min(kMaxText, text.size())));
}

void read_part(std::string_view format, va_list arguments) {
  if (format.substr(0, kSeparator.size()) == kSeparator) {
    if (!std::exchange(reader.in_message, false)) {
      reader.message = {};
      reader.in_message = read_stamp(va_arg(arguments, const char*), reader.message);
    } else {
      reader.listener->on_message(std::move(reader.message));
    }
  } else if (!reader.in_message) {
    return;
  } else if (format == kLinePart) {
    static_cast<void>(va_arg(arguments, const char*));
    const int length = va_arg(arguments, int);
    const char* text = va_arg(arguments, const char*);
    if (length > 0) append({text, static_cast<size_t>(length)});
  } else if (format == kLineEnd) {
    append("\n");
  }
}

}  // namespace

void set_message_listener(MessageListener* listener) noexcept {
  reader.listener = listener;
  reader.in_message = false;
}

void read_sofia_log(void*, const char* format, va_list arguments) {
  if (reader.listener == nullptr || format == nullptr) return;
  // No exception may pass through sofia-sip; a message that does not fit into memory is left out.
  guard_void([&] { read_part(format, arguments); }, [](const char*) { reader.in_message = false; });
}

}  // namespace patchbay::sip_trunk
