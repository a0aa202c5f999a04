#include <patchbay/plugin.h>

#include <memory>

#include "archive.h"
#include "routes.h"
#include "saver.h"

namespace {

using namespace patchbay;               // NOLINT(google-build-using-namespace)
using namespace patchbay::transcripts;  // NOLINT(google-build-using-namespace)

class TranscriptsPlugin final : public Plugin {
  Status start(const Config& /*config*/) override {
    const std::string folder(from_abi(host().store->data_folder(host().self)));
    parts_ = std::make_unique<Parts>(host(), folder);
    return {};
  }

  // Nobody writes before the service is offered.
  void finish_start(Done done) override {
    auto shared = std::make_shared<Done>(std::move(done));
    const Status taken = post_worker(host(), [this, shared] {
      parts_->archive.remove_unfinished();
      post(host(), kMainStrand, [this, shared] {
        parts_->routes.open();
        (*shared)(parts_->saver.open());
      });
    });
    if (!taken) (*shared)(taken);
  }

  // There is nothing to configure.
  Status check_config(const Config& /*config*/) override { return {}; }

  struct Parts {
    Parts(const Host& host, const std::string& folder)
        : archive(folder), saver(host, archive), routes(host, archive) {}
    Archive archive;
    Saver saver;
    TranscriptRoutes routes;
  };
  std::unique_ptr<Parts> parts_;
};

}  // namespace

PATCHBAY_PLUGIN(TranscriptsPlugin)
