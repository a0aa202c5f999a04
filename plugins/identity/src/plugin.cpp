#include <patchbay/plugin.h>

#include <optional>

#include "api_key_routes.h"
#include "api_key_store.h"
#include "bearer_verifier.h"
#include "context.h"
#include "discovery_routes.h"
#include "login/authorize_routes.h"
#include "login/logout_routes.h"
#include "login/session_store.h"
#include "revocation_routes.h"
#include "signing_key_routes.h"
#include "signing_key_store.h"
#include "sip_passwords.h"
#include "sweep.h"
#include "token_routes.h"
#include "user_routes.h"
#include "userinfo_routes.h"

namespace patchbay::identity {
namespace {

class Identity final : public Plugin {
  Status start(const Config& config) override {
    context_.emplace(host());
    PB_TRY_VALUE(context_->settings, Settings::read(config));
    prepare_passwords();
    return {};
  }

  // Serves requests only once the signing key is loaded.
  void finish_start(Done done) override {
    key_store_ = std::make_unique<SigningKeyStore>(*context_);
    key_store_->load([this, done = std::move(done)](const Status& loaded) mutable {
      if (!loaded) return done(loaded);
      load_users(std::move(done));
    });
  }

  void load_users(Done done) {
    context_->users.on_change([this] { ++context_->generation; });
    context_->users.refresh([this, done = std::move(done)](const Status& loaded) mutable {
      if (!loaded) return done(loaded);
      load_revoked(std::move(done));
    });
  }

  void load_revoked(Done done) {
    context_->revoked.on_change([this] { ++context_->generation; });
    context_->revoked.refresh([this, done = std::move(done)](const Status& loaded) mutable {
      if (!loaded) return done(loaded);
      context_->revisions.watch("users", [this] { context_->users.refresh([](const Status&) {}); });
      context_->revisions.watch("revoked", [this] { context_->revoked.refresh([](const Status&) {}); });
      context_->revisions.watch("keys", [this] { key_store_->reload([](const Status&) {}); });
      context_->revisions.start();
      done(serve());
    });
  }

  Status check_config(const Config& config) override {
    PB_TRY_VALUE(const Settings settings, Settings::read(config));
    if (!context_) {
      if (!settings.key_file.empty()) PB_TRY(read_key_file(settings.key_file));
      return {};
    }
    if (settings.key_file != context_->settings.key_file)
      return {Code::unsupported, "keyFile changes only by a restart"};
    return {};
  }

  void reconfigure(const Config& config) override {
    auto settings = Settings::read(config);
    if (!settings) return log().error("the configuration was not applied", {{"why", settings.error().text}});
    context_->settings = *std::move(settings);
    ++context_->generation;
    key_store_->note_lifetime();
    prepare_passwords();
  }

  void stop(Done done) override {
    context_->revisions.stop();
    serving_.reset();
    key_store_.reset();
    done();
  }

  struct Serving {
    Serving(Context& context, SigningKeyStore& signing_keys)
        : keys(context.host),
          verifier(context, keys),
          passwords(context.host),
          sign_ins(context, passwords),
          revocation(context),
          refresh(context, revocation),
          codes(context, refresh, revocation),
          sessions(context),
          sweep(context),
          tokens(context, sign_ins, refresh, codes),
          authorize(context, verifier, sign_ins, sessions, codes),
          logout(context, verifier, sessions, revocation),
          revocation_routes(context, verifier, refresh, revocation),
          key_routes(context, keys),
          user_routes(context, passwords),
          signing_key_routes(context, signing_keys),
          auth(context.host),
          routes(context.host) {}
    ApiKeyStore keys;
    BearerVerifier verifier;
    PasswordQueue passwords;
    SignInChecker sign_ins;
    Revocation revocation;
    RefreshTokens refresh;
    CodeStore codes;
    SessionStore sessions;
    Sweep sweep;
    TokenRoutes tokens;
    AuthorizeRoutes authorize;
    LogoutRoutes logout;
    RevocationRoutes revocation_routes;
    ApiKeyRoutes key_routes;
    UserRoutes user_routes;
    SigningKeyRoutes signing_key_routes;
    Provision<auth::Auth> auth;
    http::Routes routes;
  };

  Status serve() {
    serving_ = std::make_unique<Serving>(*context_, *key_store_);
    serving_->auth.on(auth::Auth::verify, [this](const auth::Verify& request, Reply<auth::Principal> reply) {
      serving_->verifier.verify(request,
                                [reply = std::move(reply)](Result<auth::Principal> principal) mutable {
                                  reply(std::move(principal));
                                });
    });
    serving_->auth.on(auth::Auth::sip_digest,
                      [this](const auth::SipDigest& request) -> Result<auth::SipCredential> {
                        return sip_credential(*context_, request);
                      });
    PB_TRY(serving_->auth.publish());
    serving_->tokens.add_to(serving_->routes);
    serving_->authorize.add_to(serving_->routes);
    serving_->logout.add_to(serving_->routes);
    serving_->revocation_routes.add_to(serving_->routes);
    add_userinfo_routes(serving_->routes, *context_);
    serving_->key_routes.add_to(serving_->routes);
    serving_->user_routes.add_to(serving_->routes);
    serving_->signing_key_routes.add_to(serving_->routes);
    add_discovery_routes(serving_->routes, *context_);
    serving_->routes.open();
    return {};
  }

  // Hashes plain-text passwords on a worker. An earlier sign-in hashes its user's password itself.
  void prepare_passwords() {
    const Status posted = post_worker(host(), [all = context_->settings.credentials()] {
      for (const auto& credential : all) credential->prepare();
    });
    if (!posted) log().warn("passwords are hashed at the first sign-in", {{"why", posted.error().text}});
  }

  std::optional<Context> context_;
  std::unique_ptr<SigningKeyStore> key_store_;
  std::unique_ptr<Serving> serving_;
};

}  // namespace
}  // namespace patchbay::identity

PATCHBAY_PLUGIN(patchbay::identity::Identity)
