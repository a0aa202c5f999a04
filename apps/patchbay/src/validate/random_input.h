// Values made by chance, the same from the same seed.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "json/document.h"

namespace patchbay::app::validate {

class Chance {
 public:
  explicit Chance(uint64_t seed) : random_(seed) {}
  // Below n; 0 for n = 0. Not a distribution of the library: those differ between libraries.
  uint64_t below(uint64_t n) { return n == 0 ? 0 : random_() % n; }
  bool one_in(uint64_t n) { return below(n) == 0; }
  std::string text();               // anything from "" to long, JSON and bytes that are no UTF-8
  std::string word();               // short, of letters
  std::string json(int depth = 3);  // a value
  std::string object(int depth = 3);
  int64_t integer();

 private:
  std::mt19937_64 random_;
};

// A value that the schema most likely allows, as JSON; "" when no way to one is seen (a pattern).
std::string allowed_by(const core::json::Node& schema, Chance& chance);
// One of another type than the schema's; "" when it names none.
std::string forbidden_by(const core::json::Node& schema);

}  // namespace patchbay::app::validate
