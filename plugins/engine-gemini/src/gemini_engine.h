// The engine `gemini-live`: Google's Gemini Live API over one WebSocket per call.
#pragma once

#include <utility>

#include "engine/engine.h"
#include "options.h"

namespace patchbay::engine_gemini {

class GeminiEngine final : public lib::Engine {
 public:
  explicit GeminiEngine(Options options) : options_(std::move(options)) {}

  const char* name() const override { return "gemini-live"; }
  bool matches(std::string_view model) const override;
  Result<std::unique_ptr<lib::Session>> open(lib::IoThread& io, lib::SessionConfig config,
                                             lib::SessionListener& listener) override;
  // [the strand of open()] Applies to sessions opened later.
  void set_options(Options options) { options_ = std::move(options); }

 private:
  Options options_;
};

}  // namespace patchbay::engine_gemini
