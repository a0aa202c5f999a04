#include "plugins/trusted_file.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/child_process.h"

using namespace patchbay;
namespace fs = std::filesystem;

namespace {

std::string says(const fs::path& file, uid_t user = ::geteuid()) {
  const Status trusted = core::check_trusted(file, user);
  return trusted ? "" : trusted.error().text;
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a plugin's file that every user may write is not trusted, nor one in such a folder") {
  const test::TempFolder folder;
  const fs::path inner = fs::path(folder.path()) / "plugins";
  fs::create_directory(inner);
  const fs::path file = inner / "x.so";
  std::ofstream(file) << "x";
  fs::permissions(inner, fs::perms(0755));
  fs::permissions(file, fs::perms(0644));
  CHECK(says(file) == "");
  fs::permissions(file, fs::perms(0666));
  CHECK(has(says(file), "may be written by every user of this machine; chmod o-w"));
  fs::permissions(file, fs::perms(0644));
  fs::permissions(inner, fs::perms(0777));
  CHECK(has(says(file), "plugins may be written by every user"));
  fs::permissions(inner, fs::perms(01777));  // as /tmp is
  CHECK(says(file) == "");
  CHECK(has(says(inner / "missing.so"), "cannot be looked at"));
}

TEST_CASE("a plugin's file that a group may write is not trusted unless the group is root's") {
  const test::TempFolder folder;
  const fs::path file = fs::path(folder.path()) / "x.so";
  std::ofstream(file) << "x";
  fs::permissions(file, fs::perms(0664));
  if (::geteuid() == 0) {
    CHECK(says(file) == "");
    if (::chown(file.c_str(), 0, 12345) != 0) return;
    CHECK(has(says(file), "may be written by the group 12345"));
    CHECK(has(says(file), "chmod g-w"));
    // A user without a group of that number.
    CHECK(has(says(file, 12345), "may be written by the group 12345"));
  }
  fs::permissions(file, fs::perms(0644));
  CHECK(says(file) == "");
}

TEST_CASE("a folder far above the file that others may write is not trusted") {
  const test::TempFolder folder;
  const fs::path top = fs::path(folder.path()) / "opt", inner = top / "patchbay" / "plugins";
  fs::create_directories(inner);
  const fs::path file = inner / "x.so";
  std::ofstream(file) << "x";
  fs::permissions(file, fs::perms(0644));
  fs::permissions(top, fs::perms(0755));
  CHECK(says(file) == "");
  fs::permissions(top, fs::perms(0777));
  CHECK(has(says(file), "opt may be written by every user"));
  // Not trusted through a link that leads there either.
  const test::TempFolder links;
  fs::create_directory_symlink(inner, fs::path(links.path()) / "plugins");
  CHECK(has(says(fs::path(links.path()) / "plugins" / "x.so"), "opt may be written by every user"));
  fs::permissions(top, fs::perms(01777));
  CHECK(says(file) == "");
}

TEST_CASE("a link is trusted by its own folder and by what it leads to") {
  const test::TempFolder real, links;
  const fs::path file = fs::path(real.path()) / "x.so", link = fs::path(links.path()) / "x.so";
  std::ofstream(file) << "x";
  fs::permissions(file, fs::perms(0644));
  fs::create_symlink(file, link);
  CHECK(says(link) == "");
  fs::permissions(links.path(), fs::perms(0777));
  CHECK(has(says(link), "may be written by every user"));
  fs::permissions(links.path(), fs::perms(0700));
  fs::permissions(file, fs::perms(0646));
  CHECK(has(says(link), "x.so may be written by every user"));
}

TEST_CASE("a file of another user who is not root is not trusted") {
  const test::TempFolder folder;
  const fs::path file = fs::path(folder.path()) / "x.so";
  std::ofstream(file) << "x";
  fs::permissions(file, fs::perms(0644));
  if (::geteuid() == 0) {
    if (::chown(file.c_str(), 12345, 12345) != 0) return;
    CHECK(has(says(file), "belongs to another user (uid 12345)"));
    CHECK(has(says(file), "chown it to root"));
    // Trusted by a server that runs as its owner.
    CHECK(says(file, 12345) == "");
    // User id 65534 is that of all files from outside a user namespace.
    if (::chown(file.c_str(), 0, 0) != 0 || ::chown(folder.path().c_str(), 65534, 65534) != 0) return;
    CHECK(says(file) == "");
  } else {
    CHECK(has(says(file, ::geteuid() + 1), "belongs to another user"));
  }
}
