#include "services/interface_match.h"

#include <doctest/doctest.h>
#include <patchbay/plugin.h>
#include <patchbay/service.h>
#include <patchbay/strand.h>

#include <memory>
#include <string>

#include "support/linked_plugin.h"
#include "support/promise.h"
#include "support/test_server.h"

namespace {

using namespace patchbay;

struct Text {
  std::string text;
  int64_t number = 0;
  PATCHBAY_FIELDS(text, number)
};
struct Grown {
  std::string text;
  int64_t number = 0;
  std::string more;
  PATCHBAY_FIELDS(text, number, more)
};
struct Turned {
  int64_t number = 0;
  std::string text;
  PATCHBAY_FIELDS(number, text)
};

template <class Message>
struct Talk {
  static constexpr char id[] = "test.talk/1";
  static constexpr Method<0, Message, Empty> say{"say"};
  static constexpr auto methods() { return std::make_tuple(say); }
};
template <class Message>
const pb_interface& table_of() {
  return detail::InterfaceTable<Talk<Message>>::table;
}

class Listener final : public Plugin {
 public:
  static constexpr char manifest[] = R"({"id": "listener", "version": "1.0.0", "provides": ["test.talk/1"]})";
  static constexpr char store_sql[] = "";
  Status start(const Config&) override {
    offered_ = std::make_unique<Provision<Talk<Text>>>(host());
    offered_->on(Talk<Text>::say, [](Text) -> Result<Empty> { return Empty{}; });
    return offered_->publish();
  }
  void stop(Done done) override {
    offered_.reset();
    done();
  }

 private:
  std::unique_ptr<Provision<Talk<Text>>> offered_;
};

// Stands for a plugin built with another version of the header.
class Speaker final : public Plugin {
 public:
  static constexpr char manifest[] = R"({"id": "speaker", "version": "1.0.0", "requires": ["test.talk/1"]})";
  static constexpr char store_sql[] = "";
  static inline test::Promise<Result<Empty>> turned, grown;
  Status start(const Config&) override {
    to_turned_ = std::make_unique<Service<Talk<Turned>>>(host());
    to_grown_ = std::make_unique<Service<Talk<Grown>>>(host());
    to_turned_->call(Talk<Turned>::say, {1, "hi"}, [](Result<Empty> said) { turned.set(std::move(said)); });
    to_grown_->call(Talk<Grown>::say, {"hi", 1, "more"},
                    [](Result<Empty> said) { grown.set(std::move(said)); });
    return {};
  }
  void stop(Done done) override {
    to_turned_.reset();
    to_grown_.reset();
    done();
  }

 private:
  std::unique_ptr<Service<Talk<Turned>>> to_turned_;
  std::unique_ptr<Service<Talk<Grown>>> to_grown_;
};

}  // namespace

TEST_CASE("tables match when one has only grown at its end") {
  CHECK(core::same_messages(table_of<Text>(), table_of<Text>()));
  CHECK(core::same_messages(table_of<Text>(), table_of<Grown>()));
  CHECK(core::same_messages(table_of<Grown>(), table_of<Text>()));
  CHECK_FALSE(core::same_messages(table_of<Text>(), table_of<Turned>()));
}

TEST_CASE(
    "a call with incompatible messages is refused with the remedy, and one with an extended message is "
    "served") {
  test::TestServer server("plugins: {listener: {}, speaker: {}}\ntenants: {localhost: {}}\n", nullptr,
                          {&test::LinkedPlugin<Listener>::entry, &test::LinkedPlugin<Speaker>::entry});
  REQUIRE(server.start_error() == "");
  const auto refused = Speaker::turned.get();
  REQUIRE(refused.has_value());
  REQUIRE(!refused->ok());
  CHECK(refused->error().code == Code::misuse);
  CHECK(refused->error().text.find("build both with the same header") != std::string::npos);
  const auto served = Speaker::grown.get();
  REQUIRE(served.has_value());
  CHECK(served->ok());
}
