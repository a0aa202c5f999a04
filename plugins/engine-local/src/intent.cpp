#include "intent.h"

#include <algorithm>
#include <sstream>

namespace patchbay::engine_local {
namespace {

constexpr double kAgreement = 0.5;

std::vector<std::string> words_of(std::string_view text) {
  std::istringstream stream{std::string(text)};
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace

const std::vector<std::pair<std::string_view, Intent>>& commands() {
  static const std::vector<std::pair<std::string_view, Intent>> all = {
      {"yes", Intent::yes},
      {"yes please", Intent::yes},
      {"that is right", Intent::yes},
      {"no", Intent::no},
      {"no thank you", Intent::no},
      {"help", Intent::help},
      {"help me please", Intent::help},
      {"what can you do", Intent::help},
      {"repeat that please", Intent::repeat},
      {"please say that again", Intent::repeat},
      {"can you repeat that", Intent::repeat},
      {"operator", Intent::transfer},
      {"operator please", Intent::transfer},
      {"i want to speak to an operator", Intent::transfer},
      {"i want to speak to a person", Intent::transfer},
      {"please transfer me", Intent::transfer},
      {"call me later", Intent::later},
      {"please call me later", Intent::later},
      {"call me back tomorrow", Intent::later},
      {"i have no time now", Intent::later},
      {"goodbye", Intent::goodbye},
      {"goodbye and thank you", Intent::goodbye},
      {"thank you goodbye", Intent::goodbye},
      {"please hang up", Intent::goodbye},
  };
  return all;
}

Intent intent_of(std::string_view sentence) {
  for (const auto& [text, intent] : commands())
    if (text == sentence) return intent;
  return Intent::none;
}

double word_similarity(std::string_view a, std::string_view b) {
  auto x = words_of(a), y = words_of(b);
  if (x.empty() || y.empty()) return 0;
  std::vector<size_t> row(y.size() + 1, 0);  // longest common subsequence
  for (const auto& word : x) {
    size_t diagonal = 0;
    for (size_t j = 1; j <= y.size(); ++j) {
      size_t above = row[j];
      row[j] = word == y[j - 1] ? diagonal + 1 : std::max(row[j], row[j - 1]);
      diagonal = above;
    }
  }
  return static_cast<double>(row.back()) / static_cast<double>(std::max(x.size(), y.size()));
}

Intent agreed_intent(std::string_view by_grammar, std::string_view by_language_model) {
  Intent intent = intent_of(by_grammar);
  if (intent != Intent::none && word_similarity(by_grammar, by_language_model) >= kAgreement) return intent;
  return intent_of(by_language_model);
}

}  // namespace patchbay::engine_local
