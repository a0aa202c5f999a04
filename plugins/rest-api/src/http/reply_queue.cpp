#include "reply_queue.h"

namespace patchbay::rest_api {
namespace {
thread_local ReplyQueue::Inline* current = nullptr;
}

ReplyQueue::Inline::Inline(const ReplyQueue& queue, uint64_t connection, const Sink& sink)
    : queue_(&queue), connection_(connection), sink_(sink), outer_(current) {
  current = this;
}

ReplyQueue::Inline::~Inline() { current = outer_; }

void ReplyQueue::deliver(uint64_t connection, uint64_t slot, Response response) noexcept {
  put({connection, slot, std::move(response), Command::Kind::answer});
}

void ReplyQueue::proceed(uint64_t connection) noexcept { put({connection, 0, {}, Command::Kind::proceed}); }

void ReplyQueue::wake(uint64_t connection) noexcept { put({connection, 0, {}, Command::Kind::wake}); }

void ReplyQueue::close(uint64_t connection) noexcept { put({connection, 0, {}, Command::Kind::close}); }

void ReplyQueue::drop_body(uint64_t connection) noexcept {
  put({connection, 0, {}, Command::Kind::drop_body});
}

// Never inline, because the caller holds the lock of the budget that closing would take.
void ReplyQueue::drop_reader(uint64_t connection) noexcept {
  push({connection, 0, {}, Command::Kind::drop_reader});
}

void ReplyQueue::put(Command command) noexcept {
  const bool is_inline =
      current != nullptr && current->queue_ == this && current->connection_ == command.connection;
  if (!is_inline || !current->sink_(command)) push(std::move(command));
}

void ReplyQueue::push(Command command) noexcept {
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  commands_.push_back(std::move(command));
  if (commands_.size() == 1) wake_();
}

std::vector<ReplyQueue::Command> ReplyQueue::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(commands_, {});
}

void ReplyQueue::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  commands_.clear();
}

}  // namespace patchbay::rest_api
