#include "websocket/io_threads.h"

#include <sched.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "websocket/io_thread_impl.h"
#include "websocket/limits.h"

namespace patchbay::lib {

IoThreads::IoThreads(std::string name, size_t max)
    : name_(std::move(name)), max_(std::max<size_t>(max, 1)), tls_(std::make_shared<TlsContexts>()) {
  threads_.push_back(std::make_unique<IoThread>(name_, tls_));
}

bool IoThreads::add() {
  if (threads_.size() >= max_) return false;
  try {
    const std::string name = name_.substr(0, 12) + "-" + std::to_string(threads_.size() + 1);
    threads_.push_back(std::make_unique<IoThread>(name, tls_));
  } catch (const std::exception&) {
    return false;
  }
  return true;
}

void IoThreads::drain() {
  for (const auto& thread : threads_) thread->drain();
}

size_t IoThreads::usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const size_t count = ::sched_getaffinity(0, sizeof set, &set) == 0 ? static_cast<size_t>(CPU_COUNT(&set))
                                                                     : std::thread::hardware_concurrency();
  return std::clamp<size_t>(count, 1, kMaxIoThreads);
}

}  // namespace patchbay::lib
