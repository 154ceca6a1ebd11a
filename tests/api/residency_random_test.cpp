// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads with random programs on all devices at once. Each has a buffer of its own, in parts, and all read some in
// common. A command waits for what it must come after and for nothing else. Once it is complete, so is that, and its
// times are in order.
#include "residency.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <random>
#include <thread>

namespace clotho::test {

namespace {

using namespace residency;

constexpr int kThreads = 4;
constexpr int kSteps = kSanitized ? 400 : 4000;
constexpr size_t kParts = 4;
constexpr size_t kPart = 256; ///< words
constexpr size_t kWhole = kParts * kPart;

using Event = std::shared_ptr<Owned<cl_event>>;

class ResidencyRandomTest : public Residency {
 public:
  void SetUp() override {
    Residency::SetUp();
    for (cl_uint i = 0; i < 2; ++i) {
      commonWords_.push_back(numbered(kWhole, 1000 * i));
      common_.push_back(makeWords(commonWords_.back(), CL_MEM_READ_ONLY));
    }
  }

 protected:
  friend class Program;
  std::vector<Words> commonWords_;
  std::vector<Owned<cl_mem>> common_;
};

/// One thread's.
class Program {
 public:
  Program(ResidencyRandomTest& test, unsigned seed);
  void run();

 private:
  /// The parts that a command uses: one, or all of them.
  struct Area {
    size_t first, count;
    bool isWhole() const { return count == kParts; }
    size_t begin() const { return first * kPart; }
    size_t words() const { return count * kPart; }
  };
  /// What a later command on a part may have to wait for.
  struct History {
    Event writer;
    std::vector<Event> readers; ///< since then
  };
  struct Reading {
    Event event;
    std::unique_ptr<Words> seen;
    Words expected;
  };

  size_t pick(size_t count) { return random_() % count; }
  Area pickArea() { return pick(3) ? Area{pick(kParts), 1} : Area{0, kParts}; }
  cl_mem bufferOf(const Area& area) const { return area.isWhole() ? buffer_.get() : parts_[area.first].get(); }
  cl_command_queue pickQueue();
  void expect(cl_int status) { EXPECT_EQ(status, CL_SUCCESS); }

  Events before(const Area& area, bool writes);
  void note(const Area& area, bool writes, Owned<cl_event> event);
  void checkOrder();
  void addGate(Events& waits);
  void openGates();
  void checkReadings();

  void launchOne(const Area& area);
  void copyFromCommon(const Area& area);
  void copyInside();
  void writeOrFill(const Area& area);
  void readOne(const Area& area);
  void mapOne(const Area& area);
  void migrateOne(const Area& area);

  ResidencyRandomTest& test_;
  std::mt19937 random_;
  Words model_;
  Owned<cl_mem> buffer_;
  std::vector<Owned<cl_mem>> parts_;
  std::array<History, kParts> history_;
  std::vector<Reading> readings_;
  std::vector<std::pair<Event, Event>> edges_; ///< commands, and what comes after them
  std::deque<Words> written_;                  ///< what the host writes stays until the write is over
  std::vector<Owned<cl_event>> gates_;
};

Program::Program(ResidencyRandomTest& test, unsigned seed)
    : test_(test), random_(seed), model_(numbered(kWhole, seed * 10000)), buffer_(test.makeWords(model_)) {
  for (size_t i = 0; i < kParts; ++i)
    parts_.push_back(test.part(buffer_, i * kPart, kPart));
}

cl_command_queue Program::pickQueue() {
  const size_t place = pick(test_.places());
  return pick(3) ? test_.loose(place) : test_.ordered(place);
}

Events Program::before(const Area& area, bool writes) {
  Events waits;
  for (size_t i = area.first; i < area.first + area.count; ++i) {
    const History& history = history_[i];
    if (history.writer) waits.push_back(*history.writer);
    for (const Event& reader : history.readers)
      if (writes) waits.push_back(*reader);
  }
  return waits;
}

void Program::note(const Area& area, bool writes, Owned<cl_event> event) {
  const auto shared = std::make_shared<Owned<cl_event>>(std::move(event));
  for (size_t i = area.first; i < area.first + area.count; ++i) {
    if (history_[i].writer) edges_.emplace_back(history_[i].writer, shared);
    for (const Event& reader : history_[i].readers)
      if (writes) edges_.emplace_back(reader, shared);
    if (writes)
      history_[i] = {shared, {}};
    else
      history_[i].readers.push_back(shared);
  }
}

cl_int statusNow(cl_event event) {
  return valueAnswer<cl_int>(CLOTHO_INFO(clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS));
}

struct Times {
  cl_ulong queued, submitted, started, ended;
};

/// False where the event's queue has none.
bool timesOf(cl_event event, Times& times) {
  const auto get = [&](cl_profiling_info what, cl_ulong& time) {
    return clGetEventProfilingInfo(event, what, sizeof time, &time, nullptr) == CL_SUCCESS;
  };
  return get(CL_PROFILING_COMMAND_QUEUED, times.queued) && get(CL_PROFILING_COMMAND_SUBMIT, times.submitted) &&
         get(CL_PROFILING_COMMAND_START, times.started) && get(CL_PROFILING_COMMAND_END, times.ended);
}

void Program::checkOrder() {
  constexpr cl_ulong kDoubt = 20'000'000; // ns by which clocks of devices may differ on a busy host
  std::vector<std::pair<Event, Event>> open;
  for (auto& [first, second] : edges_) {
    if (statusNow(*second) != CL_COMPLETE) {
      open.emplace_back(std::move(first), std::move(second));
      continue;
    }
    ASSERT_EQ(statusNow(*first), CL_COMPLETE);
    Times before, after;
    if (!timesOf(*second, after)) continue;
    ASSERT_LE(after.queued, after.submitted);
    ASSERT_LE(after.submitted, after.started);
    ASSERT_LE(after.started, after.ended);
    if (timesOf(*first, before)) ASSERT_LE(before.ended, after.started + kDoubt);
  }
  edges_ = std::move(open);
}

/// Now and then what is enqueued runs only later, beside what other threads have enqueued meanwhile.
void Program::addGate(Events& waits) {
  if (pick(12)) return;
  gates_.push_back(test_.makeUserEvent());
  waits.push_back(gates_.back());
}

void Program::openGates() {
  std::shuffle(gates_.begin(), gates_.end(), random_);
  for (const Owned<cl_event>& gate : gates_)
    expect(clSetUserEventStatus(gate, CL_COMPLETE));
  gates_.clear();
}

void Program::checkReadings() {
  openGates();
  for (Reading& reading : readings_) {
    expect(ResidencyRandomTest::wait(*reading.event));
    ASSERT_EQ(*reading.seen, reading.expected);
  }
  readings_.clear();
  checkOrder();
}

void Program::launchOne(const Area& area) {
  const auto number = static_cast<cl_uint>(random_());
  cl_mem buffer = bufferOf(area);
  Events waits = before(area, true);
  cl_command_queue queue = pickQueue();
  const size_t dice = pick(4);
  if (dice == 0) {
    addGate(waits);
    return note(area, true, test_.replace(queue, buffer, model_, number, waits, area.begin(), area.words()));
  }
  if (dice == 1) {
    addGate(waits);
    return note(area, true, test_.change(queue, buffer, model_, number, waits, area.begin(), area.words()));
  }
  if (dice == 2) {
    addGate(waits);
    changeOdd(model_, area.begin(), area.begin() + area.words(), number);
    return note(area, true, test_.launch(queue, "change_odd", {buffer, number}, area.words(), waits));
  }
  // The kernel reads another part, and a buffer that all threads have in common. The driver does not know that the part
  // is only read, so it may move the part's bytes while other threads read them. The destination holds the same bytes:
  // a race for the thread sanitizer.
  const Area other{(area.first + 1) % kParts, 1}, target{area.first, 1};
  waits = before(target, true);
  for (cl_event event : before(other, kSanitized))
    waits.push_back(event);
  addGate(waits);
  const size_t common = pick(2);
  for (size_t i = 0; i < kPart; ++i)
    model_[target.begin() + i] = combined(model_[other.begin() + i], test_.commonWords_[common][i]);
  cl_mem a = bufferOf(other), b = test_.common_[common];
  Owned<cl_event> done = test_.launch(queue, "combine", {bufferOf(target), a, b}, kPart, waits);
  expect(clRetainEvent(done));
  note(other, kSanitized, Owned<cl_event>(done.get()));
  note(target, true, std::move(done));
}

void Program::copyFromCommon(const Area& area) {
  const size_t count = 1 + pick(area.words()), at = pick(area.words() - count + 1), from = pick(kWhole - count + 1);
  const size_t common = pick(2);
  Events waits = before(area, true);
  addGate(waits);
  Owned<cl_event> done;
  expect(clEnqueueCopyBuffer(pickQueue(), test_.common_[common], bufferOf(area), from * 4, at * 4, count * 4,
                             ResidencyRandomTest::countOf(waits), ResidencyRandomTest::listOf(waits), done.out()));
  std::copy_n(test_.commonWords_[common].begin() + static_cast<std::ptrdiff_t>(from), count,
              model_.begin() + static_cast<std::ptrdiff_t>(area.begin() + at));
  note(area, true, std::move(done));
}

/// As a rectangle of half rows, which leaves what is between them.
void Program::copyInside() {
  const Area from{pick(kParts), 1}, to{(from.first + 1 + pick(kParts - 1)) % kParts, 1};
  Events waits = before(to, true);
  for (cl_event event : before(from, false))
    waits.push_back(event);
  addGate(waits);
  constexpr size_t kPitch = 32;
  const size_t origin[] = {0, 0, 0}, region[] = {kPitch / 2 * 4, kPart / kPitch, 1};
  Owned<cl_event> done;
  expect(clEnqueueCopyBufferRect(pickQueue(), bufferOf(from), bufferOf(to), origin, origin, region, kPitch * 4, 0,
                                 kPitch * 4, 0, ResidencyRandomTest::countOf(waits), ResidencyRandomTest::listOf(waits),
                                 done.out()));
  for (size_t i = 0; i < kPart; ++i)
    if (i % kPitch < kPitch / 2) model_[to.begin() + i] = model_[from.begin() + i];
  expect(clRetainEvent(done));
  note(from, false, Owned<cl_event>(done.get()));
  note(to, true, std::move(done));
}

void Program::writeOrFill(const Area& area) {
  const size_t count = 1 + pick(area.words()), at = pick(area.words() - count + 1);
  Events waits = before(area, true);
  addGate(waits);
  Owned<cl_event> done;
  const auto number = static_cast<cl_uint>(random_());
  auto target = model_.begin() + static_cast<std::ptrdiff_t>(area.begin() + at);
  if (pick(2)) {
    const Words& words = written_.emplace_back(numbered(count, number));
    expect(clEnqueueWriteBuffer(pickQueue(), bufferOf(area), CL_FALSE, at * 4, count * 4, words.data(),
                                ResidencyRandomTest::countOf(waits), ResidencyRandomTest::listOf(waits), done.out()));
    std::copy(words.begin(), words.end(), target);
  } else {
    expect(clEnqueueFillBuffer(pickQueue(), bufferOf(area), &number, 4, at * 4, count * 4,
                               ResidencyRandomTest::countOf(waits), ResidencyRandomTest::listOf(waits), done.out()));
    std::fill_n(target, count, number);
  }
  note(area, true, std::move(done));
}

void Program::readOne(const Area& area) {
  Events waits = before(area, false);
  addGate(waits);
  Reading reading{nullptr, std::make_unique<Words>(area.words()), {}};
  const auto begin = model_.begin() + static_cast<std::ptrdiff_t>(area.begin());
  reading.expected.assign(begin, begin + static_cast<std::ptrdiff_t>(area.words()));
  Owned<cl_event> done;
  expect(clEnqueueReadBuffer(pickQueue(), bufferOf(area), CL_FALSE, 0, area.words() * 4, reading.seen->data(),
                             ResidencyRandomTest::countOf(waits), ResidencyRandomTest::listOf(waits), done.out()));
  expect(clRetainEvent(done));
  reading.event = std::make_shared<Owned<cl_event>>(done.get());
  readings_.push_back(std::move(reading));
  note(area, false, std::move(done));
}

void Program::mapOne(const Area& area) {
  constexpr cl_map_flags kFlags[] = {CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE,
                                     CL_MAP_WRITE_INVALIDATE_REGION};
  const cl_map_flags flags = kFlags[pick(4)];
  const bool writes = flags != CL_MAP_READ;
  const Events waits = before(area, writes);
  openGates();
  cl_int status = 1;
  auto* words = static_cast<cl_uint*>(clEnqueueMapBuffer(pickQueue(), bufferOf(area), CL_TRUE, flags, 0,
                                                         area.words() * 4, ResidencyRandomTest::countOf(waits),
                                                         ResidencyRandomTest::listOf(waits), nullptr, &status));
  ASSERT_EQ(status, CL_SUCCESS);
  const auto model = model_.begin() + static_cast<std::ptrdiff_t>(area.begin());
  if (flags != CL_MAP_WRITE_INVALIDATE_REGION) ASSERT_TRUE(std::equal(words, words + area.words(), model));
  const size_t every = flags == CL_MAP_WRITE_INVALIDATE_REGION ? 1 : 1 + pick(5);
  for (size_t i = 0; writes && i < area.words(); i += every)
    words[i] = model[static_cast<std::ptrdiff_t>(i)] = static_cast<cl_uint>(random_());
  Owned<cl_event> done;
  expect(clEnqueueUnmapMemObject(pickQueue(), bufferOf(area), words, 0, nullptr, done.out()));
  note(area, writes, std::move(done));
}

void Program::migrateOne(const Area& area) {
  Events waits = before(area, false);
  addGate(waits);
  const cl_mem buffer = bufferOf(area);
  Owned<cl_event> done;
  expect(clEnqueueMigrateMemObjects(pickQueue(), 1, &buffer, pick(2) ? CL_MIGRATE_MEM_OBJECT_HOST : 0,
                                    ResidencyRandomTest::countOf(waits), ResidencyRandomTest::listOf(waits),
                                    done.out()));
  note(area, false, std::move(done));
}

void Program::run() {
  for (int step = 0; step < kSteps && !testing::Test::HasFailure(); ++step) {
    const Area area = pickArea();
    const size_t dice = pick(20);
    if (dice < 7)
      launchOne(area);
    else if (dice < 9)
      copyFromCommon(area);
    else if (dice < 11)
      copyInside();
    else if (dice < 13)
      writeOrFill(area);
    else if (dice < 16)
      readOne(area);
    else if (dice < 18)
      mapOne(area);
    else
      migrateOne(area);
    if (pick(40) == 0) checkReadings();
    if (pick(10) == 0) openGates();
  }
  const Area all{0, kParts};
  readOne(all);
  checkReadings();
  const Events rest = before(all, true);
  expect(clWaitForEvents(ResidencyRandomTest::countOf(rest), ResidencyRandomTest::listOf(rest)));
  checkOrder();
  EXPECT_TRUE(edges_.empty());
}

TEST_F(ResidencyRandomTest, EveryCommandFindsWhatTheModelSays) {
  std::vector<std::unique_ptr<Program>> programs;
  for (unsigned i = 0; i < kThreads; ++i)
    programs.push_back(std::make_unique<Program>(*this, i + 1));
  std::vector<std::thread> threads;
  for (const auto& program : programs)
    threads.emplace_back([&program] { program->run(); });
  for (std::thread& thread : threads)
    thread.join();
  for (size_t i = 0; i < common_.size(); ++i)
    expectEverywhere(common_[i], commonWords_[i]);
}

} // namespace

} // namespace clotho::test
