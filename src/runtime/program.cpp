// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/program.hpp"

#include "base/opencl_version.hpp"
#include "base/options.hpp"
#include "compiler/build_options.hpp"
#include "runtime/built_in_kernels.hpp"
#include "runtime/process.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <unistd.h>

namespace clotho {

namespace {

std::uint32_t openclVersion() { return macroOf(Process::get().platform().version()); }

} // namespace

/// A build, a compilation or a link: what to ask the compiler for, and how its answers are called in the API.
struct Program::Operation {
  BuildKind kind;
  cl_program_binary_type success;
  cl_int failure, invalidOptions, unavailable;
  std::optional<std::string> options;
  std::vector<Header> headers{};
  std::vector<Ref<Program>> inputs{};
  std::vector<SpecConstant> specConstants{};
  std::string workingDirectory = currentFolder();
  bool failsByStatus = false; ///< nobody is there to catch an exception

  static std::string currentFolder();
  /// Whether the application is told of bad options at once, and never by a build that goes on by itself.
  bool hasBadOptions() const {
    std::string why;
    return options && !compiler::parseBuildOptions(*options, kind, openclVersion(), why);
  }
};

namespace {

bool hasOption(const std::string& options, std::string_view wanted) {
  std::istringstream words(options);
  for (std::string word; words >> word;)
    if (word == wanted) return true;
  return false;
}

std::vector<spirv::SpecialisableConstant> specialisableIn(std::string_view il) {
  const auto words = spirvWords(il);
  return words ? spirv::specialisableConstants(*words) : std::vector<spirv::SpecialisableConstant>();
}

bool isLinkable(const Program::Build& build) {
  return build.type == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT || build.type == CL_PROGRAM_BINARY_TYPE_LIBRARY;
}

} // namespace

std::string Program::Operation::currentFolder() {
  char* path = getcwd(nullptr, 0);
  std::string result = path ? path : "";
  std::free(path);
  return result;
}

Program::Program(Context& context, const std::vector<Ref<Device>>& devices, Origin origin, std::string source,
                 std::string il)
    : context_(context), origin_(origin), source_(std::move(source)), il_(std::move(il)),
      specialisable_(specialisableIn(il_)) {
  for (const Ref<Device>& device : devices)
    builds_.emplace_back().device = device;
}

Program::Program(Context& context, std::string source)
    : context_(context), origin_(Origin::Source), source_(std::move(source)) {
  for (const Ref<Device>& device : context.devices())
    builds_.emplace_back().device = device;
}

Ref<Program> Program::fromIl(Context& context, std::string il) {
  return make<Program>(context, context.devices(), Origin::Il, std::string(), std::move(il));
}

Program::Program(Context& context, std::vector<Build> binaries)
    : context_(context), origin_(Origin::Binary), builds_(std::move(binaries)) {}

Program::~Program() = default;

void Program::destroy() noexcept {
  // Nobody refers to the program any more, so the list needs no lock.
  auto end = [this]() NO_THREAD_SAFETY_ANALYSIS {
    // Last registered, first called (OpenCL 2.2, clSetProgramReleaseCallback).
    for (auto entry = releaseCallbacks_.rbegin(); entry != releaseCallbacks_.rend(); ++entry)
      entry->first(static_cast<cl_program>(this), entry->second);
    Process::get().slab<Program>().destroy(this);
  };
  if (hasReleaseCallbacks_)
    Process::get().callbacks().post(end);
  else
    end();
}

void Program::addReleaseCallback(ReleaseCallback function, void* userData) {
  MutexLock lock(mutex_);
  releaseCallbacks_.emplace_back(function, userData);
  hasReleaseCallbacks_ = true;
}

void Program::specialise(std::uint32_t id, std::span<const char> value) {
  const auto found = std::ranges::lower_bound(specialisable_, id, {}, &spirv::SpecialisableConstant::id);
  check(found != specialisable_.end() && found->id == id, CL_INVALID_SPEC_ID, "no specialisation constant has this id");
  check(value.size() == found->size, CL_INVALID_VALUE, "the value is not of the constant's size");
  SpecConstant constant{id, {value.begin(), value.end()}};
  if (found->isBoolean) constant.bytes[0] = constant.bytes[0] != 0 ? 1 : 0;
  MutexLock lock(mutex_);
  const auto at = std::ranges::lower_bound(specConstants_, id, {}, &SpecConstant::id);
  if (at != specConstants_.end() && at->id == id)
    *at = std::move(constant);
  else
    specConstants_.insert(at, std::move(constant));
}

std::vector<SpecConstant> Program::specConstants() const {
  MutexLock lock(mutex_);
  return specConstants_;
}

Program::Build Program::buildFor(const Device& device) const {
  MutexLock lock(mutex_);
  for (const Build& build : builds_)
    if (build.device.get() == &device) return build;
  throw Error{CL_INVALID_DEVICE, "the device does not belong to the program"};
}

std::vector<Program::Build> Program::builds() const {
  MutexLock lock(mutex_);
  return builds_;
}

std::vector<Program::Build> Program::attachKernel() {
  MutexLock lock(mutex_);
  check(!building_, CL_INVALID_PROGRAM_EXECUTABLE, "the program is being built");
  std::vector<Build> builds = builds_;
  ++kernels_;
  return builds;
}

void Program::detachKernel() noexcept {
  MutexLock lock(mutex_);
  --kernels_;
}

std::vector<Program::Build> Program::begin(const std::vector<Ref<Device>>& devices) {
  MutexLock lock(mutex_);
  check(kernels_ == 0, CL_INVALID_OPERATION, "the program has kernels");
  check(!building_, CL_INVALID_OPERATION, "the program is being built");
  std::vector<Build> before = builds_;
  building_ = true;
  for (Build& build : builds_)
    if (std::find(devices.begin(), devices.end(), build.device) != devices.end()) build.status = CL_BUILD_IN_PROGRESS;
  return before;
}

void Program::publish(std::vector<Build> finished) noexcept {
  MutexLock lock(mutex_);
  for (Build& done : finished)
    for (Build& build : builds_) {
      if (build.device.get() != done.device.get()) continue;
      if (build.code) replaced_.push_back(std::move(build.code));
      build = std::move(done);
      break;
    }
  if (origin_ != Origin::Binary) inherit();
  building_ = false;
}

void Program::inherit() noexcept {
  for (Build& build : builds_) {
    if (build.isOwn) continue;
    for (const Device* ancestor = build.device->parent(); ancestor; ancestor = ancestor->parent()) {
      const auto found = std::find_if(builds_.begin(), builds_.end(), [&](const Build& other) {
        return other.isOwn && other.device.get() == ancestor;
      });
      if (found == builds_.end()) continue;
      try {
        Build inherited = *found;
        inherited.device = build.device;
        inherited.isOwn = false;
        if (build.code && build.code != inherited.code) replaced_.push_back(build.code);
        build = std::move(inherited);
      } catch (const std::bad_alloc&) {
        // It stays as it was.
      }
      break;
    }
  }
}

cl_int Program::run(Operation operation, const std::vector<Ref<Device>>& devices, Done done) {
  operation.specConstants = specConstants();
  if (!done || operation.hasBadOptions()) return perform(operation, devices, begin(devices));
  // Everything that memory may be lacking for comes before the program is said to be built.
  struct Job {
    Operation operation;
    std::vector<Ref<Device>> devices;
    Done done;
    std::vector<Build> before{};
  };
  operation.failsByStatus = true;
  auto job = std::make_shared<Job>(Job{std::move(operation), devices, std::move(done)});
  std::function<void()> work = [self = Ref<Program>(*this), job] {
    self->perform(job->operation, job->devices, std::move(job->before));
    Process::get().callbacks().post(std::move(job->done));
  };
  job->before = begin(devices);
  Process::get().builders().post(std::move(work));
  return CL_SUCCESS;
}

cl_int Program::perform(const Operation& operation, const std::vector<Ref<Device>>& devices,
                        std::vector<Build> before) {
  std::vector<Build> finished;
  cl_int status = CL_SUCCESS;
  try {
    for (const Ref<Device>& device : devices) {
      Build& old = *std::find_if(before.begin(), before.end(), [&](const Build& b) { return b.device == device; });
      Build& build = finished.emplace_back();
      build.device = device;
      build.isOwn = true;
      build.status = CL_BUILD_ERROR;
      build.options = operation.options.value_or(old.options);

      std::shared_ptr<const BuildResult> result;
      if (origin_ == Origin::Binary && !old.result->object.empty()) {
        result = old.result;
      } else {
        BuildRequest request;
        request.kind = operation.kind;
        request.options = build.options;
        if (operation.kind != BuildKind::Link && (context_->initializedMemory() & Context::kInitializePrivate))
          request.options.insert(0, "-clotho-initialize-private ");
        request.workingDirectory = operation.workingDirectory;
        request.target = device->target();
        request.claims = device->claims();
        request.openclVersion = openclVersion();
        request.headers = operation.headers;
        if (origin_ == Origin::Source || origin_ == Origin::BuiltIn) request.source = source_;
        if (origin_ == Origin::Il) {
          request.il = il_;
          request.specConstants = operation.specConstants;
        }
        if (origin_ == Origin::Binary) request.modules.push_back(old.result->portable);
        for (const Ref<Program>& input : operation.inputs) {
          Build compiled = input->buildFor(*device);
          // Another thread may have begun to compile it anew since it was looked at.
          check(isLinkable(compiled) && compiled.result, CL_INVALID_OPERATION, "a program is not compiled any more");
          request.modules.push_back(compiled.result->portable);
        }
        result = Process::get().compiler().build(request);
      }

      build.log = result->log;
      if (origin_ == Origin::Binary) {
        // A binary stays what it is, so that it can be built again.
        build.result = old.result;
        build.type = old.type;
      }
      cl_int code = CL_SUCCESS;
      switch (result->status) {
      case BuildStatus::Success:
        try {
          if (operation.success == CL_PROGRAM_BINARY_TYPE_EXECUTABLE) build.code = device->load(result);
          build.status = CL_BUILD_SUCCESS;
          build.type = operation.success;
          build.result = std::move(result);
        } catch (const Error& error) {
          build.log += error.why;
          build.log += '\n';
          code = operation.failure;
        }
        break;
      case BuildStatus::InvalidOptions: code = operation.invalidOptions; break;
      case BuildStatus::Failure: code = operation.failure; break;
      case BuildStatus::Unavailable: code = operation.unavailable; break;
      }
      if (status == CL_SUCCESS) status = code;
    }
  } catch (...) {
    // Out of memory, or nothing to link. What the devices had before is what they have.
    if (operation.failsByStatus)
      for (Build& build : before)
        if (std::find(devices.begin(), devices.end(), build.device) != devices.end()) build.status = CL_BUILD_ERROR;
    publish(std::move(before));
    if (operation.failsByStatus) return operation.failure;
    throw;
  }
  publish(std::move(finished));
  return status;
}

cl_int Program::build(const std::vector<Ref<Device>>& devices, std::optional<std::string> options, Done done) {
  check(origin_ != Origin::Linked, CL_INVALID_OPERATION, "the program was made by linking");
  check(origin_ != Origin::BuiltIn, CL_INVALID_OPERATION, "built-in kernels are built already");
  if (origin_ == Origin::Binary) {
    for (const Ref<Device>& device : devices)
      check(buildFor(*device).type == CL_PROGRAM_BINARY_TYPE_EXECUTABLE, CL_INVALID_BINARY,
            "the binary is no executable: it has to be linked");
  } else if (!options) {
    options.emplace();
  }
  return run({.kind = BuildKind::Build,
              .success = CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
              .failure = CL_BUILD_PROGRAM_FAILURE,
              .invalidOptions = CL_INVALID_BUILD_OPTIONS,
              .unavailable = CL_COMPILER_NOT_AVAILABLE,
              .options = std::move(options)},
             devices, std::move(done));
}

cl_int Program::compile(const std::vector<Ref<Device>>& devices, std::string options, std::vector<Header> headers,
                        Done done) {
  check(origin_ == Origin::Source || origin_ == Origin::Il, CL_INVALID_OPERATION,
        "the program has neither source nor IL");
  return run({.kind = BuildKind::Compile,
              .success = CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT,
              .failure = CL_COMPILE_PROGRAM_FAILURE,
              .invalidOptions = CL_INVALID_COMPILER_OPTIONS,
              .unavailable = CL_COMPILER_NOT_AVAILABLE,
              .options = std::move(options),
              .headers = std::move(headers)},
             devices, std::move(done));
}

SpecialisedKernel* Program::specialised(const Build& build, const DeviceKernel& general,
                                        std::vector<ArgumentFact> facts) {
  // Another object would have program-scope variables of its own.
  if (options().specialise < kInBackground || build.result->portable.empty() || build.result->hasProgramScopeVariables)
    return nullptr;
  return versions_.find(*build.device, general, std::move(facts));
}

void Program::buildVersion(SpecialisedKernel& version, const Build& build) {
  BuildRequest request;
  request.kind = origin_ == Origin::Linked ? BuildKind::Link : BuildKind::Build;
  request.options = build.options;
  request.modules.push_back(build.result->portable);
  request.target = build.device->target();
  request.claims = build.device->claims();
  request.openclVersion = openclVersion();
  if (options().specialise >= kAtOnce) return version.build(request);
  Process::get().builders().post(
      [self = Ref<Program>(*this), &version, request = std::move(request)] { version.build(request); });
}

cl_program Program::link(Context& context, const std::vector<Ref<Device>>& devices, const std::string& options,
                         const std::vector<Ref<Program>>& inputs, cl_int& status, std::function<void(Program&)> done) {
  // Section 5.8.4: a device for which all inputs are compiled is linked for, one for which none is, is left out.
  std::vector<Ref<Device>> linkFor;
  for (const Ref<Device>& device : devices) {
    std::size_t compiled = 0;
    for (const Ref<Program>& input : inputs) {
      std::vector<Build> builds = input->builds();
      for (const Build& build : builds) {
        if (build.device != device) continue;
        check(build.status != CL_BUILD_IN_PROGRESS, CL_INVALID_OPERATION, "one of the programs is being compiled");
        compiled += static_cast<std::size_t>(isLinkable(build));
      }
    }
    check(compiled == 0 || compiled == inputs.size(), CL_INVALID_OPERATION,
          "some of the programs are compiled for a device and others are not");
    if (compiled) linkFor.push_back(device);
  }
  check(!linkFor.empty(), CL_INVALID_OPERATION, "the programs are not compiled for any of the devices");

  Ref<Program> program = make<Program>(context, devices, Origin::Linked);
  bool makesLibrary = hasOption(options, "-create-library");
  const cl_program handle = handOut(Ref<Program>(program));
  try {
    status = program->run({.kind = BuildKind::Link,
                           .success = static_cast<cl_program_binary_type>(
                               makesLibrary ? CL_PROGRAM_BINARY_TYPE_LIBRARY : CL_PROGRAM_BINARY_TYPE_EXECUTABLE),
                           .failure = CL_LINK_PROGRAM_FAILURE,
                           .invalidOptions = CL_INVALID_LINKER_OPTIONS,
                           .unavailable = CL_LINKER_NOT_AVAILABLE,
                           .options = options,
                           .inputs = inputs},
                          linkFor, done ? Done([done = std::move(done), program] { done(*program); }) : Done());
    check(status != CL_INVALID_LINKER_OPTIONS, status, "unknown linker option");
  } catch (...) {
    // No link has begun, so nobody has seen the handle.
    program->apiRelease(CL_INVALID_PROGRAM);
    throw;
  }
  return handle;
}

Ref<Program> Program::ofBuiltInKernels(Context& context, const std::vector<Ref<Device>>& devices,
                                       const std::string& names) {
  Ref<Program> program = make<Program>(context, devices, Origin::BuiltIn, builtInKernelSource(names));
  const cl_int status = program->run({.kind = BuildKind::Build,
                                      .success = CL_PROGRAM_BINARY_TYPE_EXECUTABLE,
                                      .failure = CL_OUT_OF_RESOURCES,
                                      .invalidOptions = CL_OUT_OF_RESOURCES,
                                      .unavailable = CL_OUT_OF_RESOURCES,
                                      .options = kBuiltInKernelOptions},
                                     devices, {});
  check(status == CL_SUCCESS, status, "built-in kernels cannot be built: the compiler is not there");
  return program;
}

} // namespace clotho
