#pragma once

#include <patchbay/end_watch.h>
#include <patchbay/service.h>
#include <patchbay/strand.h>

#include "round.h"
#include "slot.h"

namespace reference {

struct Word {
  std::string text;
  int64_t number = 0;
  double ratio = 0;
  bool loud = false;
  patchbay::Buffer bytes;
  patchbay::Handle handle;
  PATCHBAY_FIELDS(text, number, ratio, loud, bytes, handle)
};

struct Echo {
  static constexpr char id[] = "reference.echo/1";
  static constexpr patchbay::Method<0, Word, Word> say{"say"};
  static constexpr patchbay::Method<1, Word, Word> say_inline{"say_inline", PB_METHOD_ANY};
  static constexpr auto methods() { return std::make_tuple(say, say_inline); }
};

// Calls its public instance, then a private instance provided through the C table.
class ServicesStep final : public Step {
 public:
  explicit ServicesStep(const Host& host) : host_(host) {}
  ~ServicesStep() override { drop_bare(); }

  void run(Next next) override {
    next_ = std::move(next);
    echo_ = std::make_unique<patchbay::Provision<Echo>>(host_);
    echo_->on(Echo::say, [](Word word, patchbay::Reply<Word> reply) { answer(std::move(word), reply); });
    echo_->on(Echo::say_inline, [this](const Word& word) -> patchbay::Result<Word> {
      called_by_ = patchbay::calling_plugin(host_);
      return word;
    });
    const Status published = echo_->publish();
    if (!published) return next_(published);
    service_ = std::make_unique<patchbay::Service<Echo>>(host_);
    service_->call(Echo::say, word(), [this](patchbay::Result<Word> said) {
      if (!said) return next_(said.error());
      const bool same = said->text == "hi" && said->number == -3 && said->ratio == 0.25 && said->loud &&
                        said->bytes.view() == "bytes" && said->handle.id == echo_->handle().id;
      if (!same) return next_({Code::failed, "a message did not arrive as it was sent"});
      call_refused();
    });
  }

 private:
  Word word() const {
    // A valid handle, because a host may translate an unknown one to another unknown one.
    return {"hi", -3, 0.25, true, patchbay::Buffer::copy("bytes"), echo_->handle()};
  }
  static void answer(Word word, patchbay::Reply<Word>& reply) {
    if (word.text == "no") return reply.fail({Code::denied, "not today"});
    reply(std::move(word));
  }

  void call_refused() {
    Word no;
    no.text = "no";
    service_->call(Echo::say, no, [this](patchbay::Result<Word> said) {
      if (said.ok() || said.error().code != Code::denied || said.error().text != "not today")
        return next_({Code::failed, "an error did not arrive as it was sent"});
      call_inline();
    });
  }
  void call_inline() {
    service_->call(Echo::say_inline, word(), [this](patchbay::Result<Word> said) {
      if (!said || said->text != "hi") return next_({Code::failed, "a call on the caller's thread failed"});
      patchbay::post(host_, patchbay::kMainStrand, [this] { call_bare(); });
    });
  }

  static int32_t bare_say(void* /*self*/, uint32_t /*slot*/, const pb_message* request,
                          pb_completion* completion, pb_err* /*err*/) noexcept {
    use<&pb_completion::complete>(completion)(completion, PB_OK, request, nullptr);
    return PB_OK;
  }
  void call_bare() {
    pb_err err = patchbay::empty_error();
    bare_ = host_.services->provide(host_.self, &patchbay::detail::InterfaceTable<Echo>::table, 0,
                                    patchbay::kMainStrand, &ServicesStep::bare_say, this, &err);
    if (bare_ == 0) return next_(patchbay::read_error(err.code, &err));
    lease_ = patchbay::Lease<Echo>::open(host_, {bare_});
    lease_.call(Echo::say, word(), [this](patchbay::Result<Word> said) {
      if (!said || said->text != "hi") return next_({Code::failed, "an instance of the C table failed"});
      patchbay::post(host_, patchbay::kMainStrand, [this] { watch_end(); });
    });
  }
  void watch_end() {
    if (!called_by_) return next_({Code::failed, "a method does not know its caller"});
    bare_gone_ = patchbay::EndWatch(host_, {bare_}, [this] { call_gone(); });
    drop_bare();
  }
  // Calls through a lease on a withdrawn instance fail with Code::gone.
  void call_gone() {
    drop_bare();
    lease_.call(Echo::say, word(), [this](patchbay::Result<Word> said) {
      const bool gone = !said && said.error().code == Code::gone;
      next_(expect(gone, "a withdrawn instance is gone"));
    });
  }
  void drop_bare() {
    if (bare_ != 0) host_.services->withdraw(host_.self, std::exchange(bare_, 0), nullptr, nullptr);
  }

  const Host& host_;
  std::unique_ptr<patchbay::Provision<Echo>> echo_;
  std::unique_ptr<patchbay::Service<Echo>> service_;
  patchbay::Lease<Echo> lease_;
  uint64_t bare_ = 0;
  patchbay::Handle called_by_;
  patchbay::EndWatch bare_gone_;
  Next next_;
};

}  // namespace reference
