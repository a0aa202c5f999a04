#include "plugins/manifest.h"

#include <doctest/doctest.h>

#include <string>

using patchbay::core::Manifest;

namespace {

patchbay::Result<Manifest> with_events(const std::string& list) {
  return Manifest::parse(R"({"id": "notes", "version": "1.0.0", "emits": )" + list + "}");
}

std::string refusal(const std::string& list) {
  const auto manifest = with_events(list);
  return manifest ? "" : manifest.error().text;
}

}  // namespace

TEST_CASE("an event is a topic, or a topic with what webhooks need to know of it") {
  const auto manifest = with_events(
      R"(["notes.opened", {"topic": "note.added", "summary": "A note", "subject": "id", "schema": {"type": "object"}}])");
  REQUIRE(manifest);
  REQUIRE(manifest->emits.size() == 2);
  CHECK(manifest->emits[0].topic == "notes.opened");
  CHECK(manifest->emits[0].schema == nullptr);
  CHECK(manifest->emits[1].topic == "note.added");
  CHECK(manifest->emits[1].summary == "A note");
  CHECK(manifest->emits[1].subject == "id");
  REQUIRE(manifest->emits[1].schema != nullptr);
  CHECK(manifest->emits[1].schema->find("type")->string() == "object");
}

TEST_CASE("an event that cannot be is refused with its place") {
  CHECK(refusal(R"(["note added"])").find("emits[0]: a topic is words of") != std::string::npos);
  CHECK(refusal(R"(["a.b", {"topic": "core.started"}])").find("emits[1]: a topic is words of") !=
        std::string::npos);
  CHECK(refusal(R"([{"topic": "a.b", "schema": {"type": "text"}}])").find("emits[0]: schema") !=
        std::string::npos);
  CHECK(refusal(R"([{"summary": "no topic"}])").find("emits[0]") != std::string::npos);
  CHECK(refusal(R"([{"topic": "a.b", "durable": true}])").find("durable") != std::string::npos);
}
