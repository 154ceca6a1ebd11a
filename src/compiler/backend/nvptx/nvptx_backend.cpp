// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/nvptx/nvptx_backend.hpp"

#include "abi/cuda_facts.hpp"
#include "abi/cuda_kernel.h"
#include "compiler/backend/lowered_module.hpp"
#include "compiler/backend/nvptx/lower/make_entries.hpp"
#include "compiler/backend/nvptx/nvptx_machine.hpp"
#include "compiler/backend/nvptx/nvptx_pipeline.hpp"
#include "compiler/ir/kernels.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Target/TargetMachine.h>

namespace clotho::compiler {
namespace {

/// Whether each kernel fits the launch interface. Reports those that do not.
bool areLaunchable(const std::vector<BuiltKernel>& kernels, std::string& log) {
  bool all = true;
  for (const BuiltKernel& kernel : kernels) {
    const KernelInfo& info = kernel.info;
    if (info.argBlockSize > cuda::kMostArgumentBytes) {
      log += llvm::formatv("error: the arguments of kernel '{0}' take {1} bytes, more than {2}\n", info.name,
                           info.argBlockSize, static_cast<unsigned>(cuda::kMostArgumentBytes))
                 .str();
      all = false;
    }
    if (info.requiredSubGroupSize != 0 && !llvm::is_contained(kSubGroupSizes, info.requiredSubGroupSize)) {
      log += llvm::formatv("error: the kernel '{0}' requires sub-groups of {1} work-items, this GPU has {2:$[, ]}\n",
                           info.name, info.requiredSubGroupSize,
                           llvm::make_range(std::begin(kSubGroupSizes), std::end(kSubGroupSizes)))
                 .str();
      all = false;
    }
  }
  return all;
}

} // namespace

llvm::Expected<DeviceCode> NvptxBackend::generate(llvm::Module& portable, std::vector<BuiltKernel>& kernels,
                                                  const BackendRequest& request) {
  DeviceCode code;
  StageTimer timer;
  auto machine = createNvptxMachine(request.target, request.optimise);
  if (!machine) return machine.takeError();
  if (!areLaunchable(kernels, request.log)) return code;

  EntryFacts entries;
  FindingsOfKernels findings;
  lowerForNvptx(portable, **machine, request.optimise, entries, findings, request.makesParts, request.observer.passes);
  if (request.diagnostics.failed()) return code;
  timer.done("lower");
  if (request.observer) request.observer(Stage::Lowered, portable, {});
  if (hasUndefined(portable, request.log)) return code;
  code.printfFormats = printfFormats(portable);

  optimiseForNvptx(portable, **machine, request.optimise, request.observer.passes);
  timer.done("optimise");
  if (request.observer) request.observer(Stage::Optimised, portable, {});
  for (BuiltKernel& kernel : kernels) {
    const EntryFact& entry = entries.at(kernel.info.name);
    kernel.work = findings[kernel.info.name].work;
    kernel.footprint = findings[kernel.info.name].footprint;
    kernel.limits.subGroupSize = entry.subGroupSize;
    kernel.limits.usesSubGroups = entry.usesSubGroups;
    kernel.limits.localBytes = entry.localBytes;
    kernel.limits.privateBytes = privateBytes(*portable.getFunction(entry.symbol));
    kernel.facts = cuda::encodeFacts({cuda::kCudaAbiVersion, entry.symbol, entry.usesPrintf});
  }
  auto text = emitPtx(portable, **machine);
  if (!text) return text.takeError();
  if (request.diagnostics.failed()) return code;
  if (request.observer) request.observer(Stage::Object, portable, *text);
  code.object = std::move(*text);
  timer.done("emit");
  return code;
}

} // namespace clotho::compiler
