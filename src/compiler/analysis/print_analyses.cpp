// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/print_analyses.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ModuleSlotTracker.h>
#include <llvm/Support/FormatVariadic.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Function;
using llvm::Instruction;
using llvm::raw_ostream;

/// Prints values and blocks of one function. Numbers of unnamed values are computed once.
class Printer {
 public:
  Printer(raw_ostream& out, Function& function) : out_(out), function_(function), slots_(function.getParent()) {
    slots_.incorporateFunction(function);
  }

  raw_ostream& name(const llvm::Value& value) {
    value.printAsOperand(out_, /*PrintType=*/false, slots_);
    return out_;
  }

  template <class Range> void names(const Range& values) {
    const char* between = "";
    for (const llvm::Value* value : values) {
      out_ << between;
      name(*value);
      between = ", ";
    }
  }

  /// Prints, block by block, each instruction for which `what` returns text, together with that text.
  void instructions(llvm::function_ref<std::string(const Instruction&)> what) {
    for (const BasicBlock& block : function_) {
      name(block) << ":\n";
      for (const Instruction& instruction : block) {
        const std::string said = what(instruction);
        if (said.empty()) continue;
        std::string text;
        llvm::raw_string_ostream into(text);
        instruction.print(into, slots_);
        out_ << "  " << said << ": " << llvm::StringRef(text).ltrim() << '\n';
      }
    }
  }

 private:
  raw_ostream& out_;
  Function& function_;
  llvm::ModuleSlotTracker slots_;
};

std::string text(const LaneShape& shape) {
  if (shape.isUnknown()) return "unknown";
  if (shape.isVarying()) return "varying";
  return shape.isUniform() ? "uniform" : "affine " + std::to_string(shape.stride());
}

const char* text(Storage storage) {
  switch (storage) {
  case Storage::Recompute: return "recomputed";
  case Storage::Group: return "stored for the group";
  case Storage::Item: return "stored for each work-item";
  }
  return "";
}

/// Prints numbers of a footprint as an expression.
class FootprintPrinter {
 public:
  FootprintPrinter(raw_ostream& out, const KernelFootprint& footprint) : out_(out), footprint_(footprint) {}

  void print(std::uint32_t place) {
    const FootprintNode& node = footprint_.nodes[place];
    using Kind = FootprintNode::Kind;
    constexpr const char* kNames[] = {
        "",           "argument",      "global-id",  "local-id",    "group-id",      "group-base",
        "local-size", "enqueued-size", "num-groups", "global-size", "global-offset", "+",
        "*",          "udiv",          "urem",       "smax",        "umax",          "smin",
        "umin",       "trunc",         "zext",       "sext",        "counter"};
    if (node.kind == Kind::Range) {
      out_ << node.low;
      if (node.low != node.high) out_ << ".." << node.high;
      return;
    }
    out_ << '(' << kNames[static_cast<unsigned>(node.kind)];
    if (node.kind <= Kind::GlobalOffset) {
      out_ << ' ' << node.first;
      if (node.kind == Kind::Argument && node.low != 0) out_ << " at " << node.low;
      out_ << ')';
      return;
    }
    const bool isOfTwo = node.kind < Kind::Truncate, isCounter = node.kind == Kind::Counter;
    operand(node.first);
    if (isOfTwo || isCounter) operand(node.second);
    if (isCounter) {
      out_ << (node.low != 0 ? " below" : " up to");
      operand(node.third);
    }
    if (node.kind >= Kind::Truncate && !isCounter) out_ << " to " << unsigned{node.bits};
    out_ << ')';
  }

  void print(const FootprintGuard& guard) {
    constexpr const char* kRelations[] = {"<", "<=", ">", ">=", "==", "!="};
    out_ << " if ";
    print(guard.left);
    out_ << ' ' << kRelations[static_cast<unsigned>(guard.relation)] << (guard.isSigned ? " signed" : "");
    operand(guard.right);
  }

 private:
  void operand(std::uint32_t place) {
    out_ << ' ';
    print(place);
  }

  raw_ostream& out_;
  const KernelFootprint& footprint_;
};

} // namespace

void print(raw_ostream& out, Function& function, const WorkItemUniformity& uniformity) {
  Printer(out, function).instructions([&](const Instruction& instruction) -> std::string {
    if (instruction.isTerminator()) return uniformity.hasDivergentBranch(*instruction.getParent()) ? "parts" : "";
    if (instruction.getType()->isVoidTy()) return "";
    return uniformity.isUniform(instruction)        ? "uniform"
           : uniformity.isUniformValue(instruction) ? "uniform until it leaves a loop"
                                                    : "differs";
  });
}

void print(raw_ostream& out, Function& function, const SubGroupFlow& flow) {
  Printer printer(out, function);
  for (const BasicBlock* block : flow.order()) {
    out << "  ";
    printer.name(*block) << ':';
    const char* between = " ";
    const auto say = [&](const char* what) -> raw_ostream& {
      out << between << what;
      between = "; ";
      return out;
    };
    if (const llvm::Loop* loop = flow.loops().getLoopFor(block); loop != nullptr && loop->getHeader() == block) {
      say(flow.isDivergent(*loop) ? "loop that lanes leave apart, to " : "loop that lanes leave together, to ");
      printer.names(flow.exitsOf(*loop));
    }
    if (const BasicBlock* same = flow.sameLanesAs(*block)) {
      say("lanes of ");
      printer.name(*same);
    }
    if (flow.parts(*block)) say("lanes part");
    for (const llvm::PHINode& phi : block->phis())
      if (flow.leavesDivergently(phi)) {
        say("of each lane's iteration ");
        printer.name(phi);
      }
    out << '\n';
  }
}

void print(raw_ostream& out, Function& function, const LaneShapes& shapes) {
  Printer(out, function).instructions([&](const Instruction& instruction) -> std::string {
    if (instruction.getType()->isVoidTy()) return "";
    std::string said = text(shapes.of(&instruction));
    if (!shapes.of(&instruction).isVarying()) {
      const auto* cast = llvm::dyn_cast<llvm::CastInst>(&instruction);
      const bool rises = shapes.of(&instruction).stride() > 0;
      return cast != nullptr && rises && shapes.isToldByLastLane(*cast) ? said + ", told by the last lane" : said;
    }
    if (shapes.isLinear(&instruction)) said += ", linear";
    if (const auto stride = shapes.usualStride(&instruction)) said += ", usually " + std::to_string(*stride);
    return said;
  });
  const LaunchFacts& facts = shapes.facts();
  if (facts.largestMemory != kAnyMemory) out << "needs: no buffer of more than " << facts.largestMemory << " bytes\n";
  if (facts.idsFit) out << "needs: global ids that fit into an int\n";
}

void print(raw_ostream& out, Function& function, const IndexBoundsAnalysis::Result& bounds) {
  Printer(out, function).instructions([&](const Instruction& instruction) -> std::string {
    const auto* found = bounds.find(llvm::dyn_cast<llvm::CastInst>(&instruction));
    if (found == bounds.end()) return "";
    if (!found->second) return "may wrap around";
    return *found->second == kAnyMemory ? "in any memory" : "in memory of " + std::to_string(*found->second) + " bytes";
  });
}

void print(raw_ostream& out, Function& function, SmallRanges& ranges) {
  Printer(out, function).instructions([&](const Instruction& instruction) -> std::string {
    if (!instruction.getType()->isIntOrIntVectorTy()) return "";
    std::string said;
    llvm::raw_string_ostream(said) << ranges.of(&instruction);
    if (ranges.fitsSigned(&instruction)) said += " i16";
    if (ranges.fitsUnsigned(&instruction)) said += " u16";
    return said;
  });
}

void print(raw_ostream& out, Function& function, ValueNumbers& numbers) {
  Printer(out, function).instructions([&](const Instruction& instruction) -> std::string {
    return instruction.getType()->isVoidTy() ? "" : "#" + std::to_string(numbers.of(&instruction));
  });
}

void print(raw_ostream& out, Function& function, const BarrierRegions& regions) {
  Printer printer(out, function);
  for (std::size_t i = 0; i < regions.regions.size(); ++i) {
    const BarrierRegion& region = regions.regions[i];
    out << "region " << i << ": ";
    printer.names(region.blocks);
    if (region.mayReturn) out << "; may return";
    if (region.itemsMayPart) out << "; work-items may part";
    out << '\n';
    for (const BasicBlock* end : region.ends) {
      out << "  after ";
      printer.name(*end) << ":";
      for (const unsigned next : regions.after.find(end)->second)
        out << " region " << next;
      out << '\n';
    }
    if (region.liveIn.empty()) continue;
    out << "  takes ";
    printer.names(region.liveIn);
    out << '\n';
  }
  for (const auto& [value, storage] : regions.liveAcross) {
    out << text(storage) << ": ";
    printer.name(*value) << '\n';
  }
  for (const llvm::AllocaInst* memory : regions.frameAllocas) {
    out << "private memory that lives across a barrier: ";
    printer.name(*memory) << '\n';
  }
  for (const llvm::AllocaInst* memory : regions.privateAllocas) {
    out << "other private memory: ";
    printer.name(*memory) << '\n';
  }
  if (regions.needsLiveFlags) out << "each work-item remembers whether it has returned\n";
}

void print(raw_ostream& out, Function& function, const WaitingLoops& waiting) {
  Printer printer(out, function);
  for (const llvm::Loop* loop : waiting.loops) {
    out << "  waits: the loop at ";
    printer.name(*loop->getHeader()) << '\n';
  }
}

void print(raw_ostream& out, Function&, const KernelWork& work) {
  const auto say = [&](const char* what, const std::optional<std::vector<WorkTerm>>& terms) {
    constexpr const char* kNames[] = {"argument", "global size", "local size", "groups"};
    out << "  " << what << ':';
    if (!terms) out << " unknown";
    if (terms && terms->empty()) out << " 0";
    const char* between = " ";
    for (const WorkTerm& term : terms.value_or(std::vector<WorkTerm>())) {
      out << between << llvm::formatv("{0:f2}", term.coefficient);
      for (const WorkFactor& factor : term.factors)
        out << " * " << kNames[static_cast<unsigned>(factor.kind)] << ' ' << factor.number;
      between = " + ";
    }
    out << '\n';
  };
  say("floating-point operations", work.flops);
  say("bytes", work.bytes);
}

void print(raw_ostream& out, Function&, const KernelFootprint& footprint) {
  if (!footprint.unknown.empty()) {
    out << "  unknown: " << footprint.unknown << '\n';
    return;
  }
  FootprintPrinter printer(out, footprint);
  for (const FootprintAccess& access : footprint.accesses) {
    out << "  " << (access.isWrite ? "writes" : "reads") << " argument " << access.argument << ": ";
    if (access.isWhole) {
      out << "any bytes";
    } else {
      out << access.bytes << " bytes at ";
      printer.print(access.offset);
    }
    for (const FootprintGuard& guard : access.guards)
      printer.print(guard);
    out << '\n';
  }
  for (unsigned i = 0; i < 3; ++i)
    if (footprint.seesLaunch >> i & 1) out << "  sees the launch along dimension " << i << '\n';
  out << "  " << describe(footprint) << '\n';
}

} // namespace clotho::compiler
