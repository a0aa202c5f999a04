#include "registrar/registrar_metrics.h"

namespace patchbay::sip_trunk {
namespace {

// The host returns an existing series again.
Metric registers(const Host& host, const char* outcome) {
  return Metric::counter(host, "patchbay_sip_trunk_registers_total", "REGISTER requests of telephones",
                         {{"outcome", outcome}});
}

}  // namespace

RegistrarMetrics::RegistrarMetrics(const Host& host)
    : host_(host),
      contacts_(Metric::gauge(host, "patchbay_sip_trunk_contacts", "Telephones that are registered now")),
      challenged_(registers(host, "challenged")),
      dropped_(registers(host, "dropped")) {}

void RegistrarMetrics::registered(const char* outcome) const { registers(host_, outcome).add(); }

void RegistrarMetrics::set_screened(const StackCounts& all) {
  challenged_.add(static_cast<double>(all.registers_challenged - exported_.registers_challenged));
  dropped_.add(static_cast<double>(all.registers_dropped - exported_.registers_dropped));
  exported_ = all;
}

}  // namespace patchbay::sip_trunk
