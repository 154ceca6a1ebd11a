// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/fields.hpp"
#include "device/device.hpp"

/// Fields of what a device says of itself (base/fields.hpp).
namespace clotho {

template <Of<ImageLimits> Type, class Visit> void visitFields(Type& limits, Visit&& visit) {
  auto& [areSupported, readArgs, writeArgs, readWriteArgs, samplers, width, height, width3D, height3D, depth3D, layers,
         bufferTexels, pitchAlignment, baseAlignment, needAlignedTexels] = limits;
  visitEach(visit, areSupported, readArgs, writeArgs, readWriteArgs, samplers, width, height, width3D, height3D,
            depth3D, layers, bufferTexels, pitchAlignment, baseAlignment, needAlignedTexels);
}

template <Of<PipeLimits> Type, class Visit> void visitFields(Type& limits, Visit&& visit) {
  auto& [areSupported, args, activeReservations, packetSize] = limits;
  visitEach(visit, areSupported, args, activeReservations, packetSize);
}

template <Of<FloatProperties> Type, class Visit> void visitFields(Type& floats, Visit&& visit) {
  auto& [single, doubles, half, singleAtomics, doubleAtomics, halfAtomics] = floats;
  visitEach(visit, single, doubles, half, singleAtomics, doubleAtomics, halfAtomics);
}

/// Visits what devices of a cluster may have; their initial values are those of a device without the rest.
template <Of<DeviceProperties> Type, class Visit> void visitFields(Type& properties, Visit&& visit) {
  auto& [name, vendor, driverVersion, type, vendorId, computeUnits, clockFrequency, maxWorkGroupSize, maxWorkItemSizes,
         executionCapabilities, queueProperties, globalMemorySize, maxAllocationSize, localMemorySize, localMemoryType,
         isMemoryUnified, correctsMemoryErrors, privateMemorySize, globalCacheSize, cacheLineSize, baseAddressAlignment,
         preferredGroupMultiple, subGroupSize, subGroupSizes, maxSubGroups, subGroupsProgress, maxNamedBarriers,
         nativeVectorBytes, profilingResolution, maxParameterSize, maxConstantBufferSize, maxConstantArgs,
         printfBufferSize, maxGlobalVariableSize, globalVariablePreferredTotalSize, floats, atomics, fences,
         svmCapabilities, unifiedMemory, images, onDeviceQueues, pipes, uuid, pciBus, nvidia] = properties;
  visitEach(visit, name, vendor, driverVersion, type, vendorId, computeUnits, clockFrequency, maxWorkGroupSize,
            maxWorkItemSizes[0], maxWorkItemSizes[1], maxWorkItemSizes[2], globalMemorySize, maxAllocationSize,
            localMemorySize, localMemoryType, correctsMemoryErrors, privateMemorySize, globalCacheSize, cacheLineSize,
            baseAddressAlignment, preferredGroupMultiple, subGroupSize, subGroupSizes, maxSubGroups, subGroupsProgress,
            maxNamedBarriers, nativeVectorBytes, profilingResolution, maxParameterSize, maxConstantBufferSize,
            maxConstantArgs, printfBufferSize, maxGlobalVariableSize, globalVariablePreferredTotalSize, floats, atomics,
            fences, images, pipes);
}

} // namespace clotho
