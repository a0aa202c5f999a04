// A full disk, a disk that became read-only, and a database that another process has locked: writes are
// refused, reads and the call that is up continue, and the server recovers by itself.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <sched.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "fault_checks.h"
#include "support/sanitizers.h"

using namespace faults;

namespace {

constexpr const char* kDiskSize = "size=24m";

// A mount namespace for this process and its servers. False where that is not allowed.
bool enter_mount_namespace() {
  const bool root = ::geteuid() == 0;
  const std::string user = "0 " + std::to_string(::geteuid()) + " 1";
  if (::unshare(root ? CLONE_NEWNS : CLONE_NEWNS | CLONE_NEWUSER) != 0) return false;
  if (!root) {
    std::ofstream("/proc/self/setgroups") << "deny";
    std::ofstream("/proc/self/uid_map") << user;
  }
  return ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
}

// A disk of kDiskSize at a folder, while it lives.
class SmallDisk {
 public:
  void mount_at(const std::string& folder) {
    folder_ = folder;
    std::filesystem::create_directory(folder);
    REQUIRE(::mount("tmpfs", folder.c_str(), "tmpfs", 0, kDiskSize) == 0);
  }
  ~SmallDisk() {
    if (!folder_.empty()) ::umount2(folder_.c_str(), MNT_DETACH);
  }

 private:
  std::string folder_;
};

// Writes until there is no octet left.
void fill(const std::string& path) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  REQUIRE(fd >= 0);
  const std::array<char, 4096> part{};
  while (::write(fd, part.data(), part.size()) > 0) {
  }
  CHECK(errno == ENOSPC);
  ::close(fd);
}

}  // namespace

TEST_CASE("a server on a full disk refuses writes, serves reads, continues a call and recovers") {
  if (patchbay::test::on_postgres()) return;
  if (!enter_mount_namespace()) {
    MESSAGE("not run: mount namespaces are not allowed here");
    return;
  }
  SmallDisk disk;
  FaultyServer faulty(false, {}, [&](const std::string& data) { disk.mount_at(data); });
  const std::string data = faulty.environment.folder.file("data");
  faulty.start_call();
  fill(data + "/filler");
  REQUIRE(faulty.write_until_refused());
  faulty.check_refused();
  faulty.check_reads();
  faulty.check_call_is_up();
  REQUIRE(::unlink((data + "/filler").c_str()) == 0);
  check_recovery(*faulty.server, "space on the disk");
  faulty.finish();
}

TEST_CASE(
    "a server whose disk becomes read-only refuses writes, serves reads, continues a call and recovers") {
  if (patchbay::test::on_postgres() || patchbay::test::kHasAddressSanitizer ||
      patchbay::test::kHasThreadSanitizer)
    return;
  const patchbay::test::TempFolder control;
  const std::string flag = control.file("read-only");
  ::setenv("PATCHBAY_FAILING_DISK", flag.c_str(), 1);
  FaultyServer faulty(
      false,
      {"sh", "-c",
       "PATCHBAY_FAILING_FOLDER=\"$(dirname \"$4\")/data\" LD_PRELOAD=" FAILING_DISK " exec \"$@\"", "sh"});
  faulty.start_call();
  std::ofstream(flag) << "yes";
  REQUIRE(faulty.write_until_refused());
  faulty.check_refused();
  faulty.check_reads();
  faulty.check_call_is_up();
  std::filesystem::remove(flag);
  check_recovery(*faulty.server, "a disk that can be written");
  faulty.finish();
}

TEST_CASE("a server whose database another process has locked refuses writes after a time, and recovers") {
  if (patchbay::test::on_postgres()) return;
  FaultyServer faulty(false);
  faulty.start_call();
  sqlite3* other = nullptr;
  REQUIRE(sqlite3_open(faulty.environment.folder.file("data/patchbay.db").c_str(), &other) == SQLITE_OK);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> closed(other, sqlite3_close);
  sqlite3_busy_timeout(other, 10'000);
  REQUIRE(sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr) == SQLITE_OK);
  faulty.check_reads();
  REQUIRE(faulty.write_until_refused());
  faulty.check_reads();
  faulty.check_call_is_up();
  REQUIRE(sqlite3_exec(other, "ROLLBACK", nullptr, nullptr, nullptr) == SQLITE_OK);
  check_recovery(*faulty.server, "the lock");
  faulty.finish();
}
