// How much memory request bodies may take together, from their first octet until their request has been
// answered. All edge threads share one budget, and each client may take a part of it, so that one client
// cannot use up what the others need. [any thread]
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace patchbay::rest_api {

class BodyBudget {
 public:
  // Octets of each body that are not counted: small requests are served also when the budget is used up.
  static constexpr size_t kFree = 4 * 1024;

  BodyBudget(size_t most, size_t most_per_client) : most_(most), most_per_client_(most_per_client) {}

  // What one body has taken; gives it back when it is destroyed.
  class Share {
   public:
    Share() = default;
    // Shared because an exchange may outlive the edge. `client` is the key of its address.
    Share(std::shared_ptr<BodyBudget> budget, std::string client)
        : budget_(std::move(budget)), client_(std::move(client)) {}
    ~Share();
    Share(Share&& other) noexcept;
    Share& operator=(Share&& other) noexcept;

    // Sets what the body takes now. False: that is too much, and the share is as it was.
    bool grow_to(size_t octets);

   private:
    std::shared_ptr<BodyBudget> budget_;
    std::string client_;
    size_t taken_ = 0;
  };

  size_t held() const;

 private:
  bool take(const std::string& client, size_t octets);
  void give(const std::string& client, size_t octets) noexcept;

  const size_t most_;
  const size_t most_per_client_;
  mutable std::mutex mutex_;
  size_t held_ = 0;                                // guarded by mutex_
  std::unordered_map<std::string, size_t> taken_;  // guarded by mutex_; without entries of 0
};

}  // namespace patchbay::rest_api
