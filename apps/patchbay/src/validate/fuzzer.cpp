#include "validate/fuzzer.h"

#include <patchbay/store.h>
#include <patchbay/testing/fake_port.h>

#include <algorithm>
#include <cstring>

namespace patchbay::app::validate {

void Driver::note(const std::string& what) {
  rig_.of().note("action " + std::to_string(actions_) + ": " + what);
}

void Driver::act() {
  ++actions_;
  switch (chance_.below(12)) {
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
      note("time passes");
      static_cast<void>(rig_.advance_ms(static_cast<int64_t>(chance_.below(3000))));
      return;
    default:
      return call();
  }
}

std::string Driver::topic() {
  const auto patterns = faults::patterns();
  if (patterns.empty() || chance_.one_in(4)) return chance_.word() + "." + chance_.word();
  std::string topic = patterns[chance_.below(patterns.size())];
  const size_t star = topic.find('*');
  if (star != std::string::npos) topic.replace(star, 1, "x" + chance_.word());
  return topic;
}

NewEvent Driver::event() {
  return {topic(), chance_.one_in(4) ? chance_.word() : "localhost", chance_.word(), chance_.word(),
          chance_.one_in(8) ? "" : chance_.object()};
}

void Driver::publish() {
  const NewEvent what = event();
  note("event " + what.topic + " " + what.payload);
  rig_.publish(what);
}

void Driver::emit() {
  const NewEvent what = event();
  note("durable event " + what.topic + " " + what.payload);
  rig_.run([&] {
    Transaction tx(rig_.host());
    tx.emit(what);
    std::move(tx).commit([](const Commit&) {});
  });
  static_cast<void>(rig_.settle());
}

void Driver::reconfigure() {
  const core::Manifest& manifest = rig_.of().subject.manifest;
  const core::json::Node* schema = manifest.config != nullptr ? manifest.config->find("plugin") : nullptr;
  const std::string config = schema != nullptr ? allowed_by(*schema, chance_) : "";
  if (config.empty()) return;
  note("configuration " + config);
  if (rig_.step(PB_STEP_CHECK_CONFIG, config)) static_cast<void>(rig_.step(PB_STEP_RECONFIGURE, config));
}

void Driver::move_audio() {
  const auto ports = rig_.ports();
  if (ports.empty()) return;
  const auto& chosen = ports[chance_.below(ports.size())];
  if (chosen.plugin == "test") return;
  note("audio at port " + std::to_string(chosen.handle));
  testing::OpenPort port(rig_, Handle{chosen.handle});
  if (!port.ok()) return;
  for (uint64_t i = chance_.below(10); i > 0; --i) {
    testing::Pcm pcm(port.push_rate_hz() / 1000 * PB_TICK_MS);
    for (int16_t& sample : pcm) sample = static_cast<int16_t>(chance_.below(65536));
    chance_.one_in(3) ? port.push_silence() : port.push(std::move(pcm));
    port.pull();
  }
}

std::string Driver::field_text(std::string_view name) {
  // What the edge and other hosts make is JSON; a plugin may rely on their word, but must not fall over
  // others'.
  for (const char* json :
       {"json", "params", "query", "headers", "settings", "arguments", "result", "document"})
    if (name == json && !chance_.one_in(5)) return chance_.object();
  if (name == "tenant" && !chance_.one_in(3)) return "localhost";
  return chance_.text();
}

std::string Driver::message(const pb_shape& shape) {
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
      const int64_t value = chance_.integer();
      std::memcpy(at, &value, sizeof value);
    } else if (field.kind == PB_FIELD_NUMBER) {
      const double value = static_cast<double>(chance_.integer()) / 3;
      std::memcpy(at, &value, sizeof value);
    } else if (field.kind == PB_FIELD_HANDLE) {
      const auto all = faults::provided();
      const uint64_t value =
          all.empty() || chance_.one_in(2) ? chance_.below(50) : all[chance_.below(all.size())].instance;
      std::memcpy(at, &value, sizeof value);
    }
  }
  return bytes;
}

void Driver::call() {
  const auto all = faults::provided();
  if (all.empty()) return publish();
  const faults::Provided& target = all[chance_.below(all.size())];
  const pb_interface& what = *target.interface;
  if (what.method_count == 0) return;
  const auto slot = static_cast<uint32_t>(chance_.below(what.method_count));
  const pb_method& method = *what.methods[slot];
  note("call of " + std::string(from_abi(what.id)) + " " + std::string(from_abi(method.name)));
  // Aligned as a struct: the shape's fields are 8 bytes each.
  const std::string packed = message(*method.request);
  std::vector<uint64_t> aligned((packed.size() + 7) / 8);
  std::memcpy(aligned.data(), packed.data(), packed.size());
  const Host& host = rig_.host();
  const uint64_t lease = host.services->open(host.self, target.instance, what.id);
  if (lease == 0) return;
  host.services->call(host.self, lease, &what, slot, reinterpret_cast<const pb_message*>(aligned.data()),
                      kMainStrand, nullptr, nullptr);
  static_cast<void>(rig_.settle());
  host.services->unlease(host.self, lease);
}

}  // namespace patchbay::app::validate
