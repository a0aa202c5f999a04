#include "plugins/start_order.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "json/suggestion.h"

namespace patchbay::core {
namespace {

class Planner {
 public:
  Planner(const std::vector<Manifest>& plugins, const std::map<std::string, std::string>& available)
      : plugins_(plugins), available_(available) {}

  StartOrder plan() {
    name_providers();
    refuse_missing();
    while (place_ready(true) || place_ready(false)) {
    }
    refuse_cycles();
    return std::move(plan_);
  }

 private:
  void name_providers() {
    for (size_t i = 0; i < plugins_.size(); ++i) {
      for (const std::string& service : plugins_[i].provides) {
        const auto [at, added] = provider_.emplace(service, i);
        if (!added) {
          refuse(i, "it provides " + service + ", which " + plugins_[at->second].id +
                        " provides already; configure one of the two");
        }
      }
    }
  }

  // Refusing one plugin may leave others without what they need.
  void refuse_missing() {
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t i = 0; i < plugins_.size(); ++i) {
        if (plan_.refused.count(i) != 0) continue;
        for (const std::string& service : plugins_[i].requires_) {
          if (provided(service)) continue;
          refuse(i, "it needs " + service + fix_for(service));
          changed = true;
          break;
        }
      }
    }
  }

  bool provided(const std::string& service) const {
    const auto at = provider_.find(service);
    return at != provider_.end() && plan_.refused.count(at->second) == 0;
  }

  std::string fix_for(const std::string& service) const {
    const auto at = provider_.find(service);
    if (at != provider_.end())
      return ", whose provider " + plugins_[at->second].id + " is not started either";
    const auto there = available_.find(service);
    if (there != available_.end()) return "; add `" + there->second + ":` to `plugins:`";
    const std::string near = nearest_service(service);
    return ", which no plugin in the plugin folder provides" +
           (near.empty() ? std::string() : "; did you mean " + near + "?");
  }

  // Compares without the owner's prefix, which all names of an owner share: "patchbay." says nothing about
  // what was meant.
  std::string nearest_service(const std::string& service) const {
    const std::string owner = service.substr(0, service.find('.') + 1);
    std::vector<std::string_view> known;
    const auto add = [&](std::string_view id) {
      if (id.substr(0, owner.size()) == owner) known.push_back(id.substr(owner.size()));
    };
    for (const auto& [id, plugin] : provider_) add(id);
    for (const auto& [id, plugin] : available_) add(id);
    const std::string near = json::suggest(std::string_view(service).substr(owner.size()), known);
    return near.empty() ? near : owner + near;
  }

  // Starts what needs nothing more; with `optional`, only what has its optional services started, too.
  bool place_ready(bool optional) {
    for (size_t i = 0; i < plugins_.size(); ++i) {
      if (placed_.count(i) != 0 || plan_.refused.count(i) != 0 || !met(plugins_[i].requires_)) continue;
      if (optional && !met_where_present(plugins_[i].optional)) continue;
      placed_.insert(i);
      plan_.order.push_back(i);
      return true;
    }
    return false;
  }

  bool met(const std::vector<std::string>& services) const {
    return std::all_of(services.begin(), services.end(),
                       [&](const std::string& service) { return placed_.count(provider_.at(service)) != 0; });
  }
  bool met_where_present(const std::vector<std::string>& services) const {
    return std::all_of(services.begin(), services.end(), [&](const std::string& service) {
      return !provided(service) || placed_.count(provider_.at(service)) != 0;
    });
  }

  void refuse_cycles() {
    for (size_t i = 0; i < plugins_.size(); ++i) {
      if (placed_.count(i) == 0 && plan_.refused.count(i) == 0) {
        refuse(i, "it has a circular dependency; make one of the services optional");
      }
    }
  }

  void refuse(size_t plugin, std::string why) { plan_.refused.emplace(plugin, std::move(why)); }

  const std::vector<Manifest>& plugins_;
  const std::map<std::string, std::string>& available_;
  std::map<std::string, size_t> provider_;
  std::set<size_t> placed_;
  StartOrder plan_;
};

}  // namespace

StartOrder start_order(const std::vector<Manifest>& plugins,
                       const std::map<std::string, std::string>& available) {
  return Planner(plugins, available).plan();
}

}  // namespace patchbay::core
