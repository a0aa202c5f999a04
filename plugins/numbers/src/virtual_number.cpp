#include "virtual_number.h"

#include <algorithm>

#include "number/number.h"

namespace patchbay::numbers {

Result<std::string> normalise(std::string_view number) {
  auto normal = lib::normalise_number(number);
  if (!normal)
    return {
        Code::invalid,
        "number must be + and up to 15 digits, or an extension of up to 20 digits; for example +4930123450"};
  return *std::move(normal);
}

void read_members(VirtualNumber& number, JsonView from) {
  number.name = from.text("name", number.name);
  number.mode = from.text("mode", number.mode);
  number.user = from.text("user", number.user);
  number.voice = from.text("voice", number.voice);
  number.language = from.text("language", number.language);
  number.model = from.text("model", number.model);
  number.system_prompt = from.text("systemPrompt", number.system_prompt);
  number.api_key = from.text("apiKey", number.api_key);
  number.greeting = from.text("greeting", number.greeting);
  number.save_transcripts = from.boolean("saveTranscripts", number.save_transcripts);
  number.max_duration_sec = from.integer("maxDurationSec", number.max_duration_sec);
  number.visibility = from.text("visibility", number.visibility);
  number.transfer_by = from.text("transferBy", number.transfer_by);
  const JsonView targets = from["transferTargets"];
  if (!targets.is_array()) return;
  number.transfer_targets.clear();
  for (size_t i = 0; i < targets.size(); ++i) number.transfer_targets.emplace_back(targets.at(i).text());
}

Status check(const VirtualNumber& number) {
  if (number.mode == kLiveVoiceAi && number.system_prompt.empty())
    return {Code::invalid, "systemPrompt is required with the mode live-voice-ai"};
  if (number.mode == kRingUser && number.user.empty())
    return {Code::invalid, "user is required with the mode ring-user: the name of the user who is called"};
  return {};
}

Summary summary_of(const VirtualNumber& number) {
  return {number.name, number.number, number.mode, number.user, number.visibility};
}

Number reply_of(const VirtualNumber& number) {
  return {number.name,
          number.number,
          number.mode,
          number.user,
          number.voice,
          number.language,
          number.model,
          number.system_prompt,
          number.api_key,
          number.greeting,
          number.save_transcripts,
          number.max_duration_sec,
          number.visibility,
          join_targets(number.transfer_targets),
          number.transfer_by};
}

std::string join_targets(const std::vector<std::string>& targets) {
  std::string lines;
  for (const std::string& target : targets) lines.append(lines.empty() ? "" : "\n").append(target);
  return lines;
}

std::vector<std::string> split_targets(std::string_view lines) {
  std::vector<std::string> targets;
  while (!lines.empty()) {
    const size_t end = std::min(lines.find('\n'), lines.size());
    targets.emplace_back(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return targets;
}

}  // namespace patchbay::numbers
