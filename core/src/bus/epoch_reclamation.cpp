#include "bus/epoch_reclamation.h"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace patchbay::core {
namespace {

std::atomic<EpochReader*> readers{nullptr};

bool barrier(int command) { return syscall(SYS_membarrier, command, 0, 0) == 0; }

struct RecordRelease {
  ~RecordRelease() {
    if (!epoch_reader) return;
    epoch_reader->in_use.store(false, std::memory_order_release);
    epoch_reader = nullptr;
  }
};

EpochReader& acquire_record() {
  for (EpochReader* reader = readers.load(std::memory_order_acquire); reader; reader = reader->next)
    if (!reader->in_use.load(std::memory_order_relaxed) && !reader->in_use.exchange(true)) return *reader;
  auto* fresh = new EpochReader;  // reused, never freed, so their number is that of concurrent threads
  fresh->next = readers.load(std::memory_order_relaxed);
  while (!readers.compare_exchange_weak(fresh->next, fresh)) {
  }
  return *fresh;
}

}  // namespace

const bool epoch_barrier = barrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);

EpochReader& register_epoch_reader() {
  thread_local RecordRelease release;
  epoch_reader = &acquire_record();
  return *epoch_reader;
}

uint64_t advance_epoch() noexcept {
  const uint64_t epoch = epoch_now.fetch_add(1) + 1;
  if (epoch_barrier) barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  return epoch;
}

bool is_reclaimable(uint64_t epoch) noexcept {
  for (EpochReader* reader = readers.load(); reader; reader = reader->next) {
    const uint64_t at = reader->at.load();
    if (at != 0 && at < epoch) return false;
  }
  return true;
}

}  // namespace patchbay::core
