#include "completion/completion_script.h"

#include <functional>
#include <string_view>

namespace patchbay::app {
namespace {

using Visit = std::function<void(const std::string& path, const VerbTree& verb)>;

// Calls visit() for the verb, and for all below it.
void each_verb(const std::string& path, const VerbTree& verb, const Visit& visit) {
  visit(path, verb);
  for (const VerbTree& child : verb.verbs) each_verb(path + " " + child.name, child, visit);
}

// In single quotes, in which a shell interprets nothing.
std::string shell_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'')
      out += R"('\'')";
    else
      out += c;
  }
  return out + "'";
}

// An element of a list of _describe, which separates the word from its description by a colon.
std::string described(const std::string& word, const std::string& description) {
  std::string name;
  for (const char c : word) name += c == ':' ? "\\:" : std::string(1, c);
  return shell_quoted(name + ":" + description);
}

// The branches of a case that appends a word to $verb if that names a verb.
std::string step_branches(const VerbTree& program) {
  std::string out;
  each_verb(program.name, program, [&](const std::string& path, const VerbTree&) {
    if (path != program.name) out += "      " + shell_quoted(path) + ") ;;\n";
  });
  return out + "      *) break ;;\n";
}

}  // namespace

std::string bash_completion(const VerbTree& program) {
  std::string out =
      "# Completes " + program.name + " in bash: source <(" + program.name + " completion bash)\n";
  const std::string function = "_" + program.name;
  out += function + "() {\n  local word=${COMP_WORDS[COMP_CWORD]} verb=" + shell_quoted(program.name) +
         " verbs= options= i\n  for ((i = 1; i < COMP_CWORD; ++i)); do\n    case \"$verb ${COMP_WORDS[i]}\" "
         "in\n" +
         step_branches(program) + "    esac\n    verb+=\" ${COMP_WORDS[i]}\"\n  done\n  case $verb in\n";
  each_verb(program.name, program, [&](const std::string& path, const VerbTree& verb) {
    std::string verbs, options;
    for (const VerbTree& child : verb.verbs) verbs += (verbs.empty() ? "" : " ") + child.name;
    for (const auto& [name, description] : verb.options) options += (options.empty() ? "" : " ") + name;
    out += "    " + shell_quoted(path) + ") verbs=" + shell_quoted(verbs) +
           " options=" + shell_quoted(options) + " ;;\n";
  });
  // Without a word of ours the shell completes files.
  out +=
      "  esac\n  [[ $word == -* ]] && verbs=$options\n"
      "  COMPREPLY=($(compgen -W \"$verbs\" -- \"$word\"))\n}\ncomplete -o default -F " +
      function + " " + program.name + "\n";
  return out;
}

std::string zsh_completion(const VerbTree& program) {
  std::string out = "#compdef " + program.name + "\n# Completes " + program.name + " in zsh: source <(" +
                    program.name + " completion zsh)\n";
  const std::string function = "_" + program.name;
  out += function + "() {\n  local verb=" + shell_quoted(program.name) +
         " i\n  local -a verbs options\n  for ((i = 2; i < CURRENT; ++i)); do\n    case \"$verb "
         "${words[i]}\" in\n" +
         step_branches(program) + "    esac\n    verb+=\" ${words[i]}\"\n  done\n  case $verb in\n";
  each_verb(program.name, program, [&](const std::string& path, const VerbTree& verb) {
    out += "    " + shell_quoted(path) + ")\n      verbs=(";
    for (const VerbTree& child : verb.verbs) out += "\n        " + described(child.name, child.description);
    out += ")\n      options=(";
    for (const auto& [name, description] : verb.options) out += "\n        " + described(name, description);
    out += ") ;;\n";
  });
  out +=
      "  esac\n  if [[ ${words[CURRENT]} == -* ]]; then\n    _describe -o option options\n"
      "  elif ((${#verbs})); then\n    _describe verb verbs\n  else\n    _files\n  fi\n}\n"
      "if [[ ${funcstack[1]} == " +
      function + " ]]; then\n  " + function + " \"$@\"\nelse\n  compdef " + function + " " + program.name +
      "\nfi\n";
  return out;
}

}  // namespace patchbay::app
