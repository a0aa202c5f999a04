#include "websocket/client.h"

#include "websocket/connection.h"

namespace patchbay::lib {
namespace {

bool is_token(const std::string& name) {
  if (name.empty()) return false;
  for (char c : name)
    if (c <= ' ' || c >= 127 || std::string_view("()<>@,;:\\\"/[]?={}").find(c) != std::string_view::npos)
      return false;
  return true;
}

bool is_field_value(const std::string& value) {
  for (char c : value)
    if ((c < ' ' && c != '\t') || c == 127) return false;
  return true;
}

}  // namespace

Result<std::unique_ptr<WebSocketClient>> WebSocketClient::open(IoThread& io, WebSocketOptions options,
                                                               WebSocketCallbacks callbacks) {
  PB_TRY_VALUE(auto url, parse_websocket_url(options.url));
  for (const auto& header : options.headers) {
    if (!is_token(header.name)) return {Code::invalid, "WebSocket header: not a valid name"};
    if (!is_field_value(header.value))
      return {Code::invalid, "WebSocket header " + header.name + ": the value holds a control character"};
  }
  auto connection =
      std::make_shared<Connection>(io, std::move(url), std::move(options), std::move(callbacks));
  io.post([connection] { connection->start(); });
  return std::unique_ptr<WebSocketClient>(new WebSocketClient(std::move(connection)));
}

WebSocketClient::WebSocketClient(std::shared_ptr<Connection> connection)
    : connection_(std::move(connection)) {}

WebSocketClient::~WebSocketClient() {
  connection_->gate().close();
  connection_->io().post([connection = connection_] { connection->close(1000, {}); });
}

Status WebSocketClient::send_text(std::string_view message) { return connection_->send(message, false); }

Status WebSocketClient::send_binary(std::string_view message) { return connection_->send(message, true); }

size_t WebSocketClient::queued_bytes() const { return connection_->queued_bytes(); }

void WebSocketClient::close(uint16_t code, std::string_view reason) {
  connection_->io().post([connection = connection_, code, text = std::string(reason)]() mutable {
    connection->close(code, std::move(text));
  });
}

}  // namespace patchbay::lib
