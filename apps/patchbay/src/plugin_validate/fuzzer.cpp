#include "plugin_validate/fuzzer.h"

#include <patchbay/store.h>
#include <patchbay/testing/fake_port.h>

#include <algorithm>
#include <cstring>

namespace patchbay::app::validate {

void Fuzzer::note(const std::string& what) {
  harness_.context().note("action " + std::to_string(actions_) + ": " + what);
}

void Fuzzer::act() {
  ++actions_;
  switch (random_.below(12)) {
    case 0:
    case 1:
      return publish();
    case 2:
      return emit();
    case 3:
      return reconfigure();
    case 4:
      return move_audio();
    case 5:
      note("advance the clock");
      static_cast<void>(harness_.advance_ms(static_cast<int64_t>(random_.below(3000))));
      return;
    default:
      return call();
  }
}

std::string Fuzzer::topic() {
  const auto patterns = faults::patterns();
  if (patterns.empty() || random_.one_in(4)) return random_.word() + "." + random_.word();
  std::string topic = patterns[random_.below(patterns.size())];
  const size_t star = topic.find('*');
  if (star != std::string::npos) topic.replace(star, 1, "x" + random_.word());
  return topic;
}

NewEvent Fuzzer::event() {
  return {topic(), random_.one_in(4) ? random_.word() : "localhost", random_.word(), random_.word(),
          random_.one_in(8) ? "" : random_.object()};
}

void Fuzzer::publish() {
  const NewEvent what = event();
  note("event " + what.topic + " " + what.payload);
  harness_.publish(what);
}

void Fuzzer::emit() {
  const NewEvent what = event();
  note("durable event " + what.topic + " " + what.payload);
  harness_.run([&] {
    Transaction tx(harness_.host());
    tx.emit(what);
    std::move(tx).commit([](const Commit&) {});
  });
  static_cast<void>(harness_.settle());
}

void Fuzzer::reconfigure() {
  const core::Manifest& manifest = harness_.context().subject.manifest;
  const core::json::Node* schema = manifest.config != nullptr ? manifest.config->find("plugin") : nullptr;
  const std::string config = schema != nullptr ? valid_value(*schema, random_) : "";
  if (config.empty()) return;
  note("configuration " + config);
  if (harness_.step(PB_STEP_CHECK_CONFIG, config))
    static_cast<void>(harness_.step(PB_STEP_RECONFIGURE, config));
}

void Fuzzer::move_audio() {
  const auto ports = harness_.ports();
  if (ports.empty()) return;
  const auto& chosen = ports[random_.below(ports.size())];
  if (chosen.plugin == "test") return;
  note("audio at port " + std::to_string(chosen.handle));
  testing::OpenPort port(harness_, Handle{chosen.handle});
  if (!port.ok()) return;
  for (uint64_t i = random_.below(10); i > 0; --i) {
    testing::Pcm pcm(port.push_rate_hz() / 1000 * PB_TICK_MS);
    for (int16_t& sample : pcm) sample = static_cast<int16_t>(random_.below(65536));
    random_.one_in(3) ? port.push_silence() : port.push(std::move(pcm));
    port.pull();
  }
}

std::string Fuzzer::field_text(std::string_view name) {
  // Mostly JSON where callers send JSON, as a plugin may expect it, but must survive other text.
  for (const char* json :
       {"json", "params", "query", "headers", "settings", "arguments", "result", "document"})
    if (name == json && !random_.one_in(5)) return random_.object();
  if (name == "tenant" && !random_.one_in(3)) return "localhost";
  return random_.text();
}

std::string Fuzzer::message(const pb_shape& shape) {
  texts_.clear();
  std::string bytes(std::max<size_t>(shape.struct_size, sizeof(pb_message)), '\0');
  const pb_message head{static_cast<uint32_t>(bytes.size()), 0};
  std::memcpy(bytes.data(), &head, sizeof head);
  for (uint32_t i = 0; i < shape.field_count; ++i) {
    const pb_field& field = *shape.fields[i];
    if (field.offset + 8 > bytes.size()) continue;
    char* at = bytes.data() + field.offset;
    if (field.kind == PB_FIELD_STR && field.offset + sizeof(pb_str) <= bytes.size()) {
      texts_.push_back(std::make_unique<std::string>(field_text(from_abi(field.name))));
      const pb_str text = to_abi(*texts_.back());
      std::memcpy(at, &text, sizeof text);
    } else if (field.kind == PB_FIELD_INT) {
      const int64_t value = random_.integer();
      std::memcpy(at, &value, sizeof value);
    } else if (field.kind == PB_FIELD_NUMBER) {
      const double value = static_cast<double>(random_.integer()) / 3;
      std::memcpy(at, &value, sizeof value);
    } else if (field.kind == PB_FIELD_HANDLE) {
      const auto all = faults::provided();
      const uint64_t value =
          all.empty() || random_.one_in(2) ? random_.below(50) : all[random_.below(all.size())].instance;
      std::memcpy(at, &value, sizeof value);
    }
  }
  return bytes;
}

void Fuzzer::call() {
  const auto all = faults::provided();
  if (all.empty()) return publish();
  const faults::Provided& target = all[random_.below(all.size())];
  const pb_interface& what = *target.interface;
  if (what.method_count == 0) return;
  const auto slot = static_cast<uint32_t>(random_.below(what.method_count));
  const pb_method& method = *what.methods[slot];
  note("call of " + std::string(from_abi(what.id)) + " " + std::string(from_abi(method.name)));
  // Aligned as a struct: the shape's fields are 8 bytes each.
  const std::string packed = message(*method.request);
  std::vector<uint64_t> aligned((packed.size() + 7) / 8);
  std::memcpy(aligned.data(), packed.data(), packed.size());
  const Host& host = harness_.host();
  const uint64_t lease = host.services->open(host.self, target.instance, what.id);
  if (lease == 0) return;
  host.services->call(host.self, lease, &what, slot, reinterpret_cast<const pb_message*>(aligned.data()),
                      kMainStrand, nullptr, nullptr);
  static_cast<void>(harness_.settle());
  host.services->unlease(host.self, lease);
}

}  // namespace patchbay::app::validate
