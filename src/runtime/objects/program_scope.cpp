// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/objects/program_scope.hpp"

#include "base/error.hpp"

namespace clotho {

namespace {

Launch oneWorkItem(const DeviceKernel& kernel) {
  Launch launch{};
  launch.kernel = &kernel;
  launch.args.localBytes = kernel.limits().localBytes;
  // There is no queue for what it may enqueue, which it finds out by asking for the default one.
  if (kernel.info().enqueues) launch.queues = std::make_unique<LaunchQueues>();
  return launch;
}

} // namespace

ProgramScopeRun::ProgramScopeRun(Context& context, Device& device, std::unique_ptr<DeviceQueue> queue,
                                 const DeviceKernel& kernel)
    : Node(queue.get(), work_, state_, /*isTimed=*/false), context_(context), device_(device), queue_(std::move(queue)),
      work_(oneWorkItem(kernel)) {
  auto& launch = *std::get_if<Launch>(&work_);
  launch.zeroesLocal = (context.initializedMemory() & Context::kInitializeLocal) != 0;
}

Ref<ProgramScopeRun> ProgramScopeRun::make(Context& context, Device& device, const DeviceKernel& kernel) {
  return Ref<ProgramScopeRun>::adopt(new ProgramScopeRun(context, device, device.makeQueue(QueueTraits{}), kernel));
}

cl_int ProgramScopeRun::runAndWait() noexcept {
  holdItself();
  arm();
  const auto isThis = [](const Node& candidate, const void* own) { return &candidate == own; };
  const auto isOver = [](const void* own) { return static_cast<const ProgramScopeRun*>(own)->isDone(); };
  if (Helping* helping = device_->helping()) helping->help(isThis, isOver, this);
  if (!isDone()) sleepUntilDone();
  return status();
}

void ProgramScopeRun::runThen(Ref<ProgramScopeRun> run, Then then, void* context) noexcept {
  run->then_ = then;
  run->thenContext_ = context;
  // The reference is the one that a node has to itself until it is done.
  run.detach()->arm();
}

void ProgramScopeRun::destroy() noexcept {
  // No call asks any more why a clean-up has failed, so the context's callback is told.
  if (then_ && !why_.empty()) context_.report(std::move(why_), LogLevel::Error);
  const Then then = then_;
  void* const context = thenContext_;
  delete this;
  if (then) then(context);
}

const BuiltKernel* kernelOf(const BuildResult& result, KernelRole role) {
  for (const BuiltKernel& kernel : result.kernels)
    if (kernel.info.role == role) return &kernel;
  return nullptr;
}

void checkProgramScope(const Device& device, const DeviceProgram& code, const BuildResult& result) {
  const DeviceProperties& properties = device.properties();
  for (const KernelRole role : {KernelRole::Initialiser, KernelRole::CleanUp}) {
    const BuiltKernel* built = kernelOf(result, role);
    const DeviceKernel* kernel = built ? code.kernel(built->info.name) : nullptr;
    if (!kernel) continue;
    check(kernel->limits().localBytes <= properties.localMemorySize, CL_OUT_OF_RESOURCES,
          "the program's initialisation or clean-up takes more local memory than the device has");
    check(kernel->privateBytesOfGroup({1, 1, 1}) <= properties.privateMemorySize, CL_OUT_OF_RESOURCES,
          "the program's initialisation or clean-up takes more private memory than the device has");
  }
}

ProgramScope makeProgramScope(Context& context, Device& device, std::shared_ptr<DeviceProgram> code,
                              const BuildResult& result) {
  const auto runOf = [&](KernelRole role) -> Ref<ProgramScopeRun> {
    const BuiltKernel* built = kernelOf(result, role);
    const DeviceKernel* kernel = built ? code->kernel(built->info.name) : nullptr;
    return kernel ? ProgramScopeRun::make(context, device.root(), *kernel) : nullptr;
  };
  return {code, runOf(KernelRole::Initialiser), runOf(KernelRole::CleanUp)};
}

} // namespace clotho
