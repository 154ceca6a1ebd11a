// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass_watch.hpp"

#include "compiler/passes.hpp"

#include <llvm/Analysis/LazyCallGraph.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/raw_ostream.h>

#include <limits>

namespace clotho::compiler {
namespace {

/// Calls `of` with the module, functions or loop that a pass runs on.
template <class Callable> void visit(const llvm::Any& unit, Callable of) {
  if (const auto* module = llvm::any_cast<const llvm::Module*>(&unit))
    of(**module);
  else if (const auto* function = llvm::any_cast<const llvm::Function*>(&unit))
    of(**function);
  else if (const auto* loop = llvm::any_cast<const llvm::Loop*>(&unit))
    of(**loop);
  else if (const auto* component = llvm::any_cast<const llvm::LazyCallGraph::SCC*>(&unit))
    for (const llvm::LazyCallGraph::Node& node : **component)
      of(node.getFunction());
}

std::string nameOf(const llvm::Module&) { return "module"; }
std::string nameOf(const llvm::Function& function) { return "function " + function.getName().str(); }
std::string nameOf(const llvm::Loop& loop) {
  return "loop at " + loop.getHeader()->getNameOrAsOperand() + " in " + nameOf(*loop.getHeader()->getParent());
}

void printUnit(llvm::raw_ostream& out, const llvm::Module& module) { out << module; }
void printUnit(llvm::raw_ostream& out, const llvm::Function& function) { out << function; }
/// Prints the function of the loop, since a loop alone is hard to read.
void printUnit(llvm::raw_ostream& out, const llvm::Loop& loop) { out << *loop.getHeader()->getParent(); }

/// Whether it is a pass manager or adaptor rather than a pass.
bool isManager(llvm::StringRef passClass) {
  return llvm::isSpecialPass(passClass, {"PassManager", "PassAdaptor", "AnalysisManagerProxy", "DevirtSCCRepeatedPass",
                                         "ModuleInlinerWrapperPass", "RequireAnalysisPass", "InvalidateAnalysisPass"});
}

llvm::Error checkName(llvm::StringRef name) {
  if (isNamedPart(name)) return llvm::Error::success();
  llvm::PassInstrumentationCallbacks callbacks;
  llvm::PassBuilder builder(nullptr, llvm::PipelineTuningOptions(), std::nullopt, &callbacks);
  registerPasses(builder);
  llvm::ModulePassManager passes;
  if (llvm::Error error = builder.parsePassPipeline(passes, name)) {
    llvm::consumeError(std::move(error));
    return llvm::createStringError("there is no pass '" + name + "'");
  }
  return llvm::Error::success();
}

} // namespace

std::vector<std::string> passNamesIn(llvm::StringRef list) {
  llvm::SmallVector<llvm::StringRef, 4> names;
  list.split(names, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  return {names.begin(), names.end()};
}

llvm::Expected<std::unique_ptr<PassWatch>> PassWatch::create(const PassWatchOptions& options, llvm::raw_ostream& out) {
  for (const auto* names : {&options.before, &options.after, &options.skip})
    for (const std::string& name : *names)
      if (llvm::Error error = checkName(name)) return std::move(error);
  for (const std::string& name : options.skip)
    if (isRequiredPass(name)) return llvm::createStringError("the pass '" + name + "' cannot be skipped");
  return std::unique_ptr<PassWatch>(new PassWatch(options, out));
}

PassWatch::PassWatch(const PassWatchOptions& options, llvm::raw_ostream& out) : out_(out), afterAll_(options.afterAll) {
  before_.insert(options.before.begin(), options.before.end());
  after_.insert(options.after.begin(), options.after.end());
  skip_.insert(options.skip.begin(), options.skip.end());
  // Passes are numbered from 1, so a limit of 0 lets none run.
  if (options.limit) {
    const int last = *options.limit < 0 ? std::numeric_limits<int>::max() : *options.limit;
    limit_.setIntervals({{std::min(1, last), last}});
  }
  if (options.times) {
    times_.emplace(/*Enabled=*/true);
    times_->setOutStream(out);
  }
}

PassWatch::~PassWatch() {
  if (times_) times_->print();
}

void PassWatch::attach(llvm::PassInstrumentationCallbacks& callbacks) {
  namePasses(callbacks);
  const auto nameIn = [&callbacks](llvm::StringRef passClass) {
    const llvm::StringRef name = callbacks.getPassNameForClassName(passClass);
    return name.empty() ? passClass : name;
  };
  if (limit_.isEnabled() || !skip_.empty())
    callbacks.registerShouldRunOptionalPassCallback([this, nameIn](llvm::StringRef passClass, const llvm::Any& unit) {
      return isManager(passClass) || mayRun(nameIn(passClass), unit);
    });
  if (!before_.empty())
    callbacks.registerBeforeNonSkippedPassCallback([this, nameIn](llvm::StringRef passClass, const llvm::Any& unit) {
      if (before_.contains(nameIn(passClass))) print("before", nameIn(passClass), unit);
    });
  const auto isWanted = [this, nameIn](llvm::StringRef passClass) {
    return !isManager(passClass) && (afterAll_ || after_.contains(nameIn(passClass)));
  };
  if (afterAll_ || !after_.empty()) {
    callbacks.registerAfterPassCallback(
        [this, nameIn, isWanted](llvm::StringRef passClass, const llvm::Any& unit, const llvm::PreservedAnalyses&) {
          if (isWanted(passClass)) print("after", nameIn(passClass), unit);
        });
    callbacks.registerAfterPassInvalidatedCallback(
        [this, nameIn, isWanted](llvm::StringRef passClass, const llvm::PreservedAnalyses&) {
          if (isWanted(passClass)) out_ << "; IR after " << nameIn(passClass) << ": what it ran on is gone\n";
        });
  }
  if (times_) times_->registerCallbacks(callbacks);
}

bool PassWatch::mayRun(llvm::StringRef name, const llvm::Any& unit) const {
  if (skip_.contains(name)) return false;
  if (!limit_.isEnabled()) return true;
  std::string names;
  visit(unit, [&](const auto& of) { names += (names.empty() ? "" : ", ") + nameOf(of); });
  return limit_.shouldRunPass(name, names);
}

void PassWatch::print(llvm::StringRef when, llvm::StringRef name, const llvm::Any& unit) {
  visit(unit, [&](const auto& of) {
    out_ << "; IR " << when << ' ' << name << " on " << nameOf(of) << '\n';
    printUnit(out_, of);
  });
}

} // namespace clotho::compiler
