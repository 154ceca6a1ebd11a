// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/fields.hpp"

#include <cstdint>
#include <string>
#include <vector>

/// A captured launch as plain data: what a program has to do to run it again, and what came of it. The driver writes it
/// (runtime/capture), tools read it. docs/capture.md describes the file.
namespace clotho::capture {

/// A text with a name: a header, a file that the build has read, a remark.
struct Named {
  std::string name, text;
};

/// The value of a specialisation constant.
struct Constant {
  std::uint32_t id = 0;
  std::string bytes;
};

enum class Language : std::uint8_t {
  Source, ///< OpenCL C or C++ for OpenCL
  Il,     ///< SPIR-V
  Binary, ///< a program binary of Clotho's, which no other driver takes
};

/// The inputs of one call of clBuildProgram or clCompileProgram.
struct Unit {
  Language language = Language::Source;
  std::string text;
  std::string options;
  std::string folder;         ///< the working directory, to which paths in the options are relative
  std::vector<Named> headers; ///< of clCompileProgram
  std::vector<Named> files;   ///< that the compiler has read, by their absolute paths
  std::vector<Constant> constants;
};

struct Program {
  std::vector<Unit> units; ///< one, unless the program was linked
  bool isLinked = false;   ///< by clLinkProgram, after the units were compiled
  std::string linkOptions;
};

/// For Memory::parent.
inline constexpr std::uint32_t kNone = UINT32_MAX;

/// The shape of a pipe has the bytes of a packet as its width, and how many there may be as its height. Its contents
/// are the number of its packets, in eight bytes, and as many packets as there may be.
enum class MemoryKind : std::uint8_t { Buffer, SubBuffer, Image, Pipe };

/// An image, as clCreateImage takes it.
struct Shape {
  std::uint32_t type = 0, channelOrder = 0, channelType = 0, levels = 0;
  std::uint64_t width = 1, height = 1, depth = 1, layers = 1;
  std::uint64_t rowPitch = 0, slicePitch = 0; ///< of an image of another object's bytes; else 0
  std::uint32_t texelBytes = 0;
};

/// A memory object. Objects that have bytes of others follow these.
struct Memory {
  MemoryKind kind = MemoryKind::Buffer;
  std::uint64_t flags = 0; ///< of clCreateBuffer and so on, without CL_MEM_COPY_HOST_PTR
  std::uint64_t size = 0, origin = 0;
  std::uint32_t parent = kNone;    ///< the object that has the bytes
  Shape shape;                     ///< of images
  std::uint64_t hostAddress = 0;   ///< with CL_MEM_USE_HOST_PTR, where the application had the bytes
  std::uint64_t deviceAddress = 0; ///< if kernels may know it
  bool isShared = false;           ///< its bytes are those of shared memory at `hostAddress`
  std::uint64_t stored = 0;        ///< bytes in the file; 0 of objects that have those of others
};

/// Memory that host and devices address alike.
struct Shared {
  std::uint64_t address = 0, size = 0;
  std::uint32_t kind = 0; ///< SharedTraits::Kind
};

/// A variable at program scope.
struct Variable {
  std::string name;
  std::uint64_t size = 0;
};

enum class ArgumentKind : std::uint8_t { Value, Null, Memory, Local, Sampler, Pointer, DevicePointer, Queue };

struct Argument {
  ArgumentKind kind = ArgumentKind::Value;
  std::string value;        ///< of Value
  std::uint64_t number = 0; ///< index of the memory object, bytes of local memory, sampler's number, or address
  std::string name, type;   ///< if the driver knows them
};

struct NdRange {
  std::uint32_t dimensions = 1;
  bool hasOffset = false, hasLocal = false; ///< as the application said, or null
  std::uint64_t offset[3] = {0, 0, 0}, global[3] = {1, 1, 1}, local[3] = {1, 1, 1};
};

/// All of it but the bytes.
struct Description {
  std::vector<Named> remarks; ///< the driver, the device, options of the environment
  Program program;
  std::string kernel;
  std::uint64_t launch = 0; ///< which of the kernel's launches in its process, from 1 on
  std::vector<Argument> arguments;
  std::vector<Memory> memories;
  std::vector<Shared> shared;
  std::vector<std::uint64_t> reached; ///< addresses of clSetKernelExecInfo
  bool usesSystemMemory = false;
  std::vector<Variable> variables;
  NdRange range;
  std::uint64_t initializedMemory = 0; ///< CL_CONTEXT_MEMORY_INITIALIZE_KHR
  bool hasDeviceQueue = false;         ///< there is a default queue on the device
};

/// The outcome of the launch.
struct Outcome {
  std::uint32_t status = 0; ///< of the command, a cl_int; negative if it has failed
  double seconds = 0;       ///< that the launch took; 0: not known
};

/// Bytes of the contents, in the order in which the file has them: memory objects, shared memory, variables.
std::vector<std::uint64_t> contentSizes(const Description& description);

template <Of<Named> Type, class Visit> void visitFields(Type& named, Visit&& visit) {
  auto& [name, text] = named;
  visitEach(visit, name, text);
}
template <Of<Constant> Type, class Visit> void visitFields(Type& constant, Visit&& visit) {
  auto& [id, bytes] = constant;
  visitEach(visit, id, bytes);
}
template <Of<Unit> Type, class Visit> void visitFields(Type& unit, Visit&& visit) {
  auto& [language, text, options, folder, headers, files, constants] = unit;
  visitEach(visit, language, text, options, folder, headers, files, constants);
}
template <Of<Program> Type, class Visit> void visitFields(Type& program, Visit&& visit) {
  auto& [units, isLinked, linkOptions] = program;
  visitEach(visit, units, isLinked, linkOptions);
}
template <Of<Shape> Type, class Visit> void visitFields(Type& shape, Visit&& visit) {
  auto& [type, channelOrder, channelType, levels, width, height, depth, layers, rowPitch, slicePitch, texelBytes] =
      shape;
  visitEach(visit, type, channelOrder, channelType, levels, width, height, depth, layers, rowPitch, slicePitch,
            texelBytes);
}
template <Of<Memory> Type, class Visit> void visitFields(Type& memory, Visit&& visit) {
  auto& [kind, flags, size, origin, parent, shape, hostAddress, deviceAddress, isShared, stored] = memory;
  visitEach(visit, kind, flags, size, origin, parent, shape, hostAddress, deviceAddress, isShared, stored);
}
template <Of<Shared> Type, class Visit> void visitFields(Type& shared, Visit&& visit) {
  auto& [address, size, kind] = shared;
  visitEach(visit, address, size, kind);
}
template <Of<Variable> Type, class Visit> void visitFields(Type& variable, Visit&& visit) {
  auto& [name, size] = variable;
  visitEach(visit, name, size);
}
template <Of<Argument> Type, class Visit> void visitFields(Type& argument, Visit&& visit) {
  auto& [kind, value, number, name, type] = argument;
  visitEach(visit, kind, value, number, name, type);
}
template <Of<NdRange> Type, class Visit> void visitFields(Type& range, Visit&& visit) {
  auto& [dimensions, hasOffset, hasLocal, offset, global, local] = range;
  visitEach(visit, dimensions, hasOffset, hasLocal, offset, global, local);
}
template <Of<Description> Type, class Visit> void visitFields(Type& description, Visit&& visit) {
  auto& [remarks, program, kernel, launch, arguments, memories, shared, reached, usesSystemMemory, variables, range,
         initializedMemory, hasDeviceQueue] = description;
  visitEach(visit, remarks, program, kernel, launch, arguments, memories, shared, reached, usesSystemMemory, variables,
            range, initializedMemory, hasDeviceQueue);
}
template <Of<Outcome> Type, class Visit> void visitFields(Type& outcome, Visit&& visit) {
  auto& [status, seconds] = outcome;
  visitEach(visit, status, seconds);
}

constexpr Language lastOf(Language) { return Language::Binary; }
constexpr MemoryKind lastOf(MemoryKind) { return MemoryKind::Pipe; }
constexpr ArgumentKind lastOf(ArgumentKind) { return ArgumentKind::Queue; }

} // namespace clotho::capture
