#include "detached_audio.h"

#include <doctest/doctest.h>
#include <patchbay/base64.h>

#include <string>

using namespace patchbay;
using namespace patchbay::engine_gemini;

namespace {

std::string base64(size_t bytes, char fill) {
  std::string out;
  append_base64(out, std::string(bytes, fill));
  return out;
}

}  // namespace

TEST_CASE("detached audio: long base64 of a member data is decoded and replaced by a mark") {
  DetachedAudio audio;
  audio.detach(R"({"a":{"data" : ")" + base64(100, 'x') + R"("},"b":[{"data":")" + base64(200, 'y') +
               R"("}]})");
  CHECK(audio.rest() == R"({"a":{"data" : "~0"},"b":[{"data":"~1"}]})");
  REQUIRE(audio.count() == 2);
  CHECK_FALSE(audio.all_taken());
  CHECK_FALSE(audio.is_next("~1"));
  REQUIRE(audio.is_next("~0"));
  CHECK(audio.take() == std::string(100, 'x'));
  REQUIRE(audio.is_next("~1"));
  CHECK(audio.take() == std::string(200, 'y'));
  CHECK(audio.all_taken());
  CHECK_FALSE(audio.is_next("~2"));
  CHECK(audio.take().empty());
}

TEST_CASE("detached audio: everything else stays as it is") {
  const std::string audio_text = base64(100, 'x');
  for (const std::string& text :
       {std::string(), std::string(R"({"data":"AAAA"})"), R"({"text":")" + audio_text + R"("})",
        R"({"data":")" + audio_text + R"(\u003d"})", R"({"data":")" + audio_text + "\n\"}",
        R"({"data":")" + audio_text + "\xff\"}", R"({"data":")" + audio_text,
        R"({"data","b":")" + audio_text + "\"}", R"({"data":["a",")" + audio_text + R"("]})",
        R"({"text":"\"data\":\")" + audio_text + R"(\""})", R"({"data":")" + audio_text + R"(","a":"~1"})",
        R"({"data":")" + audio_text + R"(","a":"\u007e1"})", std::string(R"({"data)"),
        std::string(R"({"data")"), std::string(R"({"data":)"), std::string(R"({"data":")")}) {
    CAPTURE(text);
    DetachedAudio audio;
    audio.detach(text);
    CHECK_FALSE(audio.any());
    CHECK(audio.rest() == text);
  }
}

TEST_CASE("detached audio: an object is used for one message after the other") {
  DetachedAudio audio;
  audio.detach(R"({"data":")" + base64(100, 'x') + R"("})");
  audio.detach("{}");
  CHECK_FALSE(audio.any());
  CHECK(audio.all_taken());
  CHECK(audio.rest() == "{}");
}
