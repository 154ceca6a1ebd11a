// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/objects/program.hpp"

#include "base/opencl_version.hpp"
#include "base/options.hpp"
#include "base/text_file.hpp"
#include "compiler/build_options.hpp"
#include "compiler/client/binary_format.hpp"
#include "runtime/capture/captures.hpp"
#include "runtime/objects/built_in_kernels.hpp"
#include "runtime/objects/program_binary.hpp"
#include "runtime/objects/program_operation.hpp"
#include "runtime/process.hpp"
#include "runtime/versions/specialise_option.hpp"
#include "runtime/versions/specialiser.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <unistd.h>

namespace clotho {

namespace {

/// The code that a build makes where this is all that is needed. Programs that forbid what builds need cannot wait.
CodeScope atLeast(CodeScope scope) { return options().defersCode && !options().startsEarly ? scope : CodeScope::All; }

std::uint32_t openclVersion() { return macroOf(Process::get().platform().version()); }

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

bool Program::Operation::hasBadOptions() const {
  std::string why;
  return options && !compiler::parseBuildOptions(*options, kind, openclVersion(), why);
}

Program::Program(Context& context, const std::vector<Ref<Device>>& devices, Origin origin, std::string source,
                 std::string il)
    : context_(context), origin_(origin), source_(std::move(source)), il_(std::move(il)),
      specialisable_(specialisableIn(il_)), specialiser_(std::make_unique<Specialiser>(*this)) {
  for (const Ref<Device>& device : devices)
    builds_.emplace_back().device = device;
}

Program::Program(Context& context, std::string source)
    : Program(context, context.devices(), Origin::Source, std::move(source)) {}

Ref<Program> Program::fromIl(Context& context, std::string il) {
  return make<Program>(context, context.devices(), Origin::Il, std::string(), std::move(il));
}

Program::Program(Context& context, std::vector<Build> binaries)
    : context_(context), origin_(Origin::Binary), builds_(std::move(binaries)),
      specialiser_(std::make_unique<Specialiser>(*this)) {}

Program::~Program() = default;

// The clean-ups come before the callbacks (OpenCL 2.2, clSetProgramReleaseCallback), and the thread that ends the last
// of them calls `end`. They have been made with the builds, since there may be no memory now.
void Program::destroy() noexcept {
  std::vector<ProgramScope> scopes;
  {
    MutexLock lock(mutex_);
    scopes.swap(scopes_);
  }
  cleanUpsToCome_.store(scopes.size() + 1, std::memory_order_relaxed);
  const auto oneLess = [](void* program) noexcept {
    auto* self = static_cast<Program*>(program);
    if (self->cleanUpsToCome_.fetch_sub(1, std::memory_order_acq_rel) == 1) self->end();
  };
  for (ProgramScope& scope : scopes)
    ProgramScopeRun::runThen(std::move(scope.cleanUp), oneLess, this);
  scopes.clear(); // the code is the program's
  oneLess(this);
}

void Program::end() noexcept {
  // No reference to the program is left, so the list needs no lock.
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

bool Program::isOpenclCOnly() const {
  switch (origin_) {
  case Origin::Il:
  case Origin::Binary: return false;
  case Origin::BuiltIn: return true;
  case Origin::Linked:
    if (!linksOpenclCOnly_) return false;
    break; // what was compiled only does not say what the program will run by itself
  case Origin::Source: break;
  }
  // Until something has been built of a source, it may be of any language.
  MutexLock lock(mutex_);
  bool isBuilt = false;
  for (const Build& build : builds_) {
    if (!build.result) continue;
    isBuilt = true;
    std::string why;
    const auto options = compiler::parseBuildOptions(build.options, BuildKind::Build, openclVersion(), why);
    if (options && isCpp(options->std)) return false;
    if (kernelOf(*build.result, KernelRole::Initialiser) || kernelOf(*build.result, KernelRole::CleanUp)) return false;
  }
  return isBuilt;
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

struct Program::Renewal {
  std::vector<Build> builds;                            // of all devices
  std::vector<std::shared_ptr<DeviceProgram>> replaced; // code of before, with room for what there was already
  std::vector<ProgramScope> over;                       // of code that is replaced
  std::vector<ProgramScope> scopes;                     // of all other code, what is new last
  std::size_t firstNew = 0;                             // among `scopes`
};

Program::Renewal Program::renewalBy(std::vector<Build> finished, const std::vector<Build>& before) {
  Renewal renewal;
  renewal.builds = before;
  for (Build& done : finished)
    *std::find_if(renewal.builds.begin(), renewal.builds.end(),
                  [&](const Build& build) { return build.device == done.device; }) = std::move(done);
  if (origin_ != Origin::Binary) inherit(renewal.builds);

  const auto isIn = [](const std::vector<Build>& builds, const std::shared_ptr<DeviceProgram>& code) {
    return std::any_of(builds.begin(), builds.end(), [&](const Build& build) { return build.code == code; });
  };
  std::vector<ProgramScope> known;
  {
    MutexLock lock(mutex_); // nothing but this operation changes them
    known = scopes_;
    renewal.replaced.reserve(replaced_.size() + before.size());
  }
  for (const Build& old : before)
    if (old.code && !isIn(renewal.builds, old.code)) renewal.replaced.push_back(old.code);
  for (const ProgramScope& scope : known)
    (isIn(renewal.builds, scope.code) ? renewal.scopes : renewal.over).push_back(scope);
  renewal.firstNew = renewal.scopes.size();
  for (const Build& build : renewal.builds) {
    const auto isOfBuild = [&](const ProgramScope& scope) { return scope.code == build.code; };
    if (!build.code || isIn(before, build.code) || std::any_of(renewal.scopes.begin(), renewal.scopes.end(), isOfBuild))
      continue;
    ProgramScope scope = makeProgramScope(*context_, *build.device, build.code, *build.result);
    if (scope.initialiser || scope.cleanUp) renewal.scopes.push_back(std::move(scope));
  }
  return renewal;
}

cl_int Program::runScopes(Renewal& renewal, cl_int failure) noexcept {
  // No kernel of before is there any more, and none is running: launches keep their kernel.
  for (ProgramScope& scope : renewal.over)
    if (scope.cleanUp->runAndWait() < 0) context_->report(scope.cleanUp->takeWhy(), LogLevel::Error);
  cl_int status = CL_SUCCESS;
  for (std::size_t i = renewal.firstNew; i < renewal.scopes.size(); ++i) {
    ProgramScope& scope = renewal.scopes[i];
    if (!scope.initialiser || scope.initialiser->runAndWait() >= 0) continue;
    status = failure;
    scope.cleanUp = nullptr; // there is nothing to clean up
    for (Build& build : renewal.builds) {
      if (build.code != scope.code) continue;
      build.code = nullptr;
      build.status = CL_BUILD_ERROR;
      try {
        build.log += "the program's initialisation has failed: " + scope.initialiser->why() + '\n';
      } catch (const std::bad_alloc&) {
        // The status tells it all the same.
      }
      if (origin_ == Origin::Binary) continue; // which stays what it is
      build.result = nullptr;
      build.type = CL_PROGRAM_BINARY_TYPE_NONE;
    }
  }
  std::erase_if(renewal.scopes, [](const ProgramScope& scope) { return !scope.cleanUp; });
  for (ProgramScope& scope : renewal.scopes)
    scope.initialiser = nullptr;
  return status;
}

void Program::publish(Renewal renewal) noexcept {
  MutexLock lock(mutex_);
  for (std::shared_ptr<DeviceProgram>& code : replaced_)
    renewal.replaced.push_back(std::move(code)); // there is room
  replaced_.swap(renewal.replaced);
  scopes_.swap(renewal.scopes);
  builds_.swap(renewal.builds);
  building_ = false;
}

void Program::giveUp(std::vector<Build> before) noexcept {
  MutexLock lock(mutex_);
  builds_.swap(before);
  building_ = false;
}

void Program::inherit(std::vector<Build>& builds) {
  for (Build& build : builds) {
    if (build.isOwn) continue;
    for (const Device* ancestor = build.device->parent(); ancestor; ancestor = ancestor->parent()) {
      const auto found = std::find_if(builds.begin(), builds.end(), [&](const Build& other) {
        return other.isOwn && other.device.get() == ancestor;
      });
      if (found == builds.end()) continue;
      Build inherited = *found;
      inherited.device = build.device;
      inherited.isOwn = false;
      build = std::move(inherited);
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

namespace {

/// The program's options, after those of the environment.
std::string optionsOf(const Program::Build& build) {
  return options().check.empty() ? build.options : "-clotho-check=" + options().check + " " + build.options;
}

} // namespace

BuildRequest Program::requestFor(const Build& build, const Build& old, const Operation& operation) const {
  BuildRequest request;
  request.kind = operation.kind;
  request.options = optionsOf(build);
  if (operation.kind != BuildKind::Link && (context_->initializedMemory() & Context::kInitializePrivate))
    request.options.insert(0, "-clotho-initialize-private ");
  request.workingDirectory = operation.workingDirectory;
  request.target = build.device->target();
  request.claims = build.device->claims();
  request.openclVersion = openclVersion();
  // Parts of launches run what was built first.
  const Joint* joint = build.device->joint();
  request.scope = joint ? CodeScope::All : atLeast(firstScope());
  request.makesParts = joint && joint->takesPartArguments();
  request.headers = operation.headers;
  if (origin_ == Origin::Source || origin_ == Origin::BuiltIn) request.source = source_;
  if (origin_ == Origin::Il) {
    request.il = il_;
    request.specConstants = operation.specConstants;
  }
  if (origin_ == Origin::Binary) request.modules.push_back(old.result->portable);
  for (const Ref<Program>& input : operation.inputs) {
    Build compiled = input->buildFor(*build.device);
    // Another thread may have begun to compile it anew since it was looked at.
    check(isLinkable(compiled) && compiled.result, CL_INVALID_OPERATION, "a program is not compiled any more");
    request.modules.push_back(compiled.result->portable);
  }
  return request;
}

std::unique_ptr<DeviceProgram> Program::loadJoint(Joint& joint, Build& build,
                                                  const std::shared_ptr<const BuildResult>& result) const {
  std::vector<std::shared_ptr<const BuildResult>> builds{result};
  Build first = build;
  first.result = result;
  for (const Target& target : joint.otherTargets()) {
    BuildRequest request = requestLike(first, CodeScope::All);
    request.target = target;
    builds.push_back(Process::get().compiler().build(request));
    build.log += builds.back()->log;
    check(builds.back()->status == BuildStatus::Success, CL_BUILD_PROGRAM_FAILURE,
          "the program cannot be compiled for each device of the joint one");
  }
  return joint.load(std::move(builds), build.log);
}

cl_int Program::buildOne(Build& build, const Build& old, const Operation& operation, std::span<const Build> others) {
  std::shared_ptr<const BuildResult> result;
  if (origin_ == Origin::Binary && !old.result->object.empty() && hasCodeFor(*build.device, *old.result))
    result = old.result;
  else
    result = Process::get().compiler().build(requestFor(build, old, operation));

  build.log = result->log;
  if (origin_ == Origin::Binary) {
    // A binary stays what it is, so that it can be built again.
    build.result = old.result;
    build.type = old.type;
  }
  switch (result->status) {
  case BuildStatus::Success: break;
  case BuildStatus::InvalidOptions: return operation.invalidOptions;
  case BuildStatus::Failure:
  case BuildStatus::IllFormed: return operation.failure;
  case BuildStatus::Unavailable: return operation.unavailable;
  }
  if (operation.success == CL_PROGRAM_BINARY_TYPE_EXECUTABLE) {
    // Parts of one device have their program-scope variables in common.
    for (const Build& other : others)
      if (other.code && &other.device->root() == &build.device->root() && other.result->isSameCode(*result))
        build.code = other.code;
    try {
      if (!build.code) {
        Joint* joint = build.device->joint();
        std::unique_ptr<DeviceProgram> code =
            joint ? loadJoint(*joint, build, result) : build.device->load(result, build.log);
        checkProgramScope(*build.device, *code, *result);
        build.code = std::move(code);
      }
    } catch (const Error& error) {
      build.log += error.why;
      build.log += '\n';
      return operation.failure;
    }
  }
  build.status = CL_BUILD_SUCCESS;
  build.type = operation.success;
  build.result = std::move(result);
  if (Process::get().captures()) build.recipe = recipeOf(build, old, operation);
  if (operation.success == CL_PROGRAM_BINARY_TYPE_EXECUTABLE) build.tuned = tunedFor(build);
  return CL_SUCCESS;
}

cl_int Program::perform(const Operation& operation, const std::vector<Ref<Device>>& devices,
                        std::vector<Build> before) {
  Renewal renewal;
  cl_int status = CL_SUCCESS;
  try {
    std::vector<Build> finished;
    finished.reserve(devices.size());
    for (const Ref<Device>& device : devices) {
      const Build& old =
          *std::find_if(before.begin(), before.end(), [&](const Build& b) { return b.device == device; });
      Build build;
      build.device = device;
      build.isOwn = true;
      build.status = CL_BUILD_ERROR;
      build.options = operation.options.value_or(old.options);
      const cl_int code = buildOne(build, old, operation, finished);
      finished.push_back(std::move(build));
      if (status == CL_SUCCESS) status = code;
    }
    renewal = renewalBy(std::move(finished), before);
  } catch (...) {
    // Out of memory, or nothing to link. What the devices had before is what they have.
    if (operation.failsByStatus)
      for (Build& build : before)
        if (std::find(devices.begin(), devices.end(), build.device) != devices.end()) build.status = CL_BUILD_ERROR;
    giveUp(std::move(before));
    if (operation.failsByStatus) return operation.failure;
    throw;
  }
  const cl_int initialised = runScopes(renewal, operation.failure);
  publish(std::move(renewal));
  return status == CL_SUCCESS ? initialised : status;
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

/// Read with the build, which reads from the same folder: a launch had better not.
std::shared_ptr<const TuningRecord> Program::tunedFor(const Build& build) const {
  const BuildResult& result = *build.result;
  const bool isTuned = options().specialise == kInBackground && !result.portable.empty() &&
                       !result.hasProgramScopeVariables &&
                       std::any_of(result.kernels.begin(), result.kernels.end(),
                                   [](const BuiltKernel& kernel) { return !kernel.limits.hasOneCode; });
  if (!isTuned) return nullptr;
  auto record = std::make_shared<const TuningRecord>(
      Process::get().compiler().tuned(requestLike(build, atLeast(Specialiser::kTuningScope))));
  return record->codes.empty() ? nullptr : record;
}

double Program::secondsFor(const BuildResult& built, const DeviceKernel& general) const {
  if (built.isDeferred) return onDemand_.secondsOf(general);
  return built.seconds / static_cast<double>(std::max<std::size_t>(built.kernels.size(), 1));
}

const DeviceKernel& Program::codeOnDemand(const Build& build, const DeviceKernel& lacking, CodeScope scope) {
  const CodeOnDemand::Wanted wanted{*build.device, build.result, lacking.info().name, scope};
  if (const DeviceKernel* known = onDemand_.find(wanted)) return *known;
  return onDemand_.build(wanted, requestLike(build, scope));
}

BuildRequest Program::requestLike(const Build& build, CodeScope scope) const {
  BuildRequest request;
  request.kind = origin_ == Origin::Linked ? BuildKind::Link : BuildKind::Build;
  request.options = optionsOf(build);
  request.modules.push_back(build.result->portable);
  request.target = build.device->target();
  request.claims = build.device->claims();
  request.openclVersion = openclVersion();
  request.scope = scope;
  return request;
}

BuildRequest Program::requestLike(const Device& device, CodeScope scope) const {
  return requestLike(buildFor(device), atLeast(scope));
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
  program->linksOpenclCOnly_ =
      std::all_of(inputs.begin(), inputs.end(), [](const Ref<Program>& input) { return input->isOpenclCOnly(); });
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
    // No link has begun, so the application has not seen the handle.
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
