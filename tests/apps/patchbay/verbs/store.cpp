#include <fcntl.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <vector>

#include "core/store/fixture.h"
#include "verbs/verbs.h"

using namespace store_test;
using namespace patchbay::app;

namespace {

struct Setup {
  Setup() {
    std::ofstream(config) << "server: {data: " << dir.path.string()
                          << "}\nplugins: {}\ntenants: {localhost: {}}\n";
    open();
    REQUIRE(add_consumer(*store, "gone/digest", {"note.*"}).ok());
    for (int i = 0; i < 3; ++i) REQUIRE(commit(*store, one(event("note.added", "s"))).status.ok());
  }
  void open() {
    auto opened = Store::open(dir.path / "patchbay.db", {});
    REQUIRE_MESSAGE(opened.ok(), (opened ? "" : opened.error().text));
    store = *std::move(opened);
  }
  // The exit code; what was printed is in `printed`.
  int run(std::vector<std::string> words) {
    words.insert(words.begin(), "patchbay");
    words.insert(words.end(), {"-c", config.string()});
    std::vector<const char*> arguments;
    for (const std::string& word : words) arguments.push_back(word.c_str());
    std::fflush(stdout);
    const int kept = ::dup(STDOUT_FILENO);
    const int to = ::open((dir.path / "out").c_str(), O_CREAT | O_TRUNC | O_WRONLY, 0600);
    ::dup2(to, STDOUT_FILENO);
    const int code = run_command_line(static_cast<int>(arguments.size()), arguments.data());
    std::fflush(stdout);
    ::dup2(kept, STDOUT_FILENO);
    ::close(kept);
    ::close(to);
    std::ifstream in(dir.path / "out");
    printed = {std::istreambuf_iterator<char>(in), {}};
    return code;
  }

  TempDir dir;
  const std::filesystem::path config = dir.path / "patchbay.yaml";
  std::unique_ptr<Store> store;
  std::string printed;
};

}  // namespace

TEST_CASE("consumers can be listed while a server runs, and forgotten once it has stopped") {
  Setup setup;
  CHECK(setup.run({"store", "consumers"}) == kDone);
  CHECK(setup.printed.find("gone/digest  note.*    3") != std::string::npos);
  CHECK(setup.run({"store", "forget", "gone/digest"}) == kRefused);

  setup.store.reset();
  CHECK(setup.run({"store", "forget", "none"}) == kRefused);
  CHECK(setup.run({"store", "forget", "gone/digest"}) == kDone);
  CHECK(setup.printed == "forgotten, with 3 pending events\n");
  CHECK(setup.run({"store", "consumers", "--json"}) == kDone);
  CHECK(setup.printed == "[]\n");
}

TEST_CASE("a missing database is an error of the configuration") {
  Setup setup;
  setup.store.reset();
  std::filesystem::remove(setup.dir.path / "patchbay.db");
  CHECK(setup.run({"store", "consumers"}) == kConfiguration);
}
