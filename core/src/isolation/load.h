// Load: limits what one child has under way in the server, in number and in bytes. Beyond a limit the child
// is refused, as a plugin in this process would be; its process goes on.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <utility>

namespace patchbay::core::isolation {

class Load {
 public:
  Load(size_t most, size_t most_bytes) : most_(most), most_bytes_(most_bytes) {}

  // Counts one thing under way until it is destroyed; may outlive the session.
  class Share {
   public:
    Share(Share&& other) noexcept : of_(std::move(other.of_)), bytes_(other.bytes_) {}
    Share& operator=(Share&&) = delete;
    ~Share() {
      if (of_ == nullptr) return;
      --of_->count_;
      of_->bytes_ -= bytes_;
    }

   private:
    friend class Load;
    Share(std::shared_ptr<Load> of, size_t bytes) : of_(std::move(of)), bytes_(bytes) {
      ++of_->count_;
      of_->bytes_ += bytes_;
    }
    std::shared_ptr<Load> of_;  // shared with all that is under way
    size_t bytes_;
  };

  // nullopt: the limit is reached.
  static std::optional<Share> take(const std::shared_ptr<Load>& load, size_t bytes) {
    if (load->count_ >= load->most_ || load->bytes_ + bytes > load->most_bytes_) return std::nullopt;
    return Share(load, bytes);
  }

 private:
  const size_t most_;
  const size_t most_bytes_;
  size_t count_ = 0;
  size_t bytes_ = 0;
};

}  // namespace patchbay::core::isolation
