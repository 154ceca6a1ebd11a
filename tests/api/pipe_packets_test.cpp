// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What kernels do with pipes: every kind of packet, every way to write and read, what is full and what is empty.
#include "pipes.hpp"

#include <algorithm>
#include <numeric>

namespace clotho::test {

namespace {

/// A packet of type T carries a number, of which all of its bytes are made; the first USED count.
constexpr const char* kPackets = R"(
  typedef T Packet;
  typedef union { Packet packet; uchar bytes[sizeof(Packet)]; } Bytes;
  uchar byteOf(uint number, uint i) { return (number >> (8 * (i % 4))) + 37 * (i / 4); }
  Packet packetOf(uint number) {
    Bytes b;
    for (uint i = 0; i < sizeof(Packet); ++i) b.bytes[i] = byteOf(number, i);
    return b.packet;
  }
  // All ones if the bytes do not fit together.
  uint numberOf(Packet packet) {
    Bytes b;
    b.packet = packet;
    uint number = 0;
    for (uint i = 0; i < sizeof(Packet) && i < 4; ++i) number |= (uint)b.bytes[i] << (8 * i);
    for (uint i = 0; i < USED; ++i)
      if (b.bytes[i] != byteOf(number, i)) return ~0U;
    return number;
  }

  kernel void ask(read_only pipe Packet in, global uint* out) {
    out[0] = get_pipe_num_packets(in);
    if (get_pipe_max_packets(in) < out[0]) out[0] = ~0U;
  }

  // Work-item i writes the number numbers[i], and says whether it could.
  kernel void write_all(write_only pipe Packet out, global uint* numbers, global uint* status) {
    const size_t i = get_global_id(0);
    Packet packet = packetOf(numbers[i]);
    status[i] = write_pipe(out, &packet);
  }
  kernel void read_all(read_only pipe Packet in, global uint* numbers, global uint* status) {
    const size_t i = get_global_id(0);
    Packet packet;
    status[i] = read_pipe(in, &packet);
    if (status[i] == 0) numbers[i] = numberOf(packet);
  }
)";

constexpr const char* kItems = R"(
  // Only some work-items, in divergent flow and in a loop that they leave in different rounds.
  kernel void write_some(write_only pipe Packet out, global uint* numbers, global uint* status) {
    const size_t i = get_global_id(0);
    status[i] = 1;
    for (uint round = 0; round < i % 3; ++round) {
      if (i % 5 == 4) continue;
      Packet packet = packetOf(numbers[i]);
      status[i] = write_pipe(out, &packet);
    }
  }
  kernel void read_some(read_only pipe Packet in, global uint* numbers, global uint* status) {
    const size_t i = get_global_id(0);
    uint sum = 0, found = 0;
    for (uint round = 0; round < i % 4; ++round) {
      Packet packet;
      if (read_pipe(in, &packet) == 0) {
        sum += numberOf(packet);
        ++found;
      }
    }
    numbers[i] = sum;
    status[i] = found;
  }
  // Each work-item reserves i % 3 + 1 packets: all of them, or none.
  kernel void write_reserved(write_only pipe Packet out, global uint* numbers, global uint* status) {
    const size_t i = get_global_id(0);
    const uint count = i % 3 + 1;
    reserve_id_t id = reserve_write_pipe(out, count);
    status[i] = is_valid_reserve_id(id) ? count : 0;
    if (!is_valid_reserve_id(id)) return;
    for (uint k = count; k-- > 0;) {
      Packet packet = packetOf(numbers[i]);
      if (write_pipe(out, id, k, &packet) != 0) status[i] = ~0U;
    }
    commit_write_pipe(out, id);
  }
  kernel void read_reserved(read_only pipe Packet in, global uint* numbers, global uint* status) {
    const size_t i = get_global_id(0);
    const uint count = i % 3 + 1;
    uint sum = 0;
    reserve_id_t id = reserve_read_pipe(in, count);
    status[i] = is_valid_reserve_id(id) ? count : 0;
    if (is_valid_reserve_id(id)) {
      for (uint k = 0; k < count; ++k) {
        Packet packet;
        if (read_pipe(in, id, k, &packet) != 0) status[i] = ~0U;
        sum += numberOf(packet);
      }
      commit_read_pipe(in, id);
    }
    numbers[i] = sum;
  }
)";

constexpr const char* kGroups = R"(
  // One reservation for the work-group, whose id is in local memory, as it may be.
  kernel void write_group(write_only pipe Packet out, global uint* numbers, global uint* status) {
    const size_t i = get_global_id(0), l = get_local_id(0);
    local reserve_id_t id;
    id = work_group_reserve_write_pipe(out, get_local_size(0));
    status[i] = 1;
    if (is_valid_reserve_id(id)) {
      Packet packet = packetOf(numbers[i]);
      status[i] = write_pipe(out, id, l, &packet);
      work_group_commit_write_pipe(out, id);
    }
  }
  kernel void read_group(read_only pipe Packet in, global uint* numbers, global uint* status) {
    const size_t i = get_global_id(0), l = get_local_id(0);
    reserve_id_t id = work_group_reserve_read_pipe(in, get_local_size(0));
    status[i] = 1;
    if (is_valid_reserve_id(id)) {
      Packet packet;
      status[i] = read_pipe(in, id, get_local_size(0) - 1 - l, &packet);
      numbers[i] = numberOf(packet);
      work_group_commit_read_pipe(in, id);
    }
  }
  kernel void write_sub_group(write_only pipe Packet out, global uint* numbers, global uint* status) {
    const size_t i = get_global_id(0);
    reserve_id_t id = sub_group_reserve_write_pipe(out, get_sub_group_size());
    status[i] = 1;
    if (is_valid_reserve_id(id)) {
      Packet packet = packetOf(numbers[i]);
      status[i] = write_pipe(out, id, get_sub_group_local_id(), &packet);
      sub_group_commit_write_pipe(out, id);
    }
  }
  kernel void read_sub_group(read_only pipe Packet in, global uint* numbers, global uint* status) {
    const size_t i = get_global_id(0);
    reserve_id_t id = sub_group_reserve_read_pipe(in, get_sub_group_size());
    status[i] = 1;
    if (is_valid_reserve_id(id)) {
      Packet packet;
      status[i] = read_pipe(in, id, get_sub_group_local_id(), &packet);
      numbers[i] = numberOf(packet);
      sub_group_commit_read_pipe(in, id);
    }
  }
)";

struct Type {
  const char* name;
  const char* declaration; ///< what -DT= says
  cl_uint size;
  cl_uint padding = 0; ///< bytes at its end that need not be kept
};

constexpr Type kTypes[] = {
    {"uchar", "uchar", 1},
    {"three", "struct{uchar`a[3];}", 3},
    {"short", "short", 2},
    {"float", "float", 4},
    {"mixed", "struct{int`a;char`b;}", 8, 3},
    {"long", "long", 8},
    {"float3", "float3", 16, 4},
    {"uint4", "uint4", 16},
    {"twelve", "struct{float`a,b,c;}", 12},
    {"char16", "char16", 16},
    {"double4", "double4", 32},
    {"ulong16", "ulong16", 128},
    {"large", "struct{int`a[1024];}", 4096},
};

std::string optionsFor(const Type& type) {
  std::string declaration = type.declaration;
  std::replace(declaration.begin(), declaration.end(), '`', ' ');
  return "-cl-std=CL3.0 -DUSED=" + std::to_string(type.size - type.padding) + " -DT='" + declaration + "'";
}

constexpr size_t kLocals[] = {1, 7, 16, 64};

class PipePacketsTest : public Pipes {
 protected:
  /// With the kernels that a test adds to those that write and read one packet each.
  Owned<cl_program> build(const Type& type, const char* more = "") {
    return buildProgram((std::string(kPackets) + more).c_str(), optionsFor(type).c_str());
  }
  static cl_uint maskOf(cl_uint size) { return size >= 4 ? ~0U : (1U << 8 * size) - 1; }

  /// What a launch says of each work-item.
  struct Result {
    std::vector<cl_uint> numbers, status;
  };
  Result run(const char* name, cl_mem pipe, const std::vector<cl_uint>& numbers, size_t local) {
    Owned<cl_mem> data = makeNumbers(numbers), status = makeNumbers(std::vector<cl_uint>(numbers.size(), 77));
    launch(queue_, Pipes::makeKernel(program_, name, {pipe, data, status}), numbers.size(), local);
    return {numbersOf(data), numbersOf(status)};
  }
  static std::vector<cl_uint> numbered(size_t count, cl_uint first, cl_uint mask) {
    std::vector<cl_uint> numbers(count);
    for (size_t i = 0; i < count; ++i)
      numbers[i] = (first + static_cast<cl_uint>(i)) & mask;
    return numbers;
  }
  static size_t zeros(const std::vector<cl_uint>& status) {
    return static_cast<size_t>(std::count(status.begin(), status.end(), 0U));
  }
  /// Those that their work-items could write or read, sorted.
  static std::vector<cl_uint> good(const Result& result) {
    std::vector<cl_uint> numbers;
    for (size_t i = 0; i < result.status.size(); ++i)
      if (result.status[i] == 0) numbers.push_back(result.numbers[i]);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
  }
  static cl_uint sum(const std::vector<cl_uint>& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), 0U);
  }

  Owned<cl_program> program_;
};

// A pipe whose capacity is no power of two, gone around several times; more is written than there is room for, and more
// read than there is.
TEST_F(PipePacketsTest, EveryTypeAroundTheRing) {
  constexpr cl_uint kCapacity = 100;
  for (const Type& type : kTypes) {
    SCOPED_TRACE(type.name);
    program_ = build(type);
    Owned<cl_mem> pipe = makePipe(type.size, kCapacity);
    const cl_uint mask = maskOf(type.size);
    cl_uint first = 1;
    for (const size_t local : kLocals) {
      const size_t items = 64 * 7;
      Result written = run("write_all", pipe, numbered(items, first, mask), local);
      EXPECT_EQ(zeros(written.status), kCapacity) << local;
      EXPECT_EQ(std::count(written.status.begin(), written.status.end(), ~0U), std::ptrdiff_t{items - kCapacity});
      EXPECT_EQ(packetsIn(pipe, program_), kCapacity);
      Result read = run("read_all", pipe, std::vector<cl_uint>(local * 7 / local * local, 0), local);
      Result rest = run("read_all", pipe, std::vector<cl_uint>(items, 0), local);
      EXPECT_EQ(zeros(read.status) + zeros(rest.status), kCapacity);
      std::vector<cl_uint> all = good(read);
      for (const cl_uint number : good(rest))
        all.push_back(number);
      std::sort(all.begin(), all.end());
      EXPECT_EQ(all, good(written)) << local;
      EXPECT_EQ(packetsIn(pipe, program_), 0u);
      // So that the next round begins somewhere else.
      EXPECT_EQ(zeros(run("write_all", pipe, numbered(13, first, mask), 1).status), 13u);
      EXPECT_EQ(zeros(run("read_all", pipe, numbered(13, first, mask), 13).status), 13u);
      first += 1000;
    }
  }
}

TEST_F(PipePacketsTest, InDivergentFlow) {
  for (const Type& type : kTypes) {
    if (type.size < 4) continue;
    SCOPED_TRACE(type.name);
    program_ = build(type, kItems);
    for (const size_t local : kLocals) {
      const size_t items = 64 * 7;
      Owned<cl_mem> pipe = makePipe(type.size, 1000);
      Result written = run("write_some", pipe, numbered(items, 5, ~0U), local);
      cl_uint count = 0, expected = 0;
      for (cl_uint i = 0; i < items; ++i) {
        const cl_uint times = i % 5 == 4 ? 0 : i % 3;
        EXPECT_EQ(written.status[i], times ? 0U : 1U) << i;
        count += times;
        expected += times * (5 + i);
      }
      EXPECT_EQ(packetsIn(pipe, program_), count);
      Result read = run("read_some", pipe, std::vector<cl_uint>(items, 0), local);
      EXPECT_EQ(sum(read.status), count) << local;
      EXPECT_EQ(sum(read.numbers), expected) << local;
    }
  }
}

TEST_F(PipePacketsTest, ReservationsAreAllOrNothing) {
  constexpr cl_uint kCapacity = 101;
  for (const Type& type : kTypes) {
    if (type.size < 4) continue;
    SCOPED_TRACE(type.name);
    program_ = build(type, kItems);
    Owned<cl_mem> pipe = makePipe(type.size, kCapacity);
    for (const size_t local : kLocals) {
      const size_t items = 64 * 7;
      const std::vector<cl_uint> numbers = numbered(items, 5, ~0U);
      Result written = run("write_reserved", pipe, numbers, local);
      cl_uint expected = 0;
      for (size_t i = 0; i < items; ++i) {
        EXPECT_TRUE(written.status[i] == 0 || written.status[i] == i % 3 + 1) << written.status[i];
        expected += written.status[i] * numbers[i];
      }
      // Nothing is left for those who wanted one.
      EXPECT_EQ(sum(written.status), kCapacity);
      EXPECT_EQ(packetsIn(pipe, program_), kCapacity);
      Result read = run("read_reserved", pipe, std::vector<cl_uint>(items, 0), local);
      EXPECT_EQ(sum(read.status), kCapacity);
      EXPECT_EQ(sum(read.numbers), expected);
      EXPECT_EQ(packetsIn(pipe, program_), 0u);
    }
  }
}

TEST_F(PipePacketsTest, ReservationsOfGroups) {
  for (const char* group : {"group", "sub_group"})
    for (const Type& type : kTypes) {
      // Barriers keep packets in memory, of which there are kinds enough.
      if (type.size < 4 || (type.size > 32 && type.size < 4096)) continue;
      SCOPED_TRACE(std::string(group) + " " + type.name);
      program_ = build(type, kGroups);
      for (const size_t local : kLocals) {
        const size_t items = local * 9;
        // Not all groups find room.
        Owned<cl_mem> pipe = makePipe(type.size, static_cast<cl_uint>(local * 6 + local / 2));
        const std::vector<cl_uint> numbers = numbered(items, 5, ~0U);
        const std::string write = std::string("write_") + group, read = std::string("read_") + group;
        for (int round = 0; round < 3; ++round) {
          Result written = run(write.c_str(), pipe, numbers, local);
          if (group[0] == 'g') {
            EXPECT_EQ(zeros(written.status), local * 6);
            for (size_t i = 0; i < items; ++i)
              EXPECT_EQ(written.status[i], written.status[i / local * local]) << i;
          } else {
            EXPECT_GE(zeros(written.status), local * 6);
          }
          EXPECT_EQ(packetsIn(pipe, program_), zeros(written.status));
          Result seen = run(read.c_str(), pipe, std::vector<cl_uint>(items, 0), local);
          // A sub-group's last reservation may be of fewer than another wants to read at once.
          std::vector<cl_uint> all = good(seen);
          Result rest = run("read_all", pipe, std::vector<cl_uint>(items, 0), local);
          for (const cl_uint number : good(rest))
            all.push_back(number);
          std::sort(all.begin(), all.end());
          EXPECT_EQ(all, good(written));
          EXPECT_EQ(packetsIn(pipe, program_), 0u);
        }
      }
    }
}

// --- One work-item, step by step ---

constexpr const char* kSteps = R"(
  kernel void fill(write_only pipe int out, int first, global int* status) {
    for (int i = 0; i < 8; ++i) {
      int value = first + i;
      status[i] = write_pipe(out, &value);
    }
  }
  kernel void drain(read_only pipe int in, global int* values) {
    int value, i = 0;
    while (read_pipe(in, &value) == 0) values[i++] = value;
    values[i] = -1;
  }
  // Several reservations at once, committed in another order.
  kernel void reserve_several(write_only pipe int out, global int* status) {
    reserve_id_t ids[3];
    for (int i = 0; i < 3; ++i) ids[i] = reserve_write_pipe(out, i + 1);
    for (int i = 2; i >= 0; --i)
      for (int k = 0; k <= i; ++k) {
        int value = 10 * i + k;
        status[0] += write_pipe(out, ids[i], k, &value);
      }
    commit_write_pipe(out, ids[1]);
    commit_write_pipe(out, ids[2]);
    commit_write_pipe(out, ids[0]);
  }
  kernel void limits(write_only pipe int out, global int* status) {
    int value = 1;
    status[0] = is_valid_reserve_id(CLK_NULL_RESERVE_ID);
    status[1] = is_valid_reserve_id(reserve_write_pipe(out, get_pipe_max_packets(out) + 1));
    status[2] = is_valid_reserve_id(reserve_write_pipe(out, 0));
    status[3] = is_valid_reserve_id(reserve_write_pipe(out, ~0U));
    reserve_id_t id = reserve_write_pipe(out, 2);
    status[4] = write_pipe(out, id, 2, &value);
    status[5] = write_pipe(out, id, ~0U, &value);
    status[6] = write_pipe(out, id, 0, &value) + write_pipe(out, id, 1, &value) + write_pipe(out, id, 0, &value);
    commit_write_pipe(out, id);
    // All of it, from the middle of the ring on.
    status[7] = is_valid_reserve_id(reserve_write_pipe(out, get_pipe_max_packets(out)));
  }
  // Reservations that are not committed when the kernel ends; no program may do this.
  kernel void hold(write_only pipe int out, global ulong* kept) {
    int value = 1;
    *(global reserve_id_t*)kept = reserve_write_pipe(out, 2);
    write_pipe(out, &value);
  }
  kernel void release(write_only pipe int out, global ulong* kept) {
    reserve_id_t id = *(global reserve_id_t*)kept;
    int value = 2;
    write_pipe(out, id, 0, &value);
    value = 3;
    write_pipe(out, id, 1, &value);
    commit_write_pipe(out, id);
  }
)";

class PipeStepsTest : public Pipes {
 protected:
  void SetUp() override {
    Api::SetUp();
    program_ = buildProgram(kSteps, "-cl-std=CL3.0");
    zeros_ = std::vector<cl_uint>(32, 0);
  }
  std::vector<cl_int> run(const char* name, cl_mem pipe) {
    Owned<cl_mem> out = makeNumbers(zeros_);
    launch(queue_, Pipes::makeKernel(program_, name, {pipe, out}), 1);
    const std::vector<cl_uint> numbers = numbersOf(out);
    return {numbers.begin(), numbers.end()};
  }
  std::vector<cl_int> fill(cl_mem pipe, cl_int first) {
    Owned<cl_mem> out = makeNumbers(zeros_);
    cl_int status = 1;
    Owned<cl_kernel> kernel = clCreateKernel(program_, "fill", &status);
    cl_mem raw = out;
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof pipe, &pipe), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, sizeof first, &first), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 2, sizeof raw, &raw), CL_SUCCESS);
    launch(queue_, kernel, 1);
    const std::vector<cl_uint> numbers = numbersOf(out);
    return {numbers.begin(), numbers.begin() + 8};
  }
  std::vector<cl_int> drain(cl_mem pipe) {
    std::vector<cl_int> values = run("drain", pipe);
    values.erase(std::find(values.begin(), values.end(), -1), values.end());
    return values;
  }
  Owned<cl_program> program_;
  std::vector<cl_uint> zeros_;
};

using Ints = std::vector<cl_int>;

TEST_F(PipeStepsTest, InOrderAndWithinTheCapacity) {
  for (const cl_uint capacity : {1U, 2U, 3U, 7U, 8U, 9U}) {
    Owned<cl_mem> pipe = makePipe(4, capacity);
    for (cl_int round = 0; round < 5; ++round) {
      const Ints status = fill(pipe, 100 * round);
      Ints expected;
      for (cl_uint i = 0; i < 8; ++i) {
        EXPECT_EQ(status[i], i < capacity ? 0 : -1) << capacity;
        if (i < capacity) expected.push_back(100 * round + static_cast<cl_int>(i));
      }
      EXPECT_EQ(drain(pipe), expected) << capacity;
    }
  }
}

TEST_F(PipeStepsTest, ReservationsAreInTheOrderOfTheirReserving) {
  Owned<cl_mem> pipe = makePipe(4, 10);
  for (int round = 0; round < 4; ++round) {
    EXPECT_EQ(run("reserve_several", pipe)[0], 0);
    EXPECT_EQ(drain(pipe), (Ints{0, 10, 11, 20, 21, 22}));
  }
}

TEST_F(PipeStepsTest, LimitsOfReservations) {
  Owned<cl_mem> pipe = makePipe(4, 10);
  const Ints status = run("limits", pipe);
  EXPECT_EQ(status[0], 0);
  EXPECT_EQ(status[1], 0);
  EXPECT_EQ(status[2], 0);
  EXPECT_EQ(status[3], 0);
  EXPECT_LT(status[4], 0);
  EXPECT_LT(status[5], 0);
  EXPECT_EQ(status[6], 0);
  EXPECT_EQ(status[7], 0); // two are in the pipe
  EXPECT_EQ(drain(pipe), (Ints{1, 1}));
}

TEST_F(PipeStepsTest, UncommittedPacketsHoldBackThoseBehindThem) {
  Owned<cl_mem> pipe = makePipe(4, 10);
  Owned<cl_mem> kept = makeNumbers(zeros_);
  launch(queue_, Pipes::makeKernel(program_, "hold", {pipe, kept}), 1);
  EXPECT_EQ(drain(pipe), Ints{}); // and no read waits
  launch(queue_, Pipes::makeKernel(program_, "release", {pipe, kept}), 1);
  EXPECT_EQ(drain(pipe), (Ints{2, 3, 1}));
}

} // namespace

} // namespace clotho::test
