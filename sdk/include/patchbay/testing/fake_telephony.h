// FakeTelephony: patchbay.telephony for tests of plugins that dial, answer or gate calls, or are a place
// where users can be rung. The test is the network: it places inbound calls, answers dialled ones and rings
// users.
//
//   FakeHost host("build/plugins/voicemail.so");
//   FakeAudio audio(host);                        // for plugins that join ports
//   FakeTelephony telephony(host);
//   REQUIRE(why(host.start()) == "");
//   const FakeCall call = telephony.call_in("+4930123456", "+4917112345");
//   REQUIRE(call.is_answered());
//   call.say(make_tone(tones::beep(), 8000, 1000));
//   CHECK(host.advance_ms(2000));
//   call.press("#");
//   call.hang_up();
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "fake_call.h"
#include "fake_ring.h"

namespace patchbay::testing {

// Call every function on the test's thread; each waits until the plugin is idle. Create it before the plugin
// is started; it must live as long as the host.
class FakeTelephony {
 public:
  // `rate_hz`: of the calls' audio, 8000, 16000 or 48000.
  explicit FakeTelephony(TestEnvironment& environment, uint32_t rate_hz = 8000)
      : environment_(&environment), state_(&environment.make<State>(environment.host(), rate_hz)) {
    static_cast<void>(environment.provide<telephony::Telephony>(
        [state = state_](Provision<telephony::Telephony>& provision) { state->fill(provision); }));
  }

  // Places an inbound call, which is offered to the plugin's answerers in their order. When none takes it, it
  // is over, refused with 480 or with what an answerer said.
  FakeCall call_in(telephony::Offer offer) const {
    auto* call = environment_->run([&] { return state_->offer(std::move(offer)); });
    static_cast<void>(environment_->settle());
    return FakeCall(*environment_, *call);
  }
  FakeCall call_in(const std::string& did, const std::string& from_number,
                   const std::string& tenant = "localhost") const {
    telephony::Offer offer;
    offer.did = did;
    offer.from_number = from_number;
    offer.tenant = tenant;
    offer.target = "none";
    return call_in(std::move(offer));
  }

  // The calls that the plugin dialled, in order, and that its gates allowed or refused.
  std::vector<FakeCall> dialled() const {
    static_cast<void>(environment_->settle());
    std::vector<FakeCall> all;
    environment_->run([&] {
      for (const auto& call : state_->calls)
        if (!call->inbound) all.emplace_back(*environment_, *call);
    });
    return all;
  }
  // The latest of them; false if there is none.
  FakeCall last_dialled() const {
    const auto all = dialled();
    return all.empty() ? FakeCall() : all.back();
  }

  // Makes a user reachable: dial_user() succeeds from now on, and its calls are in dialled(), where
  // FakeCall::dial_user() has the request. For other users it fails with Code::not_found.
  void add_user(const std::string& user, const std::string& tenant = "localhost") const {
    environment_->run([&] { state_->users.insert({tenant, user}); });
  }
  // The contacts that the plugin has added, and has not withdrawn.
  std::vector<telephony::AddContact> contacts() const {
    static_cast<void>(environment_->settle());
    return environment_->run([this] {
      std::vector<telephony::AddContact> list;
      for (const auto& [key, each] : state_->contacts) list.push_back(each.contact);
      return list;
    });
  }
  // Calls a user: rings all contacts that the plugin has added for the user, in the order of their names. The
  // first that answers gets the call, the others stop ringing. `request` needs no call_id, fork and listener.
  std::vector<FakeRing> ring_user(telephony::RingContact request) const {
    const auto rings = environment_->run([&] { return state_->ring(std::move(request)); });
    static_cast<void>(environment_->settle());
    std::vector<FakeRing> all;
    for (detail::RingState* each : rings) all.emplace_back(*environment_, *each);
    return all;
  }
  std::vector<FakeRing> ring_user(const std::string& user, const std::string& from_number = "",
                                  const std::string& tenant = "localhost") const {
    telephony::RingContact request;
    request.tenant = tenant;
    request.user = user;
    request.from_number = from_number;
    return ring_user(std::move(request));
  }

  // From now on dial() and reserve() fail so; Code::ok: they succeed again.
  void refuse_dials(Code code, const std::string& text = "no trunk is configured for the number") const {
    environment_->run([&] { state_->refusal = {code, text}; });
  }
  // What reserve() answers from now on.
  void set_reserved(const telephony::Reserved& reserved) const {
    environment_->run([&] { state_->reserved = reserved; });
  }
  // Asks the plugin's gates, as before a call.
  telephony::Verdict ask_gates(const telephony::Check& check) const {
    const Answer<telephony::Verdict> answer(environment_->wait_ms());
    environment_->run([&] {
      state_->ask_gates(check, 0, [answer](const telephony::Verdict& verdict) { answer.give(verdict); });
    });
    auto verdict = answer.get();
    return verdict ? *verdict : telephony::Verdict{false, verdict.error().text};
  }
  // The names of the plugin's answerers and gates.
  std::vector<std::string> answerers() const {
    static_cast<void>(environment_->settle());
    return environment_->run([this] {
      std::vector<std::string> names;
      for (const auto& each : state_->answerers) names.push_back(each.name);
      return names;
    });
  }

 private:
  using Call = detail::CallState;

  // Test's strand.
  struct State {
    State(const Host& to, uint32_t rate) : host(&to), rate_hz(rate) {}

    void fill(Provision<telephony::Telephony>& provision) {
      using T = telephony::Telephony;
      provision.on(T::dial, [this](const telephony::Dial& request) { return dial(request); })
          .on(T::add_gate,
              [this](const telephony::AddGate& gate) -> Result<Empty> {
                gates[gate.name] = gate.gate;
                return Empty{};
              })
          .on(T::status,
              [this](const telephony::StatusOf&) -> Result<telephony::TelephonyStatus> {
                const bool able = refusal.code == Code::ok;
                return telephony::TelephonyStatus{able, able, able ? "" : refusal.text};
              })
          .on(T::reserve,
              [this](const telephony::Reserve&) -> Result<telephony::Reserved> {
                if (refusal.code != Code::ok) return refusal;
                return reserved;
              })
          .on(T::release, [](const telephony::Release&) -> Result<Empty> { return Empty{}; })
          .on(T::add_answerer, [this](const telephony::AddAnswerer& what) { return add_answerer(what); })
          .on(T::add_contact, [this](const telephony::AddContact& what) { return add_contact(what); })
          .on(T::dial_user, [this](const telephony::DialUser& request) { return dial_user(request); });
    }

    Result<telephony::Dialled> dial(const telephony::Dial& request) {
      if (refusal.code != Code::ok) return refusal;
      Call& call = add(false);
      call.dial = request;
      call.own(request.listener, request.ring_timeout_ms);
      ask_gates({request.tenant, request.number, request.call_id, request.correlation}, 0,
                [&call](const telephony::Verdict& verdict) {
                  if (!verdict.allowed) call.end(detail::ended_as("denied", 0, verdict.reason));
                });
      return telephony::Dialled{call.handle()};
    }
    Result<telephony::Dialled> dial_user(const telephony::DialUser& request) {
      if (refusal.code != Code::ok) return refusal;
      if (users.count({request.tenant, request.user}) == 0)
        return Error{Code::not_found, "the user has no contact"};
      Call& call = add(false);
      call.dial_user = request;
      call.own(request.listener, request.ring_timeout_ms);
      return telephony::Dialled{call.handle()};
    }

    Result<Empty> add_contact(const telephony::AddContact& what) {
      if (what.tenant.empty() || what.user.empty() || what.name.empty() || !what.contact)
        return Error{Code::invalid, "a contact has a tenant, a user, a name and a handle"};
      const auto key = std::make_tuple(what.tenant, what.user, what.name);
      contacts[key] = {what, EndWatch(*host, what.contact, [this, key, id = what.contact.id] {
                         const auto at = contacts.find(key);
                         if (at != contacts.end() && at->second.contact.contact.id == id) contacts.erase(at);
                       })};
      return Empty{};
    }
    std::vector<detail::RingState*> ring(telephony::RingContact request) {
      const std::string number = std::to_string(calls.size() + rings.size() + 1);
      if (request.call_id.empty())
        request.call_id = "sip-" + std::string(12 - std::min<size_t>(number.size(), 12), '0') + number;
      auto forks = std::make_shared<std::vector<detail::RingState*>>();  // shared by their callbacks
      for (const auto& [key, each] : contacts) {
        if (each.contact.tenant != request.tenant || each.contact.user != request.user) continue;
        const size_t index = forks->size();
        rings.push_back(std::make_unique<detail::RingState>(*host, each.contact, [forks, index] {
          for (size_t i = 0; i < forks->size(); ++i)
            if (i != index) (*forks)[i]->hangup({"answered at another contact", true});
        }));
        forks->push_back(rings.back().get());
      }
      for (detail::RingState* each : *forks) {
        each->start(request);
        ++request.fork;
      }
      return *forks;
    }

    // Asks those from index `from` on, in the order of their names.
    void ask_gates(const telephony::Check& check, size_t from,
                   Function<void(const telephony::Verdict&)> done) {
      if (from >= gates.size()) return done({true, ""});
      const auto gate = std::next(gates.begin(), static_cast<std::ptrdiff_t>(from));
      auto lease =
          std::make_shared<Lease<telephony::DialGate>>(Lease<telephony::DialGate>::open(*host, gate->second));
      lease->call(telephony::DialGate::check, check,
                  [this, lease, check, from,
                   done = std::move(done)](const Result<telephony::Verdict>& verdict) mutable {
                    if (!verdict) return done({false, verdict.error().text});
                    if (!verdict->allowed) return done(*verdict);
                    ask_gates(check, from + 1, std::move(done));
                  });
    }

    Result<Empty> add_answerer(const telephony::AddAnswerer& what) {
      if (what.name.empty() || !what.answerer)
        return Error{Code::invalid, "an answerer has a name and a handle"};
      remove_answerer(what.name);
      answerers.push_back(what);
      std::stable_sort(answerers.begin(), answerers.end(), [](const auto& a, const auto& b) {
        return a.priority != b.priority ? a.priority > b.priority : a.name < b.name;
      });
      answerer_ends[what.name] =
          EndWatch(*host, what.answerer, [this, name = what.name] { remove_answerer(name); });
      return Empty{};
    }
    void remove_answerer(const std::string& name) {
      answerers.erase(std::remove_if(answerers.begin(), answerers.end(),
                                     [&](const auto& each) { return each.name == name; }),
                      answerers.end());
    }

    Call* offer(telephony::Offer offer) {
      Call& call = add(true);
      const std::string number = std::to_string(calls.size());
      if (offer.call_id.empty()) offer.call_id = "sip-" + std::string(12 - number.size(), '0') + number;
      if (offer.trunk_id.empty()) offer.trunk_id = call.trunk_id;
      call.trunk_id = offer.trunk_id;
      offer.leg = call.handle();
      call.offer = offer;
      offer_to(call, 0);
      return &call;
    }
    // Offers it to the answerer with that index, which has 5 s to reply.
    void offer_to(Call& call, size_t index) {
      if (call.owned || call.ended) return;
      if (index >= answerers.size()) return refuse(call, 480, "");
      auto lease = std::make_shared<Lease<telephony::Answerer>>(
          Lease<telephony::Answerer>::open(*host, answerers[index].answerer));
      auto is_over = std::make_shared<bool>(false);  // shared by the reply and the timer
      auto timer = std::make_shared<Timer>(*host);
      timer->after_ms(kReplyMs, [this, &call, index, is_over] {
        if (!std::exchange(*is_over, true)) offer_to(call, index + 1);
      });
      lease->call(telephony::Answerer::offer, call.offer,
                  [this, &call, index, lease, timer, is_over](const Result<telephony::Taken>& taken) {
                    timer->cancel();
                    if (std::exchange(*is_over, true)) return;
                    if (taken && taken->listener) return call.own(taken->listener, kRingMs);
                    if (taken && taken->sip_status != 0)
                      return refuse(call, taken->sip_status, taken->reason);
                    offer_to(call, index + 1);
                  });
    }
    static void refuse(Call& call, int64_t status, const std::string& reason) {
      call.refused_with = status;
      call.refused_reason = reason;
      call.end(detail::ended_as("no-answer", status));
    }

    Call& add(bool inbound) {
      calls.push_back(std::make_unique<Call>(*host, rate_hz));
      calls.back()->inbound = inbound;
      return *calls.back();
    }

    static constexpr int64_t kReplyMs = 5000;
    static constexpr int64_t kRingMs = 180'000;
    const Host* host;
    uint32_t rate_hz;
    Error refusal{Code::ok, ""};
    telephony::Reserved reserved{true, "fake", "", 0};
    std::map<std::string, Handle> gates;
    std::vector<telephony::AddAnswerer> answerers;
    std::map<std::string, EndWatch> answerer_ends;
    std::vector<std::unique_ptr<Call>> calls;
    struct Contact {
      telephony::AddContact contact;
      EndWatch ended;
    };
    std::map<std::tuple<std::string, std::string, std::string>, Contact> contacts;  // tenant, user, name
    std::vector<std::unique_ptr<detail::RingState>> rings;
    std::set<std::pair<std::string, std::string>> users;  // tenant, user: whom dial_user() reaches
  };

  TestEnvironment* environment_;
  State* state_;  // lives as long as the environment
};

}  // namespace patchbay::testing
