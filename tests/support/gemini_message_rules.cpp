#include "support/gemini_message_rules.h"

#include <map>
#include <set>
#include <string_view>

namespace patchbay::support {
namespace {

// By path in the setup ("" is the setup itself); other paths accept anything.
const std::map<std::string, std::set<std::string, std::less<>>> kKnown = {
    {"",
     {"model", "generationConfig", "systemInstruction", "tools", "realtimeInputConfig",
      "inputAudioTranscription", "outputAudioTranscription", "sessionResumption", "contextWindowCompression",
      "historyConfig", "safetySettings", "labels", "proactivity"}},
    {".generationConfig",
     {"responseModalities", "temperature", "topP", "topK", "maxOutputTokens", "speechConfig",
      "thinkingConfig", "mediaResolution"}},
    {".generationConfig.speechConfig", {"voiceConfig", "languageCode"}},
    {".generationConfig.speechConfig.voiceConfig", {"prebuiltVoiceConfig"}},
    {".generationConfig.speechConfig.voiceConfig.prebuiltVoiceConfig", {"voiceName"}},
    {".systemInstruction", {"parts", "role"}},
    {".realtimeInputConfig", {"automaticActivityDetection", "activityHandling", "turnCoverage"}},
    {".realtimeInputConfig.automaticActivityDetection",
     {"disabled", "startOfSpeechSensitivity", "endOfSpeechSensitivity", "prefixPaddingMs",
      "silenceDurationMs"}},
    {".sessionResumption", {"handle"}},
    {".contextWindowCompression", {"triggerTokens", "slidingWindow"}},
    {".contextWindowCompression.slidingWindow", {"targetTokens"}},
    {".inputAudioTranscription", {"languageCodes", "customVocabulary", "wordTimestamp", "diarization"}},
    {".outputAudioTranscription", {"languageCodes", "customVocabulary", "wordTimestamp", "diarization"}},
};

Complaint unknown_key(JsonView value, const std::string& place) {
  if (!value.is_object()) return {};
  auto known = kKnown.find(place);
  for (uint32_t i = 0; i < value.size(); ++i) {
    auto [key, member] = value.member(i);
    std::string name(key);
    if (known != kKnown.end() && known->second.count(name) == 0)
      return {1007, "Invalid JSON payload received. Unknown name \"" + name + "\" at 'setup" + place + "'"};
    if (auto inner = unknown_key(member, place + "." + name); inner.code != 0) return inner;
  }
  return {};
}

Complaint check_tools(JsonView tools) {
  for (uint32_t t = 0; t < tools.size(); ++t) {
    JsonView functions = tools.at(t)["functionDeclarations"];
    for (uint32_t f = 0; f < functions.size(); ++f) {
      JsonView parameters = functions.at(f)["parameters"];
      if (!functions.at(f)["name"].is_string()) return {1007, "function without a name"};
      if (!parameters) continue;
      if (parameters["type"].string() != "OBJECT") return {1007, "parameters must be an OBJECT"};
      if (parameters["properties"].size() == 0)
        return {1007, "properties: should be non-empty for OBJECT type"};
    }
  }
  return {};
}

}  // namespace

bool holds_key(JsonView value, const std::string& key) {
  for (uint32_t i = 0; i < value.size(); ++i) {
    if (value.is_array() && holds_key(value.at(i), key)) return true;
    if (!value.is_object()) continue;
    auto [name, member] = value.member(i);
    if (name == key || holds_key(member, key)) return true;
  }
  return false;
}

Complaint check_setup(JsonView setup) {
  if (auto unknown = unknown_key(setup, ""); unknown.code != 0) return unknown;
  std::string_view model = setup["model"].string();
  if (model.substr(0, 14) != "models/gemini-") return {1008, std::string(model) + " is not found"};
  JsonView modalities = setup["generationConfig"]["responseModalities"];
  if (modalities.size() != 1 || modalities.at(0).string() != "AUDIO")
    return {1007, "Cannot extract voices from a non-audio request."};
  if (model.find("-3.8-") != std::string_view::npos && setup["generationConfig"]["thinkingConfig"])
    return {1007, "thinking_config is not supported"};
  if (JsonView handle = setup["sessionResumption"]["handle"]; handle && !handle.is_string())
    return {1008, "Invalid session handle"};
  JsonView detection = setup["realtimeInputConfig"]["automaticActivityDetection"];
  for (const char* key : {"startOfSpeechSensitivity", "endOfSpeechSensitivity"})
    if (detection[key].string().find("MEDIUM") != std::string_view::npos) return {1007, "Invalid value"};
  JsonView compression = setup["contextWindowCompression"];
  if (compression["triggerTokens"] && !compression["triggerTokens"].is_string())
    return {1007, "int64 as string"};
  return check_tools(setup["tools"]);
}

Complaint check_realtime_input(JsonView input) {
  if (input.size() == 0) return {1008, "empty realtimeInput"};
  if (input["mediaChunks"])
    return {1007, "realtime_input.media_chunks is deprecated. Use audio, video, or text instead."};
  if (JsonView audio = input["audio"]; audio && audio["mimeType"].string() != "audio/pcm;rate=16000")
    return {1007, "expected 16khz s16le pcm, mono channel"};
  return {};
}

}  // namespace patchbay::support
