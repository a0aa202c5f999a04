#include "recogniser.h"

#include <doctest/doctest.h>

#include <chrono>
#include <future>
#include <thread>
#include <utility>

#include "plugins/engine-local/phone.h"
#include "support/within.h"

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
  engine_local::Recogniser recogniser({.workers = 1, .unload_after = std::chrono::minutes(5)});
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

TEST_CASE("the models are loaded with the first call and released when there was no call for a while") {
  engine_local::Recogniser recogniser({.workers = 1, .unload_after = std::chrono::milliseconds(10)});
  const std::chrono::seconds patience(60);
  const auto warm_up = [&] {
    std::promise<Status> loaded;
    recogniser.warm_up([&](Status status) { loaded.set_value(std::move(status)); });
    auto answer = loaded.get_future();
    REQUIRE(answer.wait_for(patience) == std::future_status::ready);
    CHECK(answer.get().ok());
  };
  CHECK(recogniser.loaded() == 0);
  for (int call = 0; call < 2; ++call) {
    {
      const auto use = recogniser.use();
      warm_up();
      std::this_thread::sleep_for(std::chrono::milliseconds(100));  // a caller who says nothing
      CHECK(recogniser.loaded() == 1);
    }
    CHECK(within(patience, [&] { return recogniser.loaded() == 0; }));
  }
}

TEST_CASE("missing files of the models are found without loading them, and the error names the package") {
  CHECK(engine_local::check_models(engine_local::RecogniserOptions().model_dir).ok());
  const Status missing = engine_local::check_models("/nonexistent");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().text.find("pocketsphinx-en-us") != std::string::npos);
}
