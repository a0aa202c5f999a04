// A listening socket. Runs on the first server thread and passes each connection to the thread with the
// fewest.
#pragma once

#include <memory>
#include <vector>

#include "server_thread.h"

namespace patchbay::rest_api {

class Listener {
 public:
  // Binds and listens; start() begins to accept.
  static Result<std::unique_ptr<Listener>> open(const ListenerConfig& config,
                                                const std::vector<std::unique_ptr<ServerThread>>& threads,
                                                ServerShared& shared);
  ~Listener();

  // [first server thread] The next four.
  void start();
  void close() noexcept;
  // Recreates a Unix socket whose file was removed. False: it was not. Error: it could not be recreated, so
  // clients cannot reach it.
  Result<bool> recreate();
  void set_tls(std::shared_ptr<TlsContext> tls);

  uint16_t port() const noexcept;

 private:
  struct Impl;
  explicit Listener(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace patchbay::rest_api
