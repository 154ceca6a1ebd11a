// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cl_khr_external_memory with cl_khr_external_memory_opaque_fd: buffers and images of memory that others have, too.
#include "external_memory.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fcntl.h>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <unistd.h>

namespace clotho::test {

namespace {

class ExternalMemoryTest : public ExternalMemoryApi {};

} // namespace

TEST_F(ExternalMemoryTest, TypesOfHandles) {
  const std::vector<cl_external_memory_handle_type_khr> types = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR,
                                                                 CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR};
  using Type = cl_external_memory_handle_type_khr;
  EXPECT_EQ(
      listAnswer<Type>(CLOTHO_INFO(clGetPlatformInfo, platform_, CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR)),
      types);
  for (cl_device_id device : devices())
    for (cl_device_info name : {CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR,
                                CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR})
      EXPECT_EQ(listAnswer<Type>(CLOTHO_INFO(clGetDeviceInfo, device, name)), types);
}

// --- Buffers ---

TEST_F(ExternalMemoryTest, BuffersOfFiles) {
  const std::string name = "/clotho-test-" + std::to_string(getpid());
  Descriptor shared(shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600));
  ASSERT_GE(shared.get(), 0);
  shm_unlink(name.c_str());
  std::FILE* temporary = std::tmpfile();
  ASSERT_NE(temporary, nullptr);
  Descriptor onDisk(dup(fileno(temporary)));
  static_cast<void>(std::fclose(temporary));
  for (int fd : {shared.get(), onDisk.get()})
    ASSERT_EQ(ftruncate(fd, kWords * sizeof(cl_uint)), 0);
  std::array<Descriptor, 3> all = {makeMemory(kWords), std::move(shared), std::move(onDisk)};
  for (Descriptor& descriptor : all) {
    const OtherView view(descriptor.get(), kWords);
    const Properties properties = imported(descriptor.get());
    const Owned<cl_mem> buffer = makeBuffer(properties);
    EXPECT_FALSE(isOpen(descriptor.give())); // it is the driver's now, which does not need it
    EXPECT_EQ(listAnswer<cl_mem_properties>(CLOTHO_INFO(clGetMemObjectInfo, buffer, CL_MEM_PROPERTIES)), properties);
    EXPECT_EQ(valueAnswer<void*>(CLOTHO_INFO(clGetMemObjectInfo, buffer, CL_MEM_HOST_PTR)), nullptr);
    EXPECT_EQ(valueAnswer<cl_mem_flags>(CLOTHO_INFO(clGetMemObjectInfo, buffer, CL_MEM_FLAGS)),
              cl_mem_flags{CL_MEM_READ_WRITE});
    EXPECT_EQ(valueAnswer<size_t>(CLOTHO_INFO(clGetMemObjectInfo, buffer, CL_MEM_SIZE)), kWords * sizeof(cl_uint));
    goesBothWays(buffer, view.words());
  }
}

TEST_F(ExternalMemoryTest, CommandsOfTheHost) {
  Descriptor memory = makeMemory(kWords);
  const OtherView view(memory.get(), kWords);
  const Owned<cl_mem> buffer = makeBuffer(imported(memory.give()));
  const std::array<cl_uint, 3> numbers = {1, 2, 3};
  std::array<cl_uint, 3> read{};
  view.words()[9] = 17;
  acquire(queue_, buffer);
  ASSERT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 28, 12, read.data(), 0, nullptr, nullptr), CL_SUCCESS);
  EXPECT_EQ(read[2], 17u);
  ASSERT_EQ(clEnqueueWriteBuffer(queue_, buffer, CL_FALSE, 40, 12, numbers.data(), 0, nullptr, nullptr), CL_SUCCESS);
  cl_int status = 1;
  auto* mapped = static_cast<cl_uint*>(
      clEnqueueMapBuffer(queue_, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 40, 400, 0, nullptr, nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  EXPECT_EQ(mapped[1], 2u);
  mapped[50] = 99;
  ASSERT_EQ(clEnqueueUnmapMemObject(queue_, buffer, mapped, 0, nullptr, nullptr), CL_SUCCESS);
  giveBack(queue_, buffer);
  EXPECT_EQ(view.words()[10], 1u);
  EXPECT_EQ(view.words()[12], 3u);
  EXPECT_EQ(view.words()[60], 99u);
}

TEST_F(ExternalMemoryTest, PartsOfTheMemory) {
  Descriptor memory = makeMemory(kWords);
  const OtherView view(memory.get(), kWords);
  // Fewer bytes than there are, of which no page has to be whole.
  const Owned<cl_mem> buffer = makeBuffer(imported(memory.give()), CL_SUCCESS, 0, 1999 * sizeof(cl_uint));
  const cl_buffer_region region = {1024 * sizeof(cl_uint), 100 * sizeof(cl_uint)};
  cl_int status = 1;
  const Owned<cl_mem> part = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  std::iota(view.words().begin(), view.words().end(), 0);
  acquire(queue_, buffer);
  add(queue_, part, 5, 100);
  giveBack(queue_, buffer);
  for (cl_uint i = 0; i < kWords; ++i)
    ASSERT_EQ(view.words()[i], i >= 1024 && i < 1124 ? i + 5 : i);
  // Only what was imported is acquired.
  cl_mem raw = part;
  EXPECT_EQ(acquire_(queue_, 1, &raw, 0, nullptr, nullptr), CL_INVALID_MEM_OBJECT);
}

// Two imports are two objects, which kernels may get both: this one reads a matrix where it writes the product.
TEST_F(ExternalMemoryTest, TheSameMemoryTwice) {
  if (devices().size() > 1 || isFar()) GTEST_SKIP() << "each import has bytes of its own between acquire and release";
  constexpr size_t kSide = 16, kColumns = 1024, kBytes = kSide * kColumns * sizeof(cl_float);
  const Descriptor memory = makeMemory(kSide * kColumns);
  const OtherView view(memory.get(), kSide * kColumns);
  const Owned<cl_mem> one = makeBuffer(imported(dup(memory.get())), CL_SUCCESS, 0, kBytes),
                      two = makeBuffer(imported(dup(memory.get())), CL_SUCCESS, 0, kBytes),
                      factor = Api::makeBuffer(kSide * kSide * sizeof(cl_uint));
  EXPECT_NE(one.get(), two.get());
  const Owned<cl_kernel> kernel = makeKernel(R"(
    kernel void product(global uint* c, global const uint* a, global const uint* b, int tiles, int columns) {
      local uint rows[16][16], across[16][16];
      int x = get_global_id(0), y = get_global_id(1);
      int lx = get_local_id(0), ly = get_local_id(1);
      uint sum = 0;
      for (int t = 0; t < tiles; ++t) {
        rows[ly][lx] = a[y * 16 * tiles + t * 16 + lx];
        across[ly][lx] = b[(t * 16 + ly) * columns + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; ++k) sum += rows[ly][k] * across[k][lx];
        barrier(CLK_LOCAL_MEM_FENCE);
      }
      c[y * columns + x] = sum;
    })",
                                             "product");
  std::vector<cl_uint> numbers(kSide * kSide), expected(kSide * kColumns);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<cl_uint>(i * 7 % 11);
  for (size_t i = 0; i < expected.size(); ++i)
    view.words()[i] = static_cast<cl_uint>(i * 5 % 13);
  for (size_t i = 0; i < expected.size(); ++i)
    for (size_t k = 0; k < kSide; ++k)
      expected[i] += numbers[i / kColumns * kSide + k] * view.words()[k * kColumns + i % kColumns];
  ASSERT_EQ(clEnqueueWriteBuffer(queue_, factor, CL_FALSE, 0, kSide * kSide * sizeof(cl_uint), numbers.data(), 0,
                                 nullptr, nullptr),
            CL_SUCCESS);
  const std::array<cl_mem, 3> arguments = {one, factor, two};
  const cl_int tiles = 1, columns = kColumns;
  for (cl_uint i = 0; i < 3; ++i)
    ASSERT_EQ(clSetKernelArg(kernel, i, sizeof arguments[i], &arguments[i]), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 3, sizeof tiles, &tiles), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(kernel, 4, sizeof columns, &columns), CL_SUCCESS);
  const std::array<size_t, 2> global = {kColumns, kSide}, local = {16, 16};
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, global.data(), local.data(), 0, nullptr, nullptr),
            CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(std::vector<cl_uint>(view.words().begin(), view.words().end()), expected);
}

TEST_F(ExternalMemoryTest, ReadOnlyMemory) {
  const Descriptor memory = makeMemory(kWords);
  const OtherView view(memory.get(), kWords);
  view.words()[5] = 55;
  const std::string path = "/proc/self/fd/" + std::to_string(memory.get());
  constexpr cl_mem_flags kNobodyWrites[] = {CL_MEM_READ_ONLY | CL_MEM_HOST_READ_ONLY,
                                            CL_MEM_READ_ONLY | CL_MEM_HOST_NO_ACCESS, CL_MEM_IMMUTABLE_EXT,
                                            CL_MEM_IMMUTABLE_EXT | CL_MEM_READ_ONLY};
  for (cl_mem_flags flags : {cl_mem_flags{0}, cl_mem_flags{CL_MEM_READ_ONLY}, cl_mem_flags{CL_MEM_HOST_READ_ONLY},
                             cl_mem_flags{CL_MEM_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS}}) {
    const Descriptor readable(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    makeBuffer(imported(readable.get()), CL_INVALID_PROPERTY, flags);
    EXPECT_TRUE(isOpen(readable.get()));
  }
  const Owned<cl_kernel> kernel =
      makeKernel("kernel void k(global const uint* in, global uint* out) { *out = in[5]; }", "k");
  const Owned<cl_mem> result = Api::makeBuffer(sizeof(cl_uint));
  for (cl_mem_flags flags : kNobodyWrites) {
    const Owned<cl_mem> buffer = makeBuffer(imported(open(path.c_str(), O_RDONLY | O_CLOEXEC)), CL_SUCCESS, flags);
    cl_mem in = buffer, out = result;
    ASSERT_EQ(clSetKernelArg(kernel, 0, sizeof in, &in), CL_SUCCESS);
    ASSERT_EQ(clSetKernelArg(kernel, 1, sizeof out, &out), CL_SUCCESS);
    acquire(queue_, buffer);
    const size_t one = 1;
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr), CL_SUCCESS);
    giveBack(queue_, buffer);
    cl_uint read = 0;
    ASSERT_EQ(clEnqueueReadBuffer(queue_, result, CL_TRUE, 0, sizeof read, &read, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(read, 55u);
  }
}

// Memory that others cut off while it is used would end the process.
TEST_F(ExternalMemoryTest, CannotBeCutOffWhereThatCanBeForbidden) {
  const Descriptor sealable = makeMemory(kWords), sealed = makeMemory(kWords);
  ASSERT_EQ(fcntl(sealed.get(), F_ADD_SEALS, F_SEAL_SEAL), 0); // no process may add a seal
  const Owned<cl_mem> one = makeBuffer(imported(dup(sealable.get()))), two = makeBuffer(imported(dup(sealed.get())));
  EXPECT_EQ(fcntl(sealable.get(), F_GET_SEALS), F_SEAL_SHRINK);
  EXPECT_EQ(ftruncate(sealable.get(), 0), -1);
  EXPECT_EQ(ftruncate(sealable.get(), 2 * kWords * sizeof(cl_uint)), 0);
  EXPECT_EQ(fcntl(sealed.get(), F_GET_SEALS), F_SEAL_SEAL);
}

// Kernels fail their command and nothing else if cutting off the memory cannot be forbidden.
TEST_F(ExternalMemoryTest, KernelsOnBytesThatAreGoneFail) {
  if (devices().size() > 1 || isFar()) GTEST_SKIP() << "the bytes are copied before the kernel runs";
  const Descriptor memory = makeMemory(kWords, 0);
  ASSERT_EQ(fcntl(memory.get(), F_GET_SEALS), F_SEAL_SEAL);
  const Owned<cl_mem> buffer = makeBuffer(imported(dup(memory.get())));
  ASSERT_EQ(ftruncate(memory.get(), 0), 0);
  cl_mem raw = buffer;
  const cl_uint number = 1;
  const size_t words = kWords;
  Owned<cl_event> event;
  ASSERT_EQ(clSetKernelArg(adding_, 0, sizeof raw, &raw), CL_SUCCESS);
  ASSERT_EQ(clSetKernelArg(adding_, 1, sizeof number, &number), CL_SUCCESS);
  ASSERT_EQ(clEnqueueNDRangeKernel(queue_, adding_, 1, nullptr, &words, nullptr, 0, nullptr, event.out()), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_LT(statusOf(event), 0);
}

TEST_F(ExternalMemoryTest, DeviceAddresses) {
  Descriptor memory = makeMemory(kWords);
  Properties properties = imported(memory.get());
  properties.pop_back();
  for (cl_device_id device : {device_})
    properties.insert(properties.end(), {CL_MEM_DEVICE_HANDLE_LIST_KHR, reinterpret_cast<cl_mem_properties>(device),
                                         CL_MEM_DEVICE_HANDLE_LIST_END_KHR});
  properties.insert(properties.end(), {CL_MEM_DEVICE_PRIVATE_ADDRESS_EXT, CL_TRUE, 0});
  const Owned<cl_mem> buffer = makeBuffer(properties);
  memory.give();
  EXPECT_EQ(listAnswer<cl_mem_properties>(CLOTHO_INFO(clGetMemObjectInfo, buffer, CL_MEM_PROPERTIES)), properties);
  const auto addresses =
      listAnswer<cl_mem_device_address_ext>(CLOTHO_INFO(clGetMemObjectInfo, buffer, CL_MEM_DEVICE_ADDRESS_EXT));
  ASSERT_EQ(addresses.size(), devices().size());
  EXPECT_NE(addresses[0], 0u);
}

// --- Images ---

TEST_F(ExternalMemoryTest, ImagesAreLinear) {
  const Owned<cl_kernel> kernel = makeKernel(R"(
    kernel void k(read_only image2d_t in, write_only image2d_t out) {
      int2 at = (int2)(get_global_id(0), get_global_id(1));
      write_imageui(out, at, read_imageui(in, at) + (uint4)(1, 2, 3, 4));
    })",
                                             "k");
  constexpr size_t kWidth = 33, kHeight = 20;
  for (size_t pitch : {size_t{0}, kWidth * 4, size_t{160}}) {
    const size_t words = (pitch ? pitch : kWidth * 4) / 4;
    Descriptor memory = makeMemory(words * (kHeight - 1) + kWidth), target = makeMemory(words * kHeight);
    const OtherView from(memory.get(), words * (kHeight - 1) + kWidth), to(target.get(), words * kHeight);
    std::iota(from.words().begin(), from.words().end(), 0x01020300);
    const Owned<cl_mem> in = makeImage(imported(memory.give()), image2D(kWidth, kHeight, pitch)),
                        out = makeImage(imported(target.give()), image2D(kWidth, kHeight, pitch));
    EXPECT_EQ(valueAnswer<size_t>(CLOTHO_INFO(clGetImageInfo, in, CL_IMAGE_ROW_PITCH)), words * 4);
    const std::array<cl_mem, 2> both = {in, out};
    ASSERT_EQ(acquire_(queue_, 2, both.data(), 0, nullptr, nullptr), CL_SUCCESS);
    for (cl_uint i = 0; i < 2; ++i)
      ASSERT_EQ(clSetKernelArg(kernel, i, sizeof both[i], &both[i]), CL_SUCCESS);
    const std::array<size_t, 2> global = {kWidth, kHeight};
    ASSERT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 2, nullptr, global.data(), nullptr, 0, nullptr, nullptr),
              CL_SUCCESS);
    ASSERT_EQ(release_(queue_, 2, both.data(), 0, nullptr, nullptr), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
    for (size_t y = 0; y < kHeight; ++y)
      for (size_t x = 0; x < words; ++x) {
        const auto source = static_cast<cl_uint>(0x01020300 + y * words + x);
        std::array<cl_uchar, 4> texel{};
        std::memcpy(texel.data(), &source, 4);
        for (size_t i = 0; i < 4; ++i)
          texel[i] = static_cast<cl_uchar>(std::min<size_t>(texel[i] + i + 1, 255)); // writes saturate
        cl_uint expected = 0;
        std::memcpy(&expected, texel.data(), 4);
        ASSERT_EQ(to.words()[y * words + x], x < kWidth ? expected : 0) << x << ' ' << y << ' ' << pitch;
      }
  }
}

TEST_F(ExternalMemoryTest, LayersAndSlicesOfImages) {
  for (cl_mem_object_type type : {CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D}) {
    cl_image_desc desc = image2D(5, 4, 32);
    desc.image_type = type;
    (type == CL_MEM_OBJECT_IMAGE3D ? desc.image_depth : desc.image_array_size) = 3;
    desc.image_slice_pitch = 32 * 6;
    Descriptor memory = makeMemory(3 * 48);
    const OtherView view(memory.get(), 3 * 48);
    const Owned<cl_mem> image = makeImage(imported(memory.give()), desc);
    const std::array<cl_uint, 4> colour = {1, 2, 3, 4};
    const std::array<size_t, 3> origin = {1, 2, 1}, region = {3, 1, 2};
    acquire(queue_, image);
    ASSERT_EQ(clEnqueueFillImage(queue_, image, colour.data(), origin.data(), region.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    giveBack(queue_, image);
    for (size_t i = 0; i < 3 * 48; ++i) {
      const size_t x = i % 8, y = i / 8 % 6, z = i / 48;
      const bool isFilled = x >= 1 && x < 4 && y == 2 && z >= 1;
      ASSERT_EQ(view.words()[i], isFilled ? 0x04030201u : 0u) << x << ' ' << y << ' ' << z;
    }
  }
}

// --- Commands ---

TEST_F(ExternalMemoryTest, EventsOfTheCommands) {
  Descriptor memory = makeMemory(kWords);
  const Owned<cl_mem> buffer = makeBuffer(imported(memory.give()));
  const cl_mem raw = buffer;
  const auto typeOf = [](cl_event event) {
    return valueAnswer<cl_command_type>(CLOTHO_INFO(clGetEventInfo, event, CL_EVENT_COMMAND_TYPE));
  };
  for (const cl_mem* list : {&raw, static_cast<const cl_mem*>(nullptr)}) { // without objects it is a marker
    Owned<cl_event> before = makeUserEvent(), acquired, released;
    cl_event wait = before;
    ASSERT_EQ(acquire_(queue_, list ? 1 : 0, list, 1, &wait, acquired.out()), CL_SUCCESS);
    ASSERT_EQ(release_(queue_, list ? 1 : 0, list, 0, nullptr, released.out()), CL_SUCCESS);
    EXPECT_EQ(typeOf(acquired), cl_command_type{CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR});
    EXPECT_EQ(typeOf(released), cl_command_type{CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR});
    EXPECT_GT(statusOf(acquired), CL_COMPLETE);
    ASSERT_EQ(clSetUserEventStatus(before, CL_COMPLETE), CL_SUCCESS);
    ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
    EXPECT_EQ(statusOf(acquired), CL_COMPLETE);
    EXPECT_EQ(statusOf(released), CL_COMPLETE);
  }
}

TEST_F(ExternalMemoryTest, LivesUntilItsCommandsAreDone) {
  Descriptor memory = makeMemory(kWords);
  FakeDmaBuf dmaBuf(kWords * sizeof(cl_uint));
  const OtherView view(memory.get(), kWords);
  Owned<cl_mem> buffer = makeBuffer(imported(memory.give())),
                announced = makeBuffer(imported(dmaBuf.file(), CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR));
  Owned<cl_event> before = makeUserEvent();
  cl_event wait = before;
  ASSERT_EQ(clEnqueueMarkerWithWaitList(queue_, 1, &wait, nullptr), CL_SUCCESS);
  for (cl_mem each : {buffer.get(), announced.get()}) {
    acquire(queue_, each);
    add(queue_, each, 3);
    ASSERT_EQ(release_(queue_, 1, &each, 0, nullptr, nullptr), CL_SUCCESS);
  }
  *buffer.out() = *announced.out() = nullptr;
  ASSERT_EQ(clSetUserEventStatus(before, CL_COMPLETE), CL_SUCCESS);
  ASSERT_EQ(clFinish(queue_), CL_SUCCESS);
  EXPECT_EQ(view.words()[kWords - 1], 3u);
  EXPECT_EQ(dmaBuf.words()[kWords - 1], 3u);
}

TEST_F(ExternalMemoryTest, Threads) {
  std::vector<std::thread> threads;
  for (cl_uint who = 0; who < 4; ++who)
    threads.emplace_back([this, who] {
      Owned<cl_command_queue> queue = makeQueue();
      for (cl_uint round = 0; round < 100; ++round) {
        Descriptor memory = makeMemory(kWords);
        const OtherView view(memory.get(), kWords);
        const Owned<cl_mem> buffer = makeBuffer(imported(memory.give()));
        view.words()[round] = round;
        acquire(queue, buffer);
        const cl_uint pattern = who * 1000 + round;
        ASSERT_EQ(clEnqueueFillBuffer(queue, buffer, &pattern, 4, 400, 400, 0, nullptr, nullptr), CL_SUCCESS);
        giveBack(queue, buffer);
        ASSERT_EQ(view.words()[round], round);
        ASSERT_EQ(view.words()[100], pattern);
        ASSERT_EQ(view.words()[199], pattern);
        ASSERT_EQ(view.words()[200], 0u);
      }
    });
  for (std::thread& thread : threads)
    thread.join();
}

} // namespace clotho::test
