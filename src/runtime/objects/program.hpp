// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/handles.hpp"
#include "base/mutex.hpp"
#include "base/object.hpp"
#include "base/slab.hpp"
#include "base/spirv.hpp"
#include "capture/capture.hpp"
#include "compiler/compiler.hpp"
#include "runtime/objects/program_scope.hpp"
#include "runtime/versions/code_on_demand.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace clotho {

class Context;
class Device;
class DeviceProgram;
class Specialiser;
struct TuningRecord;

/// A program object: where it comes from, and what has been built of it for each device.
class Program final : public Object, public _cl_program {
 public:
  using Handle = cl_program;

  using ReleaseCallback = void(CL_CALLBACK*)(cl_program, void*);
  enum class Origin { Source, Il, Binary, Linked, BuiltIn };
  /// Called on the callback thread when an operation is over.
  using Done = std::function<void()>;

  /// The program's build for one device.
  struct Build {
    Ref<Device> device;
    cl_build_status status = CL_BUILD_NONE;
    cl_program_binary_type type = CL_PROGRAM_BINARY_TYPE_NONE;
    std::string options; ///< verbatim
    std::string log;
    std::shared_ptr<const BuildResult> result;      ///< of the last success, or what a binary held
    std::shared_ptr<DeviceProgram> code;            ///< executables that have been built
    std::shared_ptr<const TuningRecord> tuned;      ///< what is known of its kernels from earlier processes, or null
    std::shared_ptr<const capture::Program> recipe; ///< what it was made of, if launches are captured
    bool isOwn = false;                             ///< built for this device, not for one that it is a part of
  };

  Program(Context& context, std::string source);
  /// From well-formed SPIR-V.
  static Ref<Program> fromIl(Context& context, std::string il);
  /// From binaries (decodeBinary), one for each device of theirs.
  Program(Context& context, std::vector<Build> binaries);

  Context& context() const { return *context_; }
  Origin origin() const { return origin_; }
  const std::string& source() const { return source_; }
  const std::string& il() const { return il_; }

  /// Builds for `devices`, with no lock held. Throws when the build cannot begin; else returns CL_SUCCESS,
  /// CL_BUILD_PROGRAM_FAILURE, CL_INVALID_BUILD_OPTIONS or CL_COMPILER_NOT_AVAILABLE. Without options a binary is
  /// built as it was built at first. With `done` only bad options are told at once: the build goes on by itself, says
  /// in its status what came of it, and calls `done`.
  cl_int build(const std::vector<Ref<Device>>& devices, std::optional<std::string> options, Done done) EXCLUDES(mutex_);
  /// Sets the value of a specialisation constant of a program from IL, in builds and compilations that begin from now
  /// on (OpenCL 2.2, section 5.8.3).
  void specialise(std::uint32_t id, std::span<const char> value) EXCLUDES(mutex_);
  /// Compiles the source or IL for a later link; the same with CL_COMPILE_PROGRAM_FAILURE and
  /// CL_INVALID_COMPILER_OPTIONS.
  cl_int compile(const std::vector<Ref<Device>>& devices, std::string options, std::vector<Header> headers, Done done)
      EXCLUDES(mutex_);
  /// A new program of what `inputs` have compiled. With `status` CL_LINK_PROGRAM_FAILURE or
  /// CL_LINKER_NOT_AVAILABLE it holds no more than the log. It is the application's before the link begins: `done` may
  /// be called, and the application retain or release the program there, before this returns.
  static cl_program link(Context& context, const std::vector<Ref<Device>>& devices, const std::string& options,
                         const std::vector<Ref<Program>>& inputs, cl_int& status, std::function<void(Program&)> done);
  /// A program of the built-in kernels that `names` lists (see built_in_kernels.hpp), ready to run.
  static Ref<Program> ofBuiltInKernels(Context& context, const std::vector<Ref<Device>>& devices,
                                       const std::string& names);

  Build buildFor(const Device& device) const EXCLUDES(mutex_);
  std::vector<Build> builds() const EXCLUDES(mutex_);

  /// Whether nothing in it can have constructors, as far as that is known: it is made of OpenCL C.
  bool isOpenclCOnly() const EXCLUDES(mutex_);
  void addReleaseCallback(ReleaseCallback function, void* userData) EXCLUDES(mutex_);

  /// Code that is built because of launches of its kernels.
  Specialiser& specialiser() { return *specialiser_; }
  /// For code of another kind of what is built for the device: `scope`, or more where the program cannot wait later.
  BuildRequest requestLike(const Device& device, CodeScope scope) const EXCLUDES(mutex_);
  /// How long a build of this kernel's code takes, in s; 0: not known.
  double secondsFor(const BuildResult& built, const DeviceKernel& general) const;

  /// The code of a kernel that a launch needs and the build lacks, of as much of it. Blocks while it is built; throws
  /// CL_OUT_OF_RESOURCES.
  const DeviceKernel& codeOnDemand(const Build& build, const DeviceKernel& lacking, CodeScope scope);

  /// A kernel begins to use what is built, which forbids a new build (section 5.8.2) until it is detached.
  std::vector<Build> attachKernel() EXCLUDES(mutex_);
  void detachKernel() noexcept EXCLUDES(mutex_);

 private:
  friend class Slab<Program>;
  Program(Context& context, const std::vector<Ref<Device>>& devices, Origin origin, std::string source = {},
          std::string il = {});
  ~Program() override;
  void destroy() noexcept override;

  std::vector<SpecConstant> specConstants() const EXCLUDES(mutex_);
  BuildRequest requestLike(const Build& build, CodeScope scope) const;
  std::shared_ptr<const TuningRecord> tunedFor(const Build& build) const;

  struct Operation;
  cl_int run(Operation operation, const std::vector<Ref<Device>>& devices, Done done) EXCLUDES(mutex_);
  cl_int perform(const Operation& operation, const std::vector<Ref<Device>>& devices, std::vector<Build> before)
      EXCLUDES(mutex_);
  BuildRequest requestFor(const Build& build, const Build& old, const Operation& operation) const;
  /// Builds for one device, after what has been built for `others` by the same operation. A status.
  cl_int buildOne(Build& build, const Build& old, const Operation& operation, std::span<const Build> others);
  /// Builds for the other targets of a joint device, from the portable module of the build for the first, and loads
  /// all.
  std::unique_ptr<DeviceProgram> loadJoint(Joint& joint, Build& build,
                                           const std::shared_ptr<const BuildResult>& result) const;
  std::shared_ptr<const capture::Program> recipeOf(const Build& build, const Build& old,
                                                   const Operation& operation) const;
  /// Returns what there was before.
  std::vector<Build> begin(const std::vector<Ref<Device>>& devices) EXCLUDES(mutex_);
  struct Renewal;
  /// The builds that replace `before`, with what is to be run on the way. Throws, and nothing has changed.
  Renewal renewalBy(std::vector<Build> finished, const std::vector<Build>& before) EXCLUDES(mutex_);
  /// Runs it: clean-ups of what is left behind, then the initialisers. A status: the build fails if one of them fails.
  cl_int runScopes(Renewal& renewal, cl_int failure) noexcept;
  void publish(Renewal renewal) noexcept EXCLUDES(mutex_);
  /// An operation ends with what there was before it.
  void giveUp(std::vector<Build> before) noexcept EXCLUDES(mutex_);
  /// Gives sub-devices without a build of their own that of their parent (section 5.8.9).
  static void inherit(std::vector<Build>& builds);
  /// The last of the steps of `destroy`.
  void end() noexcept;

  Ref<Context> context_;
  const Origin origin_;
  const std::string source_, il_;
  const std::vector<spirv::SpecialisableConstant> specialisable_;
  mutable Mutex mutex_;
  bool building_ GUARDED_BY(mutex_) = false;
  cl_uint kernels_ GUARDED_BY(mutex_) = 0;
  std::vector<Build> builds_ GUARDED_BY(mutex_);
  std::vector<SpecConstant> specConstants_ GUARDED_BY(mutex_); // by rising id
  // Code of earlier builds: a command whose kernel object is gone may still run it.
  std::vector<std::shared_ptr<DeviceProgram>> replaced_ GUARDED_BY(mutex_);
  std::vector<ProgramScope> scopes_ GUARDED_BY(mutex_); // of code that needs to be cleaned up
  std::atomic<std::size_t> cleanUpsToCome_{0};          // once the program is being destroyed
  bool linksOpenclCOnly_ = false;                       // set before another thread knows the program
  CodeOnDemand onDemand_;                               // before the specialiser, which refers to its code
  const std::unique_ptr<Specialiser> specialiser_;
  std::vector<std::pair<ReleaseCallback, void*>> releaseCallbacks_ GUARDED_BY(mutex_);
  std::atomic<bool> hasReleaseCallbacks_{false};
};

} // namespace clotho
