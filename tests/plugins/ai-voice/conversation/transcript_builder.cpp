#include "conversation/transcript_builder.h"

#include <doctest/doctest.h>

using namespace patchbay::ai_voice;

namespace {

std::string text_of(const TranscriptBuilder& builder) {
  std::string out;
  for (const auto& turn : builder.turns())
    out += (turn.speaker == TranscriptTurn::Speaker::ai ? "A:" : "C:") + turn.text + "|";
  return out;
}

}  // namespace

TEST_CASE("the AI's text is cut to the played share, at a word boundary") {
  struct Row {
    const char* text;
    int64_t played, received;
    const char* kept;
  };
  for (const Row& row :
       {Row{"one two three", 0, 100, ""}, Row{"one two three", 100, 100, "one two three"},
        Row{"one two three", 50, 100, "one"}, Row{"one two three", 54, 100, "one two"},
        Row{"one two three", 30, 100, "one"}, Row{"one two three", 20, 100, ""},
        Row{"  one two", 60, 100, "one"}, Row{"gr\xc3\xbc\xc3\x9f dich", 45, 100, "gr\xc3\xbc\xc3\x9f"},
        Row{"one", 50, 0, "one"}, Row{"", 5, 10, ""}}) {
    CAPTURE(row.text);
    CAPTURE(row.played);
    CHECK(cut_to_share(row.text, row.played, row.received) == row.kept);
  }
}

TEST_CASE("fragments become turns with the time of the first fragment") {
  TranscriptBuilder t;
  t.ai_audio(0);
  t.ai_text(10, " Hello");
  t.ai_text(20, ", who is there?");
  t.turn_complete(30);
  t.user_text(5000, " It is");
  t.user_text(5100, " me.");
  t.ai_text(6000, "Fine.");
  t.ai_audio(6010);
  t.turn_complete(6020);
  t.close_turns(7000);
  CHECK(text_of(t) == "A:Hello, who is there?|C:It is me.|A:Fine.|");
  CHECK(t.turns()[1].ts_ms == 5000);
  CHECK(t.input_turns() == 1);
  CHECK(t.output_turns() == 2);
}

TEST_CASE("late caller fragments are placed before the answer to them") {
  TranscriptBuilder t;
  t.user_text(0, "Can you");
  t.ai_audio(100);
  t.user_text(600, " help me?");
  t.ai_text(700, "Yes.");
  t.turn_complete(800);
  CHECK(text_of(t) == "C:Can you help me?|A:Yes.|");

  TranscriptBuilder only_late;
  only_late.ai_audio(1000);
  only_late.ai_text(1000, "Sure.");
  only_late.user_text(1500, "Go");
  only_late.user_text(1600, " on.");
  only_late.turn_complete(2000);
  CHECK(text_of(only_late) == "C:Go on.|A:Sure.|");
  CHECK(only_late.input_turns() == 1);
}

TEST_CASE("an interruption cuts the open turn, or the last one if it is still playing") {
  TranscriptBuilder t;
  t.ai_audio(0);
  t.ai_text(0, "one two three four");
  t.interrupted(500, 1000, 500);
  t.turn_complete(510);
  t.user_text(600, "stop");
  t.ai_audio(1000);
  t.ai_text(1000, "five six seven eight");
  t.turn_complete(1010);
  t.interrupted(1500, 1000, 500);
  CHECK(text_of(t) == "A:one two|C:stop|A:five six|");
  CHECK(t.output_turns() == 2);
}

TEST_CASE("a turn that was not played has no text") {
  TranscriptBuilder t;
  t.ai_audio(0);
  t.ai_text(0, "never heard");
  t.interrupted(10, 1000, 0);
  CHECK(text_of(t).empty());
}

TEST_CASE("cumulative and repeated fragments are not doubled") {
  TranscriptBuilder t;
  t.user_text(0, "I would like");
  t.user_text(10, "I would like a room");
  t.user_text(20, "I would like a room");
  t.close_turns(30);
  CHECK(text_of(t) == "C:I would like a room|");
  TranscriptBuilder yes;
  yes.user_text(0, "yes ");
  yes.user_text(10, "yes ");
  yes.close_turns(20);
  CHECK(text_of(yes) == "C:yes yes|");
}

TEST_CASE("closed turns are returned once, and again when they change") {
  TranscriptBuilder t;
  t.ai_text(0, "Good morning, how can I help you today?");
  t.ai_audio(0);
  CHECK(t.take_closed().empty());
  t.user_text(1000, "stop");
  t.turn_complete(1500);
  auto closed = t.take_closed();
  REQUIRE(closed.size() == 2);
  CHECK(t.take_closed().empty());
  t.interrupted(1600, 1000, 500);
  closed = t.take_closed();
  REQUIRE(closed.size() == 1);
  CHECK(closed[0].turn.speaker == TranscriptTurn::Speaker::ai);
  CHECK(closed[0].turn.text == "Good morning, how");
}

TEST_CASE("keys become a caller turn, blanks none, and tools close the caller's turn") {
  TranscriptBuilder t;
  t.user_text(0, "  ");
  t.user_text(100, "my code");
  t.dtmf(200, "123");
  t.user_text(300, "done");
  t.tool_call(400);
  t.user_text(5000, "more");
  t.close_turns(6000);
  CHECK(text_of(t) == "C:my code|C:[DTMF 123]|C:done|C:more|");
  CHECK(t.input_turns() == 4);
}

TEST_CASE("all received text counts towards the limit, including cut and empty fragments") {
  TranscriptBuilder builder;
  builder.ai_text(0, std::string(1000, 'x'));
  CHECK(builder.bytes() >= 1000);
  builder.interrupted(100, 1000, 0);
  CHECK(builder.bytes() >= 1000);
  size_t before = builder.bytes();
  for (int i = 0; i < 1000; ++i) builder.dtmf(200 + i, "1");
  CHECK(builder.bytes() >= before + 64 * 1000);
}

TEST_CASE("each closed turn is taken once, and again when it changes") {
  TranscriptBuilder builder;
  for (int i = 0; i < 3; ++i) {
    builder.user_text(i * 10000, "question");
    builder.ai_audio(i * 10000 + 10);
    builder.ai_text(i * 10000 + 20, "answer number one of some");
    builder.turn_complete(i * 10000 + 30);
    const auto taken = builder.take_closed();
    CHECK(taken.size() == 2);
    CHECK(taken.front().number == static_cast<size_t>(2 * i));
    CHECK(builder.take_closed().empty());
  }
  builder.interrupted(20040, 1000, 500);
  const auto changed = builder.take_closed();
  REQUIRE(changed.size() == 1);
  CHECK(changed[0].number == 5);
  CHECK(changed[0].turn.text == "answer");
}

TEST_CASE("a turn that has no text is not taken, unless a cut has removed its text") {
  TranscriptBuilder builder;
  builder.ai_audio(0);
  builder.turn_complete(10);
  CHECK(builder.take_closed().empty());
  CHECK(builder.output_turns() == 1);
  builder.ai_audio(20);
  builder.ai_text(30, "answer");
  builder.turn_complete(40);
  CHECK(builder.take_closed().size() == 1);
  builder.interrupted(50, 1000, 0);
  const auto cut = builder.take_closed();
  REQUIRE(cut.size() == 1);
  CHECK(cut[0].number == 1);
  CHECK(cut[0].turn.text.empty());
}
