// TransferLoop: a thread that runs transfers side by side with libcurl's multi interface. The thread starts,
// and loads libcurl, with the first job, because most servers have none.
//
// A Transfer is one job in flight, used on the loop's thread only:
//   struct Job;                                  what send() takes; movable
//   Transfer(const CurlFunctions& curl, Job job);
//   bool prepare();                              sets the handle's options; false: out of memory
//   CURL* easy();                                the handle, owned by the transfer
//   void complete(CURLcode code);                reports the result, once
//   static void refuse(Job& job);                reports that libcurl cannot be loaded
#pragma once

#include <condition_variable>
#include <csignal>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <utility>

#include "curl/curl_functions.h"

namespace patchbay::lib {

template <class Transfer>
class TransferLoop {
 public:
  using Job = typename Transfer::Job;

  // At most `max_kept_connections` idle connections stay open; 0: libcurl's own limit.
  explicit TransferLoop(long max_kept_connections) : max_kept_connections_(max_kept_connections) {}
  TransferLoop(const TransferLoop&) = delete;
  TransferLoop& operator=(const TransferLoop&) = delete;
  // Cancels the transfers in flight without completing them, and joins the thread.
  ~TransferLoop() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
      wake();
    }
    if (thread_.joinable()) thread_.join();
  }

  // [any] The job is completed or refused on the loop's thread.
  void send(Job job) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(job));
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    wake();
  }

 private:
  static constexpr int kMaxPollMs = 1000;  // send() and the destructor wake the loop earlier
  using Jobs = std::deque<Job>;

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
    Jobs arrived;
    while (take(arrived)) {
      for (Job& job : arrived) begin(std::move(job));
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
    const auto curl = load_curl();
    CURLM* multi = curl ? (*curl)->multi_init() : nullptr;
    if (multi == nullptr) return false;
    if (max_kept_connections_ > 0) (*curl)->multi_setopt(multi, CURLMOPT_MAXCONNECTS, max_kept_connections_);
    const std::lock_guard lock(mutex_);
    curl_ = *curl;
    multi_ = multi;
    return true;
  }

  // Refuses the waiting jobs, then waits for the next. False: the loop has to stop.
  bool refuse_waiting() {
    Jobs arrived;
    if (!take(arrived)) return false;
    for (Job& job : arrived) Transfer::refuse(job);
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    return !stopping_;
  }

  // False: the loop has to stop.
  bool take(Jobs& arrived) {
    const std::lock_guard lock(mutex_);
    arrived.swap(waiting_);
    return !stopping_;
  }

  void begin(Job job) {
    auto transfer = std::make_unique<Transfer>(*curl_, std::move(job));
    if (!transfer->prepare()) return transfer->complete(CURLE_OUT_OF_MEMORY);
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

  const long max_kept_connections_;
  // owned; written by the thread under mutex_
  const CurlFunctions* curl_ = nullptr;
  CURLM* multi_ = nullptr;
  // guarded by mutex_
  std::mutex mutex_;
  std::condition_variable arrived_;
  Jobs waiting_;
  bool stopping_ = false;
  // state of the thread
  std::unordered_map<CURL*, std::unique_ptr<Transfer>> running_;
  std::thread thread_;
};

}  // namespace patchbay::lib
