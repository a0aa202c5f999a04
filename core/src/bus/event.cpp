#include "bus/event.h"

#include <algorithm>
#include <new>

#include "bus/topic.h"

namespace patchbay::core {

Event::Event(const Topic& topic, const EventData& data) noexcept
    : topic_(topic),
      id_(data.id),
      time_ms_(data.time_ms),
      tenant_size_(uint32_t(data.tenant.size())),
      subject_size_(uint32_t(data.subject.size())),
      correlation_size_(uint32_t(data.correlation.size())),
      payload_size_(uint32_t(data.payload.size())) {}

Ref<const Event> Event::create(const Topic& topic, const EventData& data) {
  const std::string_view parts[] = {data.tenant, data.subject, data.correlation, data.payload};
  size_t size = sizeof(Event);
  for (const auto part : parts) size += part.size();
  void* block = ::operator new(size);
  auto* event = new (block) Event(topic, data);
  char* out = reinterpret_cast<char*>(event + 1);
  for (const auto part : parts) out = std::copy(part.begin(), part.end(), out);
  return Ref<const Event>::adopt(event);
}

std::string_view Event::topic() const noexcept { return topic_.name(); }

void Event::destroy() const noexcept {
  this->~Event();
  ::operator delete(const_cast<Event*>(this));
}

}  // namespace patchbay::core
