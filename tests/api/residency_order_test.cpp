// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory objects of several devices, and what orders, ends or outlives the commands that use them.
#include "residency.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace clotho::test {

namespace {

using namespace residency;

constexpr cl_int kForItsWaitList = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;

struct NativeArguments {
  cl_uint number;
  cl_uint* words;
  const cl_uint* others;
};

/// As `change`, of the sum with a buffer that is read.
void CL_CALLBACK changeNatively(void* raw) {
  const auto& arguments = *static_cast<const NativeArguments*>(raw);
  for (cl_uint i = 0; i < kCount; ++i)
    arguments.words[i] = changed(arguments.words[i] + arguments.others[i], arguments.number, i);
}

class ResidencyOrderTest : public Residency {
 protected:
  static bool soon(const std::atomic<int>& value, int expected) {
    for (int i = 0; i < 10000 && value != expected; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return value == expected;
  }
};

TEST_F(ResidencyOrderTest, NativeKernelsWorkOnWhatDevicesWrote) {
  CLOTHO_NEEDS(hasNativeKernels());
  Words model = numbered(), other = numbered(kCount, 11);
  Owned<cl_mem> buffer = makeWords(model), second = makeWords(other);
  for (cl_uint i = 0; i < 3 * places(); ++i) {
    Owned<cl_event> a = change(loose(i), buffer, model, i), b = change(loose(i + 1), second, other, i), native;
    NativeArguments arguments{i, nullptr, nullptr};
    const cl_mem memory[] = {buffer, second};
    const void* places[] = {&arguments.words, &arguments.others};
    const cl_event before[] = {a, b};
    ASSERT_EQ(clEnqueueNativeKernel(loose(i * i), changeNatively, &arguments, sizeof arguments, 2, memory, places, 2,
                                    before, native.out()),
              CL_SUCCESS);
    for (cl_uint k = 0; k < kCount; ++k)
      model[k] = changed(model[k] + other[k], i, k);
    EXPECT_EQ(read(loose(i), buffer, kCount, {native}), model) << "where it was written before";
    EXPECT_EQ(read(loose(i + 2), buffer, kCount, {native}), model);
  }
  expectEverywhere(buffer, model);
  expectEverywhere(second, other);
}

// The order of the calls says nothing of the order in which commands run.
TEST_F(ResidencyOrderTest, UserEventsGateAChainThatWasEnqueuedBackwards) {
  Words model = numbered();
  Owned<cl_mem> buffer = makeWords(model);
  constexpr cl_uint kSteps = 12;
  std::vector<Owned<cl_event>> gates, done(kSteps);
  for (cl_uint i = 0; i <= kSteps; ++i)
    gates.push_back(makeUserEvent());
  for (cl_uint i = kSteps; i-- > 0;)
    done[i] = launch(loose(i * 5 + i / 3), "change", {buffer.get(), i}, kCount, {gates[i]});
  for (cl_uint i = 0; i < kSteps; ++i) {
    ASSERT_EQ(clSetUserEventStatus(gates[i], CL_COMPLETE), CL_SUCCESS);
    ASSERT_EQ(wait(done[i]), CL_SUCCESS);
    for (cl_uint k = 0; k < kCount; ++k)
      model[k] = changed(model[k], i, k);
    if (i % 4 == 0) EXPECT_EQ(read(loose(i), buffer, kCount), model);
  }
  expectEverywhere(buffer, model);
}

TEST_F(ResidencyOrderTest, CommandsThatNeverRunLeaveEverythingAsItWas) {
  Words model = numbered();
  Owned<cl_mem> buffer = makeWords(model);
  for (cl_uint i = 0; i < places(); ++i) {
    ASSERT_EQ(wait(change(loose(i), buffer, model, i)), CL_SUCCESS);
    Owned<cl_event> gate = makeUserEvent();
    const cl_event before = gate;
    const cl_uint pattern = 0xdeadbeef;
    const Words fresh(kCount, pattern);
    std::vector<Owned<cl_event>> failed(5);
    failed[0] = launch(loose(i + 1), "replace", {buffer.get(), i}, kCount, {gate});
    EXPECT_EQ(clEnqueueFillBuffer(loose(i + 1), buffer, &pattern, 4, 0, kCount * 4, 1, &before, failed[1].out()),
              CL_SUCCESS);
    EXPECT_EQ(
        clEnqueueWriteBuffer(loose(i + 2), buffer, CL_FALSE, 0, kCount * 4, fresh.data(), 1, &before, failed[2].out()),
        CL_SUCCESS);
    const cl_mem list = buffer;
    EXPECT_EQ(clEnqueueMigrateMemObjects(loose(i + 1), 1, &list, CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED, 1, &before,
                                         failed[3].out()),
              CL_SUCCESS);
    failed[4] = launch(loose(i + 2), "change", {buffer.get(), i}, kCount, {failed[0]});
    ASSERT_EQ(clSetUserEventStatus(gate, -5), CL_SUCCESS);
    for (const Owned<cl_event>& event : failed) {
      EXPECT_EQ(wait(event), kForItsWaitList);
      EXPECT_EQ(statusOf(event), kForItsWaitList);
    }
    expectEverywhere(buffer, model);
  }
}

TEST_F(ResidencyOrderTest, AfterAFaultOtherBuffersAndCommandsAreFine) {
  CLOTHO_NEEDS(survivesFaults());
  Words model = numbered(), other = numbered(kCount, 3);
  Owned<cl_mem> buffer = makeWords(model), second = makeWords(other);
  for (cl_uint i = 0; i < places(); ++i) {
    Owned<cl_event> before = change(ordered(i + 1), buffer, model, i);
    Owned<cl_event> beside = change(ordered(i), second, other, i);
    Owned<cl_event> fault = launch(ordered(i), "fault", {buffer.get(), 16U}, 1, {before});
    Owned<cl_event> behind = change(ordered(i), second, other, i + 1);
    Owned<cl_event> waits = launch(ordered(i + 2), "change", {second.get(), i}, kCount, {fault});
    ASSERT_EQ(wait(behind), CL_SUCCESS) << "an in-order queue goes on";
    EXPECT_LT(statusOf(fault), 0);
    EXPECT_EQ(wait(waits), kForItsWaitList);
    EXPECT_EQ(read(loose(i + 1), buffer, kCount), model) << "it only read there";
    expectEverywhere(second, other);
  }
}

TEST_F(ResidencyOrderTest, EverythingIsReleasedWhileCommandsRun) {
  for (cl_uint round = 0; round < 5; ++round) {
    alignas(128) static cl_uint host[kCount];
    Words model = numbered(kCount, round), seen(kCount);
    std::copy(model.begin(), model.end(), host);
    std::atomic<int> destroyed{0};
    Owned<cl_event> gate = makeUserEvent(), last;
    {
      Owned<cl_mem> buffer = makeBuffer(sizeof host, CL_MEM_USE_HOST_PTR, host);
      Owned<cl_mem> copy = makeBuffer(sizeof host);
      for (cl_mem each : {buffer.get(), copy.get()})
        ASSERT_EQ(clSetMemObjectDestructorCallback(
                      each, [](cl_mem, void* count) { ++*static_cast<std::atomic<int>*>(count); }, &destroyed),
                  CL_SUCCESS);
      last = launch(loose(0), "change", {buffer.get(), 0U}, kCount, {gate});
      for (cl_uint k = 0; k < kCount; ++k)
        model[k] = changed(model[k], 0, k);
      for (cl_uint i = 1; i < 20; ++i) {
        Owned<cl_event> next = change(i % 2 ? loose(i * i) : ordered(i), buffer, model, i, {last});
        last = std::move(next);
      }
      cl_event before = last;
      Owned<cl_event> copied;
      ASSERT_EQ(clEnqueueCopyBuffer(loose(1), buffer, copy, 0, 0, sizeof host, 1, &before, copied.out()), CL_SUCCESS);
      before = copied;
      ASSERT_EQ(clEnqueueReadBuffer(loose(2), copy, CL_FALSE, 0, sizeof host, seen.data(), 1, &before, last.out()),
                CL_SUCCESS);
    }
    if (round == 4) { // and all that they came from
      for (auto* queues : {&ordered_, &loose_})
        queues->clear();
      queue_ = {};
      program_ = {};
      context_ = {};
    }
    EXPECT_EQ(destroyed, 0);
    ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    gate = {};
    // A buffer that is gone does not write to the application's memory any more.
    ASSERT_TRUE(soon(destroyed, 2));
    std::fill(std::begin(host), std::end(host), 0xabababab);
    ASSERT_EQ(wait(last), CL_SUCCESS);
    EXPECT_EQ(seen, model);
    EXPECT_TRUE(std::all_of(std::begin(host), std::end(host), [](cl_uint word) { return word == 0xabababab; }));
  }
}

TEST_F(ResidencyOrderTest, SubDevicesHaveTheirRootsMemory) {
  CLOTHO_NEEDS(hasSubDevices());
  const size_t roots = devices_.size();
  std::vector<cl_device_id> all = devices_, made;
  for (size_t i = 0; i < roots; ++i) {
    const cl_device_partition_property equally[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    cl_uint count = 0;
    ASSERT_EQ(clCreateSubDevices(devices_[i], equally, 0, nullptr, &count), CL_SUCCESS);
    std::vector<cl_device_id> parts(count);
    ASSERT_EQ(clCreateSubDevices(devices_[i], equally, count, parts.data(), nullptr), CL_SUCCESS);
    made.insert(made.end(), parts.begin(), parts.end());
    all.insert(all.end(), parts.begin(), parts.begin() + 2);
  }
  // Once with the root devices and once without.
  for (size_t first : {size_t{0}, roots}) {
    const std::vector<cl_device_id> devices(all.begin() + static_cast<std::ptrdiff_t>(first), all.end());
    cl_int status = 1;
    const auto count = static_cast<cl_uint>(devices.size());
    context_ = clCreateContext(nullptr, count, devices.data(), nullptr, nullptr, &status);
    ASSERT_EQ(status, CL_SUCCESS);
    const char* source = "kernel void change(global uint* words, uint number) {"
                         "  uint i = get_global_id(0); words[i] = words[i] * 3 + number + i; }";
    program_ = makeProgram(source);
    ASSERT_EQ(clBuildProgram(program_, 0, nullptr, "", nullptr, nullptr), CL_SUCCESS);
    std::vector<Owned<cl_command_queue>> queues;
    for (cl_device_id device : devices) {
      queues.emplace_back(clCreateCommandQueueWithProperties(context_, device, nullptr, &status));
      ASSERT_EQ(status, CL_SUCCESS);
    }
    Words model = numbered();
    Owned<cl_mem> buffer = makeWords(model);
    Owned<cl_event> last;
    for (cl_uint i = 0; i < 4 * queues.size(); ++i) {
      Events before;
      if (last) before.push_back(last);
      Owned<cl_event> next = change(queues[i * 3 % queues.size()], buffer, model, i, before);
      last = std::move(next);
    }
    ASSERT_EQ(wait(last), CL_SUCCESS);
    for (const Owned<cl_command_queue>& queue : queues)
      EXPECT_EQ(read(queue, buffer, kCount), model);
  }
  for (cl_device_id device : made)
    EXPECT_EQ(clReleaseDevice(device), CL_SUCCESS);
}

} // namespace

} // namespace clotho::test
