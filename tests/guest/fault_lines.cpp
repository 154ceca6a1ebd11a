// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program without a callback and without an option sees of a kernel that faults: one line on standard error,
// once for each kernel, with its name, the argument whose memory is nearest and, with -g, the line of the source.
// Argument: what of this is expected: "lines", "nothing", or "version", where versions are built at the first launch.
#include "guest.hpp"

#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace {

const char* const kSource = R"(kernel void readsBehind(global int* in, global int* out, ulong index) {
  const size_t i = get_global_id(0);
  out[i] =
      in[i + index];
}
kernel void writesNull(global int* in, global int* out, ulong index) {
  out[get_global_id(0) + index] = 1;
}
kernel void traps(global int* in, global int* out, ulong index) {
  if (index) __builtin_trap();
  out[get_global_id(0)] = in[get_global_id(0)];
}
kernel void sums(global int* in, global int* out, ulong index) {
  local int data[16];
  const size_t l = get_local_id(0);
  data[l] = (int)index;
  for (size_t d = get_local_size(0) / 2; d > 0; d /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < d) data[l] += data[l + d];
  }
  if (l == 0) out[index] = data[0];
}
)";

constexpr std::size_t kItems = 16;

class Standard {
 public:
  Standard() {
    char name[] = "fault_lines.XXXXXX";
    file_ = mkstemp(name);
    REQUIRE(file_ >= 0);
    unlink(name);
    guest::errorFile = errors_ = dup(STDERR_FILENO);
    dup2(file_, STDERR_FILENO);
  }
  std::string text() const {
    std::string text(1 << 16, '\0');
    const ssize_t size = pread(file_, text.data(), text.size(), 0);
    REQUIRE(size >= 0);
    text.resize(std::size_t(size));
    return text;
  }

 private:
  int file_, errors_;
};

struct Buffers {
  cl_mem in, out;
};

/// Launches the kernel several times. Each launch fails; the commands after it in the queue run.
void fail(const guest::Session& session, cl_program program, const char* name, const Buffers& buffers, cl_ulong index,
          const std::size_t* local = nullptr) {
  cl_kernel kernel = guest::kernel(program, name);
  REQUIRE(clSetKernelArg(kernel, 0, sizeof buffers.in, &buffers.in) == CL_SUCCESS);
  REQUIRE(clSetKernelArg(kernel, 1, sizeof buffers.out, buffers.out ? &buffers.out : nullptr) == CL_SUCCESS);
  REQUIRE(clSetKernelArg(kernel, 2, sizeof index, &index) == CL_SUCCESS);
  for (int i = 0; i < 3; ++i) {
    cl_event event = nullptr;
    REQUIRE(clEnqueueNDRangeKernel(session.queue, kernel, 1, nullptr, &kItems, local, 0, nullptr, &event) ==
            CL_SUCCESS);
    int value = 0;
    REQUIRE(clEnqueueReadBuffer(session.queue, buffers.in, CL_TRUE, 0, sizeof value, &value, 0, nullptr, nullptr) ==
            CL_SUCCESS);
    REQUIRE(value == 7);
    cl_int status = 99;
    REQUIRE(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr) == CL_SUCCESS);
    REQUIRE(status == CL_OUT_OF_RESOURCES);
    clReleaseEvent(event);
  }
  clReleaseKernel(kernel);
}

int count(const std::string& text, const std::string& what) {
  int found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

/// `code`: which of the kernel's codes ran, as the line says it; nothing for the general one.
void requireLine(const std::string& text, const char* kernel, std::initializer_list<const char*> parts,
                 const char* code = "") {
  const std::string start = std::string("clotho: runtime: kernel '") + kernel + "'" + code + ", work-group";
  REQUIRE(count(text, start) == 1);
  const std::size_t at = text.find(start);
  const std::string line = text.substr(at, text.find('\n', at) - at);
  for (const char* part : parts)
    if (line.find(part) == std::string::npos) {
      dprintf(guest::errorFile, "no \"%s\" in: %s\n", part, line.c_str());
      std::_Exit(1);
    }
}

} // namespace

int main(int argc, char** argv) {
  REQUIRE(argc == 2);
  const bool isSilent = std::strcmp(argv[1], "nothing") == 0;
  const Standard standard;
  const guest::Session session;
  cl_program program = guest::build(session.context, session.device, kSource, "-g -cl-kernel-arg-info");
  cl_int status = CL_SUCCESS;
  // Two pages of the application's, followed by a third one that no thread may touch.
  const std::size_t page = std::size_t(sysconf(_SC_PAGESIZE));
  void* memory = mmap(nullptr, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED && mprotect(static_cast<char*>(memory) + 2 * page, page, PROT_NONE) == 0);
  *static_cast<int*>(memory) = 7;
  const Buffers buffers{
      clCreateBuffer(session.context, CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR, 2 * page, memory, &status),
      clCreateBuffer(session.context, CL_MEM_READ_WRITE, kItems * sizeof(int), nullptr, &status)};
  REQUIRE(status == CL_SUCCESS);

  if (std::strcmp(argv[1], "version") == 0) {
    fail(session, program, "sums", {buffers.in, nullptr}, 4, &kItems);
    requireLine(standard.text(), "sums", {": write to unmapped address 0x10"}, " (version 'local=16x1x1')");
    return 0;
  }
  fail(session, program, "readsBehind", buffers, (2 * page + 400) / sizeof(int));
  fail(session, program, "writesNull", {buffers.in, nullptr}, 4);
  fail(session, program, "traps", buffers, 1);

  const std::string text = standard.text();
  if (isSilent) {
    REQUIRE(text.empty());
    return 0;
  }
  // With AVX2 the 64 bytes of the sub-group are two accesses, of which either may come first.
  const bool readsFirst = text.find(", 432 bytes behind") == std::string::npos;
  requireLine(text, "readsBehind",
              {": read of protected address 0x",
               readsFirst ? ", 400 bytes behind argument 0 'in' (8192 bytes)"
                          : ", 432 bytes behind argument 0 'in' (8192 bytes)",
               ", in <source>:4"});
  const bool writesFirst = text.find("address 0x30,") == std::string::npos;
  requireLine(text, "writesNull",
              {writesFirst ? ": write to unmapped address 0x10, 16 bytes from the address in argument 1 'out' (null)"
                           : ": write to unmapped address 0x30, 48 bytes from the address in argument 1 'out' (null)",
               ", in <source>:7"});
  requireLine(text, "traps", {": illegal instruction", ", in <source>:10"});
  REQUIRE(count(text, "\n") == 3);
  return 0;
}
