// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/objects/kernel.hpp"

#include "abi/local_sizes.hpp"
#include "base/options.hpp"
#include "runtime/process.hpp"
#include "runtime/versions/specialise_option.hpp"
#include "runtime/versions/specialiser.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory_resource>

namespace clotho {

namespace {

/// Whether kernels of the device reach memory that is given by such a pointer; one that does not would fault (OpenCL
/// 3.0, clEnqueueNDRangeKernel).
bool canReach(const DeviceProperties& device, Kernel::PointerKind kind) {
  const UnifiedMemoryAccess& unified = device.unifiedMemory;
  switch (kind) {
  case Kernel::PointerKind::Svm: return device.svmCapabilities != 0;
  case Kernel::PointerKind::Unified:
    return (unified.host | unified.device | unified.sharedSingle | unified.sharedCross) != 0;
  default: return true;
  }
}

/// Whether the code asks for versions for values of this argument.
bool wantsValue(const DeviceKernel& code, std::size_t argument) {
  return argument < 64 && (code.limits().wantedValues >> argument & 1) != 0 &&
         code.info().args[argument].kind == ArgKind::Value && code.info().args[argument].size <= sizeof(std::uint64_t);
}

const BuiltKernel* findKernel(const Program::Build& build, std::string_view name) {
  for (const BuiltKernel& kernel : build.result->kernels)
    if (kernel.info.name == name && kernel.info.role == KernelRole::Entry) return &kernel;
  return nullptr;
}

/// Whether a kernel has the same arguments on two devices: number, sizes and what images and pipes are taken are all
/// that applications can tell.
bool sameDefinition(const KernelInfo& a, const KernelInfo& b) {
  return std::equal(a.args.begin(), a.args.end(), b.args.begin(), b.args.end(), [](const ArgInfo& x, const ArgInfo& y) {
    return x.kind == y.kind && x.size == y.size && x.imageType == y.imageType && x.isDepth == y.isDepth &&
           ((x.kind != ArgKind::Image && x.kind != ArgKind::Pipe) || x.access == y.access);
  });
}

/// Sizes come from the application, and what does not fit is more than any device has.
std::uint64_t saturatingAdd(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/// Nothing keeps an argument: another thread may release it after this look, and then the launch fails when it is to
/// hold its arguments. Until then its slot may be read, but what the object refers to only with a reference: its
/// storage, where the context has several homes, and what makes an image of it. Else the result is null.
Ref<MemoryObject> stillThere(MemoryObject& memory, bool isReferenced) {
  const char* why = "a memory object that is an argument was released";
  check(Process::get().slab<MemoryObject>().isLive(&memory), CL_INVALID_MEM_OBJECT, why);
  if (!isReferenced) return {};
  Ref<MemoryObject> reference = Ref<MemoryObject>::ifAlive(&memory);
  check(reference.get() != nullptr, CL_INVALID_MEM_OBJECT, why);
  return reference;
}

std::uint64_t nextReferencesId() noexcept {
  static constinit std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

} // namespace

Kernel::Kernel(Program& program, std::string_view name)
    : program_(program), attachment_(program),
      ownerForLaunches_(needsCleanUp() ? static_cast<Object*>(this) : &program), referencesId_(nextReferencesId()) {
  bool hasExecutable = false;
  for (const Program::Build& build : attachment_.builds) {
    if (!build.code) continue;
    hasExecutable = true;
    const BuiltKernel* built = findKernel(build, name);
    const DeviceKernel* code = build.code->kernel(name);
    if (!built || !code) continue;
    if (!info_) info_ = &built->info;
    // Offsets of local arguments are the same for all devices: they lie behind the local variables of each.
    ownLocalBytes_ = std::max(ownLocalBytes_, code->limits().localBytes);
    check(sameDefinition(built->info, *info_), CL_INVALID_KERNEL_DEFINITION, "the kernel differs between devices");
    code_.emplace_back(build.device.get(), code);
  }
  check(hasExecutable, CL_INVALID_PROGRAM_EXECUTABLE, "the program is not built for any device");
  check(info_, CL_INVALID_KERNEL_NAME, "the program has no kernel of this name");

  arguments_.resize(info_->args.size());
  unset_ = arguments_.size();
  const auto isLocal = [](const ArgInfo& arg) { return arg.kind == ArgKind::Local; };
  const auto locals = std::ranges::count_if(info_->args, isLocal);
  block_.resize(locals == 0 ? info_->argBlockSize
                            : localSizeOffset(info_->argBlockSize, static_cast<std::size_t>(locals)));
  localBytes_ = localEnd_ = ownLocalBytes_;
  for (std::uint32_t i = 0; i < info_->args.size(); ++i) {
    const ArgInfo& arg = info_->args[i];
    if (arg.kind == ArgKind::Buffer) bufferArguments_.push_back(i);
    if (arg.kind == ArgKind::Image)
      (arg.access == AccessQualifier::WriteOnly || arg.access == AccessQualifier::ReadWrite ? writtenImages_
                                                                                            : readImages_)
          .push_back(i);
    if (arg.kind == ArgKind::Pipe) pipes_.push_back(i);
    if (arg.kind == ArgKind::Sampler) ++samplers_;
    if (arg.kind == ArgKind::Queue) queueArguments_.push_back(i);
  }
  versions_ = std::vector<std::atomic<SpecialisedKernel*>>(code_.size());
  onDemand_ = std::vector<std::array<std::atomic<const DeviceKernel*>, 3>>(code_.size());
  searchesWidth_ =
      !info_->enqueues && options().specialise == kInBackground &&
      std::any_of(code_.begin(), code_.end(), [](const auto& each) { return each.second->limits().mayChangeWidth; });
  const bool hasObjects = !readImages_.empty() || !writtenImages_.empty() || samplers_ != 0;
  hasVersions_ = !info_->enqueues && (hasObjects || std::any_of(code_.begin(), code_.end(), [](const auto& each) {
                                        const GroupLimits& limits = each.second->limits();
                                        return limits.wantsLocalSize || limits.rows.isKnown() || limits.lacksFaster;
                                      }));
  // Programs may be built for each device by options of its own.
  wantsValues_ = !info_->enqueues && std::any_of(code_.begin(), code_.end(), [](const auto& each) {
    return each.second->limits().wantedValues != 0;
  });
}

bool Kernel::needsCleanUp() const {
  return std::any_of(attachment_.builds.begin(), attachment_.builds.end(), [](const Program::Build& build) {
    return build.code && kernelOf(*build.result, KernelRole::CleanUp);
  });
}

Kernel::Kernel(CloneOf clone)
    : program_(clone.original.program_), attachment_(*program_),
      ownerForLaunches_(needsCleanUp() ? static_cast<Object*>(this) : program_.get()), info_(clone.original.info_),
      ownLocalBytes_(clone.original.ownLocalBytes_), code_(clone.original.code_), arguments_(clone.original.arguments_),
      bufferArguments_(clone.original.bufferArguments_), readImages_(clone.original.readImages_),
      writtenImages_(clone.original.writtenImages_), pipes_(clone.original.pipes_),
      queueArguments_(clone.original.queueArguments_), samplers_(clone.original.samplers_),
      known_(clone.original.known_), versions_(clone.original.versions_.size()),
      onDemand_(clone.original.onDemand_.size()), hasVersions_(clone.original.hasVersions_),
      wantsValues_(clone.original.wantsValues_), searchesWidth_(clone.original.searchesWidth_),
      block_(clone.original.block_),
      referencesId_(ownerForLaunches_ == this ? nextReferencesId() : clone.original.referencesId_),
      pointerCount_(clone.original.pointerCount_), devicePointerCount_(clone.original.devicePointerCount_),
      usesSystemMemory_(clone.original.usesSystemMemory_), indirectSvm_(clone.original.indirectSvm_),
      indirectUnified_(clone.original.indirectUnified_), indirectDevice_(clone.original.indirectDevice_),
      unset_(clone.original.unset_), localBytes_(clone.original.localBytes_), localEnd_(clone.original.localEnd_) {}

Kernel::~Kernel() = default;

void Kernel::destroy() noexcept { Process::get().slab<Kernel>().destroy(this); }

void Kernel::markSet(std::size_t index) {
  if (!std::exchange(arguments_[index].set, true)) --unset_;
}

void Kernel::setValue(std::size_t index, const void* value) {
  std::memcpy(block_.data() + info_->args[index].offset, value, info_->args[index].size);
  markSet(index);
}

void Kernel::setMemory(std::size_t index, MemoryObject* memory) {
  // The address depends on the device, so snapshot() writes it; a null pointer stays as it is here.
  std::memset(block_.data() + info_->args[index].offset, 0, sizeof(void*));
  if (arguments_[index].memory != memory) referencesId_ = nextReferencesId();
  arguments_[index].memory = memory;
  const PointerKind before = std::exchange(arguments_[index].pointerKind, PointerKind::None);
  if (before != PointerKind::None) --pointerCount_;
  if (before == PointerKind::Device) --devicePointerCount_;
  markSet(index);
}

void Kernel::setBuffer(std::size_t index, MemoryObject* buffer) { setMemory(index, buffer); }

void Kernel::setImage(std::size_t index, MemoryObject& image) {
  const ImageFormat& format = image.image()->format();
  setKnown(
      {static_cast<std::uint32_t>(index),
       CodeVersion::Format{format.order, format.type,
                           format.isSmall != 0}}); // first, since it may fail: a version is never for another format
  setMemory(index, &image);
}

void Kernel::setPipe(std::size_t index, MemoryObject& pipe) { setMemory(index, &pipe); }

void Kernel::setKnown(const CodeVersion::Argument& argument) {
  const auto& all = known_.arguments;
  if (std::find(all.begin(), all.end(), argument) != all.end()) return;
  known_.set(argument);
  forgetVersions();
}

void Kernel::forgetVersions() {
  for (std::atomic<SpecialisedKernel*>& version : versions_)
    version.store(nullptr, std::memory_order_relaxed);
}

/// Before anything is on trial, short launches are looked at now and then only: it would be a tenth of their cost.
bool Kernel::isPassedOver(const NDRange& range) const {
  constexpr double kFewItems = 1 << 12;
  constexpr std::uint32_t kLooks = 16;
  if (range.items() >= kFewItems || options().specialise != kInBackground ||
      hasOtherCode_.load(std::memory_order_relaxed))
    return false;
  const std::uint32_t before = launches_.load(std::memory_order_relaxed);
  launches_.store(before + 1, std::memory_order_relaxed);
  return before % kLooks != 0;
}

void Kernel::addIntegers(const DeviceKernel& code, CodeVersion& version) const {
  std::array<CodeVersion::Argument, kMostWantedValues> wanted;
  unsigned count = 0;
  bool isSmall = false;
  for (std::uint32_t i = 0; i < info_->args.size() && count < wanted.size(); ++i) {
    if (!wantsValue(code, i)) continue;
    std::uint64_t value = 0; // least significant bytes first
    std::memcpy(&value, block_.data() + info_->args[i].offset, info_->args[i].size);
    wanted[count++] = {i, CodeVersion::Integer{value}};
    isSmall |= value <= kMostKnownTrips;
  }
  for (unsigned i = 0; isSmall && i < count; ++i)
    version.set(wanted[i]);
}

const Program::Build& Kernel::buildFor(const Device& device) const {
  return *std::find_if(attachment_.builds.begin(), attachment_.builds.end(),
                       [&](const Program::Build& each) { return each.device.get() == &device; });
}

std::size_t Kernel::placeOf(const Device& device) const {
  const auto place = std::find_if(code_.begin(), code_.end(), [&](const auto& each) { return each.first == &device; });
  return static_cast<std::size_t>(place - code_.begin());
}

const DeviceKernel& Kernel::codeOnDemand(const Device& device, const DeviceKernel& lacking, CodeScope scope) const {
  std::atomic<const DeviceKernel*>& known = onDemand_[placeOf(device)][static_cast<std::size_t>(scope)];
  const DeviceKernel* code = known.load(std::memory_order_acquire);
  if (code == nullptr) {
    code = &program_->codeOnDemand(buildFor(device), lacking, scope);
    known.store(code, std::memory_order_release);
  }
  return *code;
}

/// `range` is as the application gives it.
static bool mayRun(const DeviceKernel& code, const ArgSnapshot& args, NDRange range, HomeId home) {
  code.toCode(range, args.block());
  return code.mayRun(args, range, home);
}

LoadedCode Kernel::codeForLaunch(const Device& device, HomeId home, const DeviceKernel& general, const NDRange& range,
                                 const ArgSnapshot& args, bool mayTry) const {
  if (device.joint()) return {&general}; // versions rely on what parts of a launch need not have
  const DeviceKernel& soon = general.hasCode() ? general : codeOnDemand(device, general, firstScope());
  if (mayRun(soon, args, range, home)) {
    LoadedCode version = versionForLaunch(device, soon, CodeScope::Needed, range, mayTry);
    if (version.kernel == &soon || mayRun(*version.kernel, args, range, home)) return version;
  }
  const DeviceKernel& whole = codeOnDemand(device, general, CodeScope::All);
  check(whole.privateBytesOfGroup(range.local) <= device.properties().privateMemorySize, CL_OUT_OF_RESOURCES,
        "the work-group's private data need more memory than there is");
  // If `whole` is what the first build made, a version of it may lack what this launch needs.
  LoadedCode version = versionForLaunch(device, whole, CodeScope::All, range, mayTry);
  return version.kernel == &whole || mayRun(*version.kernel, args, range, home) ? version : LoadedCode{&whole};
}

/// Sub-groups that are parts of rows are cut so whatever the local size is. Versions with sub-groups serve launches
/// with and without an offset; to others, local and group ids tell the global ones.
static std::optional<CodeVersion::LocalSize> localSizeFor(const GroupLimits& limits, const NDRange& range) {
  const bool areRows = limits.usesSubGroups && range.local[0] % limits.subGroupSize == 0;
  const bool fitsOffset = limits.usesSubGroups || range.offset == decltype(range.offset){};
  if (!limits.wantsLocalSize || areRows || !fitsOffset) return std::nullopt;
  CodeVersion::LocalSize result{};
  std::transform(range.local.begin(), range.local.end(), result.size.begin(),
                 [](std::uint64_t size) { return static_cast<std::uint32_t>(size); });
  result.mayHaveOffset = limits.usesSubGroups;
  return result;
}

// Several threads may enqueue the same kernel at once; they find the same version.
LoadedCode Kernel::versionForLaunch(const Device& device, const DeviceKernel& general, CodeScope scope,
                                    const NDRange& range, bool mayTry) const {
  const bool mayBeOfOtherWidth = searchesWidth_ && mayTry;
  if (general.limits().hasOneCode) return {&general};
  if (!hasVersions_ && ((!mayBeOfOtherWidth && !wantsValues_) || isPassedOver(range))) return {&general};
  CodeVersion version = known_;
  version.local = localSizeFor(general.limits(), range);
  if (general.limits().rows.isKnown()) {
    const std::uint64_t length = general.rowLength(range.global, range.offset, block_.data());
    if (length != 0)
      version.rows = range.global[0] % length == 0 ? CodeVersion::Rows::Whole : CodeVersion::Rows::Partial;
  }
  if (wantsValues_) addIntegers(general, version);
  if (version.isForAnyLaunch() && !mayBeOfOtherWidth && !general.limits().lacksFaster) return {&general};
  const Program::Build& build = buildFor(device);
  LoadedCode code = program_->specialiser().codeFor(
      {*build.device, *build.result, general, scope, build.tuned.get(), std::move(version), range.items(), mayTry},
      versions_[placeOf(device)]);
  if (code.kernel == &general) return code;
  hasOtherCode_.store(true, std::memory_order_relaxed);
  const bool fits = code.kernel->privateBytesOfGroup(range.local) <= device.properties().privateMemorySize;
  return fits && code.kernel->takes(range, block_.data()) ? code : LoadedCode{&general};
}

void Kernel::setSampler(std::size_t index, const Sampler& sampler) {
  const std::uint64_t number = sampler.state().number();
  setKnown({static_cast<std::uint32_t>(index), CodeVersion::Sampler{number}}); // first, since it may fail
  std::memcpy(block_.data() + info_->args[index].offset, &number, sizeof number);
  markSet(index);
}

void Kernel::setQueue(std::size_t index, DeviceCommandQueue& queue) {
  arguments_[index].queue = &queue;
  markSet(index);
}

void Kernel::setPointer(std::size_t index, PointerKind kind, const void* pointer) {
  setBuffer(index, nullptr);
  std::memcpy(block_.data() + info_->args[index].offset, static_cast<const void*>(&pointer), sizeof pointer);
  if (!pointer) return;
  arguments_[index].pointerKind = kind;
  ++pointerCount_;
  if (kind == PointerKind::Device) ++devicePointerCount_;
}

const void* Kernel::pointerAt(std::size_t index) const {
  const void* pointer;
  std::memcpy(static_cast<void*>(&pointer), block_.data() + info_->args[index].offset, sizeof pointer);
  return pointer;
}

void Kernel::setIndirect(PointerKind kind, std::vector<const void*> pointers) {
  if (kind == PointerKind::Device) devicePointerCount_ += pointers.size() - indirectDevice_.size();
  (kind == PointerKind::Svm       ? indirectSvm_
   : kind == PointerKind::Unified ? indirectUnified_
                                  : indirectDevice_) = std::move(pointers);
}

void Kernel::setLocal(std::size_t index, std::size_t size) {
  arguments_[index].localSize = size;
  markSet(index);
  localBytes_ = localEnd_ = ownLocalBytes_;
  std::size_t locals = 0;
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const ArgInfo& arg = info_->args[i];
    if (arg.kind != ArgKind::Local) continue;
    const std::uint64_t its = arguments_[i].localSize;
    std::memcpy(block_.data() + localSizeOffset(info_->argBlockSize, locals++), &its, sizeof its);
    if (!arguments_[i].set) continue;
    // Applications may store any built-in type in it, whatever the pointer's own type is.
    std::uint64_t alignment = std::max<std::uint64_t>(arg.alignment, 128);
    std::uint64_t begin = saturatingAdd(localEnd_, alignment - 1) / alignment * alignment;
    std::memcpy(block_.data() + arg.offset, &begin, sizeof begin);
    localEnd_ = saturatingAdd(begin, arguments_[i].localSize);
    localBytes_ = saturatingAdd(localBytes_, arguments_[i].localSize);
  }
}

Command Kernel::launch(const Device& device, HomeId home, const DeviceKernel& code, const NDRange& range,
                       bool mayTry) const {
  Command command = Nothing{};
  if (!range.global[0] || !range.global[1] || !range.global[2]) return command;
  Launch& launch = command.emplace<Launch>();
  launch.program = ownerForLaunches_;
  launch.referencesId = referencesId();
  snapshot(device, home, launch.args);
  launch.queues = snapshotQueues(device, launch.args);
  if (const Joint* joint = device.joint()) {
    launch.placed = std::vector<PlacedArguments>(joint->memories().size());
    for (std::size_t i = 0; i < launch.placed.size(); ++i) {
      launch.placed[i].home = context().homes().of(joint->memories()[i]);
      snapshot(device, launch.placed[i].home, launch.placed[i].args);
      static_cast<void>(snapshotQueues(device, launch.placed[i].args)); // for the handles in the block
    }
  }
  launch.zeroesLocal = (context().initializedMemory() & Context::kInitializeLocal) != 0;
  launch.range = range;
  LoadedCode chosen = codeForLaunch(device, home, code, range, launch.args, mayTry);
  launch.kernel = chosen.kernel;
  launch.code = std::move(chosen.program);
  launch.kernel->toCode(launch.range, block_.data());
  return command;
}

void Kernel::snapshot(const Device& device, HomeId home, ArgSnapshot& out) const {
  std::byte* block = out.inlineBlock.data();
  if (block_.size() > ArgSnapshot::kInlineBytes) {
    out.heapBlock.reset(new (ArgSnapshot::kBlockAlignment) std::byte[block_.size()]);
    block = out.heapBlock.get();
  }
  if (!block_.empty()) std::memcpy(block, block_.data(), block_.size());
  out.localBytes = localEnd_;

  const bool isTracked = context().homes().count() > 1;
  for (std::uint32_t index : bufferArguments_) {
    MemoryObject* buffer = arguments_[index].memory;
    if (!buffer) continue;
    const Ref<MemoryObject> reference = stillThere(*buffer, isTracked);
    check(!buffer->isSubBuffer() || buffer->origin() % device.properties().baseAddressAlignment == 0,
          CL_MISALIGNED_SUB_BUFFER_OFFSET, "the device cannot use a sub-buffer with this origin");
    const std::byte* address = buffer->bytesOn(home);
    std::memcpy(block + info_->args[index].offset, static_cast<const void*>(&address), sizeof address);
    out.add(*buffer);
    ++out.bufferCount;
  }
  if (!readImages_.empty() || !writtenImages_.empty() || samplers_ != 0) snapshotImages(device, home, block, out);
  if (!pipes_.empty()) snapshotPipes(device, home, block, out);
  if (pointerCount_ > 0 || usesSystemMemory_ || devicePointerCount_ > 0) describePointers(device, home, out);
  if (context().sharedMemory().isGuarded()) out.reached = reachedPointers();
}

std::unique_ptr<const LaunchQueues> Kernel::snapshotQueues(const Device& device, ArgSnapshot& out) const {
  if (queueArguments_.empty() && !info_->enqueues) return nullptr;
  auto queues = std::make_unique<LaunchQueues>();
  if (const Ref<DeviceCommandQueue> queue = context().deviceQueues().defaultOf(device))
    queues->defaultQueue = Ref<OnDeviceQueue>(queue->onDevice());
  for (std::uint32_t index : queueArguments_) {
    DeviceCommandQueue* given = arguments_[index].queue;
    const bool isThere = Process::get().slab<DeviceCommandQueue>().isLive(given);
    const Ref<DeviceCommandQueue> queue = isThere ? Ref<DeviceCommandQueue>::ifAlive(given) : nullptr;
    check(queue && &queue->context() == &context(), CL_INVALID_DEVICE_QUEUE,
          "a queue that is an argument was released");
    check(&queue->device() == &device, CL_INVALID_DEVICE_QUEUE, "a queue that is an argument is on another device");
    const std::uint64_t handle = queue->onDevice().handle();
    std::memcpy(out.block() + info_->args[index].offset, &handle, sizeof handle);
    queues->arguments.emplace_back(queue->onDevice());
  }
  return queues;
}

void Kernel::snapshotImages(const Device& device, HomeId home, std::byte* block, ArgSnapshot& out) const {
  const ImageLimits& limits = device.properties().images;
  check(readImages_.size() <= limits.readArgs && writtenImages_.size() <= limits.readWriteArgs &&
            samplers_ <= limits.samplers,
        CL_OUT_OF_RESOURCES, "more image or sampler arguments than the device has room for");
  const auto add = [&](std::uint32_t index) {
    MemoryObject* memory = arguments_[index].memory;
    const Ref<MemoryObject> reference = stillThere(*memory, true);
    const Image* image = memory->image();
    check(image, CL_INVALID_MEM_OBJECT, "an image that is an argument was released");
    checkImageFor(device, *image);
    const std::byte* descriptor = image->descriptorFor(home, memory->bytesOn(home));
    std::memcpy(block + info_->args[index].offset, static_cast<const void*>(&descriptor), sizeof descriptor);
    out.add(*memory);
  };
  for (std::uint32_t index : readImages_)
    add(index);
  out.readImageCount = static_cast<std::uint32_t>(readImages_.size());
  for (std::uint32_t index : writtenImages_)
    add(index);
}

void Kernel::snapshotPipes(const Device& device, HomeId home, std::byte* block, ArgSnapshot& out) const {
  const PipeLimits& limits = device.properties().pipes;
  check(pipes_.size() <= limits.args, CL_OUT_OF_RESOURCES, "more pipe arguments than the device has room for");
  for (std::uint32_t index : pipes_) {
    MemoryObject* memory = arguments_[index].memory;
    const Ref<MemoryObject> reference = stillThere(*memory, true);
    const Pipe* pipe = memory->pipe();
    check(pipe, CL_INVALID_MEM_OBJECT, "a pipe that is an argument was released");
    check(pipe->packetSize <= limits.packetSize, CL_OUT_OF_RESOURCES, "packets are larger than the device has them");
    const std::byte* address = memory->bytesOn(home);
    std::memcpy(block + info_->args[index].offset, static_cast<const void*>(&address), sizeof address);
    out.add(*memory);
  }
}

std::unique_ptr<std::vector<const void*>> Kernel::reachedPointers() const {
  if (pointerCount_ == 0 && indirectSvm_.empty()) return nullptr;
  auto reached = std::make_unique<std::vector<const void*>>(indirectSvm_);
  for (std::size_t i = 0; i < arguments_.size(); ++i)
    if (arguments_[i].pointerKind != PointerKind::None) reached->push_back(pointerAt(i));
  return reached;
}

bool Kernel::addBufferAt(HomeId home, const void* pointer, ArgSnapshot& out) const {
  const Ref<MemoryObject> buffer = context().deviceAddresses().find(home, pointer);
  if (buffer) out.add(*buffer);
  return buffer.get() != nullptr;
}

// Memory that the kernel reaches by addresses in memory needs no description: devices take nothing for granted of that.
void Kernel::describePointers(const Device& device, HomeId home, ArgSnapshot& out) const {
  using Extent = SharedMemory::Extent;
  const bool reachesAll = (device.properties().svmCapabilities & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) != 0;
  check(!usesSystemMemory_ || reachesAll, CL_INVALID_OPERATION, "the device does not reach all of the host's memory");
  // Each launch comes by here: a handful of pointers costs neither an allocation nor a lock for each.
  std::array<std::byte, 1024> room;
  std::pmr::monotonic_buffer_resource resource(room.data(), room.size());
  std::pmr::vector<Extent> extents(&resource); // of the pointers, and then of the buffers
  extents.reserve(pointerCount_ + bufferArguments_.size());
  for (std::size_t i = 0; i < arguments_.size() && extents.size() < pointerCount_; ++i)
    if (arguments_[i].pointerKind != PointerKind::None) {
      const auto address = reinterpret_cast<std::uintptr_t>(pointerAt(i));
      extents.push_back({address, address});
    }
  context().sharedMemory().widen(extents);
  for (std::size_t i = 0, k = 0; k < pointerCount_; ++i) {
    const PointerKind kind = arguments_[i].pointerKind;
    if (kind == PointerKind::None) continue;
    check(!pointerAt(i) || canReach(device.properties(), kind), CL_INVALID_OPERATION,
          "an argument points to shared memory, and the device has none");
    Extent& extent = extents[k++];
    if (kind == PointerKind::Device && addBufferAt(home, pointerAt(i), out)) {
      extent = {}; // it is one of the launch's objects, and looked at with these
    } else if (extent.size() == 0) {
      check(kind != PointerKind::Svm || reachesAll, CL_INVALID_OPERATION,
            "an argument points to memory that the device does not reach");
      extent = {0, UINTPTR_MAX}; // whatever lies there may lie anywhere
    }
    out.largestPointed = std::max<std::uint64_t>(out.largestPointed, extent.size());
  }
  for (const void* pointer : indirectDevice_)
    addBufferAt(home, pointer, out);
  for (std::size_t i = 0; i < out.objectCount(); ++i) {
    const Ref<MemoryView> object = Ref<MemoryView>::ifAlive(&out.object(i));
    if (!object) continue; // the launch fails
    const auto begin = reinterpret_cast<std::uintptr_t>(object->addressOn(home));
    extents.push_back({begin, begin + object->size()});
  }
  for (std::size_t i = 0; i < pointerCount_; ++i)
    for (std::size_t k = i + 1; k < extents.size(); ++k)
      if (extents[i].overlaps(extents[k])) out.arePointersApart = false;
}

} // namespace clotho
