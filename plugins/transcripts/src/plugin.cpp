#include <patchbay/plugin.h>

#include <memory>

#include "archive.h"
#include "retention.h"
#include "routes.h"
#include "saver.h"

namespace {

using namespace patchbay;               // NOLINT(google-build-using-namespace)
using namespace patchbay::transcripts;  // NOLINT(google-build-using-namespace)

class TranscriptsPlugin final : public Plugin {
  Status start(const Config& config) override {
    const std::string folder(from_abi(host().store->data_folder(host().self)));
    parts_ = std::make_unique<Parts>(host(), folder);
    reconfigure(config);
    return {};
  }

  // Deletes temporary files before the service is published, because then writes begin.
  void finish_start(Done done) override {
    auto shared = std::make_shared<Done>(std::move(done));
    const Status posted = post_worker(host(), [this, shared] {
      parts_->archive.remove_temporary();
      post(host(), kMainStrand, [this, shared] {
        parts_->routes.open();
        if (parts_->retention) parts_->retention->sweep();  // null if stop() came first
        (*shared)(parts_->saver.publish());
      });
    });
    if (!posted) (*shared)(posted);
  }

  Status check_config(const Config& /*config*/) override { return {}; }
  void reconfigure(const Config& config) override {
    parts_->retention->set_keep_days(config.plugin()["keepDays"].integer());
  }

  // Destroys only the retention, whose timer must end on the strand; workers may still use the rest.
  void stop(Done done) override {
    parts_->retention.reset();
    done();
  }

  struct Parts {
    Parts(const Host& host, const std::string& folder)
        : archive(folder),
          saver(host, archive),
          retention(std::make_unique<Retention>(host, archive)),
          routes(host, archive) {}
    Archive archive;
    Saver saver;
    std::unique_ptr<Retention> retention;
    TranscriptRoutes routes;
  };
  std::unique_ptr<Parts> parts_;
};

}  // namespace

PATCHBAY_PLUGIN(TranscriptsPlugin)
