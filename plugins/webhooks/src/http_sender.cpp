#include "http_sender.h"

#include <curl/curl.h>

#include <csignal>
#include <deque>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

#include "curl_transfer.h"

namespace patchbay::webhooks {
namespace {

constexpr long kKeptConnections = 64;
constexpr int kPollMs = 1000;

}  // namespace

class HttpSender::Loop {
 public:
  explicit Loop(Limits limits) : limits_(limits) {
    curl_global_init(CURL_GLOBAL_DEFAULT);
    multi_ = curl_multi_init();
    curl_multi_setopt(multi_, CURLMOPT_MAXCONNECTS, kKeptConnections);
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
      curl_multi_poll(multi_, nullptr, 0, kPollMs, nullptr);
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
