// Structured logs and metrics.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "host.h"

namespace patchbay {

// A field of a log line.
struct Field {
  std::string_view key;
  std::string value;
  Field(std::string_view k, std::string_view v) : key(k), value(v) {}
  Field(std::string_view k, const char* v) : key(k), value(v) {}
  Field(std::string_view k, const std::string& v) : key(k), value(v) {}
  Field(std::string_view k, bool v) : key(k), value(v ? "true" : "false") {}
  Field(std::string_view k, double v) : key(k), value(std::to_string(v)) {}
  template <class Int, class = std::enable_if_t<std::is_integral_v<Int> && !std::is_same_v<Int, bool>>>
  Field(std::string_view k, Int v) : key(k), value(std::to_string(v)) {}
};

// [any] Writes log lines with the plugin's name. with() returns a Log with a correlation id, which connects
// the lines about one call.
class Log {
 public:
  explicit Log(const Host& host, std::string correlation = {})
      : host_(&host), correlation_(std::move(correlation)) {}
  Log with(std::string_view correlation) const { return Log(*host_, std::string(correlation)); }
  const std::string& correlation() const noexcept { return correlation_; }

  using Fields = std::initializer_list<Field>;
  void debug(std::string_view text, Fields fields = {}) const { write(PB_LOG_DEBUG, text, fields); }
  void info(std::string_view text, Fields fields = {}) const { write(PB_LOG_INFO, text, fields); }
  void warn(std::string_view text, Fields fields = {}) const { write(PB_LOG_WARN, text, fields); }
  void error(std::string_view text, Fields fields = {}) const { write(PB_LOG_ERROR, text, fields); }

 private:
  void write(uint32_t level, std::string_view text, Fields fields) const {
    if (host_->observe->log_enabled(host_->self, level) == 0) return;
    std::vector<pb_pair> pairs;
    pairs.reserve(fields.size());
    for (const Field& field : fields) pairs.push_back({to_abi(field.key), to_abi(field.value)});
    host_->observe->log(host_->self, level, to_abi(correlation_), to_abi(text), pairs.data(),
                        static_cast<uint32_t>(pairs.size()));
  }
  const Host* host_;
  std::string correlation_;
};

// Redacts a value in the fields of log lines, as long as this lives. No-op for values that are not
// looks_random(): refuse weaker secrets, or do not log texts that may contain them.
class SecretGuard {
 public:
  SecretGuard(const Host& host, std::string value) : host_(&host), value_(std::move(value)) {
    host_->observe->secret_add(host_->self, to_abi(value_));
  }
  SecretGuard(SecretGuard&& other) noexcept : host_(other.host_), value_(std::move(other.value_)) {
    other.host_ = nullptr;
  }
  SecretGuard& operator=(SecretGuard&&) = delete;
  ~SecretGuard() {
    if (host_ != nullptr) host_->observe->secret_forget(host_->self, to_abi(value_));
  }

 private:
  const Host* host_;
  std::string value_;
};

// [any] [media] A metric series. Names have the form patchbay_<plugin>_<name>, with _ for every - of the
// plugin's id: patchbay_call_meter_seconds.
class Metric {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;
  static Metric counter(const Host& host, std::string_view name, std::string_view help,
                        const Labels& labels = {}) {
    return Metric(host, PB_METRIC_COUNTER, name, help, labels);
  }
  static Metric gauge(const Host& host, std::string_view name, std::string_view help,
                      const Labels& labels = {}) {
    return Metric(host, PB_METRIC_GAUGE, name, help, labels);
  }
  static Metric seconds(const Host& host, std::string_view name, std::string_view help,
                        const Labels& labels = {}) {
    return Metric(host, PB_METRIC_HISTOGRAM, name, help, labels);
  }
  void add(double value = 1) const noexcept { host_->observe->metric_add(host_->self, id_, value); }
  void set(double value) const noexcept { host_->observe->metric_set(host_->self, id_, value); }

 private:
  Metric(const Host& host, uint32_t kind, std::string_view name, std::string_view help, const Labels& labels)
      : host_(&host) {
    std::vector<pb_pair> pairs;
    for (const auto& [key, value] : labels) pairs.push_back({to_abi(key), to_abi(value)});
    id_ = host.observe->metric(host.self, kind, to_abi(name), to_abi(help), pairs.data(),
                               static_cast<uint32_t>(pairs.size()));
  }
  const Host* host_;
  uint64_t id_ = 0;
};

}  // namespace patchbay
