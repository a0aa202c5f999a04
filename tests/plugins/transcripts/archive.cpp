#include "archive.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

using namespace patchbay;
using namespace patchbay::transcripts;
namespace fs = std::filesystem;

namespace {

struct Folder {
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "patchbay-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  ~Folder() { fs::remove_all(path); }
  fs::path path;
};

size_t count_files(const fs::path& folder) {
  size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) count += entry.is_regular_file() ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("the last version that was written is read") {
  const Folder folder;
  const Archive archive(folder.path);
  REQUIRE(archive.write("a.example", "oac-1.json", "first").ok());
  REQUIRE(archive.write("a.example", "oac-1.json", std::string(300'000, 'x')).ok());
  const auto text = archive.read("a.example", "oac-1.json");
  REQUIRE(text.ok());
  CHECK(*text == std::string(300'000, 'x'));
  CHECK(count_files(folder.path) == 1);
  CHECK_FALSE(archive.read("b.example", "oac-1.json").ok());
}

TEST_CASE("only the server's user can read files and folders") {
  const Folder folder;
  REQUIRE(Archive(folder.path).write("a.example", "x.json", "{}").ok());
  CHECK((fs::status(folder.path / "a.example").permissions() & fs::perms::all) == fs::perms::owner_all);
  CHECK((fs::status(folder.path / "a.example/x.json").permissions() & fs::perms::all) ==
        (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("a symbolic link is not followed, neither by a read nor by a write") {
  const Folder folder;
  const Archive archive(folder.path);
  REQUIRE(archive.write("a.example", "x.json", "{}").ok());
  std::ofstream(folder.path / "outside") << "secret";
  fs::create_symlink(folder.path / "outside", folder.path / "a.example/link.json");
  CHECK_FALSE(archive.read("a.example", "link.json").ok());
  REQUIRE(archive.write("a.example", "link.json", "new").ok());  // replaces the link
  std::string text;
  std::ifstream(folder.path / "outside") >> text;
  CHECK(text == "secret");
}

TEST_CASE("a folder that cannot be created is an error and leaves no file") {
  const Folder folder;
  std::ofstream(folder.path / "a.example") << "a file";
  const Status status = Archive(folder.path).write("a.example", "x.json", "{}");
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().code == Code::unavailable);
}

TEST_CASE("temporary files of interrupted writes are deleted") {
  const Folder folder;
  const Archive archive(folder.path);
  REQUIRE(archive.write("a.example", "x.json", "{}").ok());
  std::ofstream(folder.path / "a.example/y.json.7.part") << "half";
  archive.remove_temporary();
  CHECK(count_files(folder.path) == 1);
  Archive(folder.path / "none").remove_temporary();
}
