// AdminClient: HTTP over the server's Unix admin socket, to the same REST API that the public port has. The
// caller is the operator, a super-admin, because he may open the socket. One thread.
#pragma once

#include <patchbay/result.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "json/document.h"
#include "server_address.h"

namespace CLI {
class App;
}

namespace patchbay::app {

class AdminClient {
 public:
  using Query = std::vector<std::pair<std::string, std::string>>;

  struct Answer {
    long status = 0;
    std::string body;
    bool ok() const noexcept { return status >= 200 && status < 300; }
  };

  // Errors: invalid (configuration), unavailable (no server there).
  static Result<AdminClient> connect(const ServerOptions& options);

  AdminClient(AdminClient&&) noexcept;
  AdminClient& operator=(AdminClient&&) noexcept;
  ~AdminClient();

  // `body` "" sends none. Errors: unavailable.
  Result<Answer> request(const char* method, std::string_view path, const Query& query = {},
                         const std::string& body = {});

 private:
  struct Handle;
  explicit AdminClient(ServerAddress address);

  ServerAddress address_;
  std::unique_ptr<Handle> handle_;
};

// -c, --socket, --tenant, --json on a verb.
void add_server_options(CLI::App& verb, ServerOptions& options);

// Says on stderr what went wrong and gives the exit code for it.
int report(const Error& error);
int report_refusal(const AdminClient::Answer& answer);
// Sends one request; a refusal is reported. With --json the body is printed as it came, else `show` gets it
// as a document. Returns the exit code.
int exchange(const ServerOptions& options, const char* method, const std::string& path,
             const AdminClient::Query& query, const std::string& body, void (*show)(const core::json::Node&));

}  // namespace patchbay::app
