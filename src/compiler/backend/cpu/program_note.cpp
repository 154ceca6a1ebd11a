// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/program_note.hpp"

#include "abi/cpu_kernel.h"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/Endian.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace clotho::compiler {
namespace {

constexpr std::uint32_t kNoteType = 1;
constexpr llvm::StringLiteral kOwner = "Clotho";

void appendWord(std::string& bytes, std::uint32_t word) {
  char encoded[4];
  llvm::support::endian::write32(encoded, word, llvm::endianness::native);
  bytes.append(encoded, sizeof encoded);
}

void pad(std::string& bytes) { bytes.resize((bytes.size() + 3) & ~std::size_t(3), '\0'); }

} // namespace

void addProgramNote(llvm::Module& module, llvm::ArrayRef<BuiltKernel> kernels) {
  std::string description;
  appendWord(description, cpu::kKernelAbiVersion);
  appendWord(description, static_cast<std::uint32_t>(kernels.size()));
  for (const BuiltKernel& kernel : kernels)
    description.append(kernel.info.name.c_str(), kernel.info.name.size() + 1);

  std::string note;
  appendWord(note, static_cast<std::uint32_t>(kOwner.size() + 1));
  appendWord(note, static_cast<std::uint32_t>(description.size()));
  appendWord(note, kNoteType);
  note.append(kOwner.data(), kOwner.size() + 1);
  pad(note);
  note += description;
  pad(note);

  llvm::Constant* contents = llvm::ConstantDataArray::getString(module.getContext(), note, /*AddNull=*/false);
  auto* variable = new llvm::GlobalVariable(module, contents->getType(), /*isConstant=*/true,
                                            llvm::GlobalValue::PrivateLinkage, contents, "clotho.note");
  variable->setSection(".note.clotho");
  variable->setAlignment(llvm::Align(4));
  llvm::appendToCompilerUsed(module, {variable});
}

} // namespace clotho::compiler
