// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tests of the reader of SPIR-V share.
#pragma once

#include "compiler/frontend/spirv/spirv.hpp"

#include <gtest/gtest.h>

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <spirv-tools/libspirv.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace clotho::compiler {

using Words = std::vector<std::uint32_t>;

inline constexpr const char* kBegin = R"(
  OpCapability Addresses
  OpCapability Linkage
  OpCapability Kernel
  OpCapability Int64
  OpCapability Int8
  OpCapability Vector16
  OpCapability Float64
  OpCapability GenericPointer
  OpCapability ArbitraryPrecisionIntegersINTEL
  OpExtension "SPV_INTEL_arbitrary_precision_integers"
  %std = OpExtInstImport "OpenCL.std"
  OpMemoryModel Physical64 OpenCL
)";

inline Words assemble(const std::string& text, spv_target_env environment = SPV_ENV_UNIVERSAL_1_4) {
  spv_context context = spvContextCreate(environment);
  spv_binary binary = nullptr;
  spv_diagnostic diagnostic = nullptr;
  EXPECT_EQ(spvTextToBinaryWithOptions(context, text.data(), text.size(),
                                       SPV_TEXT_TO_BINARY_OPTION_PRESERVE_NUMERIC_IDS, &binary, &diagnostic),
            SPV_SUCCESS)
      << (diagnostic != nullptr ? diagnostic->error : "");
  Words words;
  if (binary != nullptr) words.assign(binary->code, binary->code + binary->wordCount);
  spvBinaryDestroy(binary);
  spvDiagnosticDestroy(diagnostic);
  spvContextDestroy(context);
  return words;
}

class SpirvReaderTest : public testing::Test {
 protected:
  /// The module of words; null, with the reason in `log_`, where there is none.
  std::unique_ptr<llvm::Module> read(const Words& words) {
    BuildRequest request;
    request.il.assign(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(std::uint32_t));
    log_.clear();
    BuildOptions options;
    options.debugInfo = debugInfo_;
    return readSpirv(request, options, context_, log_);
  }
  std::unique_ptr<llvm::Module> read(const std::string& text) { return read(assemble(kBegin + text)); }
  void expectRefused(const std::string& text, const std::string& why) {
    EXPECT_EQ(read(text), nullptr);
    EXPECT_NE(log_.find(why), std::string::npos) << log_;
  }

  llvm::LLVMContext context_;
  std::string log_;
  bool debugInfo_ = false; ///< as with -g
};

} // namespace clotho::compiler
