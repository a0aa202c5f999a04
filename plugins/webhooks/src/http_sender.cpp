#include "http_sender.h"

#include <curl/curl.h>
#include <sys/socket.h>

#include <csignal>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>

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

// A request in flight: a libcurl handle and the state of its callbacks. Used on the sender's thread only.
class CurlTransfer {
 public:
  CurlTransfer(Post post, HttpSender::Done done, const HttpSender::Limits& limits);

  // False: out of memory.
  bool prepare();
  CURL* easy() const noexcept { return easy_.get(); }
  void complete(CURLcode code);

 private:
  bool set_headers();
  void set_address_checks();
  Outcome outcome(CURLcode code) const;

  static size_t on_head(char* data, size_t size, size_t count, void* self);
  static size_t on_body(char* data, size_t size, size_t count, void* self);
  static curl_socket_t on_open_socket(void* self, curlsocktype purpose, curl_sockaddr* address);
  static int on_connected(void* self, char* peer, char* own, int peer_port, int own_port);

  struct FreeEasy {
    void operator()(CURL* easy) const noexcept { curl_easy_cleanup(easy); }
  };
  struct FreeList {
    void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
  };

  // owned
  const Post post_;
  HttpSender::Done done_;
  const HttpSender::Limits limits_;
  std::unique_ptr<curl_slist, FreeList> headers_;
  std::unique_ptr<CURL, FreeEasy> easy_;
  // state
  size_t read_ = 0;         // bytes of the response
  bool head_done_ = false;  // the head of the final response is complete
  bool refused_ = false;    // an address was not public
};

CurlTransfer::CurlTransfer(Post post, HttpSender::Done done, const HttpSender::Limits& limits)
    : post_(std::move(post)), done_(std::move(done)), limits_(limits), easy_(curl_easy_init()) {}

bool CurlTransfer::set_headers() {
  for (const std::string& header : post_.headers) {
    curl_slist* longer = curl_slist_append(headers_.get(), header.c_str());
    if (longer == nullptr) return false;
    static_cast<void>(headers_.release());  // part of the longer list now
    headers_.reset(longer);
  }
  return true;
}

bool CurlTransfer::prepare() {
  if (!easy_ || !set_headers()) return false;
  CURL* easy = easy_.get();
  curl_easy_setopt(easy, CURLOPT_URL, post_.url.c_str());
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy, CURLOPT_PROXY, "");  // ignores the proxy of the environment
  curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(post_.body.size()));
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, post_.body.c_str());
  curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, static_cast<long>(limits_.timeout_ms));
  curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(limits_.timeout_ms));
  curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT,
                   1L);  // so that a name server that hangs does not block the thread
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, &CurlTransfer::on_head);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, &CurlTransfer::on_body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, this);
  // Replaces the system's bundle; the system's folder of certificates stays trusted.
  if (!post_.ca_file.empty()) curl_easy_setopt(easy, CURLOPT_CAINFO, post_.ca_file.c_str());
  if (!post_.allow_private) set_address_checks();
  return true;
}

// Checks the address before connecting, and again before a request uses an open connection, because a tenant
// that may reach private addresses may have opened it.
void CurlTransfer::set_address_checks() {
  curl_easy_setopt(easy_.get(), CURLOPT_OPENSOCKETFUNCTION, &CurlTransfer::on_open_socket);
  curl_easy_setopt(easy_.get(), CURLOPT_OPENSOCKETDATA, this);
  curl_easy_setopt(easy_.get(), CURLOPT_PREREQFUNCTION, &CurlTransfer::on_connected);
  curl_easy_setopt(easy_.get(), CURLOPT_PREREQDATA, this);
}

void CurlTransfer::complete(CURLcode code) { done_(outcome(code)); }

Outcome CurlTransfer::outcome(CURLcode code) const {
  Outcome outcome;
  long status = 0;
  if (easy_) curl_easy_getinfo(easy_.get(), CURLINFO_RESPONSE_CODE, &status);
  outcome.status = head_done_ ? status : 0;
  outcome.delivered = outcome.status >= 200 && outcome.status <= 299;
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
  long status = 0;
  curl_easy_getinfo(transfer.easy(), CURLINFO_RESPONSE_CODE, &status);
  if (status >= 200 && (data[0] == '\r' || data[0] == '\n')) transfer.head_done_ = true;
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

}  // namespace

class HttpSender::Loop {
 public:
  explicit Loop(Limits limits) : limits_(limits) {
    curl_global_init(CURL_GLOBAL_DEFAULT);
    multi_ = curl_multi_init();
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kMaxKeptConnections);
    thread_ = std::thread([this] { run(); });
  }
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    curl_multi_wakeup(multi_);
    thread_.join();
    for (auto& [easy, transfer] : running_) curl_multi_remove_handle(multi_, easy);
    running_.clear();
    curl_multi_cleanup(multi_);
    curl_global_cleanup();
  }

  void send(Post post, Done done) {
    {
      const std::lock_guard lock(mutex_);
      waiting_.emplace_back(std::move(post), std::move(done));
    }
    curl_multi_wakeup(multi_);
  }

 private:
  static constexpr int kMaxPollMs = 1000;  // send() and the destructor wake the loop earlier
  using Waiting = std::deque<std::pair<Post, Done>>;

  void run() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);  // among them SIGPIPE of TLS sockets
    Waiting arrived;
    while (take(arrived)) {
      for (auto& [post, done] : arrived) begin(std::move(post), std::move(done));
      arrived.clear();
      int running = 0;
      curl_multi_perform(multi_, &running);
      complete_finished();
      curl_multi_poll(multi_, nullptr, 0, kMaxPollMs, nullptr);
    }
  }

  // False: the loop has to stop.
  bool take(Waiting& arrived) {
    const std::lock_guard lock(mutex_);
    arrived.swap(waiting_);
    return !stopping_;
  }

  void begin(Post post, Done done) {
    auto transfer = std::make_unique<CurlTransfer>(std::move(post), std::move(done), limits_);
    if (!transfer->prepare()) return transfer->complete(CURLE_OUT_OF_MEMORY);
    CURL* easy = transfer->easy();
    running_.emplace(easy, std::move(transfer));
    curl_multi_add_handle(multi_, easy);
  }

  void complete_finished() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL* easy = message->easy_handle;
      const CURLcode code = message->data.result;
      curl_multi_remove_handle(multi_, easy);
      auto node = running_.extract(easy);
      node.mapped()->complete(code);
    }
  }

  // owned
  const Limits limits_;
  CURLM* multi_ = nullptr;
  std::thread thread_;
  std::mutex mutex_;
  Waiting waiting_;  // guarded by mutex_
  // state
  bool stopping_ = false;  // guarded by mutex_
  std::unordered_map<CURL*, std::unique_ptr<CurlTransfer>> running_;
};

HttpSender::HttpSender() : HttpSender(Limits()) {}
HttpSender::HttpSender(Limits limits) : loop_(std::make_unique<Loop>(limits)) {}
HttpSender::~HttpSender() = default;
void HttpSender::send(Post post, Done done) { loop_->send(std::move(post), std::move(done)); }

}  // namespace patchbay::webhooks
