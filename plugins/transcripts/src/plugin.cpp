#include <patchbay/plugin.h>

#include <memory>

#include "archive.h"
#include "deletion.h"
#include "mail/mail_queue.h"
#include "mail/mail_routes.h"
#include "mail/mail_settings.h"
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
    PB_TRY_VALUE(MailSettings mail, MailSettings::read(config));
    parts_ = std::make_unique<Parts>(host(), folder);
    parts_->retention->set_keep_days(KeepDays::read(config));
    parts_->mails.configure(std::move(mail));
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
        parts_->mail_routes.open();
        if (parts_->retention) {  // null if stop() came first
          parts_->deletion.start();
          parts_->mails.start();
          parts_->retention->sweep();
        }
        (*shared)(parts_->provision.publish());
      });
    });
    if (!posted) (*shared)(posted);
  }

  Status check_config(const Config& config) override {
    auto mail = MailSettings::read(config);
    return mail ? Status() : Status(mail.error());
  }
  void reconfigure(const Config& config) override {
    auto mail = MailSettings::read(config);
    if (!mail) return;
    parts_->mails.configure(*std::move(mail));
    parts_->retention->set_keep_days(KeepDays::read(config));
  }
  void drain(Done done) override {
    parts_->mails.drain([done = std::make_shared<Done>(std::move(done))] { (*done)(); });
  }

  // Destroys only what must end on the strand, timers and jobs, and the thread of mails; workers may still
  // use the rest.
  void stop(Done done) override {
    parts_->retention.reset();
    parts_->deletion.stop();
    parts_->mails.stop();
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
          share_view(host, archive),
          mails(host, archive),
          mail_routes(host),
          provision(host) {
      saver.add_to(provision);
      mails.add_to(provision);
    }
    Archive archive;
    Saver saver;
    Deletion deletion;
    std::unique_ptr<Retention> retention;
    TranscriptRoutes routes;
    ShareRoutes share_routes;
    ShareView share_view;
    MailQueue mails;
    MailRoutes mail_routes;
    Provision<Transcripts> provision;
  };
  std::unique_ptr<Parts> parts_;
};

}  // namespace

PATCHBAY_PLUGIN(TranscriptsPlugin)
