// A WebSocket server for tests, with or without TLS, on a loopback port chosen by the kernel. Controlled by
// callbacks, which run on the server's one thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace patchbay::support {

// One connection, usable from any thread, also after it was closed.
class WsPeer {
 public:
  virtual ~WsPeer() = default;
  virtual void send(std::string message, bool binary) = 0;
  virtual void send_fragments(std::vector<std::string> parts, bool binary) = 0;
  virtual void close(int code, std::string reason) = 0;  // after what was sent before
  virtual void drop() = 0;                               // the same without a close frame
  std::shared_ptr<void> data;  // the script's state of this connection; server thread
};

class WsServer {
 public:
  struct Request {
    std::string target;
    std::map<std::string, std::string> headers;  // names in lower case
  };
  struct Script {
    std::function<int(const Request&)> on_request;  // 101 accepts, 0 never answers, else the refusal's status
    std::function<void(std::shared_ptr<WsPeer>)> on_open;
    std::function<void(const std::shared_ptr<WsPeer>&, std::string_view message, bool binary)> on_message;
    std::function<void(const std::shared_ptr<WsPeer>&, int code)> on_close;
  };

  WsServer(bool tls, Script script);
  ~WsServer();

  int port() const;
  std::string url(const std::string& target = "/") const;  // with the host name localhost
  const std::string& ca_file() const;                      // its self-signed certificate, removed at the end
  void post(std::function<void()> task);
  void after(int delay_ms, std::function<void()> task);  // any thread

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace patchbay::support
