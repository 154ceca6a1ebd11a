// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/slab.hpp"
#include "compiler/client.hpp"
#include "runtime/background_threads.hpp"
#include "runtime/memory/memory.hpp"
#include "runtime/objects/command_buffer.hpp"
#include "runtime/objects/context.hpp"
#include "runtime/objects/device_command_queue.hpp"
#include "runtime/objects/event.hpp"
#include "runtime/objects/kernel.hpp"
#include "runtime/objects/program.hpp"
#include "runtime/objects/queue.hpp"
#include "runtime/objects/sampler.hpp"
#include "runtime/objects/semaphore.hpp"
#include "runtime/objects/sub_device.hpp"
#include "runtime/platform.hpp"
#include "runtime/sync_files.hpp"

#include <climits>
#include <memory>

namespace clotho {

class Captures;

/// Everything of Clotho in this process. Made at the first use, never destroyed, so that calls from static destructors
/// and atexit handlers work. A forked child gets one of its own: its first use makes it. Platform and devices it has in
/// common with the parent; all other handles that were inherited lie outside the new slabs, so that they are refused
/// like any foreign pointer.
class Process {
 public:
  static Process& get();

  Platform& platform() { return platform_; }
  Compiler& compiler() { return compiler_; }
  /// Memory for the bytes of memory objects: those of CPU devices, and those that are mapped.
  HostMemory& hostMemory() { return hostMemory_; }
  /// Runs the application's callbacks: one thread.
  BackgroundThreads& callbacks() { return callbacks_; }
  /// Runs native kernels, of each queue one at a time: those of independent queues may wait for each other.
  BackgroundThreads& nativeKernels() { return nativeKernels_; }
  /// Runs builds that no call waits for.
  BackgroundThreads& builders() { return builders_; }
  /// Signals semaphores that were made of sync files.
  SyncFiles& syncFiles() { return syncFiles_; }
  /// Null unless launches are captured (CLOTHO_CAPTURE).
  Captures* captures() { return captures_.get(); }
  template <class T> Slab<T>& slab();

 private:
  /// `parent` is the one that this forked child has inherited, or null.
  explicit Process(Process* parent);

  /// Threads, descriptors and the compiler process that would be made when there is work for them.
  void startEarly() noexcept;

  /// They only wait for compiler processes, of which there is no more than one for each processor.
  static constexpr unsigned kMaxBuilders = 16;
  /// With CLOTHO_EARLY_START: native kernels of so many queues may wait for each other.
  static constexpr unsigned kEarlyNativeThreads = 4;

  Slab<SubDevice> subDevices_{1 << 12};
  Slab<Context> contexts_{1 << 16};
  Slab<Queue> queues_{1 << 18};
  Slab<DeviceCommandQueue> deviceCommandQueues_{1 << 18};
  Slab<MemoryObject> memoryObjects_{1 << 20};
  Slab<Sampler> samplers_{1 << 18};
  Slab<Semaphore> semaphores_{1 << 18};
  Slab<Program> programs_{1 << 18};
  Slab<Kernel> kernels_{1 << 20};
  Slab<Event> events_{1 << 22};
  Slab<CommandBuffer> commandBuffers_{1 << 18};
  Slab<MutableCommand> mutableCommands_{1 << 22};
  Compiler compiler_;
  BackgroundThreads callbacks_{"clotho-call", 1};
  BackgroundThreads nativeKernels_{"clotho-native", UINT_MAX};
  BackgroundThreads builders_{"clotho-build", kMaxBuilders};
  SyncFiles syncFiles_;
  Process* const parent_; // unusable, but not to be taken for a leak
  Platform& platform_;
  HostMemory hostMemory_;
  const std::unique_ptr<Captures> captures_;
};

template <> inline Slab<SubDevice>& Process::slab() { return subDevices_; }
template <> inline Slab<Context>& Process::slab() { return contexts_; }
template <> inline Slab<Queue>& Process::slab() { return queues_; }
template <> inline Slab<DeviceCommandQueue>& Process::slab() { return deviceCommandQueues_; }
template <> inline Slab<MemoryObject>& Process::slab() { return memoryObjects_; }
template <> inline Slab<Sampler>& Process::slab() { return samplers_; }
template <> inline Slab<Semaphore>& Process::slab() { return semaphores_; }
template <> inline Slab<Program>& Process::slab() { return programs_; }
template <> inline Slab<Kernel>& Process::slab() { return kernels_; }
template <> inline Slab<Event>& Process::slab() { return events_; }
template <> inline Slab<CommandBuffer>& Process::slab() { return commandBuffers_; }
template <> inline Slab<MutableCommand>& Process::slab() { return mutableCommands_; }

/// A new object in its slab, with one reference.
template <class T, class... Args> Ref<T> make(Args&&... args) {
  return Ref<T>::adopt(Process::get().slab<T>().create(static_cast<Args&&>(args)...));
}

} // namespace clotho
