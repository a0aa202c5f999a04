// AdminClient: HTTP over the server's Unix admin socket, to the same REST API as on the public port. The
// server treats the caller as a super-admin, because the socket's file rights let only operators open it. One
// thread.
#pragma once

#include <patchbay/result.h>

#include <functional>
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
  // Reads server-sent events (text/event-stream) after the one with the id `last_id` ("": as the query has
  // it), until the server ends the stream or take() returns false. The body of the answer is that of a
  // refusal. Error: unavailable, also when the connection was lost.
  Result<Answer> follow(std::string_view path, const Query& query, const std::string& last_id,
                        const std::function<bool(std::string_view)>& take);

 private:
  struct Handle;
  AdminClient(ServerAddress address, std::unique_ptr<Handle> handle);
  std::string url_of(std::string_view path, const Query& query) const;
  // Sets what all requests have, and returns the handle.
  Handle& prepare(const std::string& url) const;
  Error no_answer(int curl_code) const;

  ServerAddress address_;
  std::unique_ptr<Handle> handle_;
};

}  // namespace patchbay::app
