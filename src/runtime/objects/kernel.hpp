// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/object.hpp"
#include "base/slab.hpp"
#include "command/command.hpp"
#include "runtime/memory/memory.hpp"
#include "runtime/objects/program.hpp"

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

namespace clotho {

class DeviceCommandQueue;
class Sampler;
class SpecialisedKernel;
struct LoadedCode;

/// A kernel object: a program's kernel and its current arguments. Setting arguments is not thread-safe, as the
/// specification says (appendix A.2); everything else is.
class Kernel final : public Object, public _cl_kernel {
 public:
  using Handle = cl_kernel;

  /// `name` is a kernel of an executable for some device; CL_INVALID_KERNEL_NAME and CL_INVALID_KERNEL_DEFINITION.
  Kernel(Program& program, std::string_view name);
  /// Another kernel object with the same arguments.
  struct CloneOf {
    const Kernel& original;
  };
  explicit Kernel(CloneOf clone);

  Program& program() const { return *program_; }
  Context& context() const { return program_->context(); }
  const KernelInfo& info() const { return *info_; }

  /// Sets one argument (section 5.9.2). The caller has checked size and value against `info().args[index]`.
  void setValue(std::size_t index, const void* value);
  void setBuffer(std::size_t index, MemoryObject* buffer); ///< null is legal
  void setLocal(std::size_t index, std::size_t size);
  void setImage(std::size_t index, MemoryObject& image);
  void setPipe(std::size_t index, MemoryObject& pipe);
  /// The sampler's number stays as it is now: the kernel does not keep the sampler.
  void setSampler(std::size_t index, const Sampler& sampler);
  void setQueue(std::size_t index, DeviceCommandQueue& queue);
  /// An address instead of a buffer.
  enum class PointerKind : std::uint8_t {
    None,
    Svm,     ///< clSetKernelArgSVMPointer: in an allocation, or anywhere where devices reach all of the host's memory
    Unified, ///< clSetKernelArgMemPointerINTEL: anything
    Device,  ///< clSetKernelArgDevicePointerEXT: a device's address of a buffer, or anything
  };
  void setPointer(std::size_t index, PointerKind kind, const void* pointer);
  /// Memory that a kernel reaches beside its arguments (clSetKernelExecInfo): each list replaces the one before it.
  void setIndirect(PointerKind kind, std::vector<const void*> pointers);
  /// The application has said that the kernel reaches memory that no function of OpenCL's has allocated, or not.
  void setUsesSystemMemory(bool uses) { usesSystemMemory_ = uses; }
  bool allArgumentsSet() const { return unset_ == 0; }

  /// An argument as it was set; of a value, and of addresses, the bytes are those of `value`.
  struct Argument {
    bool set = false;
    MemoryObject* memory = nullptr;      // a buffer, an image or a pipe, not kept alive
    DeviceCommandQueue* queue = nullptr; // nor is this
    PointerKind pointerKind = PointerKind::None;
    std::size_t localSize = 0;
  };
  const Argument& argument(std::size_t index) const { return arguments_[index]; }
  const std::byte* valueOf(std::size_t index) const { return block_.data() + info_->args[index].offset; }
  const std::vector<const void*>& indirect(PointerKind kind) const {
    return kind == PointerKind::Svm ? indirectSvm_ : kind == PointerKind::Unified ? indirectUnified_ : indirectDevice_;
  }
  bool usesSystemMemory() const { return usesSystemMemory_; }
  /// The build for the device that the kernel was made of.
  const Program::Build& buildFor(const Device& device) const;
  /// Local memory that a work-group uses with the current arguments, in bytes, without gaps for alignment.
  std::uint64_t localBytes() const { return localBytes_; }

  /// The arguments as `device` will read them, in its home. CL_INVALID_MEM_OBJECT when an argument was released;
  /// CL_MISALIGNED_SUB_BUFFER_OFFSET, CL_INVALID_IMAGE_SIZE and CL_IMAGE_FORMAT_NOT_SUPPORTED when the device cannot
  /// use one, CL_OUT_OF_RESOURCES when it cannot use so many; CL_MEM_OBJECT_ALLOCATION_FAILURE; CL_INVALID_OPERATION
  /// when an argument is an address that the device does not reach.
  void snapshot(const Device& device, HomeId home, ArgSnapshot& out) const;
  /// The queues on the device that a launch may enqueue to, null if there are none to be had: the default one of now,
  /// and those among the arguments, whose handles this writes to the snapshot's block. CL_INVALID_DEVICE_QUEUE when one
  /// was released, or is on another device.
  std::unique_ptr<const LaunchQueues> snapshotQueues(const Device& device, ArgSnapshot& out) const;
  /// For Launch::referencesId: another number whenever the program or an object among the arguments is another.
  /// Addresses of devices stand for whatever buffer is there.
  std::uint64_t referencesId() const { return devicePointerCount_ == 0 ? referencesId_ : 0; }
  /// The code that a launch of this range and these arguments runs in the place of `general`, the device's code:
  /// the same, or a version for what is among the arguments now, or for the shape of the launch. `mayTry`: or of
  /// another width, which is on trial (width_search.hpp), and so another from launch to launch. Code that the program's
  /// build has left out is built now: CL_OUT_OF_RESOURCES if it cannot be.
  LoadedCode codeForLaunch(const Device& device, HomeId home, const DeviceKernel& general, const NDRange& range,
                           const ArgSnapshot& args, bool mayTry) const;
  /// Whether there are versions of its code for what launches have in common. What it enqueues is part of its own
  /// program, so that there is none of it.
  bool hasVersions() const { return hasVersions_ || wantsValues_; }
  /// A launch with the arguments that it has now, as snapshot() has it; nothing to run where the range is empty.
  /// `code`: the kernel's for the device. `mayTry`: as codeForLaunch() has it.
  Command launch(const Device& device, HomeId home, const DeviceKernel& code, const NDRange& range, bool mayTry) const;
  /// The code for a device; null if the program was not built for it.
  const DeviceKernel* codeFor(const Device& device) const {
    for (const auto& [candidate, code] : code_)
      if (candidate == &device) return code;
    return nullptr;
  }

 private:
  /// The place of a device's code among `code_`.
  std::size_t placeOf(const Device& device) const;
  const DeviceKernel& codeOnDemand(const Device& device, const DeviceKernel& lacking, CodeScope scope) const;
  /// `scope`: of its versions.
  LoadedCode versionForLaunch(const Device& device, const DeviceKernel& general, CodeScope scope, const NDRange& range,
                              bool mayTry) const;
  bool isPassedOver(const NDRange& range) const;
  /// Adds the integers that the code wants to know, if one of them is small enough to make a difference.
  void addIntegers(const DeviceKernel& code, CodeVersion& version) const;
  friend class Slab<Kernel>;
  /// Keeps the program from being built anew.
  struct Attachment {
    Program& program;
    std::vector<Program::Build> builds;
    explicit Attachment(Program& program) : program(program), builds(program.attachKernel()) {}
    ~Attachment() { program.detachKernel(); }
    Attachment(const Attachment&) = delete;
    Attachment& operator=(const Attachment&) = delete;
  };

  ~Kernel() override;
  void destroy() noexcept override;
  void markSet(std::size_t index);
  void setMemory(std::size_t index, MemoryObject* memory);
  void setKnown(const CodeVersion::Argument& argument);
  void forgetVersions();
  void snapshotImages(const Device& device, HomeId home, std::byte* block, ArgSnapshot& out) const;
  void snapshotPipes(const Device& device, HomeId home, std::byte* block, ArgSnapshot& out) const;
  /// The arguments that are addresses, for snapshot(); those of buffers stand in the block already.
  void describePointers(const Device& device, HomeId home, ArgSnapshot& out) const;
  /// Adds the buffer that a device has at the address, if any.
  bool addBufferAt(HomeId home, const void* pointer, ArgSnapshot& out) const;
  std::unique_ptr<std::vector<const void*>> reachedPointers() const;
  const void* pointerAt(std::size_t index) const;

  /// Whether one of the program's executables is to be cleaned up.
  bool needsCleanUp() const;

  Ref<Program> program_;
  Attachment attachment_; // what info_ and code_ point into
  // The object that its launches keep alive: its program, or with a clean-up the kernel itself, so that the program is
  // not built anew, and cleaned up for that, before the last launch is done.
  Object* const ownerForLaunches_;
  const KernelInfo* info_ = nullptr;
  std::uint64_t ownLocalBytes_ = 0; // of its local variables
  std::vector<std::pair<const Device*, const DeviceKernel*>> code_;
  std::vector<Argument> arguments_;
  // Indices of the arguments that are buffers, images that are only read, images that may be written, pipes.
  std::vector<std::uint32_t> bufferArguments_, readImages_, writtenImages_, pipes_;
  std::vector<std::uint32_t> queueArguments_;
  std::uint32_t samplers_ = 0; // arguments
  /// Known facts about the arguments that are images or samplers.
  CodeVersion known_;
  /// The specialiser's choice for the last launch on each device in `code_`.
  mutable std::vector<std::atomic<SpecialisedKernel*>> versions_;
  /// For each of `code_` what a launch has needed and the program's build has left out, by CodeScope.
  mutable std::vector<std::array<std::atomic<const DeviceKernel*>, 3>> onDemand_;
  bool hasVersions_ = false; ///< beside those for values
  bool wantsValues_ = false, searchesWidth_ = false;
  mutable std::atomic<bool> hasOtherCode_{false};  ///< launches have run code of one
  mutable std::atomic<std::uint32_t> launches_{0}; ///< short ones, before; some may be lost
  std::vector<std::byte> block_;
  std::uint64_t referencesId_ = 0;
  std::uint32_t pointerCount_ = 0;     // arguments that are addresses
  std::size_t devicePointerCount_ = 0; // those of devices, also beside the arguments
  bool usesSystemMemory_ = false;      // as the application said; what a device can is the default
  // Memory that the kernel reaches beside its arguments:
  std::vector<const void*> indirectSvm_, indirectUnified_, indirectDevice_;
  std::size_t unset_ = 0;
  std::uint64_t localBytes_ = 0;
  std::uint64_t localEnd_ = 0; // with gaps
};

} // namespace clotho
