// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/claims.hpp"
#include "base/handles.hpp"
#include "base/later_headers.hpp"
#include "base/object.hpp"
#include "compiler/compiler.hpp"
#include "device/cost_samples.hpp"
#include "trace/trace.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The seam between the runtime and a kind of device.
namespace clotho {

using HomeId = std::uint8_t; // command/storage.hpp
class DeviceMemory;
class Node;
class WorkList;
struct ArgSnapshot;
struct Copy;
struct NDRange;

/// Limits of pipes for clGetDeviceInfo. Nothing but the slots of a pipe limits reservations: the number is one that
/// applications may count on.
struct PipeLimits {
  bool areSupported = false;
  cl_uint args = 0; ///< of a kernel
  cl_uint activeReservations = 0;
  cl_uint packetSize = 0; ///< bytes
};

/// Limits of images for clGetDeviceInfo (OpenCL 3.0, table 5). All devices that have images have all formats.
struct ImageLimits {
  bool areSupported = false; ///< the rest is for devices that have images
  cl_uint readArgs = 128;
  cl_uint writeArgs = 64;
  cl_uint readWriteArgs = 64;
  cl_uint samplers = 128;
  /// Largest images with one and two dimensions and arrays, in texels. A mipmap of the largest has kImageLevels levels.
  std::size_t width = 32768, height = 32768;
  std::size_t width3D = 16384, height3D = 16384, depth3D = 16384;
  std::size_t layers = 16384;
  /// Texels of an image made from a buffer. Kernels count them by int.
  std::size_t bufferTexels = 0x7fff'ffff;
  // In texels, of 2D images made from buffers. Texels are read byte by byte where need be.
  cl_uint pitchAlignment = 1;
  cl_uint baseAlignment = 1;
  bool needAlignedTexels = false; ///< wherever the application's memory has them
};

/// Limits for clGetDeviceInfo of queues on devices whose kernels can enqueue others (DeviceEnqueue).
struct OnDeviceQueueLimits {
  cl_uint preferredBytes = 64 << 20; ///< CL_QUEUE_SIZE where the application gives none: for 16,384 kernels
  cl_uint maxBytes = 64 << 20;
  cl_uint queues = 32;        ///< of one context
  cl_uint events = 16 * 1024; ///< that were not released
};

/// Answers of clGetDeviceInfo about floating-point types. Types that the device does not claim have none.
struct FloatProperties {
  cl_device_fp_config single = CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN;
  cl_device_fp_config doubles = 0, half = 0;
  cl_device_fp_atomic_capabilities_ext singleAtomics = 0, doubleAtomics = 0, halfAtomics = 0; ///< cl_ext_float_atomics
};

/// Accesses that kernels may make to allocations of cl_intel_unified_shared_memory; 0: the device has none of that
/// type.
struct UnifiedMemoryAccess {
  using Capabilities = cl_device_unified_shared_memory_capabilities_intel;
  Capabilities host = 0, device = 0, sharedSingle = 0, sharedCross = 0, sharedSystem = 0;
};

/// Answers of clGetDeviceInfo for cl_nv_device_attribute_query.
struct NvidiaAttributes {
  cl_uint computeCapabilityMajor = 0, computeCapabilityMinor = 0;
  cl_uint registersPerBlock = 0;
  cl_uint warpSize = 32;
  bool overlapsCopies = false;     ///< copies run beside kernels
  bool hasKernelTimeout = false;   ///< the system ends kernels that run too long
  bool isMemoryIntegrated = false; ///< with the host's
  cl_uint copyEngines = 0;         ///< copies that run beside each other
};

/// Properties of a device among the values that clGetDeviceInfo reports (OpenCL 3.0, table 5). What all of
/// Clotho's devices have in common comes from the table of claims (base/claims.def). Whether a device has what
/// an extension or a feature of OpenCL C brings is a claim of the device alone; properties say how much of it there is.
/// The initial values are those of a device without optional abilities.
struct DeviceProperties {
  std::string name;
  std::string vendor;
  std::string driverVersion;
  cl_device_type type = CL_DEVICE_TYPE_CPU;
  cl_uint vendorId = 0;
  cl_uint computeUnits = 1;
  cl_uint clockFrequency = 1; ///< MHz, never 0
  std::size_t maxWorkGroupSize = 4096;
  std::array<std::size_t, 3> maxWorkItemSizes = {4096, 4096, 4096}; ///< of a work-group, along each dimension
  /// CL_EXEC_NATIVE_KERNEL where the functions of clEnqueueNativeKernel may run for the device.
  cl_device_exec_capabilities executionCapabilities = CL_EXEC_KERNEL;
  /// Properties that queues of the host may have.
  cl_command_queue_properties queueProperties = CL_QUEUE_PROFILING_ENABLE;
  std::uint64_t globalMemorySize = 0;  ///< bytes
  std::uint64_t maxAllocationSize = 0; ///< bytes
  std::uint64_t localMemorySize = 0;   ///< bytes
  cl_device_local_mem_type localMemoryType = CL_LOCAL;
  bool isMemoryUnified = false; ///< CL_DEVICE_HOST_UNIFIED_MEMORY
  bool correctsMemoryErrors = false;
  std::uint64_t privateMemorySize = 0; ///< bytes that all threads together may keep for work-items of running groups
  std::uint64_t globalCacheSize = 0;   ///< bytes
  cl_uint cacheLineSize = 64;          ///< bytes
  cl_uint baseAddressAlignment = 128;  ///< bytes; the query wants bits
  std::size_t preferredGroupMultiple = 1;
  std::uint32_t subGroupSize = 1;                 ///< of kernels that use sub-groups and do not require another size
  std::vector<std::size_t> subGroupSizes;         ///< that kernels may require (cl_intel_required_subgroup_size)
  cl_uint maxSubGroups = 0;                       ///< of a work-group; 0: there are no sub-groups
  bool subGroupsProgress = false;                 ///< each by itself (CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS)
  cl_uint maxNamedBarriers = 0;                   ///< of a work-group (cl_khr_subgroup_named_barrier)
  cl_uint nativeVectorBytes = 16;                 ///< bytes of the widest vector register
  std::size_t profilingResolution = 1;            ///< ns
  std::size_t maxParameterSize = 1024;            ///< bytes of all arguments of a kernel
  std::uint64_t maxConstantBufferSize = 64 << 10; ///< bytes
  cl_uint maxConstantArgs = 8;
  std::size_t printfBufferSize = 1 << 20; ///< bytes
  // Bytes of one program-scope variable, and of all in the fastest memory.
  std::size_t maxGlobalVariableSize = 0, globalVariablePreferredTotalSize = 0;
  FloatProperties floats;
  cl_device_atomic_capabilities atomics = CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
  cl_device_atomic_capabilities fences =
      CL_DEVICE_ATOMIC_ORDER_RELAXED | CL_DEVICE_ATOMIC_ORDER_ACQ_REL | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP;
  cl_device_svm_capabilities svmCapabilities = 0;
  UnifiedMemoryAccess unifiedMemory;
  ImageLimits images;
  OnDeviceQueueLimits onDeviceQueues;
  PipeLimits pipes;
  std::optional<std::array<cl_uchar, CL_UUID_SIZE_KHR>> uuid; ///< the hardware's own
  std::optional<cl_device_pci_bus_info_khr> pciBus;           ///< with cl_khr_pci_bus_info
  std::optional<NvidiaAttributes> nvidia;                     ///< with cl_nv_device_attribute_query
};

/// A kernel as its device runs it: made by DeviceProgram, lives as long as it.
class DeviceKernel {
 public:
  virtual ~DeviceKernel() = default;
  const KernelInfo& info() const { return built_->info; }
  const GroupLimits& limits() const { return built_->limits; }
  const CodeVersion& version() const { return built_->version; }

  /// Bytes that a thread keeps for the work-items of a work-group of this size; UINT64_MAX where that does not fit.
  virtual std::uint64_t privateBytesOfGroup(const std::array<std::uint64_t, 3>& local) const noexcept = 0;
  /// The most work-items that a work-group of one row may have for which a thread keeps no more than so many bytes:
  /// `most`, or a power of two below it; 0 if not even one work-item fits.
  virtual std::size_t largestGroup(std::uint64_t bytes, std::size_t most) const noexcept = 0;
  /// Sets `range.local` for an application that leaves the choice to the device.
  virtual void chooseLocalSize(NDRange& range, const DeviceProperties& device) const noexcept = 0;
  // Devices without versions have one code for a kernel, which runs any launch as it is given.
  /// Whether the kernel's code may run a launch with this argument block. Only versions for some launches refuse
  /// others.
  virtual bool takes(const NDRange&, const std::byte* /*args*/) const noexcept { return true; }
  /// Counts a range as the kernel's code does, which Launch::range has: in another order of dimensions, by another
  /// local size, or by rows of which an argument tells.
  virtual void toCode(NDRange&, const std::byte* /*args*/) const noexcept {}
  /// False where only what is known of the kernel is here, and its code is built when a launch needs it.
  virtual bool hasCode() const noexcept { return true; }
  /// Whether the code does right by a launch with these arguments, of a range as toCode() gives it. What code assumes
  /// of launches need not hold of each, and it may lack what runs the others (CodeScope::Needed).
  virtual bool mayRun(const ArgSnapshot&, const NDRange&, HomeId) const noexcept { return true; }
  /// How many work-items the rows have in which the kernel counts a launch of this range (GroupLimits::rows); 0: there
  /// are no such rows.
  std::uint64_t rowLength(const std::array<std::uint64_t, 3>& global, const std::array<std::uint64_t, 3>& offset,
                          const std::byte* args) const noexcept;

  const KernelWork& work() const { return built_->work; }
  const KernelFootprint& footprint() const { return built_->footprint; }
  /// Its name in traces, and what its code is for, if it is for some launches only.
  trace::NameId traceName() const noexcept {
    return traceName_.get([this] { return info().name; });
  }
  trace::NameId traceVersion() const noexcept {
    return version() == CodeVersion() ? 0 : traceVersion_.get([this] { return version().text(); });
  }

  // Trials compare versions by these costs. Devices without versions measure nothing.
  /// Processor time of all threads that launches have taken in this code, in s, roughly.
  virtual double spent() const noexcept { return 0; }
  /// Mean cost of the launches since measuring began, without the first, which finds nothing in the caches.
  virtual MeanCost meanCost() const noexcept { return {}; }
  /// Begins to measure costs, without any from before. False if the kernel is being measured for another `who`.
  virtual bool measure(const void* /*who*/) const noexcept { return false; }
  virtual void endMeasuring(const void* /*who*/) const noexcept {}

 protected:
  explicit DeviceKernel(const BuiltKernel& built) : built_(&built) {}

 private:
  const BuiltKernel* built_;
  trace::CachedName traceName_, traceVersion_;
};

/// How the device divides the kernel's work-groups. What a kernel that cannot tell answers is what one that can would.
inline std::uint32_t subGroupSize(const DeviceKernel& code, const DeviceProperties& properties) {
  return code.limits().usesSubGroups ? code.limits().subGroupSize : properties.subGroupSize;
}

/// The most work-items of a work-group that queries and the device's own choice of a local size allow, of `most` that
/// there is room for. Kernels reduce in two levels, by sub-groups and then the results of those by one sub-group, which
/// is right for as many sub-groups as that has work-items. Smaller sub-groups than a kernel may require would leave
/// nothing of a work-group.
inline std::size_t mostOfGroup(const DeviceKernel& code, std::size_t most) {
  const bool isRequired = code.info().requiredLocalSize[0] != 0 || code.info().requiredSubGroups != 0;
  const bool isSmall = code.limits().subGroupSize < kSubGroupSizes[0];
  if (!code.limits().usesSubGroups || isRequired || isSmall) return most;
  return std::min<std::size_t>(most, std::size_t{code.limits().subGroupSize} * code.limits().subGroupSize);
}

/// A variable at program scope, where the host may read and write it while no kernel of the program runs.
struct ProgramVariable {
  std::string name; ///< of a variable of a function with the function's before it, and a dot
  std::byte* address;
  std::size_t size;
};

/// Device code of one program, loaded. Keeps the BuildResult that it was made from.
class DeviceProgram {
 public:
  virtual ~DeviceProgram() = default;
  virtual const DeviceKernel* kernel(std::string_view name) const noexcept = 0;
  /// The variables that kernels may change, by name; none where the host does not reach them.
  virtual std::vector<ProgramVariable> variables() const { return {}; }
};

/// A queue as a device is to know it.
struct QueueTraits {
  bool isInOrder = true;
  bool isTimed = false; ///< its commands have times (CL_QUEUE_PROFILING_ENABLE)
};

/// A device's side of one queue, whose commands it runs.
class DeviceQueue {
 public:
  virtual ~DeviceQueue() = default;
  /// Begins a command whose dependencies are met (Node::command()). Returns at once; any thread; never fails, since a
  /// status goes to Node::complete exactly once; never runs the command inline, never calls user code on this thread.
  /// `ready`: for successors that become ready by that, where the device has streams (Node::issued).
  virtual void start(Node& node, WorkList& ready) noexcept = 0;

  /// Whether the queue itself makes valid what its commands use, where they run: launches, copies, fills, maps and
  /// their ends, migrations and sequences. For all other queues the command graph does so, in the home of the queue's
  /// device.
  virtual bool placesCommands() const noexcept { return false; }

  /// Whether a copy of the application's memory, which other devices leave to a thread of the host's, runs at its place
  /// in a stream (isStreamed). One that is begun may be delayed all the same.
  virtual bool streams(const Copy&) const noexcept { return false; }

  /// Whether commands of this queue that start when one of `earlier` has been issued run after that one.
  bool orders(const DeviceQueue* earlier) const noexcept {
    return streams_ && earlier && earlier->streams_ == streams_;
  }

 protected:
  DeviceQueue() = default;
  /// `streams`: the same for queues whose commands the device orders by itself.
  explicit DeviceQueue(const void* streams) : streams_(streams) {}

 private:
  const void* const streams_ = nullptr;
};

/// Interface of devices that waiting threads can help: their kernels run on the host's processors.
class Helping {
 public:
  virtual ~Helping() = default;
  /// Runs parts of started commands on the calling, waiting thread, of such as `wanted` accepts, or polls for them, and
  /// returns when it is `over` or the thread had better sleep. It is not `over` before all that `wanted` accepts is
  /// done: the device counts on the thread for that, and wakes no other. GPUs count on none. Never runs user code.
  using Filter = bool (*)(const Node& candidate, const void* context);
  using Condition = bool (*)(const void* context);
  virtual void help(Filter wanted, Condition over, const void* context) noexcept = 0;
};

/// A queue on a device (OpenCL 2.2, section 5.1): kernels put kernels into it, the host cannot.
class OnDeviceQueue : public Object {
 public:
  /// Its handle for kernels, as an argument of type queue_t and from get_default_queue(); never 0.
  virtual std::uint64_t handle() const noexcept = 0;
};

struct OnDeviceQueueTraits {
  std::size_t bytes = 0; ///< CL_QUEUE_SIZE
  bool isTimed = false;  ///< kernels may ask for the times of what is in it
};

/// Abilities of devices whose kernels can enqueue others.
class DeviceEnqueue {
 public:
  virtual ~DeviceEnqueue() = default;
  /// CL_OUT_OF_RESOURCES when there is no memory for it.
  virtual Ref<OnDeviceQueue> makeOnDeviceQueue(const OnDeviceQueueTraits& traits) = 0;
};

/// Compute units of a root device, by number, ascending.
using UnitList = std::vector<unsigned>;

/// A part of a device's compute units that runs commands by itself: what is behind a sub-device.
class DeviceShare {
 public:
  virtual ~DeviceShare() = default;
  virtual std::unique_ptr<DeviceQueue> makeQueue(const QueueTraits& traits) = 0;
};

/// Interface of root devices that can be divided (OpenCL 3.0, section 4.3).
class Partitioning {
 public:
  virtual ~Partitioning() = default;
  /// `units` by what they share: NUMA node, cache of a level. Units without such are in no group.
  virtual std::vector<UnitList> unitsSharing(cl_device_affinity_domain domain, const UnitList& units) = 0;
  /// A share of `units`, which may overlap with others.
  virtual std::unique_ptr<DeviceShare> share(const UnitList& units) = 0;
};

/// Interface of devices that are several devices together, their members: a launch runs on one of these, or parts of it
/// on each.
class Joint {
 public:
  virtual ~Joint() = default;
  /// The memories that members have of their own, each once.
  virtual const std::vector<DeviceMemory*>& memories() const noexcept = 0;
  /// For whom programs are compiled, beside Device::target().
  virtual const std::vector<Target>& otherTargets() const noexcept = 0;
  /// Whether the members run code with part arguments (BuildRequest::makesParts).
  virtual bool takesPartArguments() const noexcept = 0;
  /// Loads builds of a program: one for the device's target, then one for each other target.
  virtual std::unique_ptr<DeviceProgram> load(std::vector<std::shared_ptr<const BuildResult>> builds,
                                              std::string& log) = 0;
};

/// One device. Calls that can fail on the application's thread throw Error.
class Device : public Object, public _cl_device_id {
 public:
  using Handle = cl_device_id;

  virtual const DeviceProperties& properties() const noexcept = 0;
  /// Features that programs may rely on beside those that every device has.
  virtual const Claims& claims() const noexcept = 0;
  /// For whom programs are compiled.
  virtual const Target& target() const noexcept = 0;

  /// Loads the code of a build. `log`: gets what a compiler of the device's own says of it, also when this throws.
  virtual std::unique_ptr<DeviceProgram> load(std::shared_ptr<const BuildResult> built, std::string& log) = 0;
  virtual std::unique_ptr<DeviceQueue> makeQueue(const QueueTraits& traits) = 0;
  /// Checks the object and the kernels' facts of a program binary, before anything relies on them: CL_INVALID_BINARY.
  virtual void checkCode(const BuildResult& built) const = 0;

  /// False once the device is lost: each of its commands fails with CL_OUT_OF_RESOURCES from then on.
  virtual bool isAvailable() const noexcept { return true; }
  /// The device's clock in ns: the one of event profiling.
  virtual std::uint64_t now() const noexcept = 0;

  /// This process is a forked child, which has the parent's memory but none of its threads: commands, locks and
  /// threads of before are given up. Called before any other use of the device in the child.
  virtual void afterFork() = 0;
  /// Makes all threads now that commands would make when there are some, and returns when they wait for commands.
  virtual void startThreads() = 0;

  // Properties of a sub-device.
  /// The device that a sub-device is a part of; null for root devices.
  virtual Device* parent() const noexcept { return nullptr; }
  /// The root device that this is, or is a part of.
  virtual Device& root() noexcept { return *this; }
  /// The compute units that this device has of its root's.
  virtual UnitList units() const = 0;
  /// The properties that clCreateSubDevices made this device with, 0 at the end; empty for root devices.
  virtual std::span<const cl_device_partition_property> partition() const noexcept { return {}; }

  // Abilities of some kinds of devices only; null for the others.
  /// Where its kernels find the bytes of memory objects; null: in the host's memory.
  virtual DeviceMemory* memory() noexcept { return nullptr; }
  virtual Helping* helping() noexcept { return nullptr; }
  virtual DeviceEnqueue* deviceEnqueue() noexcept { return nullptr; }
  virtual Partitioning* partitioning() noexcept { return nullptr; }
  virtual Joint* joint() noexcept { return nullptr; }
  const Joint* joint() const noexcept { return const_cast<Device*>(this)->joint(); }
};

} // namespace clotho
