// IoThreads: the io threads of one engine, as many as its sessions need. A session stays on one thread.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "websocket/io_thread.h"

namespace patchbay::lib {

// Used by one strand.
class IoThreads {
 public:
  // Starts one thread. `max`: add() starts no more than this.
  explicit IoThreads(std::string name, size_t max = usable_processors());

  size_t size() const { return threads_.size(); }
  size_t max() const { return max_; }
  IoThread& operator[](size_t index) { return *threads_[index]; }
  // Starts another thread, with the index size() - 1. Returns false at the maximum, or if the system refuses.
  bool add();
  // [any but the threads themselves] Waits until all tasks posted earlier have run.
  void drain();

  // The number of processors that this process may run on, at most kMaxIoThreads.
  static size_t usable_processors();

 private:
  const std::string name_;
  const size_t max_;
  const std::shared_ptr<TlsContexts> tls_;  // shared by the threads
  std::vector<std::unique_ptr<IoThread>> threads_;
};

}  // namespace patchbay::lib
