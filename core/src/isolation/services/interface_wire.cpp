#include "isolation/services/interface_wire.h"

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "isolation/limits.h"
#include "isolation/services/message_wire.h"

namespace patchbay::core::isolation {
namespace {

constexpr bool known(uint32_t kind) { return kind >= PB_FIELD_INT && kind <= PB_FIELD_HANDLE; }

void put_shape(Encoder& out, const pb_shape& shape) {
  out.u32(shape.struct_size).u32(shape.field_count);
  for (uint32_t i = 0; i < shape.field_count; ++i) {
    const pb_field& field = *shape.fields[i];
    out.u32(field.kind).u32(field.offset).str(from_abi(field.name));
  }
}

class OwnedInterface {
 public:
  // False: it is invalid.
  bool read(Decoder& in);
  const pb_interface* table() const noexcept { return &table_; }

 private:
  pb_str read_name(Decoder& in);
  const pb_shape* read_shape(Decoder& in);

  std::deque<std::string> names_;
  std::deque<pb_field> fields_;
  std::deque<std::vector<const pb_field*>> field_lists_;
  std::deque<pb_shape> shapes_;
  std::deque<pb_method> methods_;
  std::vector<const pb_method*> method_list_;
  pb_interface table_{};
};

pb_str OwnedInterface::read_name(Decoder& in) {
  const std::string_view name = in.str();
  if (name.size() > kMaxInterfaceNameBytes) in.fail();
  return to_abi(names_.emplace_back(name.substr(0, kMaxInterfaceNameBytes)));
}

const pb_shape* OwnedInterface::read_shape(Decoder& in) {
  const uint32_t struct_size = in.u32();
  const uint32_t count = in.u32();
  if (struct_size < sizeof(pb_message) || struct_size > kMaxMessageBytes || count > kMaxMessageFields)
    return nullptr;
  auto& list = field_lists_.emplace_back();
  uint32_t free_from = sizeof(pb_message);  // fields are in order and do not overlap
  for (uint32_t i = 0; i < count; ++i) {
    pb_field field{sizeof(pb_field), in.u32(), in.u32(), 0, {}};
    field.name = read_name(in);
    const bool inside = field.offset >= free_from && field.offset % 8 == 0 && field.offset <= struct_size &&
                        field_width(field.kind) <= struct_size - field.offset;
    if (!in.ok() || !known(field.kind) || !inside) return nullptr;
    free_from = field.offset + field_width(field.kind);
    list.push_back(&fields_.emplace_back(field));
  }
  return &shapes_.emplace_back(pb_shape{sizeof(pb_shape), struct_size, count, 0, list.data()});
}

bool OwnedInterface::read(Decoder& in) {
  table_.size = sizeof(pb_interface);
  table_.id = read_name(in);
  const uint32_t count = in.u32();
  if (count > kMaxInterfaceMethods) return false;
  for (uint32_t i = 0; i < count; ++i) {
    // No flags: an inline method of the other process cannot run on the caller's thread.
    pb_method method{sizeof(pb_method), 0, read_name(in), nullptr, nullptr};
    method.request = read_shape(in);
    method.reply = method.request != nullptr ? read_shape(in) : nullptr;
    if (method.reply == nullptr) return false;
    method_list_.push_back(&methods_.emplace_back(method));
  }
  table_.method_count = count;
  table_.methods = method_list_.data();
  return in.ok();
}

}  // namespace

void put_interface(Encoder& out, const pb_interface& interface) {
  Encoder inner;
  inner.str(from_abi(interface.id)).u32(interface.method_count);
  for (uint32_t i = 0; i < interface.method_count; ++i) {
    const pb_method& method = *interface.methods[i];
    inner.str(from_abi(method.name));
    put_shape(inner, *method.request);
    put_shape(inner, *method.reply);
  }
  out.str(inner.frame());
}

Described get_interface(Decoder& in, InterfaceShare& share) {
  static std::mutex mutex;
  // By content; never freed, because messages may refer to it at any time.
  static auto& kept = *new std::map<std::string, std::unique_ptr<OwnedInterface>, std::less<>>;
  const std::string_view content = in.str();
  const std::lock_guard lock(mutex);
  auto at = kept.find(content);
  const bool is_full = share.described_.size() >= kMaxInterfaces ||
                       share.described_bytes_ + content.size() > kMaxInterfaceBytes;
  if (at == kept.end()) {
    auto fresh = std::make_unique<OwnedInterface>();
    Decoder inner(content);
    if (!in.ok() || !fresh->read(inner) || !inner.whole()) return {nullptr, true};
    if (is_full) return {};
    at = kept.emplace(content, std::move(fresh)).first;
  }
  const pb_interface* table = at->second->table();
  if (is_full && share.described_.count(table) == 0) return {};
  if (share.described_.insert(table).second) share.described_bytes_ += content.size();
  return {table, false};
}

}  // namespace patchbay::core::isolation
