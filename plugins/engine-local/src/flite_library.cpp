#include "flite_library.h"

#include <string>

#include "library/shared_library.h"

namespace patchbay::engine_local {
namespace {

constexpr const char* kPackage = "libflite1";

const char* name_of(FliteVoice voice) {
  switch (voice) {
    case FliteVoice::slt:
      return "cmu_us_slt";
    case FliteVoice::rms:
      return "cmu_us_rms";
    case FliteVoice::awb:
      return "cmu_us_awb";
    case FliteVoice::kal16:
      return "cmu_us_kal16";
  }
  return "";
}

}  // namespace

Result<FliteLibrary> FliteLibrary::load() {
  PB_TRY_VALUE(const lib::SharedLibrary library, lib::SharedLibrary::load("libflite.so.1", kPackage));
  FliteLibrary all{};
  PB_TRY(library.find("flite_init", all.flite_init));
  PB_TRY(library.find("flite_text_to_wave", all.flite_text_to_wave));
  PB_TRY(library.find("feat_set_float", all.feat_set_float));
  PB_TRY(library.find("delete_wave", all.delete_wave));
  return all;
}

cst_voice* FliteLibrary::voice(FliteVoice voice) {
  const std::string name = name_of(voice);
  const std::string file = "libflite_" + name + ".so.1";
  const auto library = lib::SharedLibrary::load(file.c_str(), kPackage);
  cst_voice* (*make)(const char*) = nullptr;
  if (!library || !library->find(("register_" + name).c_str(), make)) return nullptr;
  return make(nullptr);  // each call returns the same one
}

}  // namespace patchbay::engine_local
