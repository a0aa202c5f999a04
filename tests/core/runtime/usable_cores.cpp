#include "runtime/usable_cores.h"

#include <doctest/doctest.h>
#include <sched.h>
#include <unistd.h>

#include <fstream>
#include <string>

using patchbay::core::quota_cores;
using patchbay::core::usable_cores;

namespace {

namespace fs = std::filesystem;

// A folder like /sys/fs/cgroup, and a file like /proc/self/cgroup.
class FakeGroups {
 public:
  FakeGroups() {
    std::string path = (fs::temp_directory_path() / "cgroup-XXXXXX").string();
    REQUIRE(::mkdtemp(path.data()) != nullptr);
    root_ = path;
  }
  ~FakeGroups() {
    std::error_code ignored;
    fs::remove_all(root_, ignored);
  }
  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text << '\n';
  }
  double quota(const std::string& groups) const {
    write("groups", groups);
    return quota_cores(root_ / "groups", root_);
  }

 private:
  fs::path root_;
};

}  // namespace

TEST_CASE("the quota of the process's control group is read") {
  const FakeGroups groups;
  groups.write("system.slice/patchbay.service/cpu.max", "150000 100000");
  groups.write("system.slice/cpu.max", "max 100000");
  CHECK(groups.quota("0::/system.slice/patchbay.service") == doctest::Approx(1.5));
  groups.write("system.slice/patchbay.service/cpu.max", "max 100000");
  CHECK(groups.quota("0::/system.slice/patchbay.service") == 0);
}

TEST_CASE("a smaller quota of a group above counts") {
  const FakeGroups groups;
  groups.write("a/b/cpu.max", "300000 100000");
  groups.write("a/cpu.max", "50000 100000");
  CHECK(groups.quota("0::/a/b") == doctest::Approx(0.5));
}

TEST_CASE("in a container the root of the mount is the container's own group") {
  const FakeGroups groups;
  groups.write("cpu.max", "50000 100000");
  CHECK(groups.quota("0::/") == doctest::Approx(0.5));
  CHECK(groups.quota("0::/docker/0123") == doctest::Approx(0.5));
  CHECK(groups.quota("0::/../other") == doctest::Approx(0.5));
}

TEST_CASE("a quota of control groups version 1 is read") {
  const FakeGroups groups;
  const std::string own =
      "12:memory:/docker/1\n4:cpu,cpuacct:/docker/1\n1:name=systemd:/docker/1\n0::/docker/1";
  groups.write("cpu,cpuacct/docker/1/cpu.cfs_quota_us", "250000");
  groups.write("cpu,cpuacct/docker/1/cpu.cfs_period_us", "100000");
  groups.write("cpu,cpuacct/cpu.cfs_quota_us", "-1");
  groups.write("cpu,cpuacct/cpu.cfs_period_us", "100000");
  CHECK(groups.quota(own) == doctest::Approx(2.5));
  CHECK(groups.quota("4:cpuset:/docker/1") == 0);
  groups.write("cpu/cpu.cfs_quota_us", "50000");
  groups.write("cpu/cpu.cfs_period_us", "100000");
  CHECK(groups.quota("4:cpuacct,cpu:/docker/1") == doctest::Approx(0.5));
}

TEST_CASE("without a readable quota there is none") {
  const FakeGroups groups;
  CHECK(groups.quota("") == 0);
  CHECK(groups.quota("0::/nowhere") == 0);
  CHECK(groups.quota("nonsense") == 0);
  CHECK(quota_cores("/nowhere/cgroup", "/nowhere") == 0);
  groups.write("a/cpu.max", "100000 0");
  CHECK(groups.quota("0::/a") == 0);
}

TEST_CASE("a process may use at most the processors that it may run on") {
  cpu_set_t allowed;
  REQUIRE(sched_getaffinity(0, sizeof allowed, &allowed) == 0);
  CHECK(usable_cores() > 0);
  CHECK(usable_cores() <= CPU_COUNT(&allowed));
}
