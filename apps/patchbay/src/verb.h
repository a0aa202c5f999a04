// Verb: a verb of the command line with its options, as the verbs' files describe it. Hides CLI11, which
// costs every file that includes it four seconds of compile time.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace patchbay::app {

class VerbOption {
 public:
  explicit VerbOption(CLI::Option* option) : option_(option) {}

  VerbOption& required();
  VerbOption& type_name(const char* name);  // what --help calls the value
  VerbOption& range(double min, double max);
  VerbOption& delimiter(char between_values);

 private:
  CLI::Option* option_;  // borrowed from the verb
};

// A verb as the command line has it: its options, each with a description, and the verbs below it.
struct VerbTree {
  std::string name, description;
  std::vector<std::pair<std::string, std::string>> options;  // "--config", "-c"
  std::vector<VerbTree> verbs;
};

// Copies describe the same verb, and are valid as long as the command line that contains it.
class Verb {
 public:
  explicit Verb(CLI::App* app) : app_(app) {}

  Verb add_verb(const char* name, const char* description);
  void require_verb();  // one of those added

  // The option sets `value`. Its name is that of a positional argument without dashes.
  VerbOption add_option(const char* name, std::string& value, const char* description);
  VerbOption add_option(const char* name, std::vector<std::string>& values, const char* description);
  VerbOption add_option(const char* name, int& value, const char* description);
  VerbOption add_option(const char* name, uint64_t& value, const char* description);
  VerbOption add_option(const char* name, double& value, const char* description);
  VerbOption add_flag(const char* name, bool& value, const char* description);

  void footer(const char* text);
  void callback(std::function<void()> run);
  VerbTree tree() const;

 private:
  CLI::App* app_;  // borrowed
};

}  // namespace patchbay::app
