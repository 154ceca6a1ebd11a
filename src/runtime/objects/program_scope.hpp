// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "command/node.hpp"
#include "device/device.hpp"
#include "runtime/objects/context.hpp"

#include <memory>
#include <string>

/// Kernels that programs run without being asked: initialisers and clean-ups (OpenCL 2.2, section 3.2).
namespace clotho {

/// One run of such a kernel, as one work-item on a root device. All that it needs is there once it is made, so that it
/// cannot fail to begin.
class ProgramScopeRun final : public Node {
 public:
  static Ref<ProgramScopeRun> make(Context& context, Device& device, const DeviceKernel& kernel);

  /// Runs it and returns its status. Once; this or `runThen`.
  cl_int runAndWait() noexcept;
  /// Runs it, and calls `then` on the thread that finds it done and forgotten. The caller gives up the last reference.
  using Then = void (*)(void* context) noexcept;
  static void runThen(Ref<ProgramScopeRun> run, Then then, void* context) noexcept;
  /// Why it has failed, once it is done.
  const std::string& why() const { return why_; }
  std::string takeWhy() noexcept { return std::move(why_); }

  void report(std::string message, LogLevel) noexcept override { why_ = std::move(message); }

 private:
  ProgramScopeRun(Context& context, Device& device, std::unique_ptr<DeviceQueue> queue, const DeviceKernel& kernel);
  ~ProgramScopeRun() override = default;
  void destroy() noexcept override;

  Context& context_; // of the program, which outlives this
  const Ref<Device> device_;
  const std::unique_ptr<DeviceQueue> queue_;
  std::string why_;
  Then then_ = nullptr;
  void* thenContext_ = nullptr;
  Command work_;
  DeviceState state_;
};

/// Runs for a program's code on one root device.
struct ProgramScope {
  std::shared_ptr<DeviceProgram> code;
  Ref<ProgramScopeRun> initialiser; ///< null: there is none, or it has run
  Ref<ProgramScopeRun> cleanUp;     ///< null: there is none
};

/// The code's kernel with that role; null if there is none.
const BuiltKernel* kernelOf(const BuildResult& result, KernelRole role);

/// Throws Error if the device lacks the memory that one work-item of each of these kernels takes. No call enqueues
/// them, so that no launch would be refused for that.
void checkProgramScope(const Device& device, const DeviceProgram& code, const BuildResult& result);

/// `code` was made of `result` for `device` or a part of it.
ProgramScope makeProgramScope(Context& context, Device& device, std::shared_ptr<DeviceProgram> code,
                              const BuildResult& result);

} // namespace clotho
