#include "plugin_inspect/plugin_file_checks.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "plugin_inspect/library_search.h"
#include "plugins/trusted_file.h"
#include "store/schema_parser.h"

namespace patchbay::app {
namespace {

using core::ElfFile;

constexpr char kSymbol[] = "patchbay_plugin_v1";
constexpr char kSanitizerPrefix[] = "__odr_asan.";  // of symbols that AddressSanitizer adds
constexpr size_t kMaxNamed = 5;                     // symbols that a message lists

std::string named(const std::vector<std::string>& names) {
  std::string all;
  for (size_t i = 0; i < std::min(names.size(), kMaxNamed); ++i) all += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kMaxNamed) all += " and " + std::to_string(names.size() - kMaxNamed) + " more";
  return all;
}

class Inspector {
 public:
  Inspection run(Result<ElfFile> file) {
    if (!file) {
      found("file", "it " + file.error().text, "give the path of a plugin's .so");
      return std::move(out_);
    }
    out_.file = std::move(*file);
    check_cxx_library();
    check_stack();
    check_exports();
    check_entry();
    read_source();
    return std::move(out_);
  }

 private:
  // `why` may be "reason; fix", which takes precedence over `fix`.
  void found(const char* check, const std::string& why, const char* fix) {
    const size_t cut = std::min(why.find("; "), why.size());
    found(check, true, why.substr(0, cut), cut < why.size() ? why.substr(cut + 2) : fix);
  }
  void found(const char* check, bool fatal, std::string text, std::string fix) {
    out_.findings.push_back({check, fatal, std::move(text), std::move(fix)});
  }

  void check_cxx_library() {
    for (const std::string& library : out_.file->needed()) {
      if (library.rfind("libc++.so", 0) == 0) {
        found("libraries", true,
              "it is linked to a shared libc++, which cannot live beside this core's libstdc++",
              "link it with -static-libstdc++, or -nostdlib++ and the static libc++");
      }
    }
  }

  void check_stack() {
    if (!out_.file->executable_stack()) return;
    found("stack", false, "it wants a stack that can be executed, which hardened systems refuse",
          "add `.section .note.GNU-stack` to its assembler sources, or link with -Wl,-z,noexecstack");
  }

  void check_exports() {
    std::vector<std::string> others;
    for (const auto& symbol : out_.file->exported()) {
      if (symbol.name == kSymbol) {
        entry_at_ = symbol.address;
      } else if (symbol.name.rfind(kSanitizerPrefix, 0) != 0) {
        others.emplace_back(symbol.name);
      }
    }
    if (!entry_at_) {
      found("exports", true, std::string("it exports no symbol ") + kSymbol,
            "end its source with PATCHBAY_PLUGIN(...) and build it with patchbay_add_plugin");
    }
    if (!others.empty()) {
      found("exports", false,
            "it also exports " + named(others) + ", which another plugin's code could be bound to",
            "build it with patchbay_add_plugin, which hides all else");
    }
  }

  void check_entry() {
    if (!entry_at_) return;
    const auto bytes = out_.file->at(*entry_at_, sizeof(EntryHead));
    EntryHead head;
    if (bytes.empty()) return found("entry", true, "its entry lies outside of the file", "build it again");
    static_assert(sizeof head == 16);
    std::memcpy(&head, bytes.data(), sizeof head);
    out_.entry = head;
    if (head.magic != PB_MAGIC) {
      return found("entry", true, std::string("its ") + kSymbol + " is not a plugin entry (wrong magic)",
                   "end its source with PATCHBAY_PLUGIN(...)");
    }
    if (head.size < PB_ENTRY_FLOOR || head.size > 64 * 1024) {
      return found("entry", true,
                   "its entry states an impossible size (" + std::to_string(head.size) + " bytes)",
                   "build it again with the Patchbay SDK");
    }
    if (head.abi_major != PB_ABI_MAJOR) {
      found("entry", true,
            "it was built for ABI " + std::to_string(head.abi_major) + ", this core has ABI " +
                std::to_string(PB_ABI_MAJOR),
            "build it again with this core's SDK");
    }
  }

  void read_source() {
    auto source = core::read_plugin_sections(*out_.file);
    if (!source)
      return found("manifest", source.error().text,
                   "correct manifest.json, or settings.schema.json for config, and build it again");
    if (!source->store_sql.empty()) {
      if (const auto schema = core::parse_schema(source->store_sql); !schema)
        found("store", true, "its SQL is not valid: " + schema.error().text,
              "correct store.sql and build it again");
    }
    out_.source = std::move(*source);
  }

  Inspection out_;
  std::optional<uint64_t> entry_at_;
};

void check_owner(const std::filesystem::path& path, Inspection& out) {
  const Status trusted = core::check_trusted(path);
  if (trusted) return;
  const std::string& why = trusted.error().text;
  const size_t cut = std::min(why.find("; "), why.size());
  out.findings.push_back({"owner", true, why.substr(0, cut), why.substr(std::min(cut + 2, why.size()))});
}

void check_libraries(const std::filesystem::path& path, Inspection& out) {
  const LibrarySearch search;
  bool all_there = true;
  for (const std::string& library : out.file->needed()) {
    if (search.find(library, out.file->run_path(), path)) continue;
    all_there = false;
    out.findings.push_back({"libraries", true, "it needs " + library + ", which is not on this machine",
                            "install the package that has it, or link it statically"});
  }
  if (!all_there) return;
  const auto missing = unresolved_symbols(search, path);
  if (missing.empty()) return;
  out.findings.push_back({"symbols", true,
                          "it uses " + named(missing) + ", which none of its libraries defines",
                          "link the library that does; -Wl,-z,defs reports that at build time"});
}

}  // namespace

const std::vector<const char*>& inspection_checks() {
  static const std::vector<const char*> names{"file",  "owner",    "libraries", "stack",  "exports",
                                              "entry", "manifest", "store",     "symbols"};
  return names;
}

const Finding* Inspection::reason() const {
  const auto at =
      std::find_if(findings.begin(), findings.end(), [](const Finding& each) { return each.fatal; });
  return at == findings.end() ? nullptr : &*at;
}

Inspection inspect_plugin_bytes(std::string bytes) {
  return Inspector().run(ElfFile::parse(std::move(bytes)));
}

Inspection inspect_plugin(const std::filesystem::path& path) {
  Inspection out = Inspector().run(ElfFile::read(path));
  if (out.source) out.source->file = path;
  if (out.file) check_owner(path, out);
  if (out.file) check_libraries(path, out);
  return out;
}

}  // namespace patchbay::app
