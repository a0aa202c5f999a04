#include "spoken_replies.h"

#include <patchbay/utf8.h>

#include <algorithm>

#include "local_limits.h"

namespace patchbay::engine_local {
namespace {

std::string first_sentence(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
  size_t end = text.find_first_of(".!?\n");
  std::string out(text.substr(0, end == std::string_view::npos || text[end] == '\n' ? end : end + 1));
  return std::string(clip_utf8(out, kMaxGreetingBytes));
}

bool mentions(const std::string& text, const char* word) { return text.find(word) != std::string::npos; }

}  // namespace

std::string SpokenReplies::greeting() const {
  if (!config_.greeting.empty()) return config_.greeting;
  // A prompt such as "You are …" is an instruction to the model, not a greeting.
  std::string sentence = first_sentence(config_.system_prompt);
  if (sentence.empty() || sentence.rfind("You ", 0) == 0 || sentence.rfind("Your ", 0) == 0)
    return "Hello, how can I help you?";
  return sentence;
}

SpokenReply SpokenReplies::with_tool(const char* tool, std::string args, std::string text) const {
  bool known = std::any_of(config_.tools.begin(), config_.tools.end(),
                           [&](const lib::Tool& t) { return t.name == tool; });
  if (!known) return {std::move(text), {}, "{}"};
  return {std::move(text), tool, std::move(args)};
}

SpokenReply SpokenReplies::reply(Intent intent, const std::string& text) const {
  switch (intent) {
    case Intent::yes:
      return {"Very good. What else can I do for you?", {}, "{}"};
    case Intent::no:
      return {"All right. Is there anything else?", {}, "{}"};
    case Intent::help:
      return {"You can say operator, call me later, repeat that please, or goodbye.", {}, "{}"};
    case Intent::repeat:
      return {last_said_.empty() ? "I have not said anything yet." : last_said_, {}, "{}"};
    case Intent::transfer:
      return with_tool("transfer_to_user",
                       R"({"target":"operator","reason":"the caller asked for a person"})",
                       "One moment please, I will connect you.");
    case Intent::later:
      return with_tool("callback_later", R"({"note":"the caller asked to be called later"})",
                       "All right, we will call again later. Goodbye.");
    case Intent::goodbye:
      return with_tool("hang_up", R"({"reason":"the caller said goodbye"})",
                       "Goodbye, and thank you for the call.");
    case Intent::none:
      break;
  }
  if (text.empty()) return {"I am sorry, I did not catch that.", {}, "{}"};
  return {"You said: " + text + ".", {}, "{}"};
}

SpokenReply SpokenReplies::reply_to_nudge(const std::string& text) const {
  if (size_t say = text.find("Say: "); say != std::string::npos) return {text.substr(say + 5), {}, "{}"};
  if (mentions(text, "silent") || mentions(text, "still there")) return {"Are you still there?", {}, "{}"};
  if (mentions(text, "goodbye") || mentions(text, "end the call")) return {"Goodbye.", {}, "{}"};
  return {};
}

}  // namespace patchbay::engine_local
