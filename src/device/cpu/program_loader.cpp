// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/program_loader.hpp"

#include "base/file_size_limit.hpp"
#include "base/fork_gate.hpp"
#include "base/loader_error.hpp"
#include "base/log.hpp"
#include "base/not_cancelled.hpp"
#include "base/options.hpp"
#include "base/unique_fd.hpp"
#include "device/cpu/code_ranges.hpp"
#include "device/cpu/source_line.hpp"
#include "device/cpu/worker_pool.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace clotho::cpu {

namespace {

void* openObject(const char* path) noexcept {
  const ForkGate gate;
  const StandardStreamsTaken streams; // the loader opens the file itself
  return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

bool writeAll(int file, const std::string& bytes) noexcept {
  for (std::size_t done = 0; done < bytes.size();) {
    ssize_t size = write(file, bytes.data() + done, bytes.size() - done);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return false;
    done += static_cast<std::size_t>(size);
  }
  return true;
}

bool leadsTo(const std::string& path, int file) {
  struct stat wanted, found;
  return fstat(file, &wanted) == 0 && stat(path.c_str(), &found) == 0 && wanted.st_dev == found.st_dev &&
         wanted.st_ino == found.st_ino;
}

/// The folder of this process in /proc, by a path that means the same to other processes: what a debugger reads as
/// /proc/self is its own.
std::string processFolder(int file) {
  const std::string numbered = "/proc/" + std::to_string(getpid()) + '/';
  // /proc may be that of another name space of processes.
  return leadsTo(numbered + "fd/" + std::to_string(file), file) ? numbered : "/proc/self/";
}

/// A path of a descriptor that no load before has used: glibc takes an object whose name it knows for loaded, so a
/// descriptor's number may not appear in the same spelling again while the object lives. Slashes and dots spell a
/// number, one bit each.
std::string uniquePath(int file) {
  static constinit std::atomic<std::uint32_t> loads{0};
  std::string path = processFolder(file);
  for (std::uint32_t bits = loads.fetch_add(1, std::memory_order_relaxed) + 1; bits; bits >>= 1)
    path += bits & 1 ? ".//" : "./";
  return path + "fd/" + std::to_string(file);
}

UniqueFd memoryFile() {
  constexpr unsigned kExecutable = 0x10; // MFD_EXEC: since Linux 6.3 systems may want it said
  UniqueFd file = makeFd([] { return memfd_create("clotho-kernel", MFD_CLOEXEC | kExecutable); });
  return file ? std::move(file) : makeFd([] { return memfd_create("clotho-kernel", MFD_CLOEXEC); });
}

/// Debuggers read an object by the path that it was loaded from, which leads to it while the descriptor is open. Those
/// that have nothing to tell them are not worth a descriptor.
bool hasDebugInfo(const std::string& object) { return object.find(".debug_info") != std::string::npos; }

void* openMemoryFile(const std::string& object, OpenFile& kept) {
  const int file = memoryFile().release();
  if (file < 0) return nullptr;
  OpenFile opened(file);
  void* handle = writeAll(file, object) ? openObject(uniquePath(file).c_str()) : nullptr;
  if (handle && hasDebugInfo(object)) kept = std::move(opened);
  return handle;
}

/// Whether only root and this user can put something else in the place of a file of ours in the folder.
bool keepsNames(const std::string& folder) {
  struct stat status;
  if (stat(folder.c_str(), &status) != 0 || (status.st_uid != 0 && status.st_uid != geteuid())) return false;
  return (status.st_mode & S_ISVTX) != 0 || (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// By way of a file that is gone as soon as it is mapped. By its descriptor, for the name could lead to something else
/// by now where others may write to the folder; by its name only where the system has no /proc and they may not.
void* openTemporary(const std::string& object, const std::string& folder) {
  std::string path;
  const int file = makeFd([&] {
                     if (!path.empty()) unlink(path.c_str());
                     path = folder + "/clotho-XXXXXX";
                     return mkostemp(path.data(), O_CLOEXEC);
                   }).release();
  if (file < 0) return nullptr;
  const OpenFile opened(file);
  void* handle = nullptr;
  if (writeAll(file, object)) {
    std::string byDescriptor = uniquePath(file);
    if (leadsTo(byDescriptor, file) || !keepsNames(folder))
      handle = openObject(byDescriptor.c_str());
    else
      handle = openObject(path.c_str());
  }
  unlink(path.c_str());
  return handle;
}

/// Whether the file is this user's alone and begins with the object.
bool holds(int file, const std::string& object) {
  struct stat status;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
      (status.st_mode & (S_IWGRP | S_IWOTH)) != 0 || static_cast<std::uint64_t>(status.st_size) < object.size())
    return false;
  std::array<char, 16 << 10> part;
  for (std::size_t done = 0; done < object.size();) {
    const std::size_t wanted = std::min(part.size(), object.size() - done);
    const ssize_t size = pread(file, part.data(), wanted, static_cast<off_t>(done));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0 || std::memcmp(part.data(), object.data() + done, static_cast<std::size_t>(size)) != 0) return false;
    done += static_cast<std::size_t>(size);
  }
  return true;
}

/// The object by way of a file that should hold it, so that profilers know the mapping by a name that lasts, and
/// processes share its pages. What is loaded is the descriptor whose contents have been compared, never the path, which
/// may lead elsewhere by then.
void* openCached(const std::string& path, const std::string& object, OpenFile& kept) {
  const auto openIt = [&] { return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY); };
  const int file = makeFd(openIt).release();
  if (file < 0) return nullptr;
  OpenFile opened(file);
  void* handle = holds(file, object) ? openObject(uniquePath(file).c_str()) : nullptr;
  if (handle && hasDebugInfo(object)) kept = std::move(opened);
  return handle;
}

/// The version that the object's note (name "Clotho", type 1) says; the current one when there is no note.
std::uint32_t abiVersionOf(const dl_phdr_info& object) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr) & segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const auto* at = std::bit_cast<const std::byte*>(object.dlpi_addr + segment.p_vaddr);
    const std::byte* end = at + segment.p_memsz;
    while (static_cast<std::size_t>(end - at) >= sizeof(ElfW(Nhdr))) {
      ElfW(Nhdr) header;
      std::memcpy(&header, at, sizeof header);
      const std::byte* name = at + sizeof header;
      std::size_t nameSize = (std::size_t{header.n_namesz} + 3) / 4 * 4,
                  size = (std::size_t{header.n_descsz} + 3) / 4 * 4;
      if (nameSize + size > static_cast<std::size_t>(end - name)) break;
      if (header.n_namesz == sizeof "Clotho" && std::memcmp(name, "Clotho", sizeof "Clotho") == 0 &&
          header.n_type == 1 && header.n_descsz >= 4) {
        std::uint32_t version;
        std::memcpy(&version, name + nameSize, sizeof version);
        return version;
      }
      at = name + nameSize + size;
    }
  }
  return kKernelAbiVersion;
}

/// The dynamic loader's facts about an object, copied out of its iteration.
struct ObjectFacts {
  ElfW(Addr) base = 0;
  bool found = false;
  std::uint32_t abiVersion = 0;
  StringMemory image;
  struct Code {
    std::uintptr_t begin = 0, end = 0;
  };
  std::vector<Code> code;
};

int readObject(dl_phdr_info* object, std::size_t, void* rawFacts) {
  auto& facts = *static_cast<ObjectFacts*>(rawFacts);
  if (object->dlpi_addr != facts.base) return 0;
  facts.found = true;
  facts.abiVersion = abiVersionOf(*object);
  facts.image = {UINTPTR_MAX, 0};
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr) & segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
    if (segment.p_flags & PF_X) facts.code.push_back({begin, end});
    // Strings are read up to the end of the image: so it must have no hole.
    if (facts.image.begin == UINTPTR_MAX || begin - facts.image.end < 4096 * 16) {
      facts.image.begin = std::min(facts.image.begin, begin);
      facts.image.end = end;
    }
  }
  return 1;
}

} // namespace

OpenFile::OpenFile(int file) noexcept : file_(file) {
  struct stat status;
  if (fstat(file, &status) != 0) return;
  device_ = status.st_dev;
  inode_ = status.st_ino;
}

OpenFile& OpenFile::operator=(OpenFile&& other) noexcept {
  std::swap(file_, other.file_);
  std::swap(device_, other.device_);
  std::swap(inode_, other.inode_);
  return *this;
}

OpenFile::~OpenFile() {
  const NotCancelled here; // close() may be the end of a thread
  struct stat status;
  if (file_ >= 0 && fstat(file_, &status) == 0 && status.st_dev == device_ && status.st_ino == inode_) close(file_);
}

void* loadFromMemory(const std::string& object, OpenFile& kept) noexcept {
  if (!isWithinFileSizeLimit(object.size())) {
    CLOTHO_LOG(Device, Error, "a kernel object of %zu bytes is larger than files may be (RLIMIT_FSIZE)", object.size());
    return nullptr;
  }
  try {
    if (void* handle = openMemoryFile(object, kept)) return handle;
    for (const char* folder : {"/dev/shm", options().temporaryFolder.c_str(), "/var/tmp"})
      if (void* handle = openTemporary(object, folder)) return handle;
    CLOTHO_LOG(Device, Error, "a kernel object cannot be loaded: %s", loaderError("no place to put it").c_str());
  } catch (...) {
    // No memory for a path.
  }
  return nullptr;
}

void CpuKernel::learnCost(std::uint64_t spent, std::uint64_t items) const noexcept {
  items = std::max<std::uint64_t>(items, 1);
  spent_.store(spent_.load(std::memory_order_relaxed) + spent, std::memory_order_relaxed);
  const std::uint64_t cost = spent * kCostScale / items;
  std::uint64_t known = itemCost();
  std::uint64_t next = std::max<std::uint64_t>(cost > known ? cost : known - (known - cost) / 4, 1);
  if (next != known) itemCost_.store(next, std::memory_order_relaxed);
}

double CpuKernel::spent() const noexcept {
  return static_cast<double>(spent_.load(std::memory_order_relaxed)) / (1e6 * kTicksPerMicrosecond);
}

bool CpuKernel::measure(const void* who) const noexcept {
  const void* expected = nullptr;
  if (!measurer_.compare_exchange_strong(expected, who) && expected != who) return false;
  samplesLock_.lock();
  measured_ = {};
  samplesLock_.unlock();
  return true;
}

void CpuKernel::endMeasuring(const void* who) const noexcept { measurer_.compare_exchange_strong(who, nullptr); }

void CpuKernel::addSample(std::uint64_t spent, double items) const noexcept {
  samplesLock_.lock();
  measured_.add(static_cast<double>(std::max<std::uint64_t>(spent, 1)) / items, items);
  samplesLock_.unlock();
}

MeanCost CpuKernel::meanCost() const noexcept {
  samplesLock_.lock();
  const CostSamples sums = measured_;
  samplesLock_.unlock();
  return sums.mean();
}

LoadedProgram::LoadedProgram(std::shared_ptr<const BuildResult> built) : built_(std::move(built)) {
  if (built_->kernels.empty() && built_->object.empty() && built_->objectPath.empty()) return;
  // Two programs may share code but not variables.
  if (!built_->objectPath.empty() && !built_->object.empty() && !built_->hasProgramScopeVariables)
    handle_ = openCached(built_->objectPath, built_->object, file_);
  if (!handle_ && !built_->object.empty()) handle_ = loadFromMemory(built_->object, file_);
  if (!handle_ && !built_->isDeferred) throw Error{CL_OUT_OF_RESOURCES, "the program's object code cannot be loaded"};
  try {
    if (handle_) registerCode();
    kernels_.reserve(built_->kernels.size());
    for (const BuiltKernel& kernel : built_->kernels) {
      std::optional<CpuKernelFacts> facts = decodeFacts(kernel.facts);
      check(facts.has_value(), CL_INVALID_BINARY, "what is known of a kernel is of another version");
      void* function = handle_ ? dlsym(handle_, facts->symbol.c_str()) : nullptr;
      check(function || built_->isDeferred, CL_INVALID_BINARY, "the program's object code lacks a kernel");
      kernels_.push_back(std::make_unique<CpuKernel>(kernel, std::move(*facts), *this,
                                                     reinterpret_cast<WorkGroupFunction*>(function)));
      if (kernel.info.blockNumber != 0) addBlock(*kernels_.back());
    }
  } catch (...) {
    close();
    throw;
  }
}

LoadedProgram::~LoadedProgram() { close(); }

void LoadedProgram::addBlock(const CpuKernel& kernel) {
  const std::size_t index = kernel.info().blockNumber - 1;
  check(index < built_->kernels.size(), CL_INVALID_BINARY, "a kernel that others enqueue has an impossible number");
  if (blocks_.size() <= index) blocks_.resize(index + 1);
  blocks_[index] = &kernel;
}

void LoadedProgram::describeBlocks(const DeviceProperties& device) {
  blockLimits_.resize(blocks_.size());
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (!blocks_[i]) continue;
    const GroupLimits& limits = blocks_[i]->limits();
    // Enqueueing kernels are held to this, and so have what launches of the host have.
    const std::size_t most = blocks_[i]->largestGroup(device.privateMemorySize, device.maxWorkGroupSize);
    const std::array<std::size_t, 3>& along = device.maxWorkItemSizes;
    blockLimits_[i] = {.mostItems = std::max<std::size_t>(most, 1),
                       .mostAlong = {along[0], along[1], along[2]},
                       .preferredMultiple = std::max<std::size_t>(limits.subGroupSize, device.preferredGroupMultiple),
                       .localBytes = roomForArguments(device.localMemorySize, limits.localBytes),
                       .subGroupSize = limits.usesSubGroups ? limits.subGroupSize : device.subGroupSize,
                       .isUniform = blocks_[i]->info().allowsNonUniform ? 0U : 1U};
  }
}

void LoadedProgram::close() noexcept {
  const NotCancelled here; // what has destructors may do anything
  for (std::uintptr_t begin : codeRanges_)
    removeCodeRange(begin);
  codeRanges_.clear();
  const ForkGate gate;
  if (handle_) dlclose(handle_);
  handle_ = nullptr;
}

void LoadedProgram::registerCode() {
  link_map* map = nullptr;
  check(dlinfo(handle_, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0, CL_OUT_OF_RESOURCES,
        "the dynamic loader hides a loaded object");
  ObjectFacts facts;
  facts.base = base_ = map->l_addr;
  {
    const ForkGate gate;
    dl_iterate_phdr(readObject, &facts);
  }
  check(facts.found, CL_OUT_OF_RESOURCES, "the dynamic loader hides a loaded object");
  check(facts.abiVersion == kKernelAbiVersion, CL_INVALID_BINARY, "the program's object code is of another version");
  image_ = facts.image;
  // Programs that share an object each register it, so that the last one's end is its end.
  codeRanges_.reserve(facts.code.size());
  for (const ObjectFacts::Code& code : facts.code)
    if (addCodeRange(code.begin, code.end)) codeRanges_.push_back(code.begin);
}

std::string LoadedProgram::sourceLineOf(std::uintptr_t instruction) const {
  return cpu::sourceLineOf(built_->object, instruction - base_);
}

const DeviceKernel* LoadedProgram::kernel(std::string_view name) const noexcept {
  for (const auto& kernel : kernels_)
    if (kernel->info().name == name) return kernel.get();
  return nullptr;
}

} // namespace clotho::cpu
