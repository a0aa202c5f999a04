#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>

#include "example.h"
#include "support/child_process.h"

using namespace patchbay;

TEST_CASE("embed-core runs linked plugins without files and stops on a signal") {
  const test::TempFolder folder;
  auto child = test::Child::spawn({std::getenv("PATCHBAY_EMBED_CORE")}, folder.path(), folder.file("says"));
  REQUIRE(child.ok());
  const auto says = [&] { return test::read_text(folder.file("says")); };
  CHECK(test::eventually([&] { return says() == "door bell {\"count\":1}\n"; }));
  child->signal(SIGTERM);
  CHECK(child->wait(std::chrono::seconds(20)) == 0);
  CHECK(says() == "door bell {\"count\":1}\n");
}
