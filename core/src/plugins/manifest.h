// Manifest: what a plugin declares about itself, read without running its code. See patchbay/abi/plugin.h for
// its members.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "json/document.h"
#include "patchbay/result.h"

namespace patchbay::core {

// A topic of `emits`. `schema` describes the event's payload and belongs to Manifest::document. Events with a
// schema are offered to webhooks; events without one (null) are internal to the plugin.
struct EmittedEvent {
  std::string topic;
  std::string summary;  // when it happens
  std::string subject;  // what Event::subject names, for example "callId"
  const json::Node* schema = nullptr;
};

struct Manifest {
  std::string id;
  std::string version;
  std::string summary;
  std::string license;
  std::vector<std::string> provides;
  std::vector<std::string> requires_;
  std::vector<std::string> optional;
  std::vector<EmittedEvent> emits;
  bool isolated = false;  // runs in a separate process unless the configuration says `isolation: none`
  // {"plugin": schema, "tenant": schema, "WebPhone": schema}; null: the plugin takes no configuration of its
  // own.
  const json::Node* config = nullptr;
  std::shared_ptr<const json::Document>
      document;  // owns what `config` points to; shared with copies of the manifest

  // Pure. Errors name the member.
  static Result<Manifest> parse(std::string_view text);
};

bool is_plugin_id(std::string_view id);

}  // namespace patchbay::core
