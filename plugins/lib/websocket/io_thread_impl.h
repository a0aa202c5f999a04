// Private to the library: the Asio side of an IoThread.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/ssl/context.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

#include "websocket/io_thread.h"
#include "websocket/signal_queue.h"

namespace patchbay::lib {

// TLS contexts by CA file, shared by several threads because reading Debian's bundle takes milliseconds. Any
// thread. A thread reads files without the lock, because a read may block.
class TlsContexts {
 public:
  using Context = std::shared_ptr<boost::asio::ssl::context>;
  Context find(const std::string& ca_file) {
    const std::lock_guard lock(mutex_);
    const auto found = by_ca_file_.find(ca_file);
    return found == by_ca_file_.end() ? nullptr : found->second;
  }
  // Returns the context that was added first.
  Context add(const std::string& ca_file, Context context) {
    const std::lock_guard lock(mutex_);
    return by_ca_file_.emplace(ca_file, std::move(context)).first->second;
  }

 private:
  std::mutex mutex_;  // guards the next
  std::map<std::string, Context> by_ca_file_;
};

struct IoThread::Impl {
  explicit Impl(std::shared_ptr<TlsContexts> contexts);

  void trigger(const std::shared_ptr<SignalQueue::Signal>& signal) noexcept;  // [any, lock-free]
  void wait_for_signals();
  void run_signals();

  boost::asio::io_context context{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work{context.get_executor()};
  const std::shared_ptr<TlsContexts> tls;  // shared by the threads of an engine
  SignalQueue signals;
  boost::asio::posix::stream_descriptor event;  // wakes the thread for signals
  const int event_fd;
  std::thread thread;
};

}  // namespace patchbay::lib
