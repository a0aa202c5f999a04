// Reports the service's state to systemd as sd_notify(3): one datagram to $NOTIFY_SOCKET. No-op without that
// variable.
#pragma once

#include <string_view>

namespace patchbay::app {

// `state` is "READY=1", "STOPPING=1", "STATUS=...", or several separated by '\n'. Returns whether it was
// sent.
bool notify_service_manager(std::string_view state) noexcept;

}  // namespace patchbay::app
