// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random command graphs, made by several threads at once and checked against the order that their dependencies demand.
#include "fixture.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <random>
#include <thread>

namespace clotho::test {

namespace {

using Tick = cl_uint;
constexpr int kThreads = 8;
constexpr int kQueues = 4; ///< the last one in order
constexpr cl_uint kPerThread = kSanitized ? 600 : 2500;
constexpr cl_uint kMost = kThreads * kPerThread + 1; ///< 0 is no command's number
constexpr int kMaxWaits = 4;

enum class Kind : unsigned char { Kernel, Native, Marker, Barrier, User };

/// What happened to one command, on one clock that counts every tick. Kernels and native kernels write it.
struct Trace {
  Tick begin = 0, end = 0; ///< 0: it never ran
  cl_uint value = 0;       ///< made of the values of what it waited for, so it shows whether their writes were seen
};

cl_uint valueOf(cl_uint number, const std::array<cl_uint, kMaxWaits>& ofWaits) {
  cl_uint value = number * 2654435761u;
  for (cl_uint wait : ofWaits)
    value = value * 31 + wait;
  return value;
}

constexpr const char* kSource = R"(
typedef struct { uint begin, end, value; } Trace;
kernel void step(global Trace* traces, global uint* clock, uint number, uint a, uint b, uint c, uint d) {
  traces[number].begin = atomic_inc(clock);
  uint value = number * 2654435761u;
  value = value * 31 + traces[a].value;
  value = value * 31 + traces[b].value;
  value = value * 31 + traces[c].value;
  value = value * 31 + traces[d].value;
  traces[number].value = value;
  traces[number].end = atomic_inc(clock);
})";

/// A command as its thread knew it. `before` and `after` are the clock around the call that enqueued it.
struct Record {
  cl_uint number = 0;
  Kind kind = Kind::Kernel;
  int queue = -1;
  Tick before = 0, after = 0;
  std::vector<cl_uint> waits;
  bool fails = false; ///< a user event that ends with an error
  cl_int status = 1;  ///< what its event said in the end, if that was looked at
};

class GraphRandomTest;

struct NativeArguments {
  GraphRandomTest* test;
  cl_uint number;
  std::array<cl_uint, kMaxWaits> waits;
};

class GraphRandomTest : public Api {
 protected:
  struct Published {
    cl_uint number = 0;
    Owned<cl_event> event;
  };

  void SetUp() override {
    Api::SetUp();
    for (int i = 0; i < kQueues; ++i)
      queues_.push_back(makeQueue(i + 1 < kQueues ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0));
    traces_ = std::make_unique<Trace[]>(kMost);
    clock_ = std::make_unique<std::atomic<Tick>>(1);
    program_ = buildProgram(kSource);
    // Host and kernels work on the same memory at the same time: the device is this processor.
    traceBuffer_ = makeBuffer(kMost * sizeof(Trace), CL_MEM_USE_HOST_PTR, traces_.get());
    clockBuffer_ = makeBuffer(sizeof(Tick), CL_MEM_USE_HOST_PTR, clock_.get());
  }
  void TearDown() override {
    for (const Owned<cl_command_queue>& queue : queues_)
      EXPECT_EQ(clFinish(queue), CL_SUCCESS);
    Api::TearDown();
  }

  Tick tick() { return clock_->fetch_add(1); }
  void expect(cl_int status) { failures_ += status != CL_SUCCESS; }

  static void CL_CALLBACK runNative(void* raw) {
    const auto& arguments = *static_cast<const NativeArguments*>(raw);
    GraphRandomTest& test = *arguments.test;
    Trace& trace = test.traces_[arguments.number];
    trace.begin = test.tick();
    std::array<cl_uint, kMaxWaits> values;
    for (int i = 0; i < kMaxWaits; ++i)
      values[static_cast<size_t>(i)] = test.traces_[arguments.waits[static_cast<size_t>(i)]].value;
    trace.value = valueOf(arguments.number, values);
    trace.end = test.tick();
  }

  /// One thread's part. It holds some of its own events and shares others with all.
  void enqueueAll(int thread, std::vector<Record>& records);
  void enqueueOne(Record& record, cl_kernel kernel, const std::vector<cl_event>& waits, cl_event* out);
  void setOneUserEvent(std::mt19937& random);
  void check();
  Tick endOf(const Record& record) const { return traces_[record.number].end; }

  std::vector<Owned<cl_command_queue>> queues_;
  std::unique_ptr<Trace[]> traces_;
  std::unique_ptr<std::atomic<Tick>> clock_;
  Owned<cl_program> program_;
  Owned<cl_mem> traceBuffer_, clockBuffer_;
  std::atomic<int> failures_{0};

  std::mutex mutex_;
  std::vector<Published> shared_;                          // for everybody's wait lists
  std::vector<std::pair<Record*, Owned<cl_event>>> unset_; // user events

  std::vector<std::vector<Record>> records_{kThreads};
};

void GraphRandomTest::setOneUserEvent(std::mt19937& random) {
  std::pair<Record*, Owned<cl_event>> chosen;
  {
    std::lock_guard lock(mutex_);
    if (unset_.empty()) return;
    std::swap(unset_[random() % unset_.size()], unset_.back());
    chosen = std::move(unset_.back());
    unset_.pop_back();
  }
  // Its waiters begin after this.
  traces_[chosen.first->number].end = tick();
  expect(clSetUserEventStatus(chosen.second, chosen.first->fails ? -33 : CL_COMPLETE));
}

void GraphRandomTest::enqueueOne(Record& record, cl_kernel kernel, const std::vector<cl_event>& waits, cl_event* out) {
  const auto count = static_cast<cl_uint>(waits.size());
  const cl_event* list = waits.empty() ? nullptr : waits.data();
  cl_command_queue queue = record.queue < 0 ? nullptr : queues_[static_cast<size_t>(record.queue)].get();
  std::array<cl_uint, kMaxWaits> numbers{};
  std::copy(record.waits.begin(), record.waits.end(), numbers.begin());
  switch (record.kind) {
  case Kind::Kernel:
    expect(clSetKernelArg(kernel, 2, sizeof record.number, &record.number));
    for (cl_uint i = 0; i < kMaxWaits; ++i)
      expect(clSetKernelArg(kernel, 3 + i, sizeof(cl_uint), &numbers[i]));
    return expect(clEnqueueTask(queue, kernel, count, list, out));
  case Kind::Native: {
    NativeArguments arguments{this, record.number, numbers};
    return expect(
        clEnqueueNativeKernel(queue, runNative, &arguments, sizeof arguments, 0, nullptr, nullptr, count, list, out));
  }
  case Kind::Marker: return expect(clEnqueueMarkerWithWaitList(queue, count, list, out));
  case Kind::Barrier: return expect(clEnqueueBarrierWithWaitList(queue, count, list, out));
  case Kind::User: {
    cl_int status = 1;
    *out = clCreateUserEvent(context_, &status);
    return expect(status);
  }
  }
}

void GraphRandomTest::enqueueAll(int thread, std::vector<Record>& records) {
  std::mt19937 random(static_cast<unsigned>(thread) + 1);
  cl_int status = 1;
  Owned<cl_kernel> kernel = clCreateKernel(program_, "step", &status);
  expect(status);
  for (cl_uint i = 0; i < 2; ++i) {
    cl_mem buffer = i ? clockBuffer_ : traceBuffer_;
    expect(clSetKernelArg(kernel, i, sizeof buffer, &buffer));
  }
  std::vector<std::pair<Record*, Owned<cl_event>>> own;
  records.resize(kPerThread); // before pointers to its elements are taken
  for (cl_uint i = 0; i < kPerThread; ++i) {
    Record& record = records[i];
    record.number = static_cast<cl_uint>(thread) * kPerThread + i + 1;
    unsigned dice = random() % 100;
    record.kind = dice < 70   ? Kind::Kernel
                  : dice < 78 ? Kind::Native
                  : dice < 84 ? Kind::Marker
                  : dice < 90 ? Kind::Barrier
                              : Kind::User;
    std::vector<cl_event> waits;
    std::vector<Owned<cl_event>> borrowed; // others may release theirs meanwhile
    if (record.kind != Kind::User) {
      record.queue = static_cast<int>(random() % kQueues);
      for (unsigned k = random() % (kMaxWaits + 1); k > 0; --k) {
        if (random() % 2 && !own.empty()) {
          const auto& [waited, event] = own[random() % own.size()];
          record.waits.push_back(waited->number);
          waits.push_back(event);
          continue;
        }
        std::lock_guard lock(mutex_);
        if (shared_.empty()) continue;
        const Published& published = shared_[random() % shared_.size()];
        expect(clRetainEvent(published.event));
        waits.push_back(borrowed.emplace_back(published.event.get()));
        record.waits.push_back(published.number);
      }
    } else {
      record.fails = random() % 8 == 0;
    }
    Owned<cl_event> event;
    record.before = tick();
    enqueueOne(record, kernel, waits, event.out());
    record.after = tick();

    if (record.kind == Kind::User) {
      expect(clRetainEvent(event));
      std::lock_guard lock(mutex_);
      unset_.emplace_back(&record, Owned<cl_event>(event.get()));
    }
    if (random() % 4 == 0) {
      expect(clRetainEvent(event));
      Published published{record.number, event.get()};
      std::lock_guard lock(mutex_);
      if (shared_.size() < 32)
        shared_.push_back(std::move(published));
      else
        std::swap(shared_[random() % shared_.size()], published); // and the other is released
    }
    if (own.size() < 16)
      own.emplace_back(&record, std::move(event));
    else if (random() % 4)
      own[random() % own.size()] = {&record, std::move(event)};
    if (random() % 8 == 0) setOneUserEvent(random);
    if (random() % 16 == 0) expect(clFlush(queues_[random() % kQueues]));
    if (random() % 128 == 0) {
      // What was waited for is done by then; user events that it may need are set by this thread, so that it ends.
      for (int k = 0; k < 1000; ++k)
        setOneUserEvent(random);
      const auto& [waited, waitedFor] = own[random() % own.size()];
      if (random() % 2 && waited->kind == Kind::Kernel) {
        cl_event wait = waitedFor;
        cl_int waitStatus = clWaitForEvents(1, &wait);
        expect(
            clGetEventInfo(wait, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof waited->status, &waited->status, nullptr));
        failures_ += (waitStatus == CL_SUCCESS) != (waited->status == CL_COMPLETE);
        failures_ += waited->status > CL_COMPLETE;
      }
    }
  }
  for (const auto& [waited, event] : own)
    if (random() % 2) expect(clRetainEvent(event)), expect(clReleaseEvent(event));
}

void GraphRandomTest::check() {
  std::vector<const Record*> all;
  for (const std::vector<Record>& records : records_)
    for (const Record& record : records)
      all.push_back(&record);
  // What a command depends on was enqueued before it.
  std::sort(all.begin(), all.end(), [](const Record* a, const Record* b) { return a->before < b->before; });
  std::vector<Tick> over(kMost, 0); // no successor may begin before this
  std::vector<bool> failed(kMost, false);
  int wrong = 0, ran = 0, notRun = 0, orders = 0;
  // Commands of each queue: all of them, and the sync commands that hold later ones back.
  std::array<std::vector<const Record*>, kQueues> inQueue, barriers;
  for (const Record* record : all) {
    Tick earliest = 0;
    auto after = [&](const Record& earlier) {
      ++orders;
      earliest = std::max(earliest, over[earlier.number]);
    };
    for (cl_uint wait : record->waits) {
      ++orders;
      earliest = std::max(earliest, over[wait]);
      failed[record->number] = failed[record->number] || failed[wait];
    }
    if (record->kind == Kind::User) {
      over[record->number] = endOf(*record);
      failed[record->number] = record->fails;
      continue;
    }
    auto queue = static_cast<size_t>(record->queue);
    bool inOrder = record->queue + 1 == kQueues;
    bool isSync = record->kind == Kind::Marker || record->kind == Kind::Barrier;
    // Calls of different threads that overlap in time have no order.
    for (const Record* barrier : barriers[queue])
      if (barrier->after < record->before) after(*barrier);
    if (inOrder || (isSync && record->waits.empty()))
      for (const Record* earlier : inQueue[queue])
        if (earlier->after < record->before) after(*earlier);
    inQueue[queue].push_back(record);
    if (record->kind == Kind::Barrier) barriers[queue].push_back(record);

    const Trace& trace = traces_[record->number];
    if (isSync) {
      over[record->number] = earliest;
      continue;
    }
    over[record->number] = failed[record->number] ? 0 : trace.end;
    if (record->status != 1 && (record->status < 0) != failed[record->number]) ++wrong;
    if (failed[record->number]) {
      ++notRun;
      wrong += trace.begin != 0;
      continue;
    }
    ++ran;
    std::array<cl_uint, kMaxWaits> values{};
    for (size_t i = 0; i < record->waits.size(); ++i)
      values[i] = traces_[record->waits[i]].value;
    bool good = trace.begin > earliest && trace.end > trace.begin && trace.begin > record->before &&
                trace.value == valueOf(record->number, values);
    if (!good && wrong++ < 10)
      ADD_FAILURE() << "command " << record->number << " ran from " << trace.begin << " to " << trace.end
                    << ", enqueued at " << record->before << "; what it waits for was over at " << earliest;
  }
  EXPECT_EQ(wrong, 0);
  // Otherwise the test would show nothing.
  EXPECT_GT(ran, static_cast<int>(kMost / 4));
  EXPECT_GT(notRun, 10);
  EXPECT_GT(orders, static_cast<int>(kMost));
}

TEST_F(GraphRandomTest, EightThreadsKeepTheOrderThatDependenciesDemand) {
  if (isFar()) GTEST_SKIP() << "kernels and the host read one clock in memory that they have in common";
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([this, i] { enqueueAll(i, records_[static_cast<size_t>(i)]); });
  // While threads wait others may have created user events that theirs depend on.
  std::atomic<bool> over{false};
  std::thread setter([&] {
    std::mt19937 random(99);
    while (!over) {
      setOneUserEvent(random);
      std::this_thread::yield();
    }
  });
  for (std::thread& thread : threads)
    thread.join();
  over = true;
  setter.join();
  std::mt19937 random(100);
  while (!unset_.empty())
    setOneUserEvent(random);
  shared_.clear();
  for (const Owned<cl_command_queue>& queue : queues_)
    ASSERT_EQ(clFinish(queue), CL_SUCCESS);
  EXPECT_EQ(failures_, 0);
  check();
}

} // namespace

} // namespace clotho::test
