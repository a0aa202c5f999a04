// HostServices: the subsystems of the core that the tables call, put together by Subsystems. All borrowed.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace patchbay::core {

class Bus;
class HostObserver;
class MediaRegistry;
class ProcessTimes;
class ServiceRegistry;
class Runtime;
class StoreRegistry;

namespace observe {
class Log;
class Metrics;
}  // namespace observe

struct HostServices {
  Runtime& runtime;
  Bus& bus;
  StoreRegistry& store;
  ServiceRegistry& registry;
  MediaRegistry& media;
  ProcessTimes& process_times;
  observe::Log& log;
  observe::Metrics& metrics;
  std::filesystem::path data_folder;                         // each plugin gets a folder in it
  std::function<std::string(std::string_view what)> report;  // see pb_observe.report; any thread
  HostObserver* observer = nullptr;
};

}  // namespace patchbay::core
