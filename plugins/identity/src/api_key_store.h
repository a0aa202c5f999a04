// API keys: "ak_" and 43 characters of base 62. The store keeps SHA-256 of them. Main strand.
#pragma once

#include <patchbay/lifetime.h>
#include <patchbay/store.h>

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace patchbay::identity {

struct ApiKey {
  std::string id;  // "key-" and 16 hex digits
  std::string tenant;
  std::string name;
  std::string hint;  // the last four characters of the key
  int64_t created_ms = 0;
  std::string created_by;
};

struct NewApiKey {
  ApiKey key;
  std::string secret;  // shown this once
};

bool looks_like_api_key(std::string_view bearer);

// Whether a key may have this name (UTF-8): no control characters, no line separators, nothing that is not
// shown or turns the direction of what follows, no blank at either end.
bool is_key_name(std::string_view name);

class ApiKeys {
 public:
  explicit ApiKeys(const Host& host);

  // Code::conflict: the tenant has a key of this name.
  void create(const std::string& tenant, const std::string& name, const std::string& created_by,
              Function<void(Result<NewApiKey>)> done);
  void list(const std::string& tenant, Function<void(Result<std::vector<ApiKey>>)> done);
  // Gives the key that is no more, nothing when there was none. Once done is called, no verify() that is
  // still to answer will accept it.
  void remove(const std::string& tenant, const std::string& id,
              Function<void(Result<std::optional<ApiKey>>)> done);
  // Only id, tenant and name are filled. Code::denied: no such key.
  void verify(const std::string& bearer, Function<void(Result<ApiKey>)> done);

 private:
  // What the store said is believed for a second: that long a key may live on that another node revoked.
  static constexpr int64_t kBelievedMs = 1000;
  static constexpr size_t kMostCached = 1000;
  struct Cached {
    ApiKey key;
    int64_t until_ms;
  };
  void look_up(const std::string& hash, Function<void(Result<ApiKey>)> done);
  int64_t now_ms() const noexcept { return host_->mono_ns() / 1'000'000; }

  const Host* host_;
  Statement add_, find_, list_, remove_;
  std::unordered_map<std::string, Cached> cache_;  // by hash
  uint64_t removals_ = 0;                          // answers from before the last one are asked for again
  Lifetime alive_;
};

}  // namespace patchbay::identity
