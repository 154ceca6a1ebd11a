// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/addresses.hpp"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>
#include <utility>

namespace clotho::replay {

namespace {

constexpr std::size_t kPage = 4096;
/// Alignment of the largest type of OpenCL.
constexpr std::size_t kLargestType = 128;

std::uint64_t numberOf(const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }
void* pointerTo(std::uint64_t address) {
  return reinterpret_cast<void*>(address); // NOLINT(performance-no-int-to-ptr): captures have numbers
}
std::size_t toPages(std::size_t size) { return (size + kPage - 1) / kPage * kPage; }

} // namespace

std::uint64_t Relocation::moved(std::uint64_t word, bool isBack) const {
  for (const Range& range : ranges_) {
    const std::uint64_t from = isBack ? range.to : range.from, to = isBack ? range.from : range.to;
    if (word - from < range.size) return word - from + to;
  }
  return word;
}

void Relocation::moveAll(std::string& bytes, bool isBack) const {
  if (!isNeeded()) return;
  for (std::size_t i = 0; i + sizeof(std::uint64_t) <= bytes.size(); i += sizeof(std::uint64_t)) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + i, sizeof word);
    const std::uint64_t now = moved(word, isBack);
    if (now != word) std::memcpy(bytes.data() + i, &now, sizeof now);
  }
}

SharedMemory::SharedMemory(const std::vector<capture::Shared>& shared, const Driver& driver, cl_context context)
    : shared_(shared), calls_(driver.calls()), context_(context) {
  if (shared.empty()) return;
  const auto capabilities = driver.ofDevice<cl_device_svm_capabilities>(CL_DEVICE_SVM_CAPABILITIES);
  isMapped_ = (capabilities & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM) != 0 && map();
  for (const capture::Shared& each : shared) {
    if (isMapped_) {
      places_.push_back(pointerTo(each.address));
      continue;
    }
    void* const place = calls_.clSVMAlloc(context_, CL_MEM_READ_WRITE, each.size, 0);
    if (!place) throw Failure("the device has no shared memory for the launch");
    places_.push_back(place);
  }
}

SharedMemory::~SharedMemory() {
  for (const auto& [begin, size] : mappings_)
    munmap(begin, size);
  if (!isMapped_)
    for (void* place : places_)
      calls_.clSVMFree(context_, place);
}

/// Maps the pages that the allocations were in. All or none.
bool SharedMemory::map() {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pages;
  for (const capture::Shared& each : shared_)
    pages.emplace_back(each.address / kPage * kPage, (each.address + each.size + kPage - 1) / kPage * kPage);
  std::sort(pages.begin(), pages.end());
  std::uint64_t end = 0;
  for (auto& [first, last] : pages) {
    first = std::max(first, end); // allocations may share a page
    if (first >= last) continue;
    end = last;
    void* const wanted = pointerTo(first);
    void* const got =
        mmap(wanted, last - first, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != MAP_FAILED) mappings_.emplace_back(got, last - first);
    if (got == wanted) continue;
    for (const auto& [begin, size] : mappings_)
      munmap(begin, size);
    mappings_.clear();
    return false;
  }
  return true;
}

void SharedMemory::addTo(Relocation& relocation) const {
  for (std::size_t i = 0; i < shared_.size(); ++i)
    relocation.add(shared_[i].address, shared_[i].size, numberOf(places_[i]));
}

void SharedMemory::write(cl_command_queue queue, std::size_t index, const std::string& bytes) const {
  if (isMapped_)
    std::memcpy(places_[index], bytes.data(), bytes.size());
  else
    require(calls_.clEnqueueSVMMemcpy(queue, CL_TRUE, places_[index], bytes.data(), bytes.size(), 0, nullptr, nullptr),
            "clEnqueueSVMMemcpy");
}

std::string SharedMemory::read(cl_command_queue queue, std::size_t index) const {
  std::string bytes(shared_[index].size, '\0');
  if (isMapped_)
    std::memcpy(bytes.data(), places_[index], bytes.size());
  else
    require(calls_.clEnqueueSVMMemcpy(queue, CL_TRUE, bytes.data(), places_[index], bytes.size(), 0, nullptr, nullptr),
            "clEnqueueSVMMemcpy");
  return bytes;
}

HostBlock::HostBlock(std::size_t size, std::uint64_t address, bool isGuarded) {
  const std::size_t before = isGuarded ? 0 : address % kPage;
  const std::size_t used = isGuarded ? (size + kLargestType - 1) / kLargestType * kLargestType : before + size;
  mapped_ = toPages(used) + (isGuarded ? kPage : 0);
  mapping_ = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping_ == MAP_FAILED) throw Failure("no memory for a buffer");
  auto* const begin = static_cast<std::byte*>(mapping_);
  bytes_ = begin + (isGuarded ? toPages(used) - used : before);
  if (isGuarded) mprotect(begin + toPages(used), kPage, PROT_NONE);
}

HostBlock::HostBlock(HostBlock&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)), mapped_(other.mapped_), bytes_(other.bytes_) {}

HostBlock::~HostBlock() {
  if (mapping_) munmap(mapping_, mapped_);
}

} // namespace clotho::replay
