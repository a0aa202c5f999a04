#include <doctest/doctest.h>
#include <patchbay/buffer.h>
#include <patchbay/function.h>
#include <patchbay/lifetime.h>

#include <memory>
#include <string>
#include <thread>
#include <vector>

using patchbay::Buffer;
using patchbay::Function;
using patchbay::Lifetime;

TEST_CASE("a bound callback is a no-op once its object is destroyed") {
  int called = 0;
  Function<void(int)> callback;
  {
    const Lifetime alive;
    callback = alive.bind([&](int by) { called += by; });
    callback(2);
  }
  callback(5);
  CHECK(called == 2);
}

TEST_CASE("a bound callback may outlive its object in another thread") {
  auto alive = std::make_unique<Lifetime>();
  auto callback = alive->bind([] {});
  std::thread other([callback]() mutable {
    for (int i = 0; i < 1000; ++i) callback();
  });
  alive.reset();
  other.join();
}

TEST_CASE("a function owns a move-only callable and frees it once") {
  const auto watched = std::make_shared<int>(1);
  {
    Function<int()> f = [own = std::make_unique<int>(41), watched] { return *own + *watched; };
    CHECK(watched.use_count() == 2);
    Function<int()> moved = std::move(f);
    CHECK(!f);  // NOLINT(bugprone-use-after-move): what is left of it
    CHECK(moved() == 42);
    CHECK(watched.use_count() == 2);
  }
  CHECK(watched.use_count() == 1);
}

TEST_CASE("an empty function converts to false") {
  CHECK(!Function<void()>());
  CHECK(!Function<void()>(nullptr));
  CHECK(Function<void()>([] {}));
}

TEST_CASE("a function passes references through and keeps its state between calls") {
  Function<void(int&)> add = [n = 0](int& to) mutable { to += ++n; };
  int sum = 0;
  add(sum);
  add(sum);
  CHECK(sum == 3);
}

TEST_CASE("a function takes arguments that can only be moved") {
  Function<int(std::unique_ptr<int>)> f = [](std::unique_ptr<int> value) { return *value; };
  CHECK(f(std::make_unique<int>(3)) == 3);
}

TEST_CASE("copies of a buffer share the bytes, and the last one frees them") {
  const Buffer first = Buffer::copy("bytes");
  REQUIRE(first.get() != nullptr);
  const auto* ops = first.get()->ops;
  CHECK(ops->unique(first.get()) == 1);
  {
    const Buffer second =
        first;  // NOLINT(performance-unnecessary-copy-initialization): the copy is the point
    CHECK(second.get() == first.get());
    CHECK(ops->unique(first.get()) == 0);
  }
  CHECK(ops->unique(first.get()) == 1);
}

TEST_CASE("a moved-from buffer is empty, and assignment releases the old bytes") {
  Buffer first = Buffer::copy("one");
  Buffer second = std::move(first);
  CHECK(first.get() == nullptr);  // NOLINT(bugprone-use-after-move): what is left of it
  CHECK(first.view().empty());
  const Buffer keep = second;
  second = Buffer::copy("two");
  CHECK(second.view() == "two");
  CHECK(keep.get()->ops->unique(keep.get()) == 1);
}

TEST_CASE("a buffer may be empty or hold zero bytes") {
  CHECK(Buffer::copy("").size() == 0);
  CHECK(Buffer::copy(std::string("a\0b", 3)).size() == 3);
}

TEST_CASE("share adds a reference, adopt takes one over") {
  const Buffer owner = Buffer::copy("x");
  pb_buf* raw = owner.get();
  const Buffer shared = Buffer::share(raw);
  CHECK(raw->ops->unique(raw) == 0);
  raw->ops->retain(raw);
  { const Buffer adopted = Buffer::adopt(raw); }
  CHECK(raw->ops->unique(raw) == 0);
}

TEST_CASE("a buffer is shared by threads") {
  const Buffer buffer = Buffer::copy("x");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([buffer] {
      for (int i = 0; i < 1000; ++i) const Buffer copy = buffer;
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(buffer.get()->ops->unique(buffer.get()) == 1);
}
