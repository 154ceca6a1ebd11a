// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "compiler/compiler.hpp"

#include <cstddef>
#include <string>

namespace clotho {

/// The compiler as a library in the application's process, for hosts that forbid starting programs. Makes one build at
/// a time. The library stays loaded.
class LocalCompiler {
 public:
  /// `path` is the shared library; empty if none was found.
  explicit LocalCompiler(std::string path) : path_(std::move(path)) {}

  BuildResult build(const BuildRequest& request) EXCLUDES(mutex_);
  void start() EXCLUDES(mutex_);
  const std::string& path() const { return path_; }

 private:
  /// Type of the library's function: takes a serialised BuildRequest and passes a serialised BuildResult to `answer`.
  using Compile = void(const char* bytes, std::size_t size, void (*answer)(void*, const char*, std::size_t), void*);

  Compile* load(std::string& why) REQUIRES(mutex_);

  const std::string path_;
  Mutex mutex_;
  Compile* compile_ GUARDED_BY(mutex_) = nullptr;
};

} // namespace clotho
