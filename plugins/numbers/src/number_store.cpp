#include "number_store.h"

#include <utility>

namespace patchbay::numbers {
namespace {

// Binds a sealed key to its row.
std::string key_context(const std::string& tenant, const std::string& number) {
  return "numbers_number/" + tenant + "/" + number;
}

Error no_such_number() { return {Code::not_found, "there is no such number"}; }

}  // namespace

NumberStore::NumberStore(const Host& host, const Log& log)
    : host_(host),
      log_(log),
      find_(Statement::find(host, "find")),
      lookup_(Statement::find(host, "lookup")),
      order_(Statement::find(host, "order")),
      page_(Statement::find(host, "page")),
      count_(Statement::find(host, "count")),
      add_(Statement::find(host, "add")),
      change_(Statement::find(host, "change")),
      remove_(Statement::find(host, "remove")) {}

// The order of the columns of `find` and `page`.
VirtualNumber NumberStore::read(const std::string& tenant, const Rows& rows, size_t row) const {
  VirtualNumber number;
  number.number = rows.text(row, 0);
  number.position = rows.integer(row, 1);
  number.name = rows.text(row, 2);
  number.mode = rows.text(row, 3);
  number.user = rows.text(row, 4);
  number.voice = rows.text(row, 5);
  number.language = rows.text(row, 6);
  number.model = rows.text(row, 7);
  number.system_prompt = rows.text(row, 8);
  number.greeting = rows.text(row, 10);
  number.save_transcripts = rows.integer(row, 11) != 0;
  number.max_duration_sec = rows.integer(row, 12);
  number.visibility = rows.text(row, 13);
  number.transfer_targets = split_targets(rows.text(row, 14));
  number.transfer_by = rows.text(row, 15);
  number.rev = rows.integer(row, 16);
  if (const std::string_view sealed = rows.text(row, 9); !sealed.empty()) {
    auto key = unseal(host_, sealed, key_context(tenant, number.number));
    if (!key)
      log_.error("the apiKey of a virtual number cannot be read: set it again",
                 {{"tenant", tenant}, {"number", number.number}, {"why", key.error().text}});
    number.is_key_unreadable = !key;
    number.api_key = std::move(key).value_or("");
  }
  return number;
}

void NumberStore::find(const std::string& tenant, const std::string& number,
                       Function<void(Result<VirtualNumber>)> done) {
  query(host_, find_, {tenant, number},
        alive_.bind([this, tenant, done = std::move(done)](const Result<Rows>& rows) {
          if (!rows) return done(rows.error());
          if (rows->empty()) return done(no_such_number());
          done(read(tenant, *rows, 0));
        }));
}

void NumberStore::lookup(const std::string& tenant, const std::string& number,
                         Function<void(Result<Summary>)> done) {
  query(host_, lookup_, {tenant, number}, alive_.bind([done = std::move(done)](const Result<Rows>& rows) {
    if (!rows) return done(rows.error());
    if (rows->empty()) return done(no_such_number());
    const auto text = [&](size_t column) { return std::string(rows->text(0, column)); };
    done(Summary{text(0), text(1), text(2), text(3), text(4)});
  }));
}

void NumberStore::order(const std::string& tenant, Function<void(Result<std::vector<Place>>)> done) {
  query(host_, order_, {tenant}, alive_.bind([done = std::move(done)](const Result<Rows>& rows) {
    if (!rows) return done(rows.error());
    std::vector<Place> places;
    places.reserve(rows->size());
    for (size_t i = 0; i < rows->size(); ++i)
      places.push_back({rows->integer(i, 0), std::string(rows->text(i, 1))});
    done(std::move(places));
  }));
}

void NumberStore::page(const std::string& tenant, const Place& first, size_t count,
                       Function<void(Result<std::vector<VirtualNumber>>)> done) {
  query(host_, page_, {tenant, first.position, first.number, count},
        alive_.bind([this, tenant, done = std::move(done)](const Result<Rows>& rows) {
          if (!rows) return done(rows.error());
          std::vector<VirtualNumber> numbers;
          numbers.reserve(rows->size());
          for (size_t i = 0; i < rows->size(); ++i) numbers.push_back(read(tenant, *rows, i));
          done(std::move(numbers));
        }));
}

void NumberStore::count(const std::string& tenant, Function<void(Result<int64_t>)> done) {
  query(host_, count_, {tenant}, alive_.bind([done = std::move(done)](const Result<Rows>& rows) {
    if (!rows) return done(rows.error());
    done(rows->integer(0, 0));
  }));
}

Result<std::string> NumberStore::seal_key(const std::string& tenant, const VirtualNumber& number) const {
  if (number.api_key.empty()) return std::string();
  return seal(host_, number.api_key, key_context(tenant, number.number));
}

Status NumberStore::add(Transaction& tx, const std::string& tenant, const VirtualNumber& number) const {
  PB_TRY_VALUE(const std::string key, seal_key(tenant, number));
  tx.exec(add_,
          {tenant, number.number, number.name, number.mode, number.user, number.voice, number.language,
           number.model, number.system_prompt, Value::bytes(key), number.greeting,
           number.save_transcripts ? 1 : 0, number.max_duration_sec, number.visibility,
           join_targets(number.transfer_targets), number.transfer_by},
          1);
  return {};
}

Status NumberStore::change(Transaction& tx, const std::string& tenant, const VirtualNumber& number) const {
  PB_TRY_VALUE(const std::string key, seal_key(tenant, number));
  tx.exec(change_,
          {tenant, number.number, number.name, number.mode, number.user, number.voice, number.language,
           number.model, number.system_prompt, Value::bytes(key), number.greeting,
           number.save_transcripts ? 1 : 0, number.max_duration_sec, number.visibility,
           join_targets(number.transfer_targets), number.transfer_by, number.rev},
          1);
  return {};
}

void NumberStore::remove(Transaction& tx, const std::string& tenant, const VirtualNumber& number) const {
  tx.exec(remove_, {tenant, number.number, number.rev}, 1);
}

}  // namespace patchbay::numbers
