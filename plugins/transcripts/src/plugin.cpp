#include <patchbay/plugin.h>

#include <memory>

#include "archive.h"
#include "deletion.h"
#include "retention.h"
#include "routes.h"
#include "saver.h"
#include "shares/share_routes.h"
#include "shares/share_view.h"

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
        parts_->share_routes.open();
        parts_->share_view.open();
        if (parts_->retention) {  // null if stop() came first
          parts_->deletion.start();
          parts_->retention->sweep();
        }
        (*shared)(parts_->saver.publish());
      });
    });
    if (!posted) (*shared)(posted);
  }

  Status check_config(const Config& /*config*/) override { return {}; }
  void reconfigure(const Config& config) override {
    parts_->retention->set_keep_days(KeepDays::read(config));
  }

  // Destroys only what must end on the strand, timers and jobs; workers may still use the rest.
  void stop(Done done) override {
    parts_->retention.reset();
    parts_->deletion.stop();
    done();
  }

  struct Parts {
    Parts(const Host& host, const std::string& folder)
        : archive(folder),
          saver(host, archive),
          deletion(host, archive),
          retention(std::make_unique<Retention>(host, deletion)),
          routes(host, archive, deletion),
          share_routes(host),
          share_view(host, archive) {}
    Archive archive;
    Saver saver;
    Deletion deletion;
    std::unique_ptr<Retention> retention;
    TranscriptRoutes routes;
    ShareRoutes share_routes;
    ShareView share_view;
  };
  std::unique_ptr<Parts> parts_;
};

}  // namespace

PATCHBAY_PLUGIN(TranscriptsPlugin)
