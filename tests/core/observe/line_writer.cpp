#include "observe/line_writer.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

#include "observe/limits.h"

using patchbay::core::observe::LineWriter;

namespace {

struct Pipe {
  Pipe() { CHECK(::pipe2(ends.data(), O_CLOEXEC | O_NONBLOCK) == 0); }
  ~Pipe() { ::close(ends[0]); }
  std::string read_all() const {
    std::string all(1 << 20, '\0');
    const ssize_t size = ::read(ends[0], all.data(), all.size());
    all.resize(size > 0 ? static_cast<size_t>(size) : 0);
    return all;
  }
  std::array<int, 2> ends{};
};

std::string announcement(uint64_t count) { return std::to_string(count) + " dropped"; }

}  // namespace

TEST_CASE("lines are written in order, and flush() waits for them") {
  const Pipe pipe;
  LineWriter writer(pipe.ends[1], true, announcement);
  std::string expected;
  for (int i = 0; i < 500; ++i) {
    writer.push(std::to_string(i), false);
    expected += std::to_string(i) + "\n";
  }
  writer.flush();
  CHECK(pipe.read_all() == expected);
  CHECK(writer.dropped() == 0);
}

TEST_CASE("the destructor writes queued lines, and gives up if no reader takes them") {
  const Pipe read, unread;
  {
    LineWriter writer(read.ends[1], true, announcement);
    writer.push("last words", false);
  }
  CHECK(read.read_all() == "last words\n");
  LineWriter writer(unread.ends[1], true, announcement);  // its destructor takes a second at most
  for (int i = 0; i < 100; ++i) writer.push(std::string(4000, 'x'), false);
}

TEST_CASE("urgent lines are accepted when others are dropped") {
  const Pipe pipe;
  LineWriter writer(pipe.ends[1], true, announcement);
  const std::string line(64 << 10, 'x');
  for (size_t i = 0; i < 2 * patchbay::core::observe::kMaxQueuedBytes / line.size(); ++i)
    writer.push(line, false);
  const uint64_t dropped = writer.dropped();
  CHECK(dropped > 0);
  writer.push("urgent", true);
  CHECK(writer.dropped() == dropped);
  for (size_t i = 0; i < patchbay::core::observe::kMaxQueuedBytes / line.size(); ++i) writer.push(line, true);
  CHECK(writer.dropped() > dropped);
}

TEST_CASE("a descriptor whose reader has closed loses lines and does nothing worse") {
  Pipe pipe;
  LineWriter writer(pipe.ends[1], true, announcement);
  ::close(pipe.ends[0]);
  pipe.ends[0] = -1;
  writer.push("unheard", false);
  writer.flush();
  CHECK(writer.dropped() == 1);
}

TEST_CASE("an urgent line is written with those before it, without waiting for more") {
  const Pipe pipe;
  LineWriter writer(pipe.ends[1], true, announcement);
  std::string all;
  for (int i = 0; i < 200; ++i) {
    writer.push("one", false);
    writer.push("two", true);
    for (int tries = 0; tries < 60'000 && all.size() < size_t(i + 1) * 8; ++tries) {
      all += pipe.read_all();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  CHECK(all.size() == 1600);
  CHECK(all.substr(0, 8) == "one\ntwo\n");
}
