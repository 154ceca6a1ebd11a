// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/later_headers.hpp"

#include <array>
#include <climits>
#include <optional>

/// Handles that come from other drivers and programs, and go to them, by descriptors. All devices have the same.
namespace clotho::api {

inline constexpr std::array<cl_semaphore_type_khr, 1> kSemaphoreTypes = {CL_SEMAPHORE_TYPE_BINARY_KHR};
inline constexpr std::array<cl_external_semaphore_handle_type_khr, 1> kImportableSemaphores = {
    CL_SEMAPHORE_HANDLE_SYNC_FD_KHR};
/// None: only drivers in the kernel make sync files.
inline constexpr std::array<cl_external_semaphore_handle_type_khr, 0> kExportableSemaphores = {};

/// Files of memory, and Linux's buffers. Images in them are rows and slices with the pitches that the application
/// gives.
inline constexpr std::array<cl_external_memory_handle_type_khr, 2> kImportableMemory = {
    CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR};

/// The descriptor that a property's value stands for, whether an int was widened with its sign or without.
inline std::optional<int> descriptorIn(cl_properties value) {
  const auto fd = static_cast<int>(value);
  if (value != static_cast<cl_properties>(fd) && value > UINT_MAX) return {};
  return fd;
}

} // namespace clotho::api
