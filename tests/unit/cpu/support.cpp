// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support.hpp"

#include "base/text_file.hpp"

#include <stdexcept>

namespace clotho {
// The handles here never reach a loader.
const cl_icd_dispatch* const kDispatch = nullptr;
} // namespace clotho

namespace clotho::cpu {

std::shared_ptr<BuildResult> testBuild(bool inMemory) {
  auto built = std::make_shared<BuildResult>();
  built->status = BuildStatus::Success;
  for (const char* name :
       {"add_number",    "use_memory", "work",        "write_unmapped", "read_unmapped",  "not_canonical",
        "illegal",       "divide",     "overflow",    "large_frame",    "count",          "exchanged",
        "by_rows",       "merged",     "merged_wide", "stacked",        "boxes",          "print",
        "float_control", "hold",       "breakpoint",  "single_step",    "many_sub_groups"}) {
    BuiltKernel& kernel = built->kernels.emplace_back();
    CpuKernelFacts facts;
    kernel.info.name = facts.symbol = name;
    kernel.info.argBlockSize = sizeof(TestArgs);
    facts.usesPrintf = kernel.info.name == "print";
    if (kernel.info.name == "use_memory") facts.frameBytesPerItem = 4;
    if (kernel.info.name == "hold") facts.frameBytesPerItem = 64 << 10;
    if (kernel.info.name == "merged") facts.mergedRow = 64;
    if (kernel.info.name == "stacked") {
      facts.symbol = "boxes";
      facts.isStackable = true;
      facts.rowsAtOnce = 16;
    }
    if (kernel.info.name == "exchanged") {
      facts.symbol = "write_unmapped";
      facts.laneDimension = 2;
    }
    if (kernel.info.name == "by_rows") {
      facts.symbol = "write_unmapped";
      facts.laneDimension = 1;
      facts.countsRows = true;
      kernel.limits.rows.constant = 48;
    }
    if (kernel.info.name == "merged_wide") {
      facts.symbol = "merged";
      facts.mergedRow = 64;
      kernel.limits.subGroupSize = 256;
    }
    kernel.facts = encodeFacts(facts);
  }
  built->printfFormats.push_back({"group %d: %s\n", {4, 8}, {}});
  built->object = readTextFile(CLOTHO_TEST_KERNELS);
  if (!inMemory) built->objectPath = CLOTHO_TEST_KERNELS;
  return built;
}

const LoadedProgram& testProgram() {
  static const LoadedProgram program(testBuild(false));
  return program;
}

const CpuKernel& testKernel(const std::string& name) {
  const DeviceKernel* kernel = testProgram().kernel(name);
  if (!kernel) throw std::logic_error("no kernel " + name);
  return static_cast<const CpuKernel&>(*kernel);
}

LaunchParams testParams(const TestArgs& args, std::uint64_t groups) {
  LaunchParams params{};
  params.args = reinterpret_cast<const std::byte*>(&args);
  for (int d = 0; d < 3; ++d)
    params.globalSize[d] = params.localSize[d] = params.enqueuedLocalSize[d] = params.numGroups[d] =
        params.endGroup[d] = 1;
  params.globalSize[0] = params.numGroups[0] = params.endGroup[0] = groups;
  params.workDim = 1;
  return params;
}

} // namespace clotho::cpu
