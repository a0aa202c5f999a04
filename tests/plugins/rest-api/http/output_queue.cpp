#include "http/output_queue.h"

#include <doctest/doctest.h>

#include <string>

using namespace patchbay;
using namespace patchbay::rest_api;

namespace {

// Writes everything, `most` octets at a time.
std::string drain(OutputQueue& queue, size_t most) {
  std::string all;
  while (!queue.empty()) {
    const size_t before = all.size();
    for (const auto piece : queue.next(most)) all += piece;
    REQUIRE(all.size() > before);
    REQUIRE(all.size() <= before + most);
    queue.consume(all.size() - before);
  }
  return all;
}

}  // namespace

TEST_CASE("output queue - text, strings and buffers leave in their order") {
  for (const size_t most : {size_t{1}, size_t{3}, size_t{100}}) {
    OutputQueue queue;
    CHECK(queue.empty());
    queue.append("one ");
    queue.append("two ");
    queue.append_body(std::string("three "), {});
    queue.append_body(Buffer::copy("four "), {});
    queue.append("five");
    CHECK(queue.size() == 23);
    CHECK(drain(queue, most) == "one two three four five");
    queue.append("six");
    CHECK(drain(queue, most) == "six");
  }
}

TEST_CASE("output queue - what is being written stays in place while more is appended") {
  OutputQueue queue;
  queue.append("short");
  const auto writing = queue.next(100).front();
  for (int i = 0; i < 1000; ++i) queue.append("more and more");
  CHECK(writing == "short");
  CHECK(queue.next(100).front().data() == writing.data());
  queue.consume(5);
  CHECK(drain(queue, 100).size() == 13'000);
}

TEST_CASE("output queue - a body is not copied, and its share is released once it is written") {
  const auto budget = std::make_shared<BodyBudget>(100'000, 100'000, std::chrono::seconds(5));
  BodyBudget::Share share(budget, "192.0.2.1", {}, [] {});
  REQUIRE(share.grow_to(50'000, {}, {}));
  const auto body = Buffer::copy(std::string(50'000, 'x'));
  OutputQueue queue;
  queue.append("head");
  queue.append_body(body, std::move(share));
  queue.consume(queue.next(100'000).front().size());
  CHECK(queue.next(100'000).front().data() == body.view().data());
  queue.consume(49'999);
  CHECK(budget->held() > 0);
  queue.consume(1);
  CHECK(budget->held() == 0);
}
