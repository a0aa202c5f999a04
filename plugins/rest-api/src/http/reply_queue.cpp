#include "reply_queue.h"

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
  put({connection, slot, std::move(response), Letter::Kind::answer});
}

void Mailbox::proceed(uint64_t connection) noexcept { put({connection, 0, {}, Letter::Kind::proceed}); }

void Mailbox::send(uint64_t connection, std::string bytes) noexcept {
  Response holder;
  holder.body = std::move(bytes);
  put({connection, 0, std::move(holder), Letter::Kind::send});
}

void Mailbox::close(uint64_t connection) noexcept { put({connection, 0, {}, Letter::Kind::close}); }

void Mailbox::drop_body(uint64_t connection) noexcept { put({connection, 0, {}, Letter::Kind::drop_body}); }

void Mailbox::put(Letter letter) noexcept {
  if (current != nullptr && current->box_ == this && current->connection_ == letter.connection)
    return current->sink_(std::move(letter));
  const std::lock_guard lock(mutex_);
  if (shut_) return;
  letters_.push_back(std::move(letter));
  if (letters_.size() == 1) wake_();
}

std::vector<Mailbox::Letter> Mailbox::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(letters_, {});
}

void Mailbox::shut() {
  const std::lock_guard lock(mutex_);
  shut_ = true;
  letters_.clear();
}

}  // namespace patchbay::rest_api
