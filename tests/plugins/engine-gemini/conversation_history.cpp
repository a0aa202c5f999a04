#include "conversation_history.h"

#include <doctest/doctest.h>

#include "gemini_limits.h"

using patchbay::engine_gemini::ConversationHistory;
using patchbay::engine_gemini::kMaxHistoryBytes;
using Speaker = ConversationHistory::Speaker;

TEST_CASE("history: one line per turn, fragments joined as they came") {
  ConversationHistory history;
  history.add(Speaker::model, "Hello, ");
  history.add(Speaker::model, "how can I help?");
  history.add(Speaker::caller, " I have");
  history.add(Speaker::caller, " a question.");
  history.add(Speaker::model, "");
  CHECK(history.text() == "You: Hello, how can I help?\nCaller: I have a question.");
}

TEST_CASE("history: only whole lines of the end are kept") {
  ConversationHistory history;
  for (int i = 0; i < 1000; ++i)
    history.add(i % 2 == 0 ? Speaker::caller : Speaker::model, "sentence " + std::to_string(i));
  CHECK(history.text().size() <= kMaxHistoryBytes);
  CHECK(history.text().size() > kMaxHistoryBytes - 100);
  const bool at_line = history.text().starts_with("Caller: ") || history.text().starts_with("You: ");
  CHECK(at_line);
  CHECK(history.text().ends_with("You: sentence 999"));
}

TEST_CASE("history: a turn longer than the limit is cut between characters") {
  ConversationHistory history;
  std::string text;
  while (text.size() < 2 * kMaxHistoryBytes) text += "ä";
  history.add(Speaker::caller, text + "x");
  CHECK(history.text().size() <= kMaxHistoryBytes);
  CHECK(history.text().starts_with("ä"));
}
