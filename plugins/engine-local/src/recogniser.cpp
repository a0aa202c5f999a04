#include "recogniser.h"

#include <patchbay/descriptor.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>  // defines __GLIBC__
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

#include "local_limits.h"
#include "pocketsphinx_library.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace patchbay::engine_local {
namespace {

using Decoder = std::unique_ptr<ps_decoder_t, decltype(PocketsphinxLibrary::ps_free)>;

std::string dictionary_of(const std::string& model_dir) { return model_dir + "/cmudict-en-us.dict"; }
std::string acoustics_of(const std::string& model_dir) { return model_dir + "/en-us"; }
std::string language_model_of(const std::string& model_dir) { return model_dir + "/en-us.lm.bin"; }

// A file in memory, with a path, because the decoder loads its dictionary by path.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& content) : fd_(::memfd_create("dictionary", MFD_CLOEXEC)) {
    size_t done = 0;
    while (fd_ && done < content.size()) {
      ssize_t part = ::write(fd_.get(), content.data() + done, content.size() - done);
      if (part <= 0) break;
      done += static_cast<size_t>(part);
    }
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_.get()); }

 private:
  Descriptor fd_;
};

// Reduces the dictionary to the words of the commands: 6 MB per decoder instead of 28.
std::string command_dictionary(const std::string& path) {
  std::set<std::string, std::less<>> words;
  for (const auto& [sentence, intent] : commands()) {
    std::istringstream stream{std::string(sentence)};
    for (std::string word; stream >> word;) words.insert(word);
  }
  std::ifstream file(path);
  std::string out;
  for (std::string line; std::getline(file, line);)
    if (words.count(line.substr(0, line.find_first_of(" (\t"))) != 0) out += line + "\n";
  return out;
}

std::string grammar() {
  std::string out = "#JSGF V1.0;\ngrammar commands;\npublic <command> =";
  const char* separator = " ";
  for (const auto& [sentence, intent] : commands()) {
    out += separator + std::string(sentence);
    separator = " | ";
  }
  return out + ";\n";
}

}  // namespace

// The decoders of one thread. Loading them takes 0.3 to 0.4 s, releasing them gives the memory back to the
// system.
class Recogniser::Decoders {
 public:
  Decoders(const RecogniserOptions& options, std::atomic<int>& loaded) : options_(options), loaded_(loaded) {}
  Decoders(Decoders&&) noexcept = default;
  ~Decoders() {
    if (!language_model_) return;
    --loaded_;
    grammar_.reset();
    language_model_.reset();
#ifdef __GLIBC__
    malloc_trim(0);
#endif
  }

  Status load() {
    if (language_model_) return {};
    const std::string& dir = options_.model_dir;
    PB_TRY(check_models(dir));
    PB_TRY_VALUE(sphinx_, PocketsphinxLibrary::load());
    const MemoryFile command_words(command_dictionary(dictionary_of(dir)));
    grammar_ = make_decoder("-dict", command_words.path().c_str());
    if (!grammar_ || !use_grammar(grammar_.get())) return {Code::failed, "the grammar could not be loaded"};
    language_model_ =
        make_decoder("-dict", dictionary_of(dir).c_str(), "-lm", language_model_of(dir).c_str());
    if (!language_model_) return {Code::failed, "the speech model could not be loaded"};
    ++loaded_;
    return {};
  }

  Recognition recognise(const std::vector<int16_t>& samples) {
    if (!load()) return {};
    Recognition out;
    out.text = decode(language_model_.get(), samples);
    out.intent = agreed_intent(decode(grammar_.get(), samples), out.text);
    return out;
  }

 private:
  template <class... Options>
  Decoder make_decoder(Options... options) const {
    cmd_ln_t* config = sphinx_.cmd_ln_init(nullptr, sphinx_.ps_args(), TRUE, "-hmm",
                                           acoustics_of(options_.model_dir).c_str(), "-maxhmmpf", "3000",
                                           "-fwdflat", "no", "-logfn", "/dev/null", options..., nullptr);
    Decoder decoder(config != nullptr ? sphinx_.ps_init(config) : nullptr, sphinx_.ps_free);
    if (config != nullptr) sphinx_.cmd_ln_free_r(config);
    return decoder;
  }

  // Replaces ps_set_jsgf_string, which leaks the parsed grammar.
  bool use_grammar(ps_decoder_t* decoder) const {
    jsgf_t* parsed = sphinx_.jsgf_parse_string(grammar().c_str(), nullptr);
    if (!parsed) return false;
    jsgf_rule_t* rule = sphinx_.jsgf_get_public_rule(parsed);
    const auto weight = static_cast<float32>(sphinx_.cmd_ln_float_r(sphinx_.ps_get_config(decoder), "-lw"));
    fsg_model_t* model =
        rule ? sphinx_.jsgf_build_fsg(parsed, rule, sphinx_.ps_get_logmath(decoder), weight) : nullptr;
    const bool set = model && sphinx_.ps_set_fsg(decoder, "commands", model) == 0 &&
                     sphinx_.ps_set_search(decoder, "commands") == 0;
    if (model) sphinx_.fsg_model_free(model);
    sphinx_.jsgf_grammar_free(parsed);
    return set;
  }

  std::string decode(ps_decoder_t* decoder, const std::vector<int16_t>& samples) const {
    if (sphinx_.ps_start_utt(decoder) < 0) return {};
    // Passes the whole utterance at once, so that the decoder normalises by it and not by earlier ones.
    sphinx_.ps_process_raw(decoder, samples.data(), samples.size(), FALSE, TRUE);
    sphinx_.ps_end_utt(decoder);
    int32 score = 0;
    const char* text = sphinx_.ps_get_hyp(decoder, &score);
    return text ? text : "";
  }

  // borrowed
  const RecogniserOptions& options_;
  std::atomic<int>& loaded_;
  // owned
  PocketsphinxLibrary sphinx_{};
  Decoder grammar_{nullptr, nullptr};
  Decoder language_model_{nullptr, nullptr};
};

Status check_models(const std::string& model_dir) {
  for (const auto& file :
       {dictionary_of(model_dir), acoustics_of(model_dir) + "/mdef", language_model_of(model_dir)})
    if (::access(file.c_str(), R_OK) != 0)
      return {Code::unavailable, "the speech model is missing (" + file + "): install pocketsphinx-en-us"};
  return {};
}

Recogniser::Recogniser(RecogniserOptions options)
    : options_(std::move(options)),
      queue_(std::make_unique<Queue>(
          options_.workers, [this] { return Decoders(options_, loaded_); }, options_.unload_after)) {}

Recogniser::~Recogniser() = default;

std::shared_ptr<void> Recogniser::use() const { return std::make_shared<Queue::Use>(queue_->use()); }
void Recogniser::set_unload_after(std::chrono::milliseconds time) { queue_->set_idle(time); }

void Recogniser::warm_up(const std::function<void(Status)>& done) {
  if (queue_->push([done](Decoders& decoders) { done(decoders.load()); })) return;
  done({Code::exhausted, "no thread can be started for the speech model"});
}

void Recogniser::recognise(std::vector<int16_t> samples, const std::function<void(Recognition)>& done) {
  std::vector<Queue::Job> jobs;
  jobs.emplace_back([samples = std::move(samples), done](Decoders& decoders) {
    done(samples.empty() ? Recognition{} : decoders.recognise(samples));
  });
  if (queue_->push_all(std::move(jobs), kMaxWaitingUtterances)) return;
  if (!queue_->push([done](Decoders&) { done({}); })) done({});
}

}  // namespace patchbay::engine_local
