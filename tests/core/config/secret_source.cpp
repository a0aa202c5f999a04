#include "config/secret_source.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "json/parse.h"

using namespace patchbay;
using namespace patchbay::core;

namespace {

struct Folder {
  Folder() {
    char name[] = "/tmp/patchbay-secret-XXXXXX";
    path = ::mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path); }
  void write(const std::string& name, const std::string& text, mode_t mode) const {
    std::ofstream(path + "/" + name, std::ios::binary) << text;
    ::chmod((path + "/" + name).c_str(), mode);
  }
  std::string path;
};

Result<std::string> resolve(const Folder& folder, const char* text, std::string& warning) {
  const config::Environment environment = {{"KEY", "from env"}, {"EMPTY", ""}};
  const config::SecretSource source(
      environment, [&](std::string_view path) { return folder.path + "/" + std::string(path); });
  const auto node = json::parse(text);
  return source.resolve(node.value().root(), warning);
}

}  // namespace

TEST_CASE("a secret is a literal, in a file or in the environment") {
  const Folder folder;
  folder.write("key", "s3cret\r\n\n", 0600);
  std::string warning;
  CHECK(resolve(folder, R"("plain")", warning).value() == "plain");
  CHECK(resolve(folder, R"({"file":"key"})", warning).value() == "s3cret");
  CHECK(resolve(folder, R"({"env":"KEY"})", warning).value() == "from env");
  CHECK(warning.empty());
}

TEST_CASE("a secret file that all users may read gives a warning") {
  const Folder folder;
  folder.write("key", "x", 0644);
  std::string warning;
  CHECK(resolve(folder, R"({"file":"key"})", warning).ok());
  CHECK(warning.find("all users may read") != std::string::npos);
}

TEST_CASE("a secret that cannot be resolved is an error") {
  const Folder folder;
  folder.write("empty", "\n", 0600);
  folder.write("long", std::string((64 << 10) + 1, 'x'), 0600);
  ::mkfifo((folder.path + "/pipe").c_str(), 0600);
  std::string warning;
  for (const char* bad : {R"({"file":"none"})", R"({"file":"empty"})", R"({"file":"long"})",
                          R"({"file":"pipe"})", R"({"file":"."})", R"({"env":"EMPTY"})", R"({"env":"NONE"})",
                          R"({"other":"x"})", R"({"file":7})", R"({"file":"key","env":"KEY"})", "7", "[]"}) {
    CAPTURE(bad);
    CHECK_FALSE(resolve(folder, bad, warning).ok());
  }
}
