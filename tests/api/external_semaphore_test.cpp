// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// cl_khr_external_semaphore with cl_khr_external_semaphore_sync_fd: semaphores made of sync files.
#include "fake_descriptors.hpp"
#include "semaphores.hpp"

#include <array>
#include <chrono>
#include <fcntl.h>
#include <memory>
#include <sys/ioctl.h>
#include <thread>
#include <unistd.h>

namespace clotho::test {

namespace {

constexpr cl_int kFailed = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;

class ExternalSemaphoreTest : public SemaphoreApi {
 protected:
  /// As applications write it.
  Properties imported(int fd) const {
    return binary({CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, static_cast<cl_semaphore_properties_khr>(fd)});
  }
  template <class Condition> static bool comesTrue(Condition&& condition) {
    for (int i = 0; i < 10'000 && !condition(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return condition();
  }
};

} // namespace

TEST_F(ExternalSemaphoreTest, SyncFilesAreImportedAndNothingIsExported) {
  using Types = std::vector<cl_external_semaphore_handle_type_khr>;
  const auto ofDevice = [](cl_device_info name) {
    return listAnswer<cl_external_semaphore_handle_type_khr>(CLOTHO_INFO(clGetDeviceInfo, device_, name));
  };
  const auto ofPlatform = [](cl_platform_info name) {
    return listAnswer<cl_external_semaphore_handle_type_khr>(CLOTHO_INFO(clGetPlatformInfo, platform_, name));
  };
  EXPECT_EQ(ofDevice(CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR), Types{CL_SEMAPHORE_HANDLE_SYNC_FD_KHR});
  EXPECT_EQ(ofDevice(CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR), Types{});
  EXPECT_EQ(ofPlatform(CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR), Types{CL_SEMAPHORE_HANDLE_SYNC_FD_KHR});
  EXPECT_EQ(ofPlatform(CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR), Types{});
}

TEST_F(ExternalSemaphoreTest, MinusOneIsSignalled) {
  for (cl_semaphore_properties_khr minusOne :
       {~cl_semaphore_properties_khr{0}, cl_semaphore_properties_khr{0xffffffff}}) {
    const Properties properties = binary({CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, minusOne});
    const Semaphore semaphore = make(properties);
    EXPECT_EQ(payload(semaphore), 1u);
    EXPECT_EQ(statusAtEnd(wait(queue_, {semaphore.get()})), CL_COMPLETE);
    EXPECT_EQ(payload(semaphore), 0u);
    EXPECT_EQ(listAnswer<cl_semaphore_properties_khr>(CLOTHO_INFO(info_, semaphore.get(), CL_SEMAPHORE_PROPERTIES_KHR)),
              properties);
    // From here on it is like any other.
    signal(queue_, {semaphore.get()});
    EXPECT_EQ(statusAtEnd(wait(queue_, {semaphore.get()})), CL_COMPLETE);
  }
}

TEST_F(ExternalSemaphoreTest, WaitsForTheFence) {
  FakeFence fence;
  const Semaphore semaphore = make(imported(fence.syncFile()));
  Owned<cl_event> waited = wait(queue_, {semaphore.get()});
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(statusOf(waited), CL_SUBMITTED);
  EXPECT_EQ(payload(semaphore), 0u);
  EXPECT_TRUE(isOpen(fence.syncFile()));
  fence.signal();
  EXPECT_EQ(statusAtEnd(waited), CL_COMPLETE);
  EXPECT_EQ(payload(semaphore), 0u);
  // The descriptor was given away.
  EXPECT_TRUE(comesTrue([&] { return !isOpen(fence.syncFile()); }));
}

TEST_F(ExternalSemaphoreTest, FencesThatAreOverAreSignalledAtOnce) {
  FakeFence fence;
  fence.signal();
  const Semaphore semaphore = make(imported(fence.syncFile()));
  EXPECT_FALSE(isOpen(fence.syncFile()));
  EXPECT_EQ(payload(semaphore), 1u);
  EXPECT_EQ(statusAtEnd(wait(queue_, {semaphore.get()})), CL_COMPLETE);
}

TEST_F(ExternalSemaphoreTest, BecomesSignalledWithoutAWait) {
  FakeFence fence;
  const Semaphore semaphore = make(imported(fence.syncFile()));
  EXPECT_EQ(payload(semaphore), 0u);
  fence.signal();
  EXPECT_TRUE(comesTrue([&] { return payload(semaphore) == 1; }));
  EXPECT_EQ(statusAtEnd(wait(queue_, {semaphore.get()})), CL_COMPLETE);
}

TEST_F(ExternalSemaphoreTest, FencesThatFailFailTheWait) {
  for (bool isOverBefore : {false, true}) {
    FakeFence fence;
    if (isOverBefore) fence.fail();
    const Semaphore semaphore = make(imported(fence.syncFile()));
    if (isOverBefore) { // the semaphore counts as not signalled
      EXPECT_EQ(payload(semaphore), 0u);
      signal(queue_, {semaphore.get()});
      EXPECT_EQ(statusAtEnd(wait(queue_, {semaphore.get()})), CL_COMPLETE);
      continue;
    }
    Owned<cl_event> waited = wait(queue_, {semaphore.get()});
    fence.fail();
    EXPECT_EQ(statusAtEnd(waited), kFailed);
    EXPECT_EQ(payload(semaphore), 0u);
  }
}

TEST_F(ExternalSemaphoreTest, WhatIsNoSyncFileStaysTheCallers) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const Descriptor reading(ends[0]), writing(ends[1]);
  const Descriptor file(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  const Semaphore semaphore = make(imported(-1));
  for (int fd : {reading.get(), writing.get(), file.get()}) {
    make(imported(fd), CL_INVALID_PROPERTY);
    EXPECT_EQ(reimport_(semaphore.get(), nullptr, fd), CL_INVALID_VALUE);
    EXPECT_TRUE(isOpen(fd));
  }
  for (int fd : {-2, 1'000'000}) {
    make(imported(fd), CL_INVALID_PROPERTY);
    EXPECT_EQ(reimport_(semaphore.get(), nullptr, fd), CL_INVALID_VALUE);
  }
  make(binary({CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, cl_semaphore_properties_khr{1} << 40}), CL_INVALID_PROPERTY);
  EXPECT_EQ(payload(semaphore), 1u); // as it was
}

TEST_F(ExternalSemaphoreTest, CreateErrors) {
  FakeFence fence;
  const auto fd = static_cast<cl_semaphore_properties_khr>(fence.syncFile());
  make({CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, fd, 0}, CL_INVALID_VALUE);
  make(binary({CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, fd, CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, fd}), CL_INVALID_PROPERTY);
  make(binary({CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, fd, CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR, fd}), CL_INVALID_PROPERTY);
  make(binary({CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, fd, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
               CL_SEMAPHORE_HANDLE_SYNC_FD_KHR, CL_SEMAPHORE_EXPORT_HANDLE_TYPES_LIST_END_KHR}),
       CL_INVALID_OPERATION);
  EXPECT_TRUE(isOpen(fence.syncFile()));
  const Descriptor ours(fence.syncFile());
}

TEST_F(ExternalSemaphoreTest, ReImport) {
  FakeFence first, second, third;
  const Semaphore semaphore = make(imported(first.syncFile()));
  Owned<cl_event> waited = wait(queue_, {semaphore.get()});
  first.signal();
  EXPECT_EQ(statusAtEnd(waited), CL_COMPLETE);
  ASSERT_EQ(reimport_(semaphore.get(), nullptr, second.syncFile()), CL_SUCCESS);
  waited = wait(queue_, {semaphore.get()});
  EXPECT_EQ(payload(semaphore), 0u);
  second.signal();
  EXPECT_EQ(statusAtEnd(waited), CL_COMPLETE);
  const std::array<cl_semaphore_reimport_properties_khr, 2> none = {0, 1};
  auto* noProperties = const_cast<cl_semaphore_reimport_properties_khr*>(none.data());
  ASSERT_EQ(reimport_(semaphore.get(), noProperties, -1), CL_SUCCESS);
  EXPECT_EQ(payload(semaphore), 1u);
  // A payload that was imported before, and that no command waited for, is gone.
  ASSERT_EQ(reimport_(semaphore.get(), nullptr, third.syncFile()), CL_SUCCESS);
  EXPECT_EQ(payload(semaphore), 0u);
  waited = wait(queue_, {semaphore.get()});
  third.signal();
  EXPECT_EQ(statusAtEnd(waited), CL_COMPLETE);

  EXPECT_EQ(reimport_(semaphore.get(), noProperties + 1, -1), CL_INVALID_PROPERTY);
  const Semaphore own = make();
  EXPECT_EQ(reimport_(own.get(), nullptr, -1), CL_INVALID_SEMAPHORE_KHR);
}

// The semaphore may be gone before its fence, and others may keep duplicates of what was imported.
TEST_F(ExternalSemaphoreTest, FencesOutliveSemaphores) {
  FakeFence fence, later;
  make(imported(fence.syncFile())).reset();
  Semaphore semaphore = make(imported(later.syncFile()));
  Owned<cl_event> waited = wait(queue_, {semaphore.get()});
  semaphore.reset();
  fence.signal();
  later.signal();
  EXPECT_EQ(statusAtEnd(waited), CL_COMPLETE);
  for (const FakeFence* each : {&fence, &later})
    EXPECT_TRUE(comesTrue([&] { return !isOpen(each->syncFile()); }));
}

TEST_F(ExternalSemaphoreTest, ManyFencesInAnyOrder) {
  constexpr size_t kCount = 200;
  std::vector<std::unique_ptr<FakeFence>> fences;
  std::vector<Semaphore> semaphores;
  std::vector<Owned<cl_event>> waits;
  Owned<cl_command_queue> queue = makeQueue(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
  for (size_t i = 0; i < kCount; ++i) {
    fences.push_back(std::make_unique<FakeFence>());
    semaphores.push_back(make(imported(fences.back()->syncFile())));
    waits.push_back(wait(queue, {semaphores.back().get()}));
  }
  for (size_t i = 0; i < kCount; ++i) {
    const size_t next = (i * 77 + 13) % kCount; // each once
    fences[next]->signal();
    EXPECT_EQ(statusAtEnd(waits[next]), CL_COMPLETE);
    if (i + 1 < kCount) EXPECT_GT(statusOf(waits[((i + 1) * 77 + 13) % kCount]), CL_COMPLETE);
  }
  ASSERT_EQ(clFinish(queue), CL_SUCCESS);
}

// Sync files that the kernel makes, if it can make any, work as the fake ones do.
TEST_F(ExternalSemaphoreTest, SyncFilesOfTheKernel) {
  struct CreateFence { // of drivers/dma-buf/sw_sync.c, which has no header
    std::uint32_t value;
    std::array<char, 32> name;
    std::int32_t fence;
  };
  constexpr unsigned long kCreate = _IOWR('W', 0, CreateFence), kIncrement = _IOW('W', 1, std::uint32_t);
  const Descriptor timeline(open("/sys/kernel/debug/sync/sw_sync", O_RDWR | O_CLOEXEC));
  if (timeline.get() < 0) GTEST_SKIP() << "this kernel has no sw_sync, or root alone may use it";
  CreateFence request{1, {"clotho"}, -1};
  ASSERT_EQ(ioctl(timeline.get(), kCreate, &request), 0);
  const Semaphore semaphore = make(imported(request.fence));
  Owned<cl_event> waited = wait(queue_, {semaphore.get()});
  EXPECT_EQ(statusOf(waited), CL_SUBMITTED);
  std::uint32_t one = 1;
  ASSERT_EQ(ioctl(timeline.get(), kIncrement, &one), 0);
  EXPECT_EQ(statusAtEnd(waited), CL_COMPLETE);
}

} // namespace clotho::test
