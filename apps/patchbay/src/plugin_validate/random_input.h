// RandomInput: random values for a plugin's functions; reproducible by the seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "json/document.h"

namespace patchbay::app::validate {

class RandomInput {
 public:
  explicit RandomInput(uint64_t seed) : engine_(seed) {}
  // A number below n; 0 for n = 0. Uses no std distribution, because their results differ between libraries.
  uint64_t below(uint64_t n) { return n == 0 ? 0 : engine_() % n; }
  bool one_in(uint64_t n) { return below(n) == 0; }
  std::string text();               // anything: "", 20,000 characters, JSON, invalid UTF-8
  std::string word();               // up to 8 letters
  std::string json(int depth = 3);  // any JSON value
  std::string object(int depth = 3);
  int64_t integer();

 private:
  std::mt19937_64 engine_;
};

// JSON that the schema most likely accepts; "" when none can be generated (a pattern).
std::string valid_value(const core::json::Node& schema, RandomInput& random);
// JSON of another type than the schema's; "" when the schema has none.
std::string invalid_value(const core::json::Node& schema);

}  // namespace patchbay::app::validate
