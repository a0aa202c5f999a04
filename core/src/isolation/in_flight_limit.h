// InFlightLimit: limits what one child has in flight in the server, in number and in bytes. Beyond a limit
// the child is refused, as a plugin in this process would be; its process goes on.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace patchbay::core::isolation {

class InFlightLimit {
 public:
  InFlightLimit(size_t max_count, size_t max_bytes) : max_count_(max_count), max_bytes_(max_bytes) {}

  // Counts one operation until it is destroyed; may outlive the session.
  class Permit {
   public:
    Permit(Permit&& other) noexcept : limit_(std::move(other.limit_)), bytes_(other.bytes_) {}
    Permit& operator=(Permit&&) = delete;
    ~Permit() {
      if (limit_ == nullptr) return;
      --limit_->count_;
      limit_->bytes_ -= bytes_;
    }

   private:
    friend class InFlightLimit;
    Permit(std::shared_ptr<InFlightLimit> limit, size_t bytes) : limit_(std::move(limit)), bytes_(bytes) {
      ++limit_->count_;
      limit_->bytes_ += bytes_;
    }
    std::shared_ptr<InFlightLimit> limit_;  // shared with all permits
    size_t bytes_;
  };

  // nullopt: the limit is reached.
  static std::optional<Permit> acquire(const std::shared_ptr<InFlightLimit>& limit, size_t bytes) {
    if (limit->count_ >= limit->max_count_ || limit->bytes_ + bytes > limit->max_bytes_) return std::nullopt;
    return Permit(limit, bytes);
  }

 private:
  const size_t max_count_;
  const size_t max_bytes_;
  size_t count_ = 0;
  size_t bytes_ = 0;
};

}  // namespace patchbay::core::isolation
