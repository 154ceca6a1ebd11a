// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With a small limit on file sizes (RLIMIT_FSIZE), objects that are loaded through a file fail or take another path;
// SIGXFSZ, which would end the application, is never raised.
#include "guest.hpp"

#include <cstring>
#include <sys/resource.h>

namespace {

cl_program fromBinary(const guest::Session& session, const std::vector<unsigned char>& binary) {
  cl_int status = CL_SUCCESS;
  const unsigned char* bytes = binary.data();
  const std::size_t size = binary.size();
  cl_program program = clCreateProgramWithBinary(session.context, 1, &session.device, &size, &bytes, nullptr, &status);
  REQUIRE(status == CL_SUCCESS);
  return program;
}

void limitFiles(rlim_t limit) {
  rlimit now;
  REQUIRE(getrlimit(RLIMIT_FSIZE, &now) == 0);
  now.rlim_cur = limit;
  REQUIRE(setrlimit(RLIMIT_FSIZE, &now) == 0);
}

} // namespace

int main() {
  REQUIRE(setenv("CLOTHO_CACHE", "0", 1) == 0);
  const guest::Session session;
  // The compiler starts under the limit too, which is not meant for what it has in memory.
  limitFiles(64);
  const std::string source = guest::freshSource();
  const char* text = source.c_str();
  cl_int status = CL_SUCCESS;
  cl_program first = clCreateProgramWithSource(session.context, 1, &text, nullptr, &status);
  REQUIRE(status == CL_SUCCESS);
  status = clBuildProgram(first, 1, &session.device, "", nullptr, nullptr);
  limitFiles(RLIM_INFINITY); // also for what this program says, which may go to a file
  char log[1000] = {};
  clGetProgramBuildInfo(first, session.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, nullptr);
  std::printf("build with files of 64 bytes: %d, %s\n", status, log);
  // The compiler has done its part.
  REQUIRE(status == CL_BUILD_PROGRAM_FAILURE);
  REQUIRE(std::strstr(log, "cannot be loaded"));
  clReleaseProgram(first);

  guest::computeSomething(session);
  cl_program built = guest::build(session.context, session.device, source.c_str());
  std::size_t size = 0;
  REQUIRE(clGetProgramInfo(built, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) == CL_SUCCESS);
  std::vector<unsigned char> binary(size);
  unsigned char* place = binary.data();
  REQUIRE(clGetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof place, static_cast<void*>(&place), nullptr) ==
          CL_SUCCESS);
  clReleaseProgram(built);
  limitFiles(4096);
  cl_program again = fromBinary(session, binary);
  status = clBuildProgram(again, 1, &session.device, "", nullptr, nullptr);
  limitFiles(1 << 20);
  const cl_int withRoom = clBuildProgram(again, 1, &session.device, "", nullptr, nullptr);
  limitFiles(RLIM_INFINITY);
  std::printf("binary with files of 4096 bytes: %d, with some more: %d\n", status, withRoom);
  REQUIRE(status < 0);
  REQUIRE(withRoom == CL_SUCCESS);
  clReleaseProgram(again);
  return 0;
}
