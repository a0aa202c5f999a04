// patchbay completion: prints a script that completes verbs and options in a shell.
#include <cstdio>

#include "completion/completion_script.h"
#include "verbs.h"

namespace patchbay::app {

void add_completion(Verb app, int&) {
  Verb verb = app.add_verb("completion", "Print a script that completes verbs and options in a shell");
  verb.require_verb();
  verb.footer(
      "Examples:\n  source <(patchbay completion bash)\n"
      "  patchbay completion zsh > ~/.zfunc/_patchbay");
  Verb bash = verb.add_verb("bash", "For bash");
  bash.footer("Examples:\n  patchbay completion bash > /etc/bash_completion.d/patchbay");
  bash.callback([app] { std::fputs(bash_completion(app.tree()).c_str(), stdout); });
  Verb zsh = verb.add_verb("zsh", "For zsh");
  zsh.footer("Examples:\n  patchbay completion zsh > ~/.zfunc/_patchbay");
  zsh.callback([app] { std::fputs(zsh_completion(app.tree()).c_str(), stdout); });
}

}  // namespace patchbay::app
