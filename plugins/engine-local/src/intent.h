// What the local engine understands: commands, each with the sentences that express it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace patchbay::engine_local {

enum class Intent { none, yes, no, help, repeat, transfer, later, goodbye };

// All sentences of the grammar, in lower case, with their intents.
const std::vector<std::pair<std::string_view, Intent>>& commands();
Intent intent_of(std::string_view sentence);  // exact match; otherwise Intent::none

// 0..1: words in common and in the same order, as a share of the longer text.
double word_similarity(std::string_view a, std::string_view b);

// Returns the intent only if both recognitions agree, because the grammar recognises a command in any sound.
Intent agreed_intent(std::string_view by_grammar, std::string_view by_language_model);

}  // namespace patchbay::engine_local
