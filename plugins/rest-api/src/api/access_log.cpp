#include "access_log.h"

#include <string>

namespace patchbay::rest_api {
namespace {

// Adds the user id to "operator", because several users of the host may open the admin socket.
std::string user_text(const AccessLog::Entry& entry) {
  return std::string(entry.user) + (entry.uid ? " uid " + std::to_string(*entry.uid) : "");
}

}  // namespace

void AccessLog::write(const Entry& entry) {
  if (entry.user.empty() && !anonymous_.takes_line(entry.remote, entry.status)) return;
  Log(*host_, std::string(entry.correlation))
      .info("request", {{"method", entry.method},
                        {"path", entry.path},
                        {"status", entry.status},
                        {"ms", entry.took_ns / 1'000'000},
                        {"bytes", entry.bytes},
                        {"remote", entry.remote},
                        {"user", user_text(entry)}});
}

}  // namespace patchbay::rest_api
