// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/code_generator.hpp"

#include "base/signals_blocked.hpp"
#include "base/thread_affinity.hpp"
#include "compiler/backend/cpu/emit_object.hpp"
#include "compiler/backend/cpu/host_target.hpp"
#include "compiler/backend/cpu/module_parts.hpp"
#include "compiler/backend/cpu/pass_pipeline.hpp"
#include "compiler/backend/cpu/program_note.hpp"
#include "compiler/backend/log_diagnostics.hpp"

#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Target/TargetMachine.h>

#include <algorithm>
#include <functional>
#include <pthread.h>

namespace clotho::compiler {
namespace {

/// Most threads for code generation. More would mainly spend their time on reading bitcode that they do not compile.
constexpr std::size_t kMostThreads = 8;

/// A thread with a stack as large as the main thread's, which instruction selection may need. If it cannot be started,
/// since there are too many threads already, its work runs when it is waited for. It blocks all signals: if the
/// compiler is a library, these are the application's.
class Helper {
 public:
  explicit Helper(std::function<void()> work) : work_(std::move(work)) {
    constexpr std::size_t kStack = std::size_t{64} << 20;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, kStack);
    const auto run = [](void* self) -> void* {
      static_cast<Helper*>(self)->work_();
      return nullptr;
    };
    {
      const SignalsBlocked blocked;
      started_ = pthread_create(&thread_, &attributes, run, this) == 0;
    }
    pthread_attr_destroy(&attributes);
  }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;
  ~Helper() { wait(); }

  void wait() {
    if (!work_) return;
    if (started_)
      pthread_join(thread_, nullptr);
    else
      work_();
    work_ = nullptr;
  }

 private:
  std::function<void()> work_;
  pthread_t thread_{};
  bool started_ = false;
};

/// Renames internal symbols of the program, so that none has the name of a function that code generation calls.
void renameInternals(llvm::Module& module) {
  for (llvm::GlobalObject& object : module.global_objects())
    if (object.hasLocalLinkage() && object.hasName() && !object.getName().ends_with(".cl") &&
        !object.getName().starts_with("llvm."))
      object.setName(object.getName() + ".cl");
}

/// Sets attributes that all functions need: unwind tables for debuggers and profilers, stack probes, so that an
/// overflow hits the guard page, and none of LLVM's reciprocal estimates (EstimateReciprocalsPass).
void setCodegenAttributes(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    function.setUWTableKind(llvm::UWTableKind::Async);
    function.addFnAttr("probe-stack", "inline-asm");
    function.addFnAttr("reciprocal-estimates", "none");
  }
  module.setUwtable(llvm::UWTableKind::Async);
}

} // namespace

/// Output of one thread.
struct CodeGenerator::Part {
  Output output;
  std::string log;
  llvm::Error error = llvm::Error::success();
  bool failed = false; ///< Whether it failed, for a reason that the log gives
  std::unique_ptr<Helper> helper;
};

CodeGenerator::CodeGenerator() : machines_(std::min(usableProcessors(), kMostThreads)) {}
CodeGenerator::~CodeGenerator() = default;

llvm::Expected<llvm::TargetMachine*> CodeGenerator::machineFor(const Target& target, bool optimise) {
  if (target.cpu != target_.cpu || target.features != target_.features || optimise != optimises_)
    for (auto& machine : machines_)
      machine.reset();
  target_ = target;
  optimises_ = optimise;
  if (!machines_[0]) {
    auto made = createTargetMachine(target, optimise);
    if (!made) return made.takeError();
    machines_[0] = std::move(*made);
  }
  return machines_[0].get();
}

llvm::Error CodeGenerator::compile(llvm::Module& module, unsigned part, const Observer& observer, Output& output) {
  StageTimer timer;
  if (!machines_[part]) {
    auto made = createTargetMachine(target_, optimises_);
    if (!made) return made.takeError();
    machines_[part] = std::move(*made);
  }
  optimiseFunctions(module, *machines_[part], optimises_, observer.passes);
  if (part == 0) timer.done("optimise");
  renameInternals(module);
  setCodegenAttributes(module);
  if (observer) observer(Stage::Optimised, module, {});
  if (llvm::Error error = emitCode(module, *machines_[part], Emit::Object, output.object, output.stacks)) return error;
  if (part == 0) timer.done("emit");
  if (observer) observer(Stage::Object, module, output.object);
  return llvm::Error::success();
}

llvm::Expected<CodeGenerator::Objects> CodeGenerator::emit(llvm::Module& module, llvm::ArrayRef<BuiltKernel> kernels,
                                                           const Observer& observer, std::string& log,
                                                           StackUses& stacks) {
  // Overhead of reading and starting a part, in instructions compiled in the same time.
  constexpr std::size_t kWorthAThread = 150;
  StageTimer timer;
  optimiseVariables(module, *machines_[0], optimises_, observer.passes);
  const unsigned most = observer || !optimises_ ? 1 : static_cast<unsigned>(machines_.size());
  const ModuleParts division(module, most, dividesSmall_ ? 1 : kWorthAThread);
  std::vector<Part> parts(division.count());
  std::string bitcode;
  if (parts.size() > 1) {
    renameInternals(module);
    bitcode = division.separate(module);
    for (unsigned i = 1; i < parts.size(); ++i)
      parts[i].helper = std::make_unique<Helper>([&, i, part = &parts[i]] {
        llvm::LLVMContext context;
        const LogDiagnostics diagnostics(context, part->log);
        auto read = division.read(bitcode, i, context);
        llvm::Error error = read ? compile(**read, i, {}, part->output) : read.takeError();
        part->error = llvm::joinErrors(std::move(part->error), std::move(error));
        part->failed = diagnostics.failed();
      });
    timer.done("divide");
  }
  addProgramNote(module, kernels);
  llvm::Error error = compile(module, 0, observer, parts[0].output);
  Objects objects;
  bool failed = false;
  for (Part& part : parts) {
    if (part.helper) part.helper->wait();
    log += part.log;
    failed = failed || part.failed;
    error = llvm::joinErrors(std::move(error), std::move(part.error));
    objects.push_back(std::move(part.output.object));
    for (auto& [name, use] : part.output.stacks)
      stacks[name] = std::move(use);
  }
  timer.done("back end");
  if (error) return std::move(error);
  if (failed) objects.clear();
  return objects;
}

} // namespace clotho::compiler
