// Listening sockets. Runs on the first edge thread and hands each connection to the thread that has the
// fewest.
#pragma once

#include <memory>
#include <vector>

#include "server_thread.h"

namespace patchbay::rest_api {

class Listener {
 public:
  // Binds and listens; accepts from start() on.
  static Result<std::unique_ptr<Listener>> open(const ListenerConfig& config,
                                                const std::vector<std::unique_ptr<EdgeThread>>& threads,
                                                EdgeShared& shared);
  ~Listener();

  // On the first edge thread, all four.
  void start();
  void close() noexcept;
  // Makes a Unix socket again whose file somebody has removed. True: it did. Error: it could not, and is not
  // reached.
  Result<bool> mend();
  void set_tls(std::shared_ptr<TlsContext> tls);

  uint16_t port() const noexcept;

 private:
  struct Impl;
  explicit Listener(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace patchbay::rest_api
