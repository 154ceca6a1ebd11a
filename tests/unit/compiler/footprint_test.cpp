// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Footprints of random kernels, evaluated for boxes of work-groups, against what the work-items access.
#include "compiler/analysis/footprints.hpp"

#include "random_kernel.hpp"

#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>

#include <gtest/gtest.h>

namespace clotho::compiler {
namespace {

/// The footprint of f, after passes.
KernelFootprint footprintOf(llvm::Module& module, llvm::StringRef passes) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  functions.registerPass([] { return FootprintAnalysis(); });
  if (!passes.empty()) {
    llvm::FunctionPassManager manager;
    EXPECT_FALSE(static_cast<bool>(builder.parsePassPipeline(manager, passes)));
    manager.run(*module.getFunction("f"), functions);
    functions.clear();
  }
  EXPECT_FALSE(llvm::verifyModule(module, &llvm::errs()));
  return functions.getResult<FootprintAnalysis>(*module.getFunction("f"));
}

struct Counts {
  unsigned accesses = 0, exact = 0, any = 0;
};

/// Compares the union of the intervals of a buffer and a direction with what was accessed within the buffer.
void compare(const KernelFootprint& footprint, const FootprintBox& box, const TouchedBytes& touched, Counts& counts,
             const std::string& what) {
  constexpr std::int64_t kSize = 1 << 12; // of each buffer; other bytes are out of bounds
  const FootprintValues values(footprint, box);
  for (unsigned buffer = 0; buffer < 2; ++buffer)
    for (const bool isWrite : {false, true}) {
      std::vector<FootprintInterval> intervals;
      bool isAny = false;
      for (const FootprintAccess& access : footprint.accesses)
        // Passes leave out reads of what the work-item has just written.
        if (access.argument == buffer && (access.isWrite || !isWrite))
          if (const auto interval = values.intervalOf(access)) {
            intervals.push_back(*interval);
            isAny = isAny || interval->isAny;
          }
      const auto found = touched.of.find({buffer, isWrite});
      if (found == touched.of.end()) continue;
      std::int64_t least = kSize, most = 0;
      for (const auto& [offset, bytes] : found->second) {
        if (offset < 0 || offset > kSize - std::int64_t{bytes}) continue;
        const bool isCovered = isAny || std::ranges::any_of(intervals, [&](const FootprintInterval& interval) {
                                 return interval.begin <= offset && offset + std::int64_t{bytes} <= interval.end;
                               });
        ASSERT_TRUE(isCovered) << "buffer " << buffer << (isWrite ? " written" : " read") << " at " << offset << '\n'
                               << what;
        least = std::min(least, offset);
        most = std::max(most, offset + std::int64_t{bytes});
      }
      if (least >= most) continue;
      ++counts.accesses;
      counts.any += isAny ? 1 : 0;
      std::int64_t begin = kSize, end = 0;
      for (const FootprintInterval& interval : intervals) {
        begin = std::min(begin, interval.begin);
        end = std::max(end, interval.end);
      }
      counts.exact += !isAny && begin == least && end == most ? 1 : 0;
    }
}

/// Runs kernels with the numbers from `first` on.
Counts compareKernels(unsigned first, unsigned count) {
  constexpr unsigned kBoxes = 6;
  constexpr const char* kPasses[] = {
      "", "instcombine<no-verify-fixpoint>,simplifycfg",
      "early-cse,instcombine<no-verify-fixpoint>,loop(indvars),simplifycfg",
      "loop-simplify,lcssa,loop(loop-rotate),instcombine<no-verify-fixpoint>,simplifycfg"};
  Counts counts;
  for (unsigned seed = first; seed < first + count && !testing::Test::HasFatalFailure(); ++seed) {
    RandomKernel kernel(seed);
    llvm::LLVMContext context;
    const std::unique_ptr<llvm::Module> module = kernel.module(context);
    const KernelFootprint footprint = footprintOf(*module, kPasses[seed % std::size(kPasses)]);
    if (!footprint.unknown.empty()) continue;
    for (unsigned i = 0; i < kBoxes; ++i) {
      std::vector<std::byte> block;
      const FootprintBox box = kernel.randomBox(block);
      if (const auto touched = kernel.run(box))
        compare(footprint, box, *touched, counts, "seed " + std::to_string(seed) + '\n' + kernel.text());
    }
  }
  return counts;
}

TEST(FootprintTest, CoversWhatRandomKernelsAccess) {
  const Counts counts = compareKernels(0, 3000);
  // The test is worth something only if many intervals are no larger than they must be.
  EXPECT_GT(counts.accesses, 5000U);
  EXPECT_GT(counts.exact, counts.accesses / 2) << counts.exact << " of " << counts.accesses;
  EXPECT_LT(counts.any, counts.accesses / 4) << counts.any << " of " << counts.accesses;
}

/// For `make check-deep`.
TEST(FootprintTest, DISABLED_CoversWhatManyRandomKernelsAccess) { compareKernels(3000, 400'000); }

} // namespace
} // namespace clotho::compiler
