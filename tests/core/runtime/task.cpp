#include "runtime/task.h"

#include <doctest/doctest.h>

#include <functional>
#include <thread>
#include <vector>

#include "runtime/limits.h"
#include "runtime/thread_kind.h"

using namespace patchbay::core;

namespace {

void on_media_loop(const std::function<void()>& work) {
  std::thread([&] {
    thread_state.kind = ThreadKind::media;
    prepare_call_pool();
    work();
  }).join();
}

// Makes calls until one is refused.
std::vector<Task*> take_all(CallCount& count) {
  std::vector<Task*> taken;
  while (Task* call = make_counted_call([](void* ran) { ++*static_cast<int*>(ran); }, nullptr, count))
    taken.push_back(call);
  return taken;
}

void discard_all(const std::vector<Task*>& calls) {
  for (Task* call : calls) discard_call(*call);
}

}  // namespace

TEST_CASE("a media loop gets no call beyond its owner's share of the pool, and none is allocated instead") {
  CallCount greedy, other, third;
  on_media_loop([&] {
    const auto first = take_all(greedy);
    CHECK(first.size() == kMaxPooledPosts);
    CHECK(greedy.refused == 1);
    CHECK(greedy.waiting == kMaxPooledPosts);
    // One owner's flood leaves enough of the pool for another.
    const auto second = take_all(other);
    CHECK(second.size() > 1000);
    CHECK(take_all(third).empty());
    discard_all(first);
    CHECK(greedy.waiting == 0);
    CHECK(greedy.pooled == 0);
    const auto again = take_all(third);
    CHECK(again.size() == kMaxPooledPosts);
    discard_all(again);
    discard_all(second);
  });
  CHECK(other.waiting == 0);
  CHECK(third.refused == 2);
}

TEST_CASE("a spare call is used once when the pool is empty") {
  CallCount count;
  int ran = 0;
  SpareCall spare, unused;
  on_media_loop([&] {
    const auto all = take_all(count);
    {
      const SpareCall::Use use(spare);
      const SpareCall::Use inner(unused);
    }
    const SpareCall::Use use(spare);
    Task* call = make_counted_call([](void* user) { ++*static_cast<int*>(user); }, &ran, count);
    CHECK(call != nullptr);
    if (call == nullptr) return;
    CHECK(make_counted_call([](void*) {}, nullptr, count) == nullptr);
    discard_all(all);
    // It runs later on another thread, like any other call.
    std::thread([call] { call->run(*call); }).join();
  });
  CHECK(ran == 1);
  CHECK(count.waiting == 0);
  CHECK(count.pooled == 0);
}
