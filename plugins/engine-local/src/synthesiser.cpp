#include "synthesiser.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/voices.h"
#include "flite_library.h"
#include "local_limits.h"

namespace patchbay::engine_local {
namespace {

// How flite imitates each voice.
constexpr std::array<std::pair<std::string_view, Voice>, lib::kVoices.size()> kFliteVoices{{
    {"Aoede", {FliteVoice::slt, 1.0f, 1.0f}},
    {"Autonoe", {FliteVoice::slt, 0.95f, 1.1f}},
    {"Erinome", {FliteVoice::slt, 1.05f, 0.95f}},
    {"Kore", {FliteVoice::slt, 1.1f, 0.9f}},
    {"Laomedeia", {FliteVoice::slt, 0.9f, 1.05f}},
    {"Zephyr", {FliteVoice::slt, 0.9f, 1.15f}},
    {"Achird", {FliteVoice::rms, 0.95f, 1.1f}},
    {"Charon", {FliteVoice::rms, 1.05f, 0.9f}},
    {"Fenrir", {FliteVoice::awb, 0.9f, 1.1f}},
    {"Orus", {FliteVoice::rms, 1.0f, 1.0f}},
    {"Puck", {FliteVoice::awb, 0.95f, 1.0f}},
    {"Sadachbia", {FliteVoice::kal16, 0.95f, 1.1f}},
    {"Schedar", {FliteVoice::rms, 1.1f, 0.95f}},
    {"Umbriel", {FliteVoice::kal16, 1.1f, 0.95f}},
}};

constexpr const Voice* find_voice(std::string_view name) {
  for (const auto& [known, voice] : kFliteVoices)
    if (known == name) return &voice;
  return nullptr;
}
static_assert(std::all_of(lib::kVoices.begin(), lib::kVoices.end(),
                          [](std::string_view name) { return find_voice(name) != nullptr; }));

// Replaces all but printable ASCII by blanks, because flite speaks English only.
std::string to_ascii(const std::string& text) {
  std::string out;
  for (char c : text.substr(0, kMaxSentenceBytes)) out += c >= ' ' && c < 127 ? c : ' ';
  return out;
}

}  // namespace

// The library on the worker thread; loaded with the first sentence.
class Synthesiser::Flite {
 public:
  std::vector<int16_t> synthesise(const std::string& text, const Voice& how) {
    if (!load() || text.find_first_not_of(' ') == std::string::npos) return {};
    cst_voice* voice = FliteLibrary::voice(how.base);
    if (voice == nullptr) return {};
    flite_->feat_set_float(voice->features, "duration_stretch", how.stretch);
    flite_->feat_set_float(voice->features, "f0_shift", how.pitch);
    cst_wave* wave = flite_->flite_text_to_wave(text.c_str(), voice);
    if (wave == nullptr) return {};
    std::vector<int16_t> out;
    if (wave->sample_rate == Synthesiser::kRateHz && wave->num_channels == 1)
      out.assign(wave->samples, wave->samples + wave->num_samples);
    flite_->delete_wave(wave);
    return out;
  }

 private:
  bool load() {
    if (flite_) return true;
    const auto loaded = FliteLibrary::load();
    if (!loaded) return false;
    flite_ = *loaded;
    flite_->flite_init();  // may be called again
    return true;
  }

  std::optional<FliteLibrary> flite_;
};

Voice voice_of(std::string_view name) {
  const Voice* known = find_voice(name);
  return known != nullptr ? *known : *find_voice(lib::kDefaultVoice);
}

Synthesiser::Synthesiser(std::chrono::milliseconds unload_after)
    : queue_(std::make_unique<lib::WorkerQueue<Flite>>(
          1, [] { return Flite(); }, unload_after)) {}

Synthesiser::~Synthesiser() = default;

bool Synthesiser::speak(std::vector<Sentence> sentences, Voice voice) {
  if (sentences.empty() || sentences.size() > kMaxSentences) return false;
  std::vector<lib::WorkerQueue<Flite>::Job> jobs;
  for (Sentence& sentence : sentences)
    jobs.emplace_back([text = to_ascii(sentence.text), done = std::move(sentence.done), voice](Flite& flite) {
      done(flite.synthesise(text, voice));
    });
  return queue_->push_all(std::move(jobs), kMaxWaitingSentences);
}

}  // namespace patchbay::engine_local
