#include "read_settings.h"

#include <algorithm>

namespace patchbay::numbers {
namespace {

Result<VirtualNumber> read_number(JsonView item) {
  VirtualNumber number;
  number.from_config = true;
  PB_TRY_VALUE(number.number, normalise(item.text("number", "")));
  read_members(number, item);
  PB_TRY(check(number));
  return number;
}

}  // namespace

Result<Settings> Settings::read(const Config& config) {
  Settings settings;
  for (const Config::Tenant& tenant : config.tenants()) {
    std::vector<VirtualNumber>& numbers = settings.tenants_[std::string(tenant.host)];
    const JsonView list = tenant.section["list"];
    numbers.reserve(list.size());
    for (size_t i = 0; i < list.size(); ++i) {
      const std::string where =
          "tenants." + std::string(tenant.host) + ".numbers.list[" + std::to_string(i) + "]";
      auto number = read_number(list.at(i));
      if (!number) return std::move(number).error().within(where);
      if (settings.find(tenant.host, number->number) != nullptr)
        return {Code::invalid, where + ": the tenant has this number already"};
      numbers.push_back(*std::move(number));
    }
  }
  return settings;
}

const std::vector<VirtualNumber>& Settings::of_tenant(std::string_view tenant) const {
  static const std::vector<VirtualNumber> kNone;
  const auto found = tenants_.find(tenant);
  return found == tenants_.end() ? kNone : found->second;
}

const VirtualNumber* Settings::find(std::string_view tenant, std::string_view number) const {
  const auto& numbers = of_tenant(tenant);
  const auto found = std::find_if(numbers.begin(), numbers.end(),
                                  [&](const VirtualNumber& each) { return each.number == number; });
  return found == numbers.end() ? nullptr : &*found;
}

}  // namespace patchbay::numbers
