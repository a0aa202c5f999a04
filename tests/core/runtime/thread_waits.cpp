#include "runtime/thread_waits.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <fstream>
#include <string>

using patchbay::core::ThreadWaits;

namespace {

namespace fs = std::filesystem;

// A folder like /proc/self/task.
class FakeTasks {
 public:
  FakeTasks() {
    std::string path = (fs::temp_directory_path() / "tasks-XXXXXX").string();
    REQUIRE(::mkdtemp(path.data()) != nullptr);
    root_ = path;
  }
  ~FakeTasks() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  void set(int thread, const std::string& schedstat) const {
    fs::create_directories(root_ / std::to_string(thread));
    std::ofstream(root_ / std::to_string(thread) / "schedstat") << schedstat << '\n';
  }
  void remove(int thread) const { fs::remove_all(root_ / std::to_string(thread)); }
  const fs::path& root() const { return root_; }

 private:
  fs::path root_;
};

void check(ThreadWaits& waits, int64_t wait_ns, int64_t runs) {
  const ThreadWaits::Totals totals = waits.read();
  CHECK(totals.wait_ns == wait_ns);
  CHECK(totals.runs == runs);
}

}  // namespace

TEST_CASE("the waits of all threads are summed from the first reading on") {
  const FakeTasks tasks;
  tasks.set(100, "5000 700 10");
  ThreadWaits waits(tasks.root());
  check(waits, 0, 0);
  tasks.set(100, "6000 900 12");
  tasks.set(101, "50 30 3");  // started since
  check(waits, 230, 5);
  check(waits, 230, 5);
}

TEST_CASE("the sums do not fall when a thread ends or another gets its number") {
  const FakeTasks tasks;
  tasks.set(100, "1 0 0");
  tasks.set(101, "1 0 0");
  ThreadWaits waits(tasks.root());
  check(waits, 0, 0);
  tasks.set(100, "9 40 4");
  tasks.set(101, "9 60 6");
  check(waits, 100, 10);
  tasks.remove(101);
  tasks.set(100, "1 5 1");
  check(waits, 105, 11);
  tasks.set(100, "1 2 9");  // runs more often, but waits less
  check(waits, 107, 20);
}

TEST_CASE("without the kernel's files there are no waits") {
  ThreadWaits waits("/nowhere/task");
  check(waits, 0, 0);
  check(waits, 0, 0);
}

TEST_CASE("the runs of this process are counted") {
  ThreadWaits waits;
  waits.read();
  if (!fs::exists("/proc/self/schedstat")) return;
  for (int i = 0; i < 20; ++i) ::usleep(1000);
  CHECK(waits.read().runs > 0);
}
