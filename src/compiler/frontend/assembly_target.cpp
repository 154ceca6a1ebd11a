// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/assembly_target.hpp"

#include <clang/Basic/TargetInfo.h>
#include <clang/Frontend/CompilerInstance.h>

namespace clotho::compiler {
namespace {

/// Another target, but for the letters of registers.
class PtxAssemblyTarget final : public clang::TargetInfo {
 public:
  explicit PtxAssemblyTarget(clang::TargetInfo& other) : clang::TargetInfo(other), other_(&other) {}

  bool validateAsmConstraint(const char*& name, ConstraintInfo& info) const override {
    switch (*name) {
    case 'h': // 16 bits
    case 'l': // 64 bits
    case 'f':
    case 'd':
    case 'c': info.setAllowsRegister(); return true;
    default: return false;
    }
  }

  bool validateOutputSize(const llvm::StringMap<bool>& features, llvm::StringRef constraint,
                          unsigned bits) const override {
    return validateInputSize(features, constraint.ltrim("=+&"), bits);
  }
  bool validateInputSize(const llvm::StringMap<bool>&, llvm::StringRef constraint, unsigned bits) const override {
    switch (constraint.empty() ? 0 : constraint.front()) {
    case 'h': return bits <= 16;
    case 'r':
    case 'f': return bits <= 32;
    case 'l':
    case 'd': return bits <= 64;
    default: return true;
    }
  }

  void getTargetDefines(const clang::LangOptions& options, clang::MacroBuilder& builder) const override {
    other_->getTargetDefines(options, builder);
  }
  llvm::SmallVector<clang::Builtin::InfosShard> getTargetBuiltins() const override {
    return other_->getTargetBuiltins();
  }
  BuiltinVaListKind getBuiltinVaListKind() const override { return other_->getBuiltinVaListKind(); }
  std::string_view getClobbers() const override { return other_->getClobbers(); }
  llvm::ArrayRef<const char*> getGCCRegNames() const override { return {}; }
  llvm::ArrayRef<GCCRegAlias> getGCCRegAliases() const override { return {}; }
  std::optional<unsigned> getDWARFAddressSpace(unsigned space) const override {
    return other_->getDWARFAddressSpace(space);
  }
  CallingConvCheckResult checkCallingConvention(clang::CallingConv convention) const override {
    return other_->checkCallingConvention(convention);
  }
  clang::CallingConv getDefaultCallingConv() const override { return other_->getDefaultCallingConv(); }
  bool useFP16ConversionIntrinsics() const override { return other_->useFP16ConversionIntrinsics(); }
  bool hasBitIntType() const override { return other_->hasBitIntType(); }
  bool hasInt128Type() const override { return other_->hasInt128Type(); }
  bool hasFeature(llvm::StringRef feature) const override { return other_->hasFeature(feature); }

 private:
  const llvm::IntrusiveRefCntPtr<clang::TargetInfo> other_;
};

} // namespace

bool PtxAssemblyAction::BeginInvocation(clang::CompilerInstance& compiler) {
  compiler.setTarget(new PtxAssemblyTarget(compiler.getTarget()));
  return true;
}

} // namespace clotho::compiler
