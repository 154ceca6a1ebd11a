// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory objects that several devices use: each finds what the last one has written (OpenCL 3.0, appendix A.1).
#include "residency.hpp"

#include <algorithm>

namespace clotho::test {

namespace {

using namespace residency;

constexpr size_t kPart = 512; ///< words of a part; it begins where every device can have a sub-buffer
constexpr size_t kParts = kCount / kPart;

class ResidencyTest : public Residency {
 protected:
  cl_uint* map(cl_command_queue queue, cl_mem buffer, cl_map_flags flags, size_t first, size_t count,
               const Events& waits = {}) {
    cl_int status = 1;
    void* pointer = clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, first * sizeof(cl_uint), count * sizeof(cl_uint),
                                       countOf(waits), listOf(waits), nullptr, &status);
    EXPECT_EQ(status, CL_SUCCESS);
    return static_cast<cl_uint*>(pointer);
  }
  Owned<cl_event> unmap(cl_command_queue queue, cl_mem buffer, void* pointer) {
    Owned<cl_event> event;
    EXPECT_EQ(clEnqueueUnmapMemObject(queue, buffer, pointer, 0, nullptr, event.out()), CL_SUCCESS);
    return event;
  }
};

TEST_F(ResidencyTest, KernelsSeeWhatOtherDevicesWrote) {
  Words model = numbered();
  Owned<cl_mem> buffer = makeWords(model);
  Owned<cl_event> last = change(ordered(0), buffer, model, 1);
  for (cl_uint i = 1; i < 30; ++i) {
    cl_command_queue queue = i % 4 == 0 ? ordered(i) : loose(i * i);
    if (i % 5 == 0)
      last = replace(queue, buffer, model, i, {last});
    else if (i % 5 == 3)
      changeOdd(model, 0, kCount, i), last = launch(queue, "change_odd", {buffer, i}, kCount, {last});
    else
      last = change(queue, buffer, model, i, {last});
  }
  ASSERT_EQ(wait(last), CL_SUCCESS);
  expectEverywhere(buffer, model);
}

TEST_F(ResidencyTest, ManyReadersThenAWriter) {
  const Words a = numbered(), b = numbered(kCount, 77);
  Owned<cl_mem> first = makeWords(a, CL_MEM_READ_ONLY), second = makeWords(b);
  Words model = numbered(kCount, 5);
  Words expected(kCount);
  for (size_t i = 0; i < kCount; ++i)
    expected[i] = combined(a[i], b[i]);
  std::vector<Owned<cl_mem>> results;
  std::vector<Owned<cl_event>> done;
  Events all;
  // Nothing says that `second` is only read, which is for each device to find out.
  for (size_t i = 0; i < 2 * places(); ++i) {
    results.push_back(makeBuffer(kCount * sizeof(cl_uint)));
    done.push_back(launch(loose(i), "combine", {results.back().get(), first.get(), second.get()}, kCount));
    all.push_back(done.back());
  }
  Words changedB = b;
  Owned<cl_event> written = change(loose(1), second, changedB, 9, all);
  for (size_t i = 0; i < results.size(); ++i)
    EXPECT_EQ(read(loose(i + 1), results[i], kCount, {done[i]}), expected);
  ASSERT_EQ(wait(written), CL_SUCCESS);
  expectEverywhere(second, changedB);
  expectEverywhere(first, a);
}

TEST_F(ResidencyTest, TheHostReadsAndWritesPartsByEachDevice) {
  Words model = numbered();
  Owned<cl_mem> buffer = makeWords(model);
  for (cl_uint i = 0; i < 12; ++i) {
    Owned<cl_event> changedHere = change(loose(i), buffer, model, i), written;
    const size_t first = 100 + i * 7, count = 1 + i * 50;
    Words fresh(count);
    for (size_t k = 0; k < count; ++k)
      model[first + k] = fresh[k] = static_cast<cl_uint>(1000 * i + k);
    cl_event before = changedHere;
    ASSERT_EQ(clEnqueueWriteBuffer(loose(i + 1), buffer, CL_FALSE, first * 4, count * 4, fresh.data(), 1, &before,
                                   written.out()),
              CL_SUCCESS);
    EXPECT_EQ(read(loose(i + 2), buffer, kCount, {written}), model);
    EXPECT_EQ(read(loose(i), buffer, kCount), model);
  }
}

TEST_F(ResidencyTest, CopiesAndFillsOfParts) {
  Words from = numbered(), to = numbered(kCount, 50000);
  Owned<cl_mem> source = makeWords(from), target = makeWords(to);
  for (cl_uint i = 0; i < 12; ++i) {
    Owned<cl_event> a = change(loose(i), source, from, i), b = change(loose(i + 1), target, to, i), copied, filled;
    const size_t first = i * 31, at = 1000 + i * 13, count = 1 + i * 97;
    cl_event both[] = {a, b};
    ASSERT_EQ(clEnqueueCopyBuffer(loose(i * i), source, target, first * 4, at * 4, count * 4, 2, both, copied.out()),
              CL_SUCCESS);
    std::copy_n(from.begin() + static_cast<std::ptrdiff_t>(first), count, to.begin() + static_cast<std::ptrdiff_t>(at));
    cl_event before = copied;
    const cl_uint pattern = 0xabcd0000 + i;
    ASSERT_EQ(clEnqueueFillBuffer(loose(i + 2), target, &pattern, 4, (at + count / 2) * 4, count * 4, 1, &before,
                                  filled.out()),
              CL_SUCCESS);
    std::fill_n(to.begin() + static_cast<std::ptrdiff_t>(at + count / 2), count, pattern);
    // Within one buffer, beside each other.
    Owned<cl_event> inside;
    before = filled;
    ASSERT_EQ(clEnqueueCopyBuffer(loose(i), target, target, 0, 2048 * 4, 512 * 4, 1, &before, inside.out()),
              CL_SUCCESS);
    std::copy_n(to.begin(), 512, to.begin() + 2048);
    ASSERT_EQ(wait(inside), CL_SUCCESS);
  }
  expectEverywhere(target, to);
  expectEverywhere(source, from);
}

TEST_F(ResidencyTest, RectanglesLeaveWhatIsBetweenTheirRows) {
  constexpr size_t kWidth = 64; // words of a row; the buffer has 64 rows
  Words model = numbered(), other = numbered(kCount, 9000);
  Owned<cl_mem> buffer = makeWords(model), source = makeWords(other);
  const Words host = numbered(kCount, 70000);
  Words seen(kCount);
  const auto move = [](Words& to, size_t toX, size_t toY, const Words& from, size_t fromX, size_t fromY, size_t width,
                       size_t height) {
    for (size_t y = 0; y < height; ++y)
      for (size_t x = 0; x < width; ++x)
        to[(toY + y) * kWidth + toX + x] = from[(fromY + y) * kWidth + fromX + x];
  };
  for (cl_uint i = 0; i < 9; ++i) {
    Owned<cl_event> a = change(loose(i), buffer, model, i), b = change(loose(i + 2), source, other, i), written, copied;
    const size_t width = 5 + i * 3, height = 4 + i, x = i, y = 2 * i;
    const size_t region[] = {width * 4, height, 1}, here[] = {x * 4, y, 0}, there[] = {(x + 9) * 4, y + 6, 0};
    const size_t pitch = kWidth * 4;
    cl_event before = a;
    ASSERT_EQ(clEnqueueWriteBufferRect(loose(i + 1), buffer, CL_FALSE, here, there, region, pitch, 0, pitch, 0,
                                       host.data(), 1, &before, written.out()),
              CL_SUCCESS);
    move(model, x, y, host, x + 9, y + 6, width, height);
    cl_event both[] = {written, b};
    ASSERT_EQ(clEnqueueCopyBufferRect(loose(i * i), source, buffer, here, there, region, pitch, 0, pitch, 0, 2, both,
                                      copied.out()),
              CL_SUCCESS);
    move(model, x + 9, y + 6, other, x, y, width, height);
    before = copied;
    std::fill(seen.begin(), seen.end(), 0);
    ASSERT_EQ(clEnqueueReadBufferRect(loose(i + 2), buffer, CL_TRUE, there, here, region, pitch, 0, pitch, 0,
                                      seen.data(), 1, &before, nullptr),
              CL_SUCCESS);
    Words expected(kCount);
    move(expected, x, y, model, x + 9, y + 6, width, height);
    EXPECT_EQ(seen, expected);
  }
  expectEverywhere(buffer, model);
}

TEST_F(ResidencyTest, MapsOfAllKindsOfBuffers) {
  alignas(128) static cl_uint host[kCount];
  constexpr cl_mem_flags kKinds[] = {0, CL_MEM_USE_HOST_PTR, CL_MEM_ALLOC_HOST_PTR, CL_MEM_COPY_HOST_PTR,
                                     CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR};
  constexpr cl_map_flags kMaps[] = {CL_MAP_READ, CL_MAP_WRITE, CL_MAP_READ | CL_MAP_WRITE,
                                    CL_MAP_WRITE_INVALIDATE_REGION};
  for (cl_mem_flags kind : kKinds) {
    SCOPED_TRACE(kind);
    Words model = numbered();
    std::copy(model.begin(), model.end(), host);
    const bool hasPointer = kind & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    Owned<cl_mem> buffer = makeBuffer(sizeof host, kind, hasPointer ? host : nullptr);
    if (hasPointer) expectEverywhere(buffer, model);
    Owned<cl_event> last = replace(loose(0), buffer, model, 3);
    for (cl_uint i = 0; i < 4 * places(); ++i) {
      const cl_map_flags flags = kMaps[i % 4];
      const size_t first = 64 * i, count = 300 + i;
      cl_uint* words = map(loose(i + i / 4), buffer, flags, first, count, {last});
      if (kind & CL_MEM_USE_HOST_PTR) EXPECT_EQ(words, host + first);
      if (flags != CL_MAP_WRITE_INVALIDATE_REGION)
        ASSERT_TRUE(std::equal(words, words + count, model.begin() + static_cast<std::ptrdiff_t>(first)));
      // What is not invalidated need not be written throughout.
      for (size_t k = 0; flags != CL_MAP_READ && k < count; ++k)
        if (flags == CL_MAP_WRITE_INVALIDATE_REGION || k % 3 == 0) words[k] = model[first + k] = i * 10000 + k;
      last = unmap(loose(i + 1), buffer, words);
      if (i % 3 != 1) last = change(loose(i + 2), buffer, model, i, {last});
      EXPECT_EQ(read(loose(i + 2), buffer, kCount, {last}), model) << "after map " << i;
    }
    expectEverywhere(buffer, model);
  }
}

TEST_F(ResidencyTest, AReadMapLeavesBytesValidElsewhere) {
  Words model = numbered();
  Owned<cl_mem> buffer = makeWords(model);
  ASSERT_EQ(wait(change(loose(1), buffer, model, 4)), CL_SUCCESS);
  cl_uint* words = map(loose(2), buffer, CL_MAP_READ, 0, kCount);
  cl_uint* again = map(loose(0), buffer, CL_MAP_READ, 7, 100);
  EXPECT_EQ(again, words + 7);
  // Commands may read what is mapped for reading.
  expectEverywhere(buffer, model);
  EXPECT_TRUE(std::equal(model.begin(), model.end(), words));
  ASSERT_EQ(wait(unmap(loose(1), buffer, words)), CL_SUCCESS);
  ASSERT_EQ(wait(unmap(loose(1), buffer, again)), CL_SUCCESS);
  expectEverywhere(buffer, model);
}

TEST_F(ResidencyTest, PartsAreWrittenOnAllDevicesAtOnceAndReadAsOne) {
  Words model = numbered();
  Owned<cl_mem> buffer = makeWords(model);
  std::vector<Owned<cl_mem>> parts;
  for (size_t i = 0; i < kParts; ++i)
    parts.push_back(part(buffer, i * kPart, kPart));
  for (cl_uint round = 0; round < 10; ++round) {
    Owned<cl_event> gate = makeUserEvent();
    std::vector<Owned<cl_event>> done;
    Events all;
    for (size_t i = 0; i < kParts; ++i) {
      cl_command_queue queue = loose(i + round * (1 + i / 3));
      if ((i + round) % 3 == 0)
        done.push_back(replace(queue, parts[i], model, round, {gate}, i * kPart, kPart));
      else
        done.push_back(change(queue, parts[i], model, round, {gate}, i * kPart, kPart));
      all.push_back(done.back());
    }
    ASSERT_EQ(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    if (round % 2) {
      Owned<cl_event> whole = change(loose(round), buffer, model, round, all);
      ASSERT_EQ(wait(whole), CL_SUCCESS);
    } else {
      ASSERT_EQ(clWaitForEvents(countOf(all), listOf(all)), CL_SUCCESS);
    }
    EXPECT_EQ(read(loose(round + 1), buffer, kCount), model);
  }
  expectEverywhere(buffer, model);
}

TEST_F(ResidencyTest, OverlappingPartsAreReadOnAllDevicesAtOnce) {
  Words model = numbered();
  Owned<cl_mem> buffer = makeWords(model);
  ASSERT_EQ(wait(change(loose(1), buffer, model, 4)), CL_SUCCESS);
  std::vector<Owned<cl_mem>> parts, results;
  std::vector<Owned<cl_event>> done;
  for (size_t i = 0; i + 1 < kParts; ++i) {
    parts.push_back(part(buffer, i * kPart, 2 * kPart, CL_MEM_READ_ONLY));
    results.push_back(makeBuffer(2 * kPart * sizeof(cl_uint)));
    done.push_back(launch(loose(i), "combine", {results[i].get(), parts[i].get(), parts[i].get()}, 2 * kPart));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    Words expected(2 * kPart);
    for (size_t k = 0; k < expected.size(); ++k)
      expected[k] = combined(model[i * kPart + k], model[i * kPart + k]);
    EXPECT_EQ(read(loose(i + 1), results[i], expected.size(), {done[i]}), expected) << "part " << i;
  }
  expectEverywhere(buffer, model);
}

TEST_F(ResidencyTest, MigrationWithEachFlag) {
  Words model = numbered(), other = numbered(kCount, 33);
  Owned<cl_mem> buffer = makeWords(model), second = makeWords(other);
  Owned<cl_mem> half = part(second, kCount / 2, kCount / 2);
  cl_mem both[] = {buffer, half};
  for (cl_uint i = 0; i < 4 * places(); ++i) {
    const cl_mem_migration_flags flags = i % 4; // CL_MIGRATE_MEM_OBJECT_HOST and ..._CONTENT_UNDEFINED in all ways
    Owned<cl_event> a = change(loose(i), buffer, model, i), b = change(loose(i + 1), second, other, i), migrated;
    cl_event before[] = {a, b};
    ASSERT_EQ(clEnqueueMigrateMemObjects(loose(i / 4), 2, both, flags, 2, before, migrated.out()), CL_SUCCESS);
    if (flags & CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) {
      Owned<cl_event> first = replace(loose(i + 1), buffer, model, i, {migrated});
      Owned<cl_event> last = replace(loose(i + 2), half, other, i, {migrated}, kCount / 2, kCount / 2);
      EXPECT_EQ(read(loose(i), buffer, kCount, {first}), model);
      EXPECT_EQ(read(loose(i), second, kCount, {last}), other) << "the other half is as it was";
    } else {
      EXPECT_EQ(read(loose(i), buffer, kCount, {migrated}), model);
      EXPECT_EQ(read(loose(i + 1), second, kCount, {migrated}), other);
    }
  }
  expectEverywhere(buffer, model);
  expectEverywhere(second, other);
}

TEST_F(ResidencyTest, LargeBuffers) {
  constexpr size_t kLarge = size_t{6} << 20; // words; transfers of several threads that go past the caches
  Words model = numbered(kLarge);
  Owned<cl_mem> buffer = makeWords(model);
  Owned<cl_event> last;
  for (cl_uint i = 0; i < places(); ++i) {
    Events before;
    if (last) before.push_back(last);
    Owned<cl_event> next = change(ordered(i), buffer, model, i, before, 0, kLarge);
    last = std::move(next);
  }
  EXPECT_TRUE(read(ordered(1), buffer, kLarge, {last}) == model);
}

} // namespace

} // namespace clotho::test
