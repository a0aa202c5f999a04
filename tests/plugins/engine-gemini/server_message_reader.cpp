#include "server_message_reader.h"

#include <doctest/doctest.h>
#include <patchbay/base64.h>

#include <string>
#include <vector>

#include "plugins/engine-gemini/same_message.h"
#include "plugins/lib/engine/json_parser.h"

using namespace patchbay;
using namespace patchbay::lib;
using namespace patchbay::engine_gemini;

namespace {

std::string base64(size_t bytes, char fill) {
  std::string out;
  append_base64(out, std::string(bytes, fill));
  return out;
}

std::string part(const std::string& data, const std::string& mime = "audio/pcm;rate=24000") {
  return R"({"inlineData":{"mimeType":")" + mime + R"(","data":")" + data + R"("}})";
}

std::string message(const std::string& parts, const std::string& more = {}) {
  return R"({"serverContent":{"modelTurn":{"role":"model","parts":[)" + parts + "]}" + more + "}}";
}

// Reads each message with one reader and compares with the parser.
void check_equal(const std::vector<std::string>& messages) {
  const JsonParser json = lib::test::json();
  ServerMessageReader reader(json);
  for (const std::string& text : messages) {
    CAPTURE(text);
    CHECK(same(reader.read(text), parse_server_message(json, text)));
  }
}

}  // namespace

TEST_CASE("messages with audio are read as the parser reads them, in any order") {
  const std::string plain = message(part(base64(960, 'a')));
  const std::string other = message(part(base64(960, 'b')));
  const std::string longer = message(part(base64(1001, 'c')));
  const std::string with_text = message(part(base64(960, 'd')), R"(,"outputTranscription":{"text":"hello"})");
  const std::string usage = R"({"serverContent":{"modelTurn":{"parts":[)" + part(base64(100, 'e')) +
                            R"(]}},"usageMetadata":{"responseTokenCount":5}})";
  const std::string slow = message(part(base64(640, 'f'), "audio/pcm;rate=16000"));
  check_equal({plain, other, longer, with_text, with_text, plain, usage, usage, slow, plain, slow, slow});
}

TEST_CASE(
    "several parts, short ones, other kinds of data and invalid base64 are read as the parser reads them") {
  const std::string audio = part(base64(500, 'a')), text = R"({"text":"thought","thought":true})";
  const std::string image = part(base64(500, 'p'), "image/png"), brief = part("AAEC");
  const std::string invalid = part(std::string(100, '*')), half = part(std::string(101, 'A'));
  const std::string escaped = part(base64(500, 'q') + "\\u003d"), url_safe = part(std::string(100, '_'));
  for (const std::string& parts :
       {audio + "," + audio, text + "," + audio + "," + text, brief + "," + audio, audio + "," + brief,
        image + "," + audio, audio + "," + image, invalid + "," + audio, half, escaped, url_safe, image,
        part("~0") + "," + audio, audio + "," + part("~0"), audio + "," + part("~1") + "," + audio})
    check_equal({message(parts), message(parts), message(audio), message(parts)});
}

TEST_CASE("text of the server that looks like a mark is not taken for audio") {
  const std::string data = base64(500, 'a'), audio = part(data);
  const std::string two = message(audio + "," + audio);
  const std::string not_audio = R"({"x":{"data":")" + data + R"("},"y":{"data":")" + data + R"("}})";
  const std::string elsewhere = R"(,"x":{"data":")" + data + R"("})";
  for (const std::string mark : {"~0", "~1", "\\u007e0", "\\u007E1"})
    for (const std::string& text :
         {message(audio + "," + part(mark)), message(part(mark) + "," + audio),
          message(audio + "," + part(mark), elsewhere), message(part(mark) + "," + audio, elsewhere),
          message(part(mark), elsewhere),
          message(audio, R"(,"outputTranscription":{"text":")" + mark + R"("})")})
      check_equal({two, not_audio, text, text, two, message(audio), not_audio, text, two});
}

TEST_CASE("a message that is no valid JSON is refused with its audio too") {
  const std::string data = base64(500, 'a');
  const std::string member = R"("data":")" + data + '"';
  const std::string audio = part(data);
  for (const std::string& text :
       {message(audio) + "x", "{" + member, "[" + member + "]", "{" + member + "," + member + "}",
        R"({"x":{"mimeType":"audio/pcm",)" + member + "," + member + "}}", R"({"a":"x)" + member + "}",
        R"({"a":"\)" + member + "}", message(audio, ",\"outputTranscription\":{\"text\":\"\xff\"}"),
        message(audio, ",\"a\":1,\"a\":2"), message(part(data + "\n")),
        message(part(data + std::string(1, '\0')))})
    check_equal({text, message(audio), text});
}

TEST_CASE("audio beyond the JSON parser's limit of a text is read") {
  ServerMessageReader reader(lib::test::json());
  const auto read = reader.read(message(part(base64(2u << 20, 'a'))));
  REQUIRE(read.ok());
  REQUIRE(read->audio.size() == 1);
  CHECK(read->audio[0].bytes.size() == 2u << 20);
}
