// AdminClient: HTTP over the server's Unix admin socket, to the same REST API as on the public port. The
// server treats the caller as a super-admin, because the socket's file rights let only operators open it. One
// thread.
#pragma once

#include <patchbay/result.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server_address.h"

namespace patchbay::app {

class AdminClient {
 public:
  using Query = std::vector<std::pair<std::string, std::string>>;
  static constexpr size_t kMaxAnswerBytes = 16 << 20;

  struct Answer {
    long status = 0;
    std::string body;
    bool ok() const noexcept { return status >= 200 && status < 300; }
  };

  // Connects at the first request. Errors: invalid (the configuration), failed or unavailable (libcurl).
  static Result<AdminClient> connect(const ServerOptions& options);

  AdminClient(AdminClient&&) noexcept;
  AdminClient& operator=(AdminClient&&) noexcept;
  ~AdminClient();

  // Sends no body for "". Error: unavailable (no server answers).
  Result<Answer> request(const char* method, std::string_view path, const Query& query = {},
                         const std::string& body = {});

 private:
  struct Handle;
  AdminClient(ServerAddress address, std::unique_ptr<Handle> handle);

  ServerAddress address_;
  std::unique_ptr<Handle> handle_;
};

}  // namespace patchbay::app
