#include "http_sender.h"

#include <sys/socket.h>

#include <memory>
#include <string>
#include <utility>

#include "curl/transfer_loop.h"
#include "receiver_address.h"
#include "webhook_limits.h"

namespace patchbay::webhooks {
namespace {

const char* phrase(CURLcode code) {
  switch (code) {
    case CURLE_OPERATION_TIMEDOUT:
      return "no answer in time";
    case CURLE_COULDNT_RESOLVE_HOST:
      return "the host has no address";
    case CURLE_COULDNT_CONNECT:
      return "could not connect";
    case CURLE_PEER_FAILED_VERIFICATION:
      return "the certificate is not trusted";
    case CURLE_SSL_CONNECT_ERROR:
      return "the TLS handshake failed";
    case CURLE_OUT_OF_MEMORY:
      return "the server is out of memory";
    case CURLE_SSL_CACERT_BADFILE:
      return "the CA file cannot be read";
    case CURLE_WRITE_ERROR:
      return "the answer is too long";
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
      return "the answer is not HTTP";
    default:
      return "the connection broke";
  }
}

}  // namespace

// Not without a name, because HttpSender::Loop has a member with a type made of it.
namespace http_transfer {

// A request in flight: a libcurl handle and the state of its callbacks. Used on the sender's thread only.
class CurlTransfer {
 public:
  struct Job {
    Post post;
    HttpSender::Done done;
    HttpSender::Limits limits;
  };
  CurlTransfer(const lib::CurlFunctions& curl, Job job);

  bool prepare();
  CURL* easy() const noexcept { return easy_.get(); }
  void complete(CURLcode code);
  static void refuse(Job& job) { job.done({false, 0, "libcurl cannot be loaded on the server", false}); }

 private:
  bool set_headers();
  void set_address_checks();
  template <class T>
  void set(CURLoption option, T value) {
    curl_.easy_setopt(easy(), option, value);
  }
  long response_code() const;
  Outcome outcome(CURLcode code) const;

  static size_t on_head(char* data, size_t size, size_t count, void* self);
  static size_t on_body(char* data, size_t size, size_t count, void* self);
  static curl_socket_t on_open_socket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int on_connected(void* self, char* peer, char* own, int peer_port, int own_port);

  // borrowed
  const lib::CurlFunctions& curl_;
  // owned
  const Post post_;
  HttpSender::Done done_;
  const HttpSender::Limits limits_;
  std::unique_ptr<curl_slist, decltype(lib::CurlFunctions::slist_free_all)> headers_;
  std::unique_ptr<CURL, decltype(lib::CurlFunctions::easy_cleanup)> easy_;
  // state
  size_t read_ = 0;         // bytes of the response
  bool head_done_ = false;  // the head of the final response is complete
  bool refused_ = false;    // an address was not public
};

CurlTransfer::CurlTransfer(const lib::CurlFunctions& curl, Job job)
    : curl_(curl),
      post_(std::move(job.post)),
      done_(std::move(job.done)),
      limits_(job.limits),
      headers_(nullptr, curl.slist_free_all),
      easy_(curl.easy_init(), curl.easy_cleanup) {}

bool CurlTransfer::set_headers() {
  for (const std::string& header : post_.headers) {
    curl_slist* longer = curl_.slist_append(headers_.get(), header.c_str());
    if (longer == nullptr) return false;
    static_cast<void>(headers_.release());  // part of the longer list now
    headers_.reset(longer);
  }
  return true;
}

bool CurlTransfer::prepare() {
  if (!easy_ || !set_headers()) return false;
  set(CURLOPT_URL, post_.url.c_str());
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_PROXY, "");  // ignores the proxy of the environment
  set(CURLOPT_HTTPHEADER, headers_.get());
  set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(post_.body.size()));
  set(CURLOPT_POSTFIELDS, post_.body.c_str());
  set(CURLOPT_TIMEOUT_MS, static_cast<long>(limits_.timeout_ms));
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits_.timeout_ms));
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_QUICK_EXIT,
      1L);  // so that a name server that hangs does not block the thread
  set(CURLOPT_HEADERFUNCTION, &CurlTransfer::on_head);
  set(CURLOPT_HEADERDATA, this);
  set(CURLOPT_WRITEFUNCTION, &CurlTransfer::on_body);
  set(CURLOPT_WRITEDATA, this);
  // Replaces the system's bundle; the system's folder of certificates stays trusted.
  if (!post_.ca_file.empty()) set(CURLOPT_CAINFO, post_.ca_file.c_str());
  if (!post_.allow_private) set_address_checks();
  return true;
}

// Checks the address before connecting, and again before a request uses an open connection, because a tenant
// that may reach private addresses may have opened it.
void CurlTransfer::set_address_checks() {
  set(CURLOPT_OPENSOCKETFUNCTION, &CurlTransfer::on_open_socket);
  set(CURLOPT_OPENSOCKETDATA, this);
  set(CURLOPT_PREREQFUNCTION, &CurlTransfer::on_connected);
  set(CURLOPT_PREREQDATA, this);
}

long CurlTransfer::response_code() const {
  long status = 0;
  if (easy_) curl_.easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  return status;
}

void CurlTransfer::complete(CURLcode code) { done_(outcome(code)); }

Outcome CurlTransfer::outcome(CURLcode code) const {
  Outcome outcome;
  outcome.status = head_done_ ? response_code() : 0;
  outcome.delivered = outcome.status >= 200 && outcome.status <= 299;
  outcome.complete = code == CURLE_OK;
  if (outcome.delivered) return outcome;
  // One phrase for both, so that tenants cannot probe the names of an internal name server.
  if (refused_ || (!post_.allow_private && code == CURLE_COULDNT_RESOLVE_HOST)) {
    outcome.error = "the host has no address that may be used";
  } else if (outcome.status != 0) {
    outcome.error = "answered " + std::to_string(outcome.status);
  } else {
    outcome.error = code == CURLE_OK ? "the answer is not HTTP" : phrase(code);
  }
  return outcome;
}

size_t CurlTransfer::on_head(char* data, size_t size, size_t count, void* self) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  transfer.read_ += size * count;
  if (transfer.read_ > transfer.limits_.max_response_bytes) return 0;
  if (transfer.response_code() >= 200 && (data[0] == '\r' || data[0] == '\n')) transfer.head_done_ = true;
  return size * count;
}

size_t CurlTransfer::on_body(char* /*data*/, size_t size, size_t count, void* self) {
  auto& transfer = *static_cast<CurlTransfer*>(self);
  transfer.read_ += size * count;
  return transfer.read_ > transfer.limits_.max_response_bytes ? 0 : size * count;
}

curl_socket_t CurlTransfer::on_open_socket(void* self, curlsocktype /*purpose*/, curl_sockaddr* address) {
  if (!is_public(address->addr) || is_own(address->addr)) {
    static_cast<CurlTransfer*>(self)->refused_ = true;
    return CURL_SOCKET_BAD;
  }
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

int CurlTransfer::on_connected(void* self, char* peer, char* /*own*/, int /*peer_port*/, int /*own_port*/) {
  if (is_public_text(peer) && !is_own_text(peer)) return CURL_PREREQFUNC_OK;
  static_cast<CurlTransfer*>(self)->refused_ = true;
  return CURL_PREREQFUNC_ABORT;
}

}  // namespace http_transfer

class HttpSender::Loop {
 public:
  explicit Loop(Limits limits) : limits_(limits) {}
  void send(Post post, Done done) { transfers_.send({std::move(post), std::move(done), limits_}); }

 private:
  const Limits limits_;
  lib::TransferLoop<http_transfer::CurlTransfer> transfers_{kMaxConnections};
};

HttpSender::HttpSender() : HttpSender(Limits()) {}
HttpSender::HttpSender(Limits limits) : loop_(std::make_unique<Loop>(limits)) {}
HttpSender::~HttpSender() = default;
void HttpSender::send(Post post, Done done) { loop_->send(std::move(post), std::move(done)); }

}  // namespace patchbay::webhooks
