#include "support/webhook_receiver.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <patchbay/hex.h>
#include <patchbay/json.h>
#include <patchbay/text.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <mutex>
#include <optional>
#include <set>
#include <thread>

#include "support/webhook_receiver_connection.h"

namespace patchbay::test {
namespace {

using Clock = std::chrono::steady_clock;

std::string signature_of(const std::string& secret, const std::string& text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  HMAC(EVP_sha256(), secret.data(), static_cast<int>(secret.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest, &size);
  return "sha256=" + to_hex({reinterpret_cast<const char*>(digest), size});
}

SSL_CTX* make_context(const std::string& certificate_pem, const std::string& key_pem) {
  if (certificate_pem.empty()) return nullptr;
  SSL_CTX* context = SSL_CTX_new(TLS_server_method());
  BIO* certificate = BIO_new_mem_buf(certificate_pem.data(), static_cast<int>(certificate_pem.size()));
  BIO* key = BIO_new_mem_buf(key_pem.data(), static_cast<int>(key_pem.size()));
  X509* x509 = PEM_read_bio_X509(certificate, nullptr, nullptr, nullptr);
  EVP_PKEY* pkey = PEM_read_bio_PrivateKey(key, nullptr, nullptr, nullptr);
  if (SSL_CTX_use_certificate(context, x509) != 1 || SSL_CTX_use_PrivateKey(context, pkey) != 1) std::abort();
  X509_free(x509);
  EVP_PKEY_free(pkey);
  BIO_free(certificate);
  BIO_free(key);
  return context;
}

// Parses the head of a request; false when it is invalid.
bool read_head(const std::string& text, WebhookDelivery& into) {
  const size_t space = text.find(' ');
  const size_t space2 = text.find(' ', space + 1);
  if (space == std::string::npos || space2 == std::string::npos) return false;
  into.path = text.substr(space + 1, space2 - space - 1);
  size_t at = text.find("\r\n") + 2;
  while (at < text.size()) {
    const size_t end = std::min(text.find("\r\n", at), text.size());
    const size_t colon = text.find(':', at);
    if (colon == std::string::npos || colon > end) return false;
    size_t value = colon + 1;
    while (value < end && text[value] == ' ') ++value;
    into.headers[to_lower(text.substr(at, colon - at))] = text.substr(value, end - value);
    at = end + 2;
  }
  return true;
}

// Reads one request; `rest` keeps the bytes after it. nullopt at the end of the stream.
std::optional<WebhookDelivery> read_request(WebhookStream& stream, std::string& rest) {
  size_t head = std::string::npos;
  while ((head = rest.find("\r\n\r\n")) == std::string::npos) {
    const std::string part = stream.read();
    if (part.empty()) return std::nullopt;
    rest += part;
  }
  WebhookDelivery request;
  if (!read_head(rest.substr(0, head), request)) return std::nullopt;
  const size_t size = std::strtoul(request.header("content-length").c_str(), nullptr, 10);
  rest.erase(0, head + 4);
  while (rest.size() < size) {
    const std::string part = stream.read();
    if (part.empty()) return std::nullopt;
    rest += part;
  }
  request.body = rest.substr(0, size);
  rest.erase(0, size);
  return request;
}

std::string line_of(const WebhookDelivery& delivery) {
  JsonWriter line;
  line.object().member("timeMs", delivery.time_ms).member("path", delivery.path).key("headers").object();
  for (const auto& [name, value] : delivery.headers) line.member(name, value);
  line.end()
      .member("signatureOk", delivery.signature_ok)
      .member("signatureV2Ok", delivery.signature_v2_ok)
      .member("body", delivery.body)
      .end();
  return std::move(line).str();
}

}  // namespace

std::string WebhookDelivery::header(const std::string& name) const {
  const auto found = headers.find(name);
  return found != headers.end() ? found->second : std::string();
}

class WebhookReceiver::Server {
 public:
  explicit Server(Options options)
      : options_(std::move(options)), context_(make_context(options_.certificate_pem, options_.key_pem)) {
    listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int yes = 1;
    setsockopt(listener_, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(options_.port);
    socklen_t size = sizeof address;
    sockaddr general{};
    std::memcpy(&general, &address, sizeof address);
    if (bind(listener_, &general, size) != 0 || listen(listener_, 256) != 0) {
      std::perror("webhook receiver");
      std::abort();
    }
    getsockname(listener_, &general, &size);
    std::memcpy(&address, &general, sizeof address);
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread([this] { accept_all(); });
  }
  ~Server() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      for (const int fd : open_) shutdown(fd, SHUT_RDWR);
      changed_.notify_all();
    }
    shutdown(listener_, SHUT_RDWR);
    acceptor_.join();
    close(listener_);
    for (std::thread& thread : threads_) thread.join();
    SSL_CTX_free(context_);
  }

  uint16_t port() const { return port_; }
  bool tls() const { return context_ != nullptr; }
  uint64_t bytes_sent() const { return bytes_sent_; }
  uint64_t connections() const { return connections_; }

  void set_answers(std::optional<std::vector<WebhookAnswer>> next, std::optional<WebhookAnswer> usual) {
    const std::lock_guard lock(mutex_);
    if (next) next_.assign(next->begin(), next->end());
    if (usual) usual_ = *usual;
  }
  void set_secret(const std::string& secret) {
    const std::lock_guard lock(mutex_);
    options_.secret = secret;
  }
  std::vector<WebhookDelivery> wait_for(size_t count, std::chrono::milliseconds limit) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, limit, [&] { return deliveries_.size() >= count; });
    return deliveries_;
  }

 private:
  void accept_all() {
    while (true) {
      const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
      const std::lock_guard lock(mutex_);
      if (stopping_ || fd < 0) {
        if (fd >= 0) close(fd);
        return;
      }
      open_.insert(fd);
      ++connections_;
      threads_.emplace_back([this, fd] { serve(fd); });
    }
  }

  void serve(int fd) {
    {
      WebhookStream stream(fd, context_);
      std::string rest;
      while (auto request = read_request(stream, rest)) {
        if (!answer(stream, *std::move(request))) break;
      }
      const std::lock_guard lock(mutex_);
      open_.erase(fd);
    }
  }

  // False when the connection shall be closed.
  bool answer(WebhookStream& stream, WebhookDelivery delivery) {
    const bool followed = delivery.path == "/followed";
    const auto [kind, good] = take(std::move(delivery));
    if (followed) return send(stream, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    if (!good) return send(stream, "HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
    switch (kind) {
      case WebhookAnswer::ok:
        return send(stream, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      case WebhookAnswer::no_content:
        return send(stream, "HTTP/1.1 204 No Content\r\n\r\n");
      case WebhookAnswer::error:
        return send(stream, "HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n");
      case WebhookAnswer::redirect:
        return send(stream,
                    "HTTP/1.1 301 Moved Permanently\r\nLocation: /followed\r\nContent-Length: 0\r\n\r\n");
      case WebhookAnswer::hang:
        return pause(std::chrono::hours(1));
      case WebhookAnswer::drip:
        return drip(stream);
      case WebhookAnswer::reset:
        stream.reset();
        return false;
      case WebhookAnswer::huge:
        return flood(stream);
      case WebhookAnswer::late_body:
        return send(stream, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n") && pause(std::chrono::hours(1));
      case WebhookAnswer::garbage:
        send(stream, "SSH-2.0-OpenSSH_9.2\r\n");
        return false;
    }
    return false;
  }

  // Records a delivery; returns the answer, and whether the signature is valid.
  std::pair<WebhookAnswer, bool> take(WebhookDelivery delivery) {
    const std::lock_guard lock(mutex_);
    delivery.time = Clock::now();
    delivery.time_ms = std::chrono::duration_cast<std::chrono::milliseconds>(delivery.time - began_).count();
    delivery.signature_ok =
        delivery.header("x-platform-signature") == signature_of(options_.secret, delivery.body);
    delivery.signature_v2_ok =
        delivery.header("x-platform-signature-v2") ==
        signature_of(options_.secret, delivery.header("x-platform-timestamp") + "." + delivery.body);
    if (!options_.log_file.empty())
      std::ofstream(options_.log_file, std::ios::app) << line_of(delivery) + "\n" << std::flush;
    const bool good = options_.secret.empty() || delivery.signature_ok;
    deliveries_.push_back(std::move(delivery));
    changed_.notify_all();
    if (next_.empty()) return {usual_, good};
    const WebhookAnswer kind = next_.front();
    next_.pop_front();
    return {kind, good};
  }

  bool send(WebhookStream& stream, std::string_view text) {
    if (!stream.write(text)) return false;
    bytes_sent_ += text.size();
    return true;
  }
  // False when the receiver stops.
  bool pause(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return !changed_.wait_for(lock, time, [this] { return stopping_; });
  }
  bool drip(WebhookStream& stream) {
    std::string head = "HTTP/1.1 200 OK\r\nX: ";
    for (size_t i = 0; pause(std::chrono::milliseconds(50)); ++i) {
      if (!send(stream, i < head.size() ? std::string_view(&head[i], 1) : "x")) return false;
    }
    return false;
  }
  bool flood(WebhookStream& stream) {
    if (!send(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")) return false;
    const std::string part(16384, 'x');
    while (pause(std::chrono::milliseconds(0)) && send(stream, part)) {
    }
    return false;
  }

  // owned
  Options options_;  // guarded by mutex_ where it changes
  SSL_CTX* const context_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::thread acceptor_;
  const Clock::time_point began_ = Clock::now();
  std::mutex mutex_;
  std::condition_variable changed_;
  // state, guarded by mutex_
  std::vector<std::thread> threads_;
  std::set<int> open_;
  std::deque<WebhookAnswer> next_;
  WebhookAnswer usual_ = WebhookAnswer::ok;
  std::vector<WebhookDelivery> deliveries_;
  bool stopping_ = false;
  std::atomic<uint64_t> bytes_sent_{0}, connections_{0};
};

WebhookReceiver::WebhookReceiver(Options options) : server_(std::make_unique<Server>(std::move(options))) {}
WebhookReceiver::~WebhookReceiver() = default;
uint16_t WebhookReceiver::port() const { return server_->port(); }
std::string WebhookReceiver::url(const std::string& path) const {
  return (server_->tls() ? "https://127.0.0.1:" : "http://127.0.0.1:") + std::to_string(port()) + path;
}
void WebhookReceiver::answer_next(std::vector<WebhookAnswer> answers) {
  server_->set_answers(std::move(answers), std::nullopt);
}
void WebhookReceiver::answer_always(WebhookAnswer usual) { server_->set_answers(std::nullopt, usual); }
void WebhookReceiver::set_secret(const std::string& secret) { server_->set_secret(secret); }
std::vector<WebhookDelivery> WebhookReceiver::deliveries() const {
  return server_->wait_for(0, std::chrono::milliseconds(0));
}
std::vector<WebhookDelivery> WebhookReceiver::wait_for(size_t count, std::chrono::milliseconds limit) const {
  return server_->wait_for(count, limit);
}
uint64_t WebhookReceiver::bytes_sent() const { return server_->bytes_sent(); }
uint64_t WebhookReceiver::connections() const { return server_->connections(); }

}  // namespace patchbay::test
