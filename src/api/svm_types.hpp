// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/later_headers.hpp"
#include "device/device.hpp"
#include "runtime/memory/shared_memory.hpp"

#include <span>
#include <vector>

/// The types of shared memory that the platform has (cl_khr_unified_svm, 0.9), in their order.
namespace clotho::api {

inline constexpr cl_uint kSvmTypes = 6;
/// The last is memory that no function of OpenCL's allocates.
inline constexpr cl_uint kSystemSvmType = kSvmTypes - 1;

/// Capabilities of a device for each type; 0: it does not have it.
std::vector<cl_svm_capabilities_khr> svmTypesOf(const Device& device);
/// Capabilities for each type that all those devices have which have the type.
std::vector<cl_svm_capabilities_khr> commonSvmTypes(std::span<const Ref<Device>> devices);

} // namespace clotho::api
