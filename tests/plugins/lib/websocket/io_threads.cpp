#include "websocket/io_threads.h"

#include <doctest/doctest.h>

#include <atomic>

using namespace patchbay::lib;

TEST_CASE("threads are started one by one, up to the maximum") {
  IoThreads io("test", 3);
  CHECK(io.size() == 1);
  CHECK(io.add());
  CHECK(io.add());
  CHECK_FALSE(io.add());
  CHECK(io.size() == 3);
  std::atomic<int> ran{0};
  for (size_t i = 0; i < io.size(); ++i)
    io[i].post([&, i] {
      for (size_t other = 0; other < io.size(); ++other) CHECK(io[other].on_thread() == (other == i));
      ++ran;
    });
  io.drain();
  CHECK(ran == 3);
}

TEST_CASE("there is at least one thread, and at most one for each processor") {
  CHECK(IoThreads("test", 0).size() == 1);
  CHECK(IoThreads::usable_processors() >= 1);
  CHECK(IoThreads::usable_processors() <= 16);
}
