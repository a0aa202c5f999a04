#include "mail/smtp_sender.h"

#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

#include "mail/smtp_transfer.h"

namespace patchbay::transcripts {

// Its thread starts, and loads libcurl, with the first message, because most servers send none.
class SmtpSender::Loop {
 public:
  explicit Loop(int64_t timeout_ms) : timeout_ms_(timeout_ms) {}
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  ~Loop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      wake();
    }
    if (thread_.joinable()) thread_.join();
  }

  void send(SmtpMessage message, Done done) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace_back(std::move(message), std::move(done));
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    wake();
  }

 private:
  static constexpr int kMaxPollMs = 1000;  // send() and the destructor wake the loop earlier
  using Waiting = std::deque<std::pair<SmtpMessage, Done>>;

  // Under mutex_.
  void wake() {
    if (multi_ != nullptr) curl_->multi_wakeup(multi_);
    arrived_.notify_one();
  }

  void run() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);  // among them SIGPIPE of TLS sockets
    while (!load()) {
      if (!refuse_waiting()) return;
    }
    Waiting arrived;
    while (take(arrived)) {
      for (auto& [message, done] : arrived) begin(std::move(message), std::move(done));
      arrived.clear();
      int running = 0;
      curl_->multi_perform(multi_, &running);
      complete_finished();
      curl_->multi_poll(multi_, nullptr, 0, kMaxPollMs, nullptr);
    }
    for (auto& [easy, transfer] : running_) curl_->multi_remove_handle(multi_, easy);
    running_.clear();
    const std::lock_guard lock(mutex_);
    curl_->multi_cleanup(std::exchange(multi_, nullptr));
  }

  // False: libcurl cannot be used now.
  bool load() {
    const auto curl = lib::load_curl();
    CURLM* multi = curl ? (*curl)->multi_init() : nullptr;
    if (multi == nullptr) return false;
    const std::lock_guard lock(mutex_);
    curl_ = *curl;
    multi_ = multi;
    return true;
  }

  // Completes the waiting messages with an error, then waits for the next. False: the loop has to stop.
  bool refuse_waiting() {
    Waiting arrived;
    if (!take(arrived)) return false;
    for (auto& [message, done] : arrived)
      done({SmtpResult::Kind::failed, "libcurl cannot be loaded on the server"});
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    return !stopping_;
  }

  // False: the loop has to stop.
  bool take(Waiting& arrived) {
    const std::lock_guard lock(mutex_);
    arrived.swap(waiting_);
    return !stopping_;
  }

  void begin(SmtpMessage message, Done done) {
    auto transfer = std::make_unique<SmtpTransfer>(*curl_, std::move(message), std::move(done));
    if (!transfer->prepare(timeout_ms_)) return transfer->complete(CURLE_OUT_OF_MEMORY);
    CURL* easy = transfer->easy();
    running_.emplace(easy, std::move(transfer));
    curl_->multi_add_handle(multi_, easy);
  }

  void complete_finished() {
    int left = 0;
    while (const CURLMsg* message = curl_->multi_info_read(multi_, &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      CURL* easy = message->easy_handle;
      const CURLcode code = message->data.result;
      curl_->multi_remove_handle(multi_, easy);
      auto node = running_.extract(easy);
      node.mapped()->complete(code);
    }
  }

  const int64_t timeout_ms_;
  // owned; written by the thread under mutex_
  const lib::CurlFunctions* curl_ = nullptr;
  CURLM* multi_ = nullptr;
  // guarded by mutex_
  std::mutex mutex_;
  std::condition_variable arrived_;
  Waiting waiting_;
  bool stopping_ = false;
  // state of the thread
  std::unordered_map<CURL*, std::unique_ptr<SmtpTransfer>> running_;
  std::thread thread_;
};

SmtpSender::SmtpSender(int64_t timeout_ms) : loop_(std::make_unique<Loop>(timeout_ms)) {}
SmtpSender::~SmtpSender() = default;
void SmtpSender::send(SmtpMessage message, Done done) { loop_->send(std::move(message), std::move(done)); }

}  // namespace patchbay::transcripts
