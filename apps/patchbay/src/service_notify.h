// What systemd wants to hear from a service of Type=notify (sd_notify(3)): one datagram to $NOTIFY_SOCKET.
// Without that variable nothing is sent.
#pragma once

#include <string_view>

namespace patchbay::app {

// "READY=1", "STOPPING=1", "STATUS=..."; several are separated by '\n'. Whether it was sent.
bool tell_service_manager(std::string_view state) noexcept;

}  // namespace patchbay::app
