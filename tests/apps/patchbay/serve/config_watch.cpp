#include "serve/config_watch.h"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "support/child_process.h"

using patchbay::app::ConfigWatch;
using namespace std::chrono_literals;

namespace {

// Blocks SIGIO, which the watch sends to the process.
struct Fixture {
  Fixture() {
    sigemptyset(&async);
    sigaddset(&async, SIGIO);
    pthread_sigmask(SIG_BLOCK, &async, nullptr);
    write("one");
  }
  ~Fixture() { came(0ms); }  // the signal stays blocked, because the pending one would end the process
  void write(const std::string& text, const std::string& name = "patchbay.yaml") const {
    std::ofstream(folder.file(name)) << text;
  }
  bool came(std::chrono::milliseconds limit = 60s) const {
    const timespec most{limit.count() / 1000, limit.count() % 1000 * 1'000'000};
    return sigtimedwait(&async, nullptr, &most) == SIGIO;
  }
  bool changed(ConfigWatch& watch) const { return watch.take_change(10ms, 1s); }

  patchbay::test::TempFolder folder;
  sigset_t async{};
};

}  // namespace

TEST_CASE("a changed configuration file is noticed once, by a signal") {
  const Fixture files;
  ConfigWatch watch(files.folder.file("patchbay.yaml"));
  REQUIRE(watch.error() == "");
  CHECK_FALSE(files.changed(watch));
  files.write("three");
  CHECK(files.came());
  CHECK(files.changed(watch));
  CHECK_FALSE(files.changed(watch));
}

TEST_CASE("a replaced configuration file is noticed, a removed one only when it is back") {
  const Fixture files;
  const std::string file = files.folder.file("patchbay.yaml");
  ConfigWatch watch(file);
  files.write("seven", "new.yaml");
  std::filesystem::rename(files.folder.file("new.yaml"), file);
  CHECK(files.came());
  CHECK(files.changed(watch));
  std::filesystem::remove(file);
  CHECK_FALSE(files.changed(watch));
  files.write("eleven");
  CHECK(files.changed(watch));
}

TEST_CASE("the target of a link is the configuration file") {
  const Fixture files;
  files.write("one", "first.yaml");
  files.write("two, longer", "second.yaml");
  std::filesystem::create_symlink("first.yaml", files.folder.file("link"));
  ConfigWatch watch(files.folder.file("link"));
  std::filesystem::create_symlink("second.yaml", files.folder.file("next"));
  std::filesystem::rename(files.folder.file("next"), files.folder.file("link"));
  CHECK(files.changed(watch));
}

TEST_CASE("other files of the folder, and changes that are read anyway, are no news") {
  const Fixture files;
  ConfigWatch watch(files.folder.file("patchbay.yaml"));
  files.write("x", "other");
  CHECK_FALSE(files.changed(watch));
  files.write("four");
  watch.forget_change();
  CHECK_FALSE(files.changed(watch));
}

TEST_CASE("a folder that cannot be watched is an error") {
  const Fixture files;
  const ConfigWatch watch(files.folder.file("none/patchbay.yaml"));
  CHECK(watch.error().find("cannot watch ") == 0);
}
