#include "recogniser.h"

#include <patchbay/descriptor.h>
#include <pocketsphinx.h>
#include <sphinxbase/fsg_model.h>
#include <sphinxbase/jsgf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <sstream>

#include "local_limits.h"

namespace patchbay::engine_local {
namespace {

struct DecoderDeleter {
  void operator()(ps_decoder_t* decoder) const { ps_free(decoder); }
};
using Decoder = std::unique_ptr<ps_decoder_t, DecoderDeleter>;

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

template <class... Options>
Decoder make_decoder(const std::string& model, Options... options) {
  cmd_ln_t* config = cmd_ln_init(nullptr, ps_args(), TRUE, "-hmm", model.c_str(), "-maxhmmpf", "3000",
                                 "-fwdflat", "no", "-logfn", "/dev/null", options..., nullptr);
  if (!config) return nullptr;
  Decoder decoder(ps_init(config));
  cmd_ln_free_r(config);
  return decoder;
}

// Replaces ps_set_jsgf_string, which leaks the parsed grammar.
bool use_grammar(ps_decoder_t* decoder) {
  jsgf_t* parsed = jsgf_parse_string(grammar().c_str(), nullptr);
  if (!parsed) return false;
  jsgf_rule_t* rule = jsgf_get_public_rule(parsed);
  auto weight = static_cast<float32>(cmd_ln_float32_r(ps_get_config(decoder), "-lw"));
  fsg_model_t* model = rule ? jsgf_build_fsg(parsed, rule, ps_get_logmath(decoder), weight) : nullptr;
  bool set = model && ps_set_fsg(decoder, "commands", model) == 0 && ps_set_search(decoder, "commands") == 0;
  if (model) fsg_model_free(model);
  jsgf_grammar_free(parsed);
  return set;
}

std::string decode(ps_decoder_t* decoder, const std::vector<int16_t>& samples) {
  if (ps_start_utt(decoder) < 0) return {};
  // Passes the whole utterance at once, so that the decoder normalises by it and not by earlier ones.
  ps_process_raw(decoder, samples.data(), samples.size(), FALSE, TRUE);
  ps_end_utt(decoder);
  int32 score = 0;
  const char* text = ps_get_hyp(decoder, &score);
  return text ? text : "";
}

}  // namespace

class Recogniser::Decoders {
 public:
  explicit Decoders(const RecogniserOptions& options) : options_(options) {}

  Status load() {
    if (language_model_) return {};
    const std::string& dir = options_.model_dir;
    std::string dictionary = dir + "/cmudict-en-us.dict", model = dir + "/en-us", lm = dir + "/en-us.lm.bin";
    for (const auto& file : {dictionary, model + "/mdef", lm})
      if (::access(file.c_str(), R_OK) != 0)
        return {Code::unavailable, "the speech model is missing (" + file + "): install pocketsphinx-en-us"};
    MemoryFile command_words(command_dictionary(dictionary));
    grammar_ = make_decoder(model, "-dict", command_words.path().c_str());
    if (!grammar_ || !use_grammar(grammar_.get())) return {Code::failed, "the grammar could not be loaded"};
    language_model_ = make_decoder(model, "-dict", dictionary.c_str(), "-lm", lm.c_str());
    if (!language_model_) return {Code::failed, "the speech model could not be loaded"};
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
  const RecogniserOptions& options_;
  Decoder grammar_;
  Decoder language_model_;
};

Recogniser::Recogniser(RecogniserOptions options)
    : options_(std::move(options)), queue_(options_.workers, [this] { return Decoders(options_); }) {}

Recogniser::~Recogniser() = default;

void Recogniser::warm_up(std::function<void(Status)> done) {
  queue_.push([done = std::move(done)](Decoders& decoders) { done(decoders.load()); });
}

void Recogniser::recognise(std::vector<int16_t> samples, std::function<void(Recognition)> done) {
  std::vector<lib::WorkerQueue<Decoders>::Job> jobs;
  jobs.emplace_back([samples = std::move(samples), done](Decoders& decoders) {
    done(samples.empty() ? Recognition{} : decoders.recognise(samples));
  });
  if (queue_.push_all(std::move(jobs), kMaxWaitingUtterances)) return;
  queue_.push([done = std::move(done)](Decoders&) { done({}); });
}

}  // namespace patchbay::engine_local
