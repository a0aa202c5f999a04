#include "store/database.h"

#include <cstdlib>
#include <limits>
#include <new>

#include "core/store/fixture.h"

using namespace store_test;

namespace {

// Larger allocations of this thread fail.
thread_local size_t max_allocation = std::numeric_limits<size_t>::max();

}  // namespace

void* operator new(size_t size) {
  void* memory = size > max_allocation ? nullptr : std::malloc(size > 0 ? size : 1);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}
void* operator new(size_t size, const std::nothrow_t&) noexcept { return std::malloc(size > 0 ? size : 1); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

TEST_CASE("a statement that ran out of memory can run again, and sees the commits since") {
  const TempDir dir;
  auto clock = std::make_shared<const Clock>([] { return int64_t{1}; });
  auto writer = Database::open(dir.path / "rows.db", Database::Mode::write, clock);
  REQUIRE(writer.ok());
  REQUIRE(writer->run("CREATE TABLE t (x TEXT); INSERT INTO t VALUES (hex(zeroblob(50000))), ('b')").ok());
  auto reader = Database::open(dir.path / "rows.db", Database::Mode::read, clock);
  REQUIRE(reader.ok());
  auto all = PreparedStatement::prepare(*reader, "SELECT x FROM t WHERE x <> $1", 1);
  auto count = PreparedStatement::prepare(*reader, "SELECT COUNT(*) FROM t", 0);
  REQUIRE(all.ok());
  REQUIRE(count.ok());
  const auto members = JsonMembers::parse("x");
  REQUIRE(members.ok());

  const auto runs_out_of_memory = [](auto run) {
    max_allocation = 50'000;
    bool thrown = false;
    try {
      static_cast<void>(run());
    } catch (const std::bad_alloc&) {
      thrown = true;
    }
    max_allocation = std::numeric_limits<size_t>::max();
    return thrown;
  };
  Rows rows, counted, again;
  CHECK(runs_out_of_memory([&] { return all->run(*reader, {"y"}, &rows, 1 << 20); }));
  CHECK(runs_out_of_memory([&] { return all->run_json(*reader, {"y"}, *members, 1 << 20); }));
  REQUIRE(writer->run("INSERT INTO t VALUES ('c')").ok());
  REQUIRE(count->run(*reader, {}, &counted, 1 << 20).ok());
  CHECK(counted.integer(0, 0) == 3);
  const auto ran = all->run(*reader, {"y"}, &again, 1 << 20);
  REQUIRE_MESSAGE(ran.ok(), (ran ? "" : ran.error().text));
  CHECK(again.row_count() == 3);
}
