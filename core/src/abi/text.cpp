#include "abi/text.h"

#include <patchbay/buffer.h>

namespace patchbay::core {

pb_buf* make_buffer(std::string_view bytes) noexcept {
  const Buffer buffer = Buffer::copy(bytes);
  if (buffer.get() != nullptr) buffer.get()->ops->retain(buffer.get());
  return buffer.get();
}

}  // namespace patchbay::core
