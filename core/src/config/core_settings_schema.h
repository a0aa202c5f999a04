// The schemas of the settings that the core reads, with their defaults: the section `server`, and the keys
// `isolation`, `restarts` and `paths` of each plugin's section.
#pragma once

#include <string_view>

namespace patchbay::core::config {

// The section `server`.
inline constexpr std::string_view kServerSchema = R"({"type":"object","default":{},"properties":{
  "data":{"type":"string","minLength":1,"x-path":true,"default":"data"},
  "store":{"type":"string","minLength":1,"x-secret":true,"pattern":"^postgres(ql)?://",
    "x-rule":"begin with postgresql://, as postgresql://patchbay@db.example.com/patchbay",
    "description":"Address of a PostgreSQL database; without it the store is a file in the data folder"},
  "store_password":{"type":"string","minLength":1,"x-secret":true,
    "description":"Password for the address in store, which is better kept in a file or the environment"},
  "plugin_dir":{"type":"string","minLength":1,"x-path":true},
  "management":{"type":"object","default":{},"properties":{
    "listen":{"type":"string","minLength":1,"default":"127.0.0.1:9090"}}},
  "admin_socket":{"type":"string","minLength":1,"x-path":true},
  "log":{"type":"object","default":{},"properties":{
    "format":{"enum":["text","json"],"default":"text"},
    "level":{"enum":["debug","info","warn","error"],"default":"info"}}},
  "threads":{"type":"integer","minimum":0,"maximum":256,"default":0},
  "drain_timeout_s":{"type":"integer","minimum":0,"maximum":3600,"default":30,
    "description":"How long running calls and requests may take to end when the server stops, all plugins together; then they are ended"}}})";

// The key `isolation` of a plugin's section; the second one if its manifest says "isolation": "process".
inline constexpr std::string_view kInProcessSchema = R"({"enum":["none","process"],"default":"none"})";
inline constexpr std::string_view kIsolatedSchema = R"({"enum":["none","process"],"default":"process"})";
// The key `restarts`: how often an isolated plugin is restarted before it is quarantined.
inline constexpr std::string_view kRestartsSchema = R"({"type":"object","default":{},"properties":{
  "most":{"type":"integer","minimum":0,"maximum":100000,"default":5},
  "within_s":{"type":"integer","minimum":1,"maximum":86400,"default":600}}})";

// The key `paths`: files and folders that an isolated plugin may access.
inline constexpr std::string_view kPathsSchema =
    R"({"type":"array","default":[],"items":{"type":"string","minLength":1,"x-path":true}})";

}  // namespace patchbay::core::config
