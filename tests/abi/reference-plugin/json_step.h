#pragma once

#include "round.h"
#include "slot.h"

namespace reference {

class JsonStep final : public Step {
 public:
  explicit JsonStep(const Host& host) : host_(host) {}
  void run(Next next) override { next(all()); }

 private:
  Status all() const {
    PB_TRY(documents());
    PB_TRY(schemas());
    return buffers();
  }

  Status documents() const {
    const char* text = R"({"a":[1,2.5,"x",true,null],"b":{}})";
    PB_TRY_VALUE(const patchbay::Json doc, host_.parse_json(text));
    const patchbay::JsonView root = doc.root();
    REFERENCE_EXPECT(root.is_object() && root.size() == 2 && root.key(1) == "b");
    const patchbay::JsonView list = root["a"];
    REFERENCE_EXPECT(list.is_array() && list.size() == 5);
    REFERENCE_EXPECT(list.at(0).integer() == 1 && list.at(1).number() == 2.5);
    REFERENCE_EXPECT(list.at(2).text() == "x" && list.at(3).boolean() && list.at(4).is_null());
    REFERENCE_EXPECT(host_.write_json(root) == text);
    const auto broken = host_.parse_json("{\"a\":1,\"a\":2}");
    REFERENCE_EXPECT(!broken.ok() && !broken.error().text.empty());
    return {};
  }

  Status schemas() const {
    const char* text =
        R"({"type": "object", "properties": {"n": {"type": "integer", "maximum": 9, "default": 4}}})";
    PB_TRY_VALUE(const patchbay::Schema schema, patchbay::Schema::compile(host_, text));
    PB_TRY_VALUE(const patchbay::Json filled, schema.read("{}"));
    REFERENCE_EXPECT(filled["n"].integer() == 4);
    const auto refused = schema.read(R"({"n": 10})");
    REFERENCE_EXPECT(!refused.ok() && refused.error().text.find("n") != std::string::npos);
    return {};
  }

  Status buffers() const {
    PB_TRY_VALUE(const patchbay::Json doc, host_.parse_json("[7]"));
    pb_buf* buf = host_.json->write(host_.self, doc.root().node());
    REFERENCE_EXPECT(buf != nullptr && buf->len == 3);
    const bool was_unique = use<&pb_buf_ops::unique>(buf->ops)(buf) == 1;
    use<&pb_buf_ops::retain>(buf->ops)(buf);
    const bool is_shared = use<&pb_buf_ops::unique>(buf->ops)(buf) == 0;
    use<&pb_buf_ops::release>(buf->ops)(buf);
    use<&pb_buf_ops::release>(buf->ops)(buf);
    REFERENCE_EXPECT(was_unique && is_shared);
    return {};
  }

  const Host& host_;
};

}  // namespace reference
