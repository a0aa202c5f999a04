#include "bus/event_queue.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "bus/bus.h"
#include "runtime/clock.h"

using namespace patchbay::core;

namespace {

struct EventSource {
  Bus bus{system_wall_clock(), system_mono_clock()};
  std::vector<Ref<const Event>> events;

  const Event& make(size_t payload_bytes = 10) {
    const std::string payload(payload_bytes, 'x');
    EventData data;
    data.topic = "call.x";
    data.payload = payload;
    data.id = events.size();
    events.push_back(*bus.make(data));
    return *events.back();
  }
};

std::vector<uint64_t> ids(const EventBatch& batch) {
  std::vector<uint64_t> all;
  for (size_t i = 0; i < batch.size(); ++i) all.push_back(batch[i].id());
  return all;
}

std::vector<uint64_t> range(uint64_t begin, uint64_t end) {
  std::vector<uint64_t> all;
  for (uint64_t id = begin; id < end; ++id) all.push_back(id);
  return all;
}

}  // namespace

TEST_CASE("A queue gives its events in batches, in the order of pushing") {
  EventSource source;
  EventQueue queue(1000);
  CHECK(queue.take().size() == 0);
  for (size_t i = 0; i < 2 * kMaxEventsPerDelivery + 5; ++i) queue.push(source.make());
  CHECK(ids(queue.take()) == range(0, kMaxEventsPerDelivery));
  CHECK(ids(queue.take()) == range(kMaxEventsPerDelivery, 2 * kMaxEventsPerDelivery));
  queue.push(source.make());
  CHECK(queue.size() == 6);
  CHECK(ids(queue.take()) == range(2 * kMaxEventsPerDelivery, 2 * kMaxEventsPerDelivery + 6));
  CHECK(queue.size() == 0);
  CHECK(queue.take().size() == 0);
  queue.push(source.make());
  CHECK(ids(queue.take()).size() == 1);
}

TEST_CASE("The oldest event can be removed one by one, and the rest taken") {
  EventSource source;
  EventQueue queue(1000);
  for (size_t i = 0; i < kMaxEventsPerDelivery + 10; ++i) queue.push(source.make());
  for (uint64_t id = 0; id < kMaxEventsPerDelivery + 3; ++id) CHECK(queue.pop().id() == id);
  CHECK(ids(queue.take()) == range(kMaxEventsPerDelivery + 3, kMaxEventsPerDelivery + 10));
  for (size_t i = 0; i < 3; ++i) queue.push(source.make());
  for (size_t i = 0; i < 3; ++i) queue.pop();
  CHECK(queue.size() == 0);
  queue.push(source.make());
  CHECK(queue.take().size() == 1);
}

TEST_CASE("A queue is full by number, or by bytes including those of taken events until they are forgotten") {
  EventSource source;
  EventQueue queue(3);
  for (int i = 0; i < 3; ++i) {
    CHECK_FALSE(queue.full(1));
    queue.push(source.make());
  }
  CHECK(queue.full(1));
  queue.pop();
  CHECK_FALSE(queue.full(1));
  CHECK(queue.full(kMaxQueuedEventBytes));
  const Event& large = source.make(kMaxQueuedEventBytes / 2);
  queue.push(large);
  CHECK(queue.full(large.bytes()));
  size_t bytes = 0;
  const EventBatch taken = queue.take();
  for (size_t i = 0; i < taken.size(); ++i) bytes += taken[i].bytes();
  CHECK_FALSE(queue.full(kMaxQueuedEventBytes * 2));  // empty
  queue.push(source.make());
  CHECK(queue.full(large.bytes()));
  queue.forget(bytes);
  CHECK_FALSE(queue.full(large.bytes()));
}
