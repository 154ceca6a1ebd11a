// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptors of images lie in the memory of the devices that read them.
#include "runtime/memory/image.hpp"

#include "base/error.hpp"
#include "device/device_memory.hpp"
#include "device/host_memory.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>
#include <sys/mman.h>

namespace clotho {

namespace {

/// A device's memory whose addresses the host cannot use.
class RemoteMemory final : public DeviceMemory {
 public:
  void* allocate(std::size_t size, std::size_t) noexcept override {
    void* memory = mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : (allocations_[memory] = {}, memory);
  }
  void deallocate(void* memory, std::size_t size) noexcept override {
    munmap(memory, size);
    allocations_.erase(memory);
  }
  bool write(void* to, const void* from, std::size_t size) noexcept override {
    if (hasFailed || size != sizeof(ImageDescriptor)) return false;
    std::memcpy(&allocations_.at(to).emplace(), from, size);
    return true;
  }
  DeviceQueue& transfers() noexcept override { std::abort(); } // images ask for none

  const ImageDescriptor* written(const void* at) const {
    const auto found = allocations_.find(const_cast<void*>(at));
    return found != allocations_.end() && found->second ? &*found->second : nullptr;
  }
  std::size_t allocations() const { return allocations_.size(); }

  bool hasFailed = false;

 private:
  std::map<void*, std::optional<ImageDescriptor>> allocations_;
};

class ImageDescriptors : public testing::Test {
 protected:
  static ImageShape shape() {
    ImageShape shape;
    shape.format = {CL_RGBA, CL_UNORM_INT8};
    shape.width = 7;
    shape.height = 5;
    return shape;
  }

  HostMemory host_{1 << 20};
  RemoteMemory memory_;
  Ref<Homes> homes_ = Ref<Homes>::adopt(new Homes(host_, {&memory_}));
  std::byte texels_[1] = {};
};

TEST_F(ImageDescriptors, LieInTheHomeThatAsks) {
  {
    const Image image(shape(), TexelPlacement::Own, *homes_);
    EXPECT_EQ(memory_.allocations(), 0u) << "before the first use";
    const auto* base = reinterpret_cast<const std::byte*>(std::uintptr_t{0x1000});
    const std::byte* address = image.descriptorFor(1, base);
    const ImageDescriptor* descriptor = memory_.written(address);
    ASSERT_NE(descriptor, nullptr);
    EXPECT_EQ(descriptor->base, 0x1000u);
    EXPECT_EQ(descriptor->width, 7u);
    EXPECT_EQ(host_.used(), 0u) << "no other descriptor is made";
    EXPECT_EQ(image.descriptorFor(1, base), address);
    EXPECT_EQ(memory_.allocations(), 1u);

    ImageDescriptor near;
    std::memcpy(&near, image.descriptorFor(kHostHome, texels_), sizeof near);
    EXPECT_EQ(near.base, reinterpret_cast<std::uintptr_t>(texels_));
    EXPECT_EQ(near.height, 5u);
    EXPECT_EQ(memory_.allocations(), 1u);
  }
  EXPECT_EQ(memory_.allocations(), 0u);
  EXPECT_EQ(host_.used(), 0u);
}

TEST_F(ImageDescriptors, ViewsHaveTheirOwn) {
  const Image image(shape(), TexelPlacement::Own, *homes_);
  ImageShape other = shape();
  other.format.image_channel_order = CL_BGRA;
  const Image view(other, image);
  EXPECT_NE(image.descriptorFor(1, texels_), view.descriptorFor(1, texels_));
}

TEST_F(ImageDescriptors, FailWithTheirMemory) {
  const Image image(shape(), TexelPlacement::Own, *homes_);
  memory_.hasFailed = true;
  try {
    image.descriptorFor(1, texels_);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code, CL_MEM_OBJECT_ALLOCATION_FAILURE);
  }
  EXPECT_EQ(memory_.allocations(), 0u);
}

} // namespace

} // namespace clotho
