#include "bus/event.h"

#include <algorithm>
#include <new>

#include "bus/topic.h"
#include "runtime/block_pool.h"

namespace patchbay::core {

namespace {

// Blocks for most events; larger events come from the heap.
using SmallBlocks = BlockPool<256>;
using LargeBlocks = BlockPool<1024>;

}  // namespace

Event::Event(const Topic& topic, const EventData& data, int64_t time_ms, size_t bytes) noexcept
    : topic_(topic),
      id_(data.id),
      tenant_seq_(data.tenant_seq),
      time_ms_(time_ms),
      bytes_(bytes),
      tenant_size_(uint32_t(data.tenant.size())),
      subject_size_(uint32_t(data.subject.size())),
      correlation_size_(uint32_t(data.correlation.size())),
      payload_size_(uint32_t(data.payload.size())) {}

Ref<const Event> Event::create(const Topic& topic, const EventData& data, int64_t time_ms) {
  const std::string_view parts[] = {data.tenant, data.subject, data.correlation, data.payload};
  size_t size = sizeof(Event);
  for (const auto part : parts) size += part.size();
  void* block = size <= SmallBlocks::kSize   ? SmallBlocks::allocate()
                : size <= LargeBlocks::kSize ? LargeBlocks::allocate()
                                             : ::operator new(size);
  auto* event = new (block) Event(topic, data, time_ms, size);
  char* out = reinterpret_cast<char*>(event + 1);
  for (const auto part : parts) out = std::copy(part.begin(), part.end(), out);
  return Ref<const Event>::adopt(event);
}

std::string_view Event::topic() const noexcept { return topic_.name(); }

void Event::destroy() const noexcept {
  auto* block = const_cast<Event*>(this);
  if (bytes_ <= SmallBlocks::kSize)
    SmallBlocks::free(block);
  else if (bytes_ <= LargeBlocks::kSize)
    LargeBlocks::free(block);
  else
    ::operator delete(block);
}

}  // namespace patchbay::core
