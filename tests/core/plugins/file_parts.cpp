#include "plugins/file_parts.h"

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "support/child_process.h"

using patchbay::core::FileParts;
using patchbay::test::TempFolder;

namespace {

std::string file_with(const TempFolder& folder, const std::string& text) {
  const std::string path = folder.path() + "/file";
  std::ofstream(path) << text;
  return path;
}

}  // namespace

TEST_CASE("parts of a file are the same on disk and in memory") {
  const TempFolder folder;
  const auto file = FileParts::open(file_with(folder, "0123456789"));
  REQUIRE(file.ok());
  const FileParts memory(std::string("0123456789"));
  for (const FileParts* parts : {&*file, &memory}) {
    CHECK(parts->size() == 10);
    CHECK(parts->at(0, 3) == "012");
    CHECK(parts->at(2, 8) == "23456789");
    CHECK(parts->at(2, 9).empty());
    CHECK(parts->at(11, 0).empty());
    CHECK(parts->at(1, UINT64_MAX).empty());
  }
}

TEST_CASE("a part that was read stays as it was, also when the file is moved and becomes shorter") {
  const TempFolder folder;
  const std::string path = file_with(folder, "0123456789");
  auto opened = FileParts::open(path);
  REQUIRE(opened.ok());
  const std::string_view part = opened->at(6, 2);
  const FileParts moved = *std::move(opened);
  std::filesystem::resize_file(path, 4);
  CHECK(part == "67");
  CHECK(moved.at(6, 2) == "67");
  CHECK(moved.at(6, 3).empty());
}

TEST_CASE("overlapping parts of a file take no more memory than the file twice") {
  const TempFolder folder;
  const auto file = FileParts::open(file_with(folder, std::string(1000, 'x')));
  REQUIRE(file.ok());
  size_t kept = 0;
  for (uint64_t offset = 0; offset < 500; ++offset) kept += file->at(offset, 500).size();
  CHECK(kept == 2000);
}

TEST_CASE("a missing file and a folder cannot be opened") {
  const TempFolder folder;
  CHECK_FALSE(FileParts::open(folder.path() + "/none").ok());
  CHECK_FALSE(FileParts::open(folder.path()).ok());
}
