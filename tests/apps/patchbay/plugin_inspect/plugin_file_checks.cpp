#include "plugin_inspect/plugin_file_checks.h"

#include <doctest/doctest.h>
#include <elf.h>
#include <patchbay/abi/plugin.h>

#include <cstring>
#include <fstream>
#include <iterator>

#include "support/child_process.h"

using namespace patchbay;
using app::inspect_plugin;
using app::inspect_plugin_bytes;
using app::Inspection;

namespace {

std::string read(const char* path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}
const std::string& good() {
  static const std::string bytes = read(TEST_C_PLUGIN);
  return bytes;
}

// The good file with the first `from` replaced.
std::string patched(const std::string& from, const std::string& to) {
  std::string bytes = good();
  const size_t at = bytes.find(from);
  REQUIRE(at != std::string::npos);
  return bytes.replace(at, from.size(), to);
}
// The good file with another value of `size` bytes at this offset of the entry.
std::string entry_with(size_t offset, uint32_t value, size_t size) {
  const uint32_t head[] = {PB_MAGIC, sizeof(pb_entry)};
  std::string bytes = good();
  const size_t at = bytes.find(std::string(reinterpret_cast<const char*>(head), sizeof head));
  REQUIRE(at != std::string::npos);
  std::memcpy(bytes.data() + at + offset, &value, size);
  return bytes;
}
std::string reason(const Inspection& inspection) {
  return inspection.reason() != nullptr ? inspection.reason()->sentence() : "";
}
std::string reason(std::string bytes) { return reason(inspect_plugin_bytes(std::move(bytes))); }
bool begins(const std::string& text, const std::string& with) { return text.rfind(with, 0) == 0; }

// Writes the bytes to a file, because only files have their libraries checked.
Inspection inspect_file(const std::string& bytes) {
  const test::TempFolder folder;
  std::ofstream(folder.file("c-plugin.so"), std::ios::binary) << bytes;
  return inspect_plugin(folder.file("c-plugin.so"));
}

}  // namespace

TEST_CASE("a plugin built by patchbay_add_plugin has no findings") {
  const Inspection inspection = inspect_plugin(TEST_C_PLUGIN);
  CHECK(reason(inspection) == "");
  CHECK(inspection.findings.empty());
  REQUIRE(inspection.entry.has_value());
  CHECK(inspection.entry->abi_major == PB_ABI_MAJOR);
  CHECK(inspection.entry->size == sizeof(pb_entry));
  REQUIRE(inspection.source.has_value());
  CHECK(inspection.source->manifest.id == "c-plugin");
}

TEST_CASE("a file that is no plugin is refused with what it is and what to give instead") {
  CHECK(begins(reason(inspect_plugin("/nowhere/x.so")), "it cannot be read: No such file"));
  CHECK(reason("#!/bin/sh\n") == "it is not a shared object; give the .so that patchbay_add_plugin built");
  CHECK(reason("") == "it is not a shared object; give the .so that patchbay_add_plugin built");
  CHECK(reason(good().substr(0, 40)) == "it is cut short; copy or build it again");
  CHECK(reason(good().substr(0, good().size() - 100)) == "it is cut short; copy or build it again");
  std::string other = good();
  other[offsetof(Elf64_Ehdr, e_machine)] = static_cast<char>(EM_ARM);
  CHECK(begins(reason(other), "it is built for 32-bit arm, this machine is "));
  other = good();
  other[EI_CLASS] = ELFCLASS32;
  CHECK(begins(reason(other), "it is built for "));
  other = good();
  other[offsetof(Elf64_Ehdr, e_type)] = ET_REL;
  CHECK(begins(reason(other), "it is not a shared object; link it with"));
}

TEST_CASE("a wrong entry is reported with its numbers") {
  CHECK(
      reason(entry_with(0, 0, 4)) ==
      "its patchbay_plugin_v1 is not a plugin entry (wrong magic); end its source with PATCHBAY_PLUGIN(...)");
  CHECK(begins(reason(entry_with(4, 8, 4)), "its entry states an impossible size (8 bytes); build it again"));
  CHECK(
      begins(reason(entry_with(4, 0xffffffff, 4)), "its entry states an impossible size (4294967295 bytes)"));
  CHECK(reason(entry_with(8, 7, 2)) ==
        "it was built for ABI 7, this core has ABI 1; build it again with this core's SDK");
  CHECK(reason(entry_with(10, 9, 2)) == "");  // a later minor is no reason
}

TEST_CASE("an error in the manifest has its line and column") {
  CHECK(begins(reason(patched(R"("version": "1.0.0")", R"("version": "1.0.x")")),
               "its manifest is not valid: line 3, column "));
  CHECK(begins(reason(patched(R"("id": "c-plugin",)", R"("id": "c-plugin" )")),
               "its manifest is not valid: JSON, line 3, column 3: "));
  const std::string twice = reason(patched(R"("license")", R"("version")"));
  CHECK(begins(twice, "its manifest is not valid: "));
  CHECK(twice.find("; correct manifest.json, or settings.schema.json for config, and build it again") !=
        std::string::npos);
}

TEST_CASE("a missing library or symbol is named") {
  const Inspection library = inspect_file(patched("libc.so.6", "libz.so.9"));
  CHECK(reason(library) ==
        "it needs libz.so.9, which is not on this machine; install the package that has it, or link it "
        "statically");
  const Inspection symbol =
      inspect_file(patched(std::string("\0snprintf\0", 10), std::string("\0snprintx\0", 10)));
  CHECK(begins(reason(symbol), "it uses snprintx, which none of its libraries defines; link"));
}

TEST_CASE("an executable stack and further exports are remarks, and a shared libc++ is refused") {
  const Inspection leaky = inspect_plugin(TEST_LEAKY);
  CHECK(reason(leaky) == "");
  REQUIRE(leaky.findings.size() == 2);
  CHECK(std::string(leaky.findings[0].check) == "stack");
  CHECK(begins(leaky.findings[1].text, "it also exports leaky_create"));
  CHECK(begins(
      reason(inspect_plugin(TEST_LIBCXX)),
      "it is linked to a shared libc++, which cannot live beside this core's libstdc++; link it with"));
}

TEST_CASE("changing any byte of the file's head causes no crash") {
  std::string bytes = good();
  for (size_t i = 0; i < std::min<size_t>(bytes.size(), 1024); ++i) {
    for (const char value : {'\x00', '\x7f', '\xff'}) {
      const char before = std::exchange(bytes[i], value);
      static_cast<void>(inspect_plugin_bytes(bytes));
      bytes[i] = before;
    }
  }
}
