// Speech to text, offline, with pocketsphinx: each utterance is decoded by a language model and by a grammar
// of the commands. Runs on worker threads, each with its own decoders, because decoding takes a tenth of the
// audio's length. Thread and decoders exist from the first use until the recogniser has been unused for a
// while.
#pragma once

#include <patchbay/result.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/worker_queue.h"
#include "intent.h"

namespace patchbay::engine_local {

struct Recognition {
  std::string text;  // by the language model; lower case, "" if nothing was recognised
  Intent intent = Intent::none;
};

struct RecogniserOptions {
  std::string model_dir = "/usr/share/pocketsphinx/model/en-us";
  int workers = 0;  // threads, a setting; each takes about 100 MB while its models are loaded
  std::chrono::milliseconds unload_after{};  // a setting
};

// [any] Code::unavailable: a file of the models is missing or cannot be read.
Status check_models(const std::string& model_dir);

class Recogniser {
 public:
  explicit Recogniser(RecogniserOptions options);
  ~Recogniser();  // drops queued work without calling back

  // [any] A call holds it; until it is released, the models are not unloaded.
  std::shared_ptr<void> use() const;
  // [any] Applies when the recogniser becomes idle the next time.
  void set_unload_after(std::chrono::milliseconds time);
  // [any] How many threads have loaded the models.
  int loaded() const noexcept { return loaded_; }

  // [any] Loads the models unless they are loaded. Calls back on a worker thread; on this one if there is
  // none.
  void warm_up(const std::function<void(Status)>& done);
  // [any] Decodes one utterance, 16 kHz. Calls back as warm_up(), with an empty text if the queue is full or
  // the models are missing.
  void recognise(std::vector<int16_t> samples, const std::function<void(Recognition)>& done);

 private:
  class Decoders;
  using Queue = lib::WorkerQueue<Decoders>;

  const RecogniserOptions options_;
  std::atomic<int> loaded_{0};
  std::unique_ptr<Queue> queue_;
};

}  // namespace patchbay::engine_local
