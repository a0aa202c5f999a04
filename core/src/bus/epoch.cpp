#include "bus/epoch.h"

namespace patchbay::core {
namespace {

std::atomic<EpochReader*> readers{nullptr};

struct GiveBack {
  ~GiveBack() {
    if (!epoch_reader) return;
    epoch_reader->taken.store(false, std::memory_order_release);
    epoch_reader = nullptr;
  }
};

EpochReader& take_record() {
  for (EpochReader* reader = readers.load(std::memory_order_acquire); reader; reader = reader->next)
    if (!reader->taken.load(std::memory_order_relaxed) && !reader->taken.exchange(true)) return *reader;
  auto* fresh = new EpochReader;  // kept for the next thread; their number is that of threads at once
  fresh->next = readers.load(std::memory_order_relaxed);
  while (!readers.compare_exchange_weak(fresh->next, fresh)) {
  }
  return *fresh;
}

}  // namespace

EpochReader& register_epoch_reader() {
  thread_local GiveBack give_back;
  epoch_reader = &take_record();
  return *epoch_reader;
}

uint64_t retire_epoch() noexcept { return epoch_now.fetch_add(1) + 1; }

bool all_past(uint64_t epoch) noexcept {
  for (EpochReader* reader = readers.load(); reader; reader = reader->next) {
    const uint64_t at = reader->at.load();
    if (at != 0 && at < epoch) return false;
  }
  return true;
}

}  // namespace patchbay::core
