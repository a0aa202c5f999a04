// Speech to text, offline, with pocketsphinx: each utterance is decoded by a language model and by a grammar
// of the commands. Runs on worker threads, each with its own decoders, because decoding takes a tenth of the
// audio's length.
#pragma once

#include <patchbay/result.h>

#include <cstdint>
#include <functional>
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
  int workers = 0;  // threads, a setting; each takes about 100 MB after its first use
};

class Recogniser {
 public:
  explicit Recogniser(RecogniserOptions options);
  ~Recogniser();  // drops queued work without calling back

  // [any] Loads the models unless they are loaded. Calls back on a worker thread.
  void warm_up(std::function<void(Status)> done);
  // [any] Decodes one utterance, 16 kHz. Calls back on a worker thread, with an empty text if the queue is
  // full or the models are missing.
  void recognise(std::vector<int16_t> samples, std::function<void(Recognition)> done);

 private:
  class Decoders;

  const RecogniserOptions options_;
  lib::WorkerQueue<Decoders> queue_;
};

}  // namespace patchbay::engine_local
