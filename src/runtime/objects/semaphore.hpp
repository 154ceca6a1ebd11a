// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/handles.hpp"
#include "base/later_headers.hpp"
#include "base/slab.hpp"
#include "command/semaphore.hpp"

#include <vector>

namespace clotho {

class Context;
class Device;

/// A semaphore object: binary, as all are.
class Semaphore final : public BinarySemaphore, public _cl_semaphore_khr {
 public:
  using Handle = cl_semaphore_khr;

  /// `devices`: of the context, on whose queues it may be used. `isImported`: made of a sync file.
  Semaphore(Context& context, std::vector<Ref<Device>> devices, std::vector<cl_semaphore_properties_khr> propertyList,
            bool isImported);

  Context& context() const { return *context_; }
  const std::vector<Ref<Device>>& devices() const { return devices_; }
  bool isFor(const Device& device) const;
  const std::vector<cl_semaphore_properties_khr>& propertyList() const { return propertyList_; }
  bool isImported() const { return isImported_; }

  /// Signals it when a sync file is signalled (cl_khr_external_semaphore_sync_fd); -1 is one that is. Takes the
  /// descriptor, unless it throws.
  void import(int syncFile);

 private:
  friend class Slab<Semaphore>;
  ~Semaphore() override = default;
  void destroy() noexcept override;

  const Ref<Context> context_;
  const std::vector<Ref<Device>> devices_;
  const std::vector<cl_semaphore_properties_khr> propertyList_;
  const bool isImported_;
};

} // namespace clotho
