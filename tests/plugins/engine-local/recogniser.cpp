#include "recogniser.h"

#include <doctest/doctest.h>

#include "plugins/engine-local/phone.h"

using namespace patchbay;
using engine_local::test::phone;

namespace {

constexpr int kRecogniseSeconds = 40;  // sanitizers make the models slow

}  // namespace

TEST_CASE("commands are recognised over the telephone, and other sentences are not mistaken for commands") {
  struct Row {
    std::string said;
    engine_local::Intent intent;
  };
  engine_local::Recogniser recogniser({.workers = 1});
  for (const Row& row : {Row{"yes please", engine_local::Intent::yes}, Row{"no", engine_local::Intent::no},
                         Row{"help me please", engine_local::Intent::help},
                         Row{"can you repeat that", engine_local::Intent::repeat},
                         Row{"I want to speak to an operator", engine_local::Intent::transfer},
                         Row{"please call me later", engine_local::Intent::later},
                         Row{"goodbye", engine_local::Intent::goodbye},
                         Row{"the weather is very nice today", engine_local::Intent::none},
                         Row{"my brother lives in a small house", engine_local::Intent::none}}) {
    CAPTURE(row.said);
    std::mutex mutex;
    std::condition_variable changed;
    bool done = false;
    engine_local::Recognition heard;
    recogniser.recognise(phone(row.said), [&](engine_local::Recognition result) {
      std::lock_guard lock(mutex);
      heard = std::move(result);
      done = true;
      changed.notify_all();
    });
    std::unique_lock lock(mutex);
    REQUIRE(changed.wait_for(lock, std::chrono::seconds(kRecogniseSeconds), [&] { return done; }));
    CAPTURE(heard.text);
    CHECK(heard.intent == row.intent);
    CHECK(!heard.text.empty());
  }
}
