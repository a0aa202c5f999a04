#include "services/interface_match.h"

#include <algorithm>

namespace patchbay::core {
namespace {

bool same_fields(const pb_shape& a, const pb_shape& b) noexcept {
  const uint32_t both = std::min(a.field_count, b.field_count);
  for (uint32_t i = 0; i < both; ++i) {
    if (a.fields[i]->kind != b.fields[i]->kind || a.fields[i]->offset != b.fields[i]->offset) return false;
  }
  return true;
}

}  // namespace

bool same_messages(const pb_interface& a, const pb_interface& b) noexcept {
  if (&a == &b) return true;
  const uint32_t both = std::min(a.method_count, b.method_count);
  for (uint32_t i = 0; i < both; ++i) {
    if (!same_fields(*a.methods[i]->request, *b.methods[i]->request) ||
        !same_fields(*a.methods[i]->reply, *b.methods[i]->reply))
      return false;
  }
  return true;
}

}  // namespace patchbay::core
