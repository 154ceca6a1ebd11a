// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "data.hpp"

#include <CL/cl.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// The device under test, with one queue.
class Driver {
 public:
  Driver();
  ~Driver();
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;
  cl_context context() const { return context_; }
  cl_device_id device() const { return device_; }
  cl_command_queue queue() const { return queue_; }

 private:
  cl_device_id device_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
};

/// A program built from source or SPIR-V, or from a binary that holds an executable or a compiled program to link;
/// `log` is the build log, `built` whether it succeeded.
class Program {
 public:
  enum class Language { Source, Spirv, Executable, Compiled };
  Program(const Driver& driver, Language language, const std::string& text, const std::string& options);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  bool built() const { return built_; }
  const std::string& log() const { return log_; }
  cl_program get() const { return program_; }

 private:
  cl_program program_ = nullptr;
  bool built_ = false;
  std::string log_;
};

/// An argument ready to be set: a buffer's contents, a value, or an amount of local memory.
struct Argument {
  enum class Kind { Buffer, Value, Local, Same } kind = Kind::Value;
  ElementType type; ///< Buffer
  Bytes bytes;
  std::size_t localBytes = 0;
  std::size_t sameAs = 0; ///< Same: the argument whose buffer it is, too
};

struct Range {
  std::vector<std::size_t> global, offset;
  std::optional<std::vector<std::size_t>> local; ///< nothing: the driver chooses
};

/// How many work-items the kernel's sub-groups have, the last of a work-group aside; nothing where the device has none.
std::optional<std::size_t> subGroupSize(const Driver& driver, const Program& program, const std::string& kernel);

/// Runs a kernel once; afterwards the Buffer arguments hold what is in the buffers. Returns what was printed on
/// standard output. Throws std::runtime_error when a call fails.
std::string runKernel(const Driver& driver, const Program& program, const std::string& kernel, const Range& range,
                      std::vector<Argument>& args);
