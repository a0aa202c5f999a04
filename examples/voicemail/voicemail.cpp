#include <patchbay/plugin.h>
#include <patchbay/services/answerer.h>
#include <patchbay/services/audit.h>
#include <patchbay/services/http_range.h>
#include <patchbay/services/http_routes.h>
#include <patchbay/services/voice_call.h>
#include <patchbay/store.h>
#include <patchbay/tone.h>
#include <patchbay/wav_file.h>

#include <map>
#include <memory>
#include <optional>
#include <set>

namespace {

using namespace patchbay;
using telephony::VoiceCall;
constexpr char kPath[] = "/api.ashx/v1/voicemails";
constexpr uint32_t kRateHz = 8000;
constexpr int64_t kHourMs = 3'600'000, kShortestMs = 1000;  // what is shorter is no message
constexpr char kMessage[] = R"({"type": "object", "properties": {
  "id": {"type": "integer"}, "callId": {"type": "string"}, "did": {"type": "string"}, "fromNumber": {"type": "string"},
  "createdMs": {"type": "integer"}, "durationMs": {"type": "integer"}}})";

class Voicemail final : public Plugin {
  Status start(const Config& config) override {
    reconfigure(config);
    add_route("GET", kPath, "Lists the messages, newest first", &Voicemail::list);
    add_route("GET", std::string(kPath) + "/{id}/audio", "The audio of a message", &Voicemail::download);
    add_route("DELETE", std::string(kPath) + "/{id}", "Removes a message", &Voicemail::remove);
    expire();
    return {};
  }
  Status check_config(const Config&) override { return {}; }  // accepts all that the schema allows
  void reconfigure(const Config& config) override {
    max_ms_ = config.plugin()["maxSec"].integer(120) * 1000;
    keep_ms_ = config.plugin()["keepDays"].integer(30) * 24 * kHourMs;
    greeting_file_ = config.plugin()["greeting"].text();
    numbers_.clear();
    for (const Config::Tenant& tenant : config.tenants())
      for (size_t i = 0; i < tenant.section["numbers"].size(); ++i)
        numbers_[std::string(tenant.host)].emplace(tenant.section["numbers"].at(i).text());
  }
  // Answers calls once the greeting is there.
  void finish_start(Done done) override {
    greeting_ = make_tone({440, 0, -12, 0, 0}, kRateHz, 300);
    if (greeting_file_.empty()) return begin(std::move(done));
    load_wav(host(), greeting_file_, kRateHz,
             [this, done = std::move(done)](Result<Samples> greeting) mutable {
               if (!greeting) return done(greeting.error());
               greeting_ = *std::move(greeting);
               begin(std::move(done));
             });
  }
  void begin(Done) {  // is done when it returns
    const Samples beep = make_tone(tones::beep(), kRateHz, 500);
    greeting_.insert(greeting_.end(), beep.begin(), beep.end());
    routes_.open();
    answerer_.emplace(host(), "voicemail", 10,
                      [this](auto call, auto reply) { take(call, std::move(reply)); });
  }

  // Running calls may end; then what they recorded is stored.
  void drain(Done done) override {
    answerer_.reset();
    idle_.emplace(std::move(done));
    finish_if_idle();
  }
  void stop(Done done) override {
    for (const auto& call : calls_) call.second->close();
    drain(std::move(done));
  }
  void finish_if_idle() {
    if (calls_.empty() && storing_ == 0) idle_.reset();  // completes the step
  }

  void take(const telephony::Offer& offer, Reply<telephony::Taken> reply) {
    if (numbers_[offer.tenant].count(offer.did) == 0) return reply(telephony::Taken{});
    VoiceCall& call = *(calls_[offer.call_id] = std::make_unique<VoiceCall>(host(), kRateHz));
    call.on_ready([this, &call, offer] {
      call.player().play(greeting_, [this, &call, offer] { record(call, offer); });
    });
    call.on_digit([this, &call, offer](char key) {  // # ends the greeting, or the message
      if (key == '#') call.player().playing() ? record(call, offer) : call.recorder().stop();
    });
    call.on_ended([this, id = offer.call_id](const telephony::Ended&) {
      calls_.erase(id);
      finish_if_idle();
    });
    reply(telephony::Taken{call.listener(), 0, ""});
    call.answer(offer.leg);
  }
  void record(VoiceCall& call, const telephony::Offer& offer) {
    call.player().stop();
    call.recorder().start(max_ms_, [this, &call, offer](const Wav& wav) {
      store(offer, wav);
      call.hangup("the message is recorded");
    });
  }
  void store(const telephony::Offer& offer, const Wav& wav) {
    if (wav.duration_ms() < kShortestMs) return;
    Transaction tx(host());
    tx.exec(add_, {offer.tenant, offer.call_id, offer.did, offer.from_number, host().wall_ms(),
                   wav.duration_ms(), Value::bytes(wav_bytes(wav))});
    JsonWriter json;
    json.object().member("did", offer.did).member("fromNumber", offer.from_number);
    tx.emit({"voicemail.received", offer.tenant, offer.call_id, offer.call_id,
             json.member("durationMs", wav.duration_ms()).end().str()});
    ++storing_;
    std::move(tx).commit([this, id = offer.call_id](const Commit& done) {
      if (!done) log().error("a message was not stored", {{"call", id}, {"why", done.error().text}});
      --storing_;
      finish_if_idle();
    });
  }
  void expire() {
    Transaction tx(host());
    for (const auto& tenant : numbers_) tx.exec(expire_, {tenant.first, host().wall_ms() - keep_ms_});
    std::move(tx).commit([](const Commit&) {});
    timer_.after_ms(kHourMs, [this] { expire(); });
  }

  using Answer = Reply<http::Response>;
  void add_route(const char* method, std::string path, const char* summary,
                 void (Voicemail::*handler)(const http::Request&, Answer)) {
    http::Route route;
    route.method = method;
    route.list = path == kPath;
    route.path = std::move(path);
    route.role = "user";
    route.area = "voicemail";
    route.summary = summary;
    if (route.list) route.reply_schema = kMessage;
    if (handler == &Voicemail::download) route.documents = http::range_documents("audio/wav");
    routes_.add(route, [this, handler](const http::Request& request, Answer answer) {
      (this->*handler)(request, std::move(answer));
    });
  }
  void list(const http::Request& request, Answer answer) {
    query_number(host(), count_, {request.tenant},
                 [this, request, answer = std::move(answer)](const Result<int64_t>& total) mutable {
                   if (!total) return answer(total.error());
                   query_json(
                       host(), list_, {request.tenant, request.limit, request.offset},
                       "id callId did fromNumber createdMs durationMs",
                       [total = *total, answer = std::move(answer)](const Result<JsonRows>& rows) mutable {
                         if (!rows) return answer(rows.error());
                         http::Response response;
                         response.bytes = rows->text;
                         response.total = total;
                         answer(std::move(response));
                       });
                 });
  }
  void download(const http::Request& request, Answer answer) {
    query(host(), audio_of_, {request.tenant, request.params.integer("id")},
          [request, answer = std::move(answer)](const Result<Rows>& rows) mutable {
            if (!rows) return answer(rows.error());
            if (rows->empty()) return answer(http::error(404, "not_found", "there is no such message"));
            http::Response response;
            response.content_type = "audio/wav";
            response.bytes = Buffer::copy(rows->text(0, 0));
            answer(http::ranged(request, std::move(response)));
          });
  }
  void remove(const http::Request& request, Answer answer) {
    Transaction tx(host());
    tx.exec(remove_, {request.tenant, request.params.integer("id")}, 1);  // fails unless one row changes
    trail_.commit(std::move(tx),
                  audit::record_of(request, "voicemail.deleted", request.params.text("id"), "", ""),
                  [answer = std::move(answer)](const Commit& commit) mutable {
                    if (commit.code() == Code::conflict)
                      return answer(http::error(404, "not_found", "there is no such message"));
                    if (!commit) return answer(commit.error());
                    answer(http::ok(R"({"ok":true})"));
                  });
  }

  const Statement add_ = Statement::find(host(), "add"), count_ = Statement::find(host(), "count");
  const Statement list_ = Statement::find(host(), "list"), audio_of_ = Statement::find(host(), "audio");
  const Statement remove_ = Statement::find(host(), "remove"), expire_ = Statement::find(host(), "expire");
  std::string greeting_file_;
  int64_t max_ms_ = 0, keep_ms_ = 0;
  std::map<std::string, std::set<std::string>> numbers_;  // by tenant
  Samples greeting_;                                      // with the beep
  audit::Trail trail_{host()};
  std::map<std::string, std::unique_ptr<VoiceCall>> calls_;  // by id
  int storing_ = 0;
  std::optional<Done> idle_;
  Timer timer_{host()};
  http::Routes routes_{host()};
  std::optional<telephony::AnswererRegistration> answerer_;
};

}  // namespace

PATCHBAY_PLUGIN(Voicemail)
