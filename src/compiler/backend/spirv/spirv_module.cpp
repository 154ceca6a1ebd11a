// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/spirv/spirv_module.hpp"

#include "compiler/backend/spirv/mend_constants.hpp"
#include "compiler/backend/spirv/mend_module.hpp"

#include <llvm/IR/Module.h>
#include <llvm/Support/CodeGen.h>
#include <llvm/TargetParser/Triple.h>

#include <string>
#include <vector>

/// LLVM exports this function for callers like this one, but no header declares it.
/// NOLINTNEXTLINE(readability-identifier-naming): its name is LLVM's
extern "C" bool SPIRVTranslate(llvm::Module* module, std::string& spirv, std::string& why,
                               const std::vector<std::string>& extensions, llvm::CodeGenOptLevel level,
                               llvm::Triple triple);

namespace clotho::compiler {
namespace {

/// Extensions that the back end may use if a program needs them: those that the SPIR-V reader accepts
/// (base/spirv_support.def) and for which OpenCL has extensions. Hints are left out, since not every consumer ignores
/// them.
const std::vector<std::string>& allowedExtensions() {
  static const std::vector<std::string> names = {
      "SPV_EXT_relaxed_printf_string_address_space",
      "SPV_EXT_shader_atomic_float16_add",
      "SPV_EXT_shader_atomic_float_add",
      "SPV_EXT_shader_atomic_float_min_max",
      "SPV_INTEL_bfloat16_conversion",
      "SPV_INTEL_split_barrier",
      "SPV_INTEL_subgroups",
      "SPV_KHR_bit_instructions",
      "SPV_KHR_expect_assume",
      "SPV_KHR_float_controls",
      "SPV_KHR_integer_dot_product",
      "SPV_KHR_linkonce_odr",
      "SPV_KHR_no_integer_wrap_decoration",
      "SPV_KHR_shader_clock",
      "SPV_KHR_subgroup_rotate",
      "SPV_KHR_uniform_group_instructions",
  };
  return names;
}

} // namespace

llvm::Expected<std::string> makeSpirv(llvm::Module& module, const BuildOptions& options) {
  mendForSpirv(module);
  if (options.madEnable || options.unsafeMath || options.fastRelaxedMath) allowContraction(module);
  std::string spirv, why;
  const auto level = options.optDisable ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default;
  if (!SPIRVTranslate(&module, spirv, why, allowedExtensions(), level, module.getTargetTriple()))
    return llvm::createStringError("LLVM's SPIR-V back end: " + why);
  mendConstants(spirv);
  return spirv;
}

} // namespace clotho::compiler
