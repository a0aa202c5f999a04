#include "number_directory.h"

#include <algorithm>
#include <utility>

namespace patchbay::numbers {
namespace {

Error unknown_number() { return {Code::not_found, "there is no such number"}; }

}  // namespace

void NumberDirectory::configure(Settings settings) {
  settings_ = std::move(settings);
  for (const auto& [tenant, numbers] : settings_.all())
    for (const VirtualNumber& number : numbers) warn_if_stored(tenant, number.number);
}

void NumberDirectory::warn_if_stored(const std::string& tenant, const std::string& number) {
  store_.lookup(tenant, number, alive_.bind([this, tenant, number](const Result<Summary>& stored) {
    if (stored)
      log_.warn("a virtual number of the REST API is hidden by a configured one",
                {{"tenant", tenant}, {"number", number}});
  }));
}

void NumberDirectory::find(const std::string& tenant, const std::string& number,
                           Function<void(Result<VirtualNumber>)> done) {
  const auto normal = normalise(number);
  if (!normal) return done(unknown_number());
  if (const VirtualNumber* configured = settings_.find(tenant, *normal)) return done(*configured);
  store_.find(tenant, *normal, std::move(done));
}

void NumberDirectory::lookup(const std::string& tenant, const std::string& number,
                             Function<void(Result<Summary>)> done) {
  const auto normal = normalise(number);
  if (!normal) return done(unknown_number());
  if (const VirtualNumber* configured = settings_.find(tenant, *normal)) return done(summary_of(*configured));
  store_.lookup(tenant, *normal, std::move(done));
}

void NumberDirectory::list(const std::string& tenant, int64_t limit, int64_t offset,
                           Function<void(Result<Page>)> done) {
  store_.order(tenant, alive_.bind([this, tenant, limit = static_cast<size_t>(limit),
                                    offset = static_cast<size_t>(offset),
                                    done = std::move(done)](Result<Places> places) mutable {
    if (!places) return done(places.error());
    const auto& configured = settings_.of_tenant(tenant);
    const auto hidden = static_cast<size_t>(std::count_if(
        places->begin(), places->end(),
        [&](const NumberStore::Place& place) { return settings_.find(tenant, place.number) != nullptr; }));
    Page page;
    page.total = static_cast<int64_t>(configured.size() + places->size() - hidden);
    for (size_t i = offset; i < configured.size() && page.numbers.size() < limit; ++i)
      page.numbers.push_back(configured[i]);
    const size_t skip = offset - std::min(offset, configured.size());
    const size_t left = limit - page.numbers.size();
    list_stored(tenant, left, skip, std::move(page), *std::move(places), std::move(done));
  }));
}

// Reads the rows from the first one wanted to the last one wanted, hidden ones between them included.
void NumberDirectory::list_stored(const std::string& tenant, size_t limit, size_t skip, Page page,
                                  Places places, Function<void(Result<Page>)> done) {
  const auto is_hidden = [&](const std::string& number) { return settings_.find(tenant, number) != nullptr; };
  size_t first = places.size(), end = first, wanted = 0, seen = 0;
  for (size_t i = 0; i < places.size() && wanted < limit; ++i) {
    if (is_hidden(places[i].number) || seen++ < skip) continue;
    first = std::min(first, i);
    end = i + 1;
    ++wanted;
  }
  if (wanted == 0) return done(std::move(page));
  store_.page(tenant, places[first], end - first,
              alive_.bind([this, tenant, page = std::move(page),
                           done = std::move(done)](Result<std::vector<VirtualNumber>> rows) mutable {
                if (!rows) return done(rows.error());
                for (VirtualNumber& row : *rows)
                  if (settings_.find(tenant, row.number) == nullptr) page.numbers.push_back(std::move(row));
                done(std::move(page));
              }));
}

}  // namespace patchbay::numbers
