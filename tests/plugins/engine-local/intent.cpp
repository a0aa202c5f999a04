#include "intent.h"

#include <doctest/doctest.h>

using namespace patchbay::engine_local;

TEST_CASE("a command counts only when grammar and language model agree") {
  CHECK(agreed_intent("goodbye", "goodbye") == Intent::goodbye);
  CHECK(agreed_intent("i want to speak to an operator", "i want to speak to an opera") == Intent::transfer);
  CHECK(agreed_intent("call me later", "the weather is nice today") == Intent::none);
  CHECK(agreed_intent("no", "yes please") == Intent::yes);
  CHECK(agreed_intent("", "") == Intent::none);
  CHECK(word_similarity("a b c d", "a x c d") == doctest::Approx(0.75));
}
