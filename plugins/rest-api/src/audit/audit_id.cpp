#include "audit_id.h"

#include <patchbay/hex.h>
#include <patchbay/random_id.h>

#include <algorithm>

namespace patchbay::rest_api {
namespace {

constexpr int kTimeDigits = 12;
constexpr int kCountDigits = 4;
constexpr size_t kRandomDigits = 8;  // of several servers with one store

void append_digits(std::string& out, uint64_t number, int digits) {
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += kHexDigits[(number >> shift) & 0xFU];
}

}  // namespace

std::string first_audit_id(int64_t time_ms) {
  std::string id;
  append_digits(id, static_cast<uint64_t>(std::max<int64_t>(time_ms, 0)), kTimeDigits);
  return id;
}

Result<std::string> AuditIds::next(int64_t time_ms) {
  count_ = time_ms == last_ms_ ? count_ + 1 : 0;
  last_ms_ = time_ms;
  std::string id = first_audit_id(time_ms);
  append_digits(id, std::min<uint64_t>(count_, 0xFFFF), kCountDigits);
  return random_id(id, kRandomDigits);
}

}  // namespace patchbay::rest_api
