// SHA-256 of texts that repeat often, such as the bearers of requests: remembers the digests of the last few
// texts. A pure function otherwise, so it cannot say that a revoked bearer is valid. One thread.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace patchbay::lib {

class RecentDigests {
 public:
  // As sha256(). Valid until the next call. Compares with remembered texts in constant time, because they may
  // be secrets.
  const std::string& sha256_of(std::string_view text);

 private:
  struct Entry {
    std::string text;
    std::string digest;  // "": the entry is not used
  };
  std::array<Entry, 16> entries_;
};

}  // namespace patchbay::lib
