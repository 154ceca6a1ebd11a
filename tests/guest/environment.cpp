// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A host may change its environment whenever none of its own threads reads it, with an allocator that gives freed
// memory back at once: after the first call the driver never looks there. Here, whatever looks dies. usage:
// builds|fails
#include "guest.hpp"

#include <atomic>
#include <cerrno>
#include <clocale>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

namespace {

std::atomic<bool> done{false};

void CL_CALLBACK onBuilt(cl_program, void*) { done = true; }

/// On a thread of the driver's.
cl_int buildInBackground(const guest::Session& session, cl_program program) {
  done = false;
  REQUIRE(clBuildProgram(program, 1, &session.device, "", onBuilt, nullptr) == CL_SUCCESS);
  for (int i = 0; i < 60000 && !done; ++i)
    usleep(1000);
  REQUIRE(done);
  cl_build_status status = CL_BUILD_NONE;
  REQUIRE(clGetProgramBuildInfo(program, session.device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, nullptr) ==
          CL_SUCCESS);
  return status;
}

} // namespace

/// So that objects are loaded by way of folders, one of which the environment names.
extern "C" __attribute__((visibility("default"))) int memfd_create(const char*, unsigned) noexcept {
  errno = ENOSYS;
  return -1;
}

int main(int argc, char** argv) {
  REQUIRE(argc == 2);
  const bool builds = std::strcmp(argv[1], "builds") == 0;
  alarm(100);
  REQUIRE(setlocale(LC_ALL, "de_DE.UTF-8") != nullptr);
  const guest::Session session;
  void* nowhere = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(nowhere != MAP_FAILED);
  environ = static_cast<char**>(nowhere);

  const std::string source = guest::freshSource();
  const char* text = source.c_str();
  cl_int status = CL_SUCCESS;
  cl_program program = clCreateProgramWithSource(session.context, 1, &text, nullptr, &status);
  REQUIRE(status == CL_SUCCESS);
  REQUIRE(buildInBackground(session, program) == (builds ? CL_BUILD_SUCCESS : CL_BUILD_ERROR));
  if (builds) guest::computeSomething(session);
  clReleaseProgram(program);
  return 0;
}
