#include "mailbox.h"

namespace patchbay::rest_api {
namespace {
thread_local Mailbox::Direct* current = nullptr;
}

Mailbox::Direct::Direct(const Mailbox& box, uint64_t connection, const Sink& sink)
    : box_(&box), connection_(connection), sink_(sink), outer_(current) {
  current = this;
}

Mailbox::Direct::~Direct() { current = outer_; }

void Mailbox::deliver(uint64_t connection, uint64_t slot, Response response) noexcept {
  if (current != nullptr && current->box_ == this && current->connection_ == connection)
    return current->sink_(connection, slot, std::move(response));
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  letters_.push_back({connection, slot, std::move(response)});
  if (letters_.size() == 1) wake_();
}

std::vector<Mailbox::Letter> Mailbox::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(letters_, {});
}

void Mailbox::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  letters_.clear();
}

}  // namespace patchbay::rest_api
