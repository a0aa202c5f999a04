// Scripts that complete a program's verbs and options in a shell, written from the tree of its verbs. Pure;
// any thread.
#pragma once

#include <string>

#include "verb.h"

namespace patchbay::app {

std::string bash_completion(const VerbTree& program);
std::string zsh_completion(const VerbTree& program);

}  // namespace patchbay::app
