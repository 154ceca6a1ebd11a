// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many work-groups at both ends of a pipe at once: every packet arrives, and no packet twice.
#include "pipes.hpp"

#include <algorithm>
#include <array>

namespace clotho::test {

namespace {

/// A packet is its number and what can be computed of it, so that one that was read half written is found.
constexpr const char* kSource = R"(
  typedef struct { uint number, check[N]; } Packet;
  Packet packetOf(uint number) {
    Packet packet;
    packet.number = number;
    for (uint i = 0; i < N; ++i) packet.check[i] = number * 2654435761u + i;
    return packet;
  }
  void arrived(Packet packet, global uint* seen, uint count) {
    bool isGood = packet.number < count;
    for (uint i = 0; i < N; ++i) isGood = isGood && packet.check[i] == packet.number * 2654435761u + i;
    atomic_inc(&seen[isGood ? packet.number : count]);
  }
  // A work-item writes its packet if it has not been written yet.
  kernel void write_plain(write_only pipe Packet out, global uint* written, uint count) {
    const uint i = get_global_id(0);
    if (written[i]) return;
    Packet packet = packetOf(i);
    if (write_pipe(out, &packet) == 0) written[i] = 1;
  }
  kernel void write_reserved(write_only pipe Packet out, global uint* written, uint count) {
    const uint i = get_global_id(0);
    if (written[i]) return;
    reserve_id_t id = reserve_write_pipe(out, 1);
    if (!is_valid_reserve_id(id)) return;
    Packet packet = packetOf(i);
    write_pipe(out, id, 0, &packet);
    commit_write_pipe(out, id);
    written[i] = 1;
  }
  kernel void write_group(write_only pipe Packet out, global uint* written, uint count) {
    const uint i = get_global_id(0);
    if (work_group_any(written[i])) return;
    reserve_id_t id = work_group_reserve_write_pipe(out, get_local_size(0));
    if (!is_valid_reserve_id(id)) return;
    Packet packet = packetOf(i);
    write_pipe(out, id, get_local_id(0), &packet);
    work_group_commit_write_pipe(out, id);
    written[i] = 1;
  }
  // Seven packets at once, so that runs begin anywhere.
  kernel void write_varied(write_only pipe Packet out, global uint* written, uint count) {
    const uint i = get_global_id(0);
    if (i % 7 != 0 || written[i]) return;
    const uint packets = min(7u, count - i);
    reserve_id_t id = reserve_write_pipe(out, packets);
    if (!is_valid_reserve_id(id)) return;
    for (uint k = 0; k < packets; ++k) {
      Packet packet = packetOf(i + k);
      write_pipe(out, id, k, &packet);
      written[i + k] = 1;
    }
    commit_write_pipe(out, id);
  }
  // One to eight packets at once, by turns, which takes runs apart.
  kernel void read_varied(read_only pipe Packet in, global uint* seen, uint count) {
    for (int round = 0; round < 8; ++round) {
      uint packets = 1 + ((uint)get_global_id(0) * 2654435761u + round * 1234567891u >> 29);
      reserve_id_t id = reserve_read_pipe(in, packets);
      if (!is_valid_reserve_id(id)) {
        packets = 1;
        id = reserve_read_pipe(in, 1);
        if (!is_valid_reserve_id(id)) return;
      }
      for (uint k = 0; k < packets; ++k) {
        Packet packet;
        read_pipe(in, id, k, &packet);
        arrived(packet, seen, count);
      }
      commit_read_pipe(in, id);
    }
  }
  kernel void read_plain(read_only pipe Packet in, global uint* seen, uint count) {
    Packet packet;
    while (read_pipe(in, &packet) == 0) arrived(packet, seen, count);
  }
  kernel void read_reserved(read_only pipe Packet in, global uint* seen, uint count) {
    for (int round = 0; round < 8; ++round) {
      reserve_id_t id = reserve_read_pipe(in, 2);
      if (!is_valid_reserve_id(id)) return;
      for (uint k = 0; k < 2; ++k) {
        Packet packet;
        read_pipe(in, id, k, &packet);
        arrived(packet, seen, count);
      }
      commit_read_pipe(in, id);
    }
  }
  kernel void read_group(read_only pipe Packet in, global uint* seen, uint count) {
    for (int round = 0; round < 4; ++round) {
      reserve_id_t id = work_group_reserve_read_pipe(in, get_local_size(0));
      if (!is_valid_reserve_id(id)) return;
      Packet packet;
      read_pipe(in, id, get_local_id(0), &packet);
      arrived(packet, seen, count);
      work_group_commit_read_pipe(in, id);
    }
  }
)";

class PipeStressTest : public Pipes {
 protected:
  static constexpr cl_uint kCount = 1 << 14;
  static constexpr size_t kLocal = 32;

  Owned<cl_kernel> make(const char* name, cl_mem pipe, cl_mem buffer) {
    Owned<cl_kernel> kernel = Pipes::makeKernel(program_, name, {pipe, buffer});
    EXPECT_EQ(clSetKernelArg(kernel, 2, sizeof kCount, &kCount), CL_SUCCESS);
    return kernel;
  }
  static size_t left(const std::vector<cl_uint>& written) {
    return static_cast<size_t>(std::count(written.begin(), written.end(), 0U));
  }
  /// Writers from one queue and readers from another, until all is written and all is read.
  void everyPacketArrivesOnce(const char* write, const char* read, cl_uint packetSize, cl_uint capacity) {
    SCOPED_TRACE(std::string(write) + " " + read + " " + std::to_string(packetSize));
    Owned<cl_mem> pipe = makePipe(packetSize, capacity);
    Owned<cl_mem> written = makeNumbers(std::vector<cl_uint>(kCount, 0));
    Owned<cl_mem> seen = makeNumbers(std::vector<cl_uint>(kCount + 1, 0));
    Owned<cl_kernel> writer = make(write, pipe, written), reader = make(read, pipe, seen),
                     last = make("read_plain", pipe, seen);
    Owned<cl_command_queue> other = makeQueue();
    size_t before = kCount;
    while (before != 0) {
      for (int i = 0; i < 8; ++i) {
        launch(queue_, writer, kCount, kLocal);
        launch(other, reader, kCount / 16, kLocal);
        EXPECT_EQ(clFlush(queue_), CL_SUCCESS);
        EXPECT_EQ(clFlush(other), CL_SUCCESS);
      }
      EXPECT_EQ(clFinish(other), CL_SUCCESS);
      const size_t now = left(numbersOf(written));
      // The readers have made room, if not for a whole group.
      if (now == before) launch(queue_, last, kLocal, kLocal);
      before = now;
    }
    launch(queue_, last, kLocal, kLocal);
    std::vector<cl_uint> expected(kCount + 1, 1);
    expected.back() = 0;
    EXPECT_EQ(numbersOf(seen), expected);
  }
  Owned<cl_program> program_;
};

TEST_F(PipeStressTest, EveryPacketArrivesOnce) {
  for (const cl_uint checks : {1U, 3U, 24U}) {
    program_ = buildProgram(kSource, ("-cl-std=CL3.0 -DN=" + std::to_string(checks)).c_str());
    for (const char* write : {"write_plain", "write_reserved", "write_group"})
      for (const char* read : {"read_plain", "read_reserved", "read_group"})
        everyPacketArrivesOnce(write, read, 4 + 4 * checks, 1000);
  }
}

// Both ends meet all the time.
TEST_F(PipeStressTest, APipeOfAFewPackets) {
  program_ = buildProgram(kSource, "-cl-std=CL3.0 -DN=3");
  everyPacketArrivesOnce("write_plain", "read_plain", 16, 37);
}

// Runs of slots that are committed together are taken apart and put together in every way, around the ring's end too.
TEST_F(PipeStressTest, ReservationsOfAllSizes) {
  program_ = buildProgram(kSource, "-cl-std=CL3.0 -DN=3");
  for (const cl_uint capacity : {11U, 37U, 256U})
    for (const char* write : {"write_plain", "write_varied"})
      for (const char* read : {"read_plain", "read_varied"})
        everyPacketArrivesOnce(write, read, 16, capacity);
}

// A slot that is never the first of those that are committed together, until its stage has gone half around: more than
// a minute (ctest -R api.pipe-age, of `make check-deep`).
TEST_F(PipeStressTest, DISABLED_SlotsDoNotGrowOld) {
  program_ = buildProgram(R"(
    kernel void turn(write_only pipe uint out, read_only pipe uint in, global uint* failures, uint turns) {
      for (uint i = 0; i < turns; ++i) {
        reserve_id_t written = reserve_write_pipe(out, 2);
        if (is_valid_reserve_id(written)) commit_write_pipe(out, written);
        reserve_id_t taken = reserve_read_pipe(in, 2);
        if (is_valid_reserve_id(taken)) commit_read_pipe(in, taken);
        else ++failures[0];
      }
      for (uint i = 0; i < 4; ++i) {
        uint packet = i;
        failures[1] += write_pipe(out, &packet) != 0;
        failures[1] += read_pipe(in, &packet) != 0 || packet != i;
      }
    })",
                          "-cl-std=CL3.0");
  Owned<cl_mem> pipe = makePipe(sizeof(cl_uint), 2), failures = makeNumbers({0, 0});
  Owned<cl_kernel> kernel = Pipes::makeKernel(program_, "turn", {pipe, pipe, failures});
  const cl_uint turns = (1U << 30) + 2;
  ASSERT_EQ(clSetKernelArg(kernel, 3, sizeof turns, &turns), CL_SUCCESS);
  launch(queue_, kernel, 1, 1);
  EXPECT_EQ(numbersOf(failures), (std::vector<cl_uint>{0, 0}));
}

} // namespace

} // namespace clotho::test
