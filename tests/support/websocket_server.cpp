#include "support/websocket_server.h"

#include <patchbay/text.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <thread>

#include "support/self_signed_certificate.h"

namespace patchbay::support {
namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using Tcp = net::ip::tcp;
using Error = boost::system::error_code;
using PlainStream = beast::tcp_stream;
using SecureStream = beast::ssl_stream<beast::tcp_stream>;

namespace {

template <class Next>
class Peer final : public WsPeer, public std::enable_shared_from_this<Peer<Next>> {
 public:
  template <class... Args>
  Peer(net::io_context& context, const WsServer::Script& script, Args&&... args)
      : context_(context), script_(script), stream_(std::forward<Args>(args)...) {}

  void start() {
    if constexpr (std::is_same_v<Next, SecureStream>)
      stream_.next_layer().async_handshake(net::ssl::stream_base::server, bind([](auto& p, Error e) {
                                             if (!e) p.read_request();
                                           }));
    else
      read_request();
  }

  void send(std::string message, bool binary) override {
    std::vector<std::string> parts;
    parts.push_back(std::move(message));
    send_fragments(std::move(parts), binary);
  }
  void send_fragments(std::vector<std::string> parts, bool binary) override {
    net::post(context_, [self = this->shared_from_this(), parts = std::move(parts), binary]() mutable {
      for (size_t i = 0; i < parts.size(); ++i)
        self->queue_.push_back({std::move(parts[i]), binary, i + 1 == parts.size(), 0});
      self->write();
    });
  }
  void close(int code, std::string reason) override {
    net::post(context_, [self = this->shared_from_this(), code, reason = std::move(reason)]() mutable {
      self->queue_.push_back({std::move(reason), false, true, code});
      self->write();
    });
  }
  void drop() override {
    net::post(context_, [self = this->shared_from_this()] {
      self->queue_.push_back({{}, false, true, kDrop});
      self->write();
    });
  }

 private:
  static constexpr int kDrop = -1;
  struct Item {
    std::string data;
    bool binary;
    bool last;
    int close_code;
  };

  template <class F>
  auto bind(F f) {
    return [self = this->shared_from_this(), f](Error error, auto&&...) { f(*self, error); };
  }

  void read_request() {
    http::async_read(stream_.next_layer(), buffer_, request_, bind([](auto& p, Error e) {
                       if (!e) p.answer_request();
                     }));
  }

  void answer_request() {
    WsServer::Request request{std::string(request_.target()), {}};
    for (const auto& field : request_)
      request.headers[to_lower(std::string(field.name_string()))] = std::string(field.value());
    int status = script_.on_request ? script_.on_request(request) : 101;
    if (status == 0) return keep_silent();
    if (status == 101)
      return stream_.async_accept(request_, bind([](auto& p, Error e) {
                                    if (e) return;
                                    if (p.script_.on_open) p.script_.on_open(p.shared_from_this());
                                    p.read();
                                  }));
    refusal_.result(static_cast<unsigned>(status));
    refusal_.prepare_payload();
    http::async_write(stream_.next_layer(), refusal_, bind([](auto& p, Error) {
                        Error ignored;
                        beast::get_lowest_layer(p.stream_).socket().close(ignored);
                      }));
  }

  void keep_silent() {
    stream_.next_layer().async_read_some(buffer_.prepare(512), bind([](auto& p, Error e) {
                                           if (!e) p.keep_silent();
                                         }));
  }

  void read() {
    stream_.async_read(buffer_, bind([](auto& p, Error e) {
                         if (e) {
                           int code = e == websocket::error::closed ? p.stream_.reason().code : 1006;
                           if (p.script_.on_close) p.script_.on_close(p.shared_from_this(), code);
                           return;
                         }
                         auto bytes = p.buffer_.cdata();
                         if (p.script_.on_message)
                           p.script_.on_message(p.shared_from_this(),
                                                {static_cast<const char*>(bytes.data()), bytes.size()},
                                                p.stream_.got_binary());
                         p.buffer_.consume(p.buffer_.size());
                         p.read();
                       }));
  }

  void write() {
    if (writing_ || queue_.empty()) return;
    writing_ = true;
    Item& item = queue_.front();
    auto done = bind([](auto& p, Error e) {
      p.writing_ = false;
      p.queue_.pop_front();
      if (!e) p.write();
    });
    if (item.close_code == kDrop) {
      Error ignored;
      beast::get_lowest_layer(stream_).socket().close(ignored);
      return;
    }
    if (item.close_code != 0) {
      websocket::close_reason reason(static_cast<uint16_t>(item.close_code));
      reason.reason.assign(item.data.substr(0, 123));
      stream_.async_close(reason, std::move(done));
      return;
    }
    stream_.binary(item.binary);
    stream_.async_write_some(item.last, net::buffer(item.data), std::move(done));
  }

  net::io_context& context_;
  const WsServer::Script& script_;
  websocket::stream<Next> stream_;
  beast::flat_buffer buffer_;
  http::request<http::empty_body> request_;
  http::response<http::string_body> refusal_;
  std::deque<Item> queue_;
  bool writing_ = false;
};

}  // namespace

struct WsServer::Impl {
  Impl(bool use_tls, Script callbacks)
      : tls(use_tls), script(std::move(callbacks)), acceptor(context, {net::ip::address_v4::loopback(), 0}) {
    if (tls) prepare_tls();
    accept();
    thread = std::thread([this] { context.run(); });
  }

  ~Impl() {
    context.stop();
    thread.join();
    if (!ca_file.empty()) std::filesystem::remove(ca_file);
  }

  void prepare_tls() {
    Certificate made = make_certificate();
    tls_context.use_certificate(net::buffer(made.certificate_pem), net::ssl::context::pem);
    tls_context.use_private_key(net::buffer(made.key_pem), net::ssl::context::pem);
    std::string path = (std::filesystem::temp_directory_path() / "patchbay-ca-XXXXXX").string();
    int fd = ::mkstemp(path.data());
    if (fd >= 0) ::close(fd);
    std::ofstream(path) << made.certificate_pem;
    ca_file = path;
  }

  void accept() {
    acceptor.async_accept([this](Error error, Tcp::socket socket) {
      if (error) return;
      Error ignored;
      socket.set_option(Tcp::no_delay(true), ignored);
      beast::tcp_stream tcp(std::move(socket));
      if (tls)
        std::make_shared<Peer<SecureStream>>(context, script, std::move(tcp), tls_context)->start();
      else
        std::make_shared<Peer<PlainStream>>(context, script, std::move(tcp))->start();
      accept();
    });
  }

  const bool tls;
  const Script script;
  std::string ca_file;
  net::ssl::context tls_context{net::ssl::context::tls_server};
  net::io_context context{1};
  Tcp::acceptor acceptor;
  std::thread thread;
};

WsServer::WsServer(bool tls, Script script) : impl_(std::make_unique<Impl>(tls, std::move(script))) {}
WsServer::~WsServer() = default;

int WsServer::port() const { return impl_->acceptor.local_endpoint().port(); }

std::string WsServer::url(const std::string& target) const {
  return (impl_->tls ? "wss://localhost:" : "ws://localhost:") + std::to_string(port()) + target;
}

const std::string& WsServer::ca_file() const { return impl_->ca_file; }

void WsServer::post(std::function<void()> task) { net::post(impl_->context, std::move(task)); }

void WsServer::after(int delay_ms, std::function<void()> task) {
  net::post(impl_->context, [impl = impl_.get(), delay_ms, task = std::move(task)]() mutable {
    auto timer = std::make_shared<net::steady_timer>(impl->context, std::chrono::milliseconds(delay_ms));
    timer->async_wait([timer, task = std::move(task)](Error) { task(); });
  });
}

}  // namespace patchbay::support
