// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "contender.hpp"
#include "kernels/host.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <stdexcept>

namespace bench {

namespace {

std::filesystem::path libraryOf(const std::string& compiler) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() /
         ("../lib/libbench-kernels-" + compiler + ".so");
}

/// Memory aligned as OpenCL buffers are.
class AlignedBytes {
 public:
  explicit AlignedBytes(const std::vector<std::byte>& content)
      : data_(static_cast<std::byte*>(std::aligned_alloc(4096, (content.size() + 4095) / 4096 * 4096))) {
    if (!data_) throw std::bad_alloc();
    set(content);
  }
  void set(const std::vector<std::byte>& content) { std::memcpy(data_.get(), content.data(), content.size()); }
  std::byte* get() const { return data_.get(); }

 private:
  struct Free {
    void operator()(std::byte* pointer) const { std::free(pointer); }
  };
  std::unique_ptr<std::byte, Free> data_;
};

class HostContender final : public Contender {
 public:
  explicit HostContender(const std::string& compiler) : library_(dlopen(libraryOf(compiler).c_str(), RTLD_NOW)) {
    if (!library_) throw std::runtime_error(dlerror());
  }
  // The library stays: OpenMP's threads live in what it has loaded.

  void prepare(const KernelCase& what, const Problem& problem) override {
    function_ = reinterpret_cast<void (*)(const Host&)>(dlsym(library_, what.hostName()));
    if (!function_) throw std::runtime_error(dlerror());
    problem_ = &problem;
    for (const Buffer& buffer : problem.buffers) {
      memory_.emplace_back(buffer.content);
      pointers_.push_back(memory_.back().get());
    }
  }

  void reset() override {
    for (std::size_t i = 0; i < memory_.size(); ++i)
      memory_[i].set(problem_->buffers[i].content);
  }

  void run(int iterations) override {
    const Host host{pointers_.data(), problem_->sizes.data()};
    for (int i = 0; i < iterations; ++i)
      function_(host);
  }

  std::vector<std::byte> read(int buffer) override {
    return {memory_[buffer].get(), memory_[buffer].get() + problem_->buffers[buffer].content.size()};
  }

  std::optional<double> rebuild(int) override { return std::nullopt; }

  void drop() override {
    memory_.clear();
    pointers_.clear();
  }

 private:
  void* library_;
  void (*function_)(const Host&) = nullptr;
  const Problem* problem_ = nullptr;
  std::vector<AlignedBytes> memory_;
  std::vector<void*> pointers_;
};

} // namespace

std::unique_ptr<Contender> hostContender(const std::string& compiler) {
  return std::make_unique<HostContender>(compiler);
}

std::vector<std::string> hostCompilers() {
  std::vector<std::string> found;
  for (const char* compiler : {"g++", "clang++"})
    if (std::filesystem::exists(libraryOf(compiler))) found.emplace_back(compiler);
  return found;
}

} // namespace bench
