// ToolCalls: the model's function calls that wait for their result. Pure logic.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "server_message.h"

namespace patchbay::engine_gemini {

class ToolCalls {
 public:
  struct Open {
    std::string name;
    std::string server_id;  // may be empty
  };

  // Opens a call and returns its id, which is the server's or, if that has none, a new one. nullopt: a
  // repeated call, or one beyond the limit of a conversation.
  std::optional<std::string> open(const FunctionCall& call);
  // Closes a call and returns it; nullopt: it is not open.
  std::optional<Open> close(const std::string& id);
  // Closes all calls and returns their ids.
  std::vector<std::string> close_all();

  bool none_open() const { return open_.empty(); }

 private:
  std::map<std::string, Open> open_;
  std::set<std::string> known_;
  int unnamed_ = 0;
};

}  // namespace patchbay::engine_gemini
