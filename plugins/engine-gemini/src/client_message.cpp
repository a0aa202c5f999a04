#include "client_message.h"

#include <patchbay/base64.h>
#include <patchbay/json_string.h>

#include "gemini_limits.h"

namespace patchbay::engine_gemini {
namespace {

void append_declaration(std::string& out, const lib::Tool& tool, const char* behavior) {
  out += R"({"name":)";
  append_json_string(out, tool.name);
  out += R"(,"description":)";
  append_json_string(out, tool.description);
  // Omits "parameters" for a function without arguments, because the server refuses empty "properties".
  if (!tool.parameters.empty()) {
    std::string required;
    out += R"(,"parameters":{"type":"OBJECT","properties":{)";
    for (const auto& parameter : tool.parameters) {
      if (&parameter != &tool.parameters.front()) out += ',';
      append_json_string(out, parameter.name);
      out += R"(:{"type":"STRING","description":)";
      append_json_string(out, parameter.description);
      out += '}';
      if (!parameter.required) continue;
      if (!required.empty()) required += ',';
      append_json_string(required, parameter.name);
    }
    out += '}';
    if (!required.empty()) out += R"(,"required":[)" + required + "]";
    out += '}';
  }
  if (behavior) out += std::string(R"(,"behavior":")") + behavior + '"';
  out += '}';
}

std::string instruction(const lib::SessionConfig& config, const SetupOptions& options) {
  std::string text = config.system_prompt;
  auto paragraph = [&text](const std::string& more) {
    if (!text.empty()) text += "\n\n";
    text += more;
  };
  // Models with native audio ignore the field languageCode.
  if (!config.language.empty())
    paragraph("Speak the language " + config.language + " unless the caller asks for another.");
  if (!options.history.empty())
    paragraph("The call is already under way; carry on without greeting again. What was said so far:\n" +
              options.history);
  return text;
}

void append_generation(std::string& out, const lib::SessionConfig& config, const ModelFamily& family,
                       bool full) {
  out +=
      R"(,"generationConfig":{"responseModalities":["AUDIO"],"speechConfig":{"voiceConfig":{"prebuiltVoiceConfig":{"voiceName":)";
  append_json_string(out, config.voice);
  out += "}}";
  if (full && !config.language.empty()) {
    out += R"(,"languageCode":)";
    append_json_string(out, config.language);
  }
  out += '}';
  if (full && family.thinking) out += std::string(R"(,"thinkingConfig":)") + family.thinking;
  out += '}';
}

}  // namespace

std::string write_setup(const lib::SessionConfig& config, const ModelFamily& family,
                        const SetupOptions& options) {
  bool full = family.full_setup && !options.reduced;
  std::string out = R"({"setup":{"model":)";
  append_json_string(out,
                     config.model.find('/') == std::string::npos ? "models/" + config.model : config.model);
  append_generation(out, config, family, full);
  if (std::string text = instruction(config, options); !text.empty()) {
    out += R"(,"systemInstruction":{"parts":[{"text":)";
    append_json_string(out, text);
    out += "}]}";
  }
  if (!config.tools.empty()) {
    out += R"(,"tools":[{"functionDeclarations":[)";
    for (const auto& tool : config.tools) {
      if (&tool != &config.tools.front()) out += ',';
      append_declaration(out, tool, full ? family.tool_behavior : nullptr);
    }
    out += "]}]";
  }
  if (full)
    out +=
        R"(,"realtimeInputConfig":{"automaticActivityDetection":{"disabled":false,"startOfSpeechSensitivity":"START_SENSITIVITY_HIGH","endOfSpeechSensitivity":"END_SENSITIVITY_HIGH","prefixPaddingMs":)" +
        std::to_string(kPrefixPaddingMs) + R"(,"silenceDurationMs":)" + std::to_string(kEndOfSpeechMs) +
        R"(},"activityHandling":"START_OF_ACTIVITY_INTERRUPTS","turnCoverage":"TURN_INCLUDES_ONLY_ACTIVITY"})";
  out += R"(,"inputAudioTranscription":{},"outputAudioTranscription":{},"sessionResumption":{)";
  if (!options.handle.empty()) {  // omits an empty handle, because the server closes with 1008 on null
    out += R"("handle":)";
    append_json_string(out, options.handle);
  }
  out += '}';
  if (full)
    out += R"(,"contextWindowCompression":{"triggerTokens":")" + std::to_string(kCompressAtTokens) +
           R"(","slidingWindow":{"targetTokens":")" + std::to_string(kCompressAtTokens / 2) + R"("}})";
  return out + "}}";
}

void write_audio(std::string& out, const int16_t* samples, size_t count) {
  out = R"({"realtimeInput":{"audio":{"data":")";
  append_base64(out, samples, count * sizeof(int16_t));
  out += R"(","mimeType":"audio/pcm;rate=16000"}}})";
}

std::string write_text(std::string_view text) {
  std::string out = R"({"realtimeInput":{"text":)";
  append_json_string(out, text);
  return out + "}}";
}

std::string write_context(std::string_view text) {
  std::string out = R"({"clientContent":{"turns":[{"role":"user","parts":[{"text":)";
  append_json_string(out, text);
  return out + R"(}]}],"turnComplete":false}})";
}

std::string write_tool_response(std::string_view id, std::string_view name, std::string_view output_json) {
  std::string out = R"({"toolResponse":{"functionResponses":[{)";
  if (!id.empty()) {
    out += R"("id":)";
    append_json_string(out, id);
    out += ',';
  }
  out += R"("name":)";
  append_json_string(out, name);
  out += R"(,"response":{"output":)";
  out += output_json;
  return out + "}}]}}";
}

}  // namespace patchbay::engine_gemini
