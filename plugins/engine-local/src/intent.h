// What the local engine understands: short commands, each with the sentences that mean it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace patchbay::engine_local {

enum class Intent { none, yes, no, help, repeat, transfer, later, goodbye };

// Every sentence the grammar knows, in lower case, and what it means.
const std::vector<std::pair<std::string_view, Intent>>& commands();
Intent intent_of(std::string_view sentence);  // exact; Intent::none when it is no command

// 0..1: how much of the longer text's words the other has in the same order.
double word_similarity(std::string_view a, std::string_view b);

// A grammar always hears some command and a language model hears anything: what both hear is what was said.
Intent agreed_intent(std::string_view by_grammar, std::string_view by_language_model);

}  // namespace patchbay::engine_local
