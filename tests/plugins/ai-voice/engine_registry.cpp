#include "engine_registry.h"

#include <doctest/doctest.h>

using namespace patchbay;
using namespace patchbay::ai_voice;

TEST_CASE("the longest prefix of a model's name decides") {
  EngineRegistry engines;
  CHECK(engines.empty());
  CHECK(engines.add({"one", "gemini- local", true, {1}}, {}).ok());
  CHECK(engines.add({"two", "gemini-3", false, {2}}, {}).ok());
  CHECK_FALSE(engines.empty());
  CHECK(engines.find("gemini-2.5")->name == "one");
  CHECK(engines.find("gemini-3.8")->name == "two");
  CHECK(engines.find("local")->key_required);
  CHECK(engines.find("gpt-1") == nullptr);
  CHECK(engines.model_names() == "gemini-, local, gemini-3");
}

TEST_CASE("an engine that registers again replaces its earlier entry") {
  EngineRegistry engines;
  CHECK(engines.add({"one", "a-", true, {1}}, {}).ok());
  CHECK(engines.add({"one", "b-", true, {2}}, {}).ok());
  CHECK(engines.find("a-1") == nullptr);
  CHECK(engines.find("b-1")->engine.id == 2);
}

TEST_CASE("an engine without name, models or handle is refused") {
  EngineRegistry engines;
  CHECK(engines.add({"", "a-", true, {1}}, {}).error().code == Code::invalid);
  CHECK(engines.add({"one", " ", true, {1}}, {}).error().code == Code::invalid);
  CHECK(engines.add({"one", "a-", true, {}}, {}).error().code == Code::invalid);
  CHECK(engines.empty());
}

TEST_CASE("an engine that ended stays known until it registers again") {
  EngineRegistry engines;
  CHECK(engines.add({"one", "a-", true, {1}}, {}).ok());
  engines.set_ended({2}, 500);
  CHECK(engines.find("a-1")->ended_ns == 0);
  engines.set_ended({1}, 700);
  CHECK(engines.find("a-1")->ended_ns == 700);
  CHECK(engines.add({"one", "a-", true, {3}}, {}).ok());
  CHECK(engines.find("a-1")->ended_ns == 0);
}
