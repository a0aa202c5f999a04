// Parses the boundary from the text of its headers and from its record (boundary.golden): structs with their
// members, function types, constants.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace patchbay::boundary {

struct Member {
  std::string text;  // "int32_t(*publish)(void*host,const pb_event*event)PB_NOEXCEPT", with normalised spaces
  int64_t offset = -1;  // -1: unknown
  std::string name() const;
  bool is_function() const { return text.find("(*") != std::string::npos; }
};

// The members of each name. Function types ("pb_fn") and constants ("PB_OK") have one member without an
// offset.
using Shapes = std::map<std::string, std::vector<Member>>;

// The code of each header in the folder, without comments, by file name.
std::map<std::string, std::string> headers(const std::filesystem::path& folder);
// The structs in it.
Shapes structs(const std::filesystem::path& folder);
// The structs, function types and constants in it.
Shapes shapes(const std::filesystem::path& folder);

Shapes golden(const std::filesystem::path& file);

// Returns how `now` is incompatible with the record: a sentence for each name, which names the member.
std::vector<std::string> breaks(const Shapes& recorded, const Shapes& now);
// Returns the lines that the record lacks.
std::vector<std::string> unrecorded(const Shapes& recorded, const Shapes& now);

// Generates a C11 and C++17 translation unit that compiles only if the headers in the include path have the
// recorded members with their offsets and types. Each error names the member.
std::string witness(const Shapes& recorded);
// PB_SLOT(struct, member) for each function of each struct.
std::string slots(const Shapes& now);

}  // namespace patchbay::boundary
