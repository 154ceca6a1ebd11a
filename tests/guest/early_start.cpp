// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With CLOTHO_EARLY_START=1 a program may forbid itself, after its first call, to make threads, processes and sockets:
// the filter ends it at the first attempt. usage: launches|builds
#include "guest.hpp"

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

/// System calls that no thread may make. Running kernels needs none of these.
const std::vector<int> kForbidden = {
#if defined(SYS_fork)
    SYS_fork,
    SYS_vfork,
#endif
    SYS_clone,
    SYS_clone3,
    SYS_execve,
    SYS_execveat,
    SYS_unshare,
    SYS_setns,
    SYS_ptrace,
    SYS_prctl,
    SYS_socket,
    SYS_connect,
    SYS_bind,
    SYS_listen,
    SYS_accept4,
    SYS_epoll_create1,
    SYS_eventfd2,
    SYS_signalfd4,
    SYS_inotify_init1,
    SYS_kill,
    SYS_sched_setaffinity,
    SYS_sched_setscheduler,
    SYS_setpriority,
    SYS_pipe2};
/// Builds need these beside.
const std::vector<int> kForBuilds = {
#if defined(SYS_open)
    SYS_open,
#endif
    SYS_openat, SYS_openat2, SYS_memfd_create, SYS_socketpair, SYS_sendmsg, SYS_recvmsg, SYS_fcntl, SYS_dup3};

void forbid(const std::vector<int>& calls) {
  std::vector<sock_filter> filter = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const int call : calls) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0) return;
  std::printf("no filter for all threads: %s\n", std::strerror(errno));
  std::exit(77);
}

std::atomic<int> called{0};

void expectCall(int count) {
  for (int i = 0; i < 20000 && called < count; ++i)
    usleep(1000);
  REQUIRE(called == count);
}

void CL_CALLBACK native(void*) { ++called; }

/// Kernels that are built already, by all ways of waiting for them.
void launch(const guest::Session& session, cl_kernel add) {
  cl_int status = CL_SUCCESS;
  constexpr std::size_t kItems = std::size_t{1} << 20;
  cl_mem buffer = clCreateBuffer(session.context, CL_MEM_READ_WRITE, kItems * sizeof(int), nullptr, &status);
  REQUIRE(status == CL_SUCCESS);
  REQUIRE(clSetKernelArg(add, 0, sizeof buffer, &buffer) == CL_SUCCESS);
  cl_event gate = clCreateUserEvent(session.context, &status);
  REQUIRE(status == CL_SUCCESS);
  for (int by = 0; by < 300; ++by) {
    REQUIRE(clSetKernelArg(add, 1, sizeof by, &by) == CL_SUCCESS);
    REQUIRE(clEnqueueNDRangeKernel(session.queue, add, 1, nullptr, &kItems, nullptr, by == 0, by == 0 ? &gate : nullptr,
                                   nullptr) == CL_SUCCESS);
    if (by == 0) REQUIRE(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
  }
  const int* seen = static_cast<const int*>(clEnqueueMapBuffer(session.queue, buffer, CL_TRUE, CL_MAP_READ, 0,
                                                               kItems * sizeof(int), 0, nullptr, nullptr, &status));
  REQUIRE(status == CL_SUCCESS);
  for (std::size_t i = 0; i < kItems; ++i)
    REQUIRE(seen[i] == static_cast<int>(i) + 299);
  cl_event unmapped = nullptr;
  REQUIRE(clEnqueueUnmapMemObject(session.queue, buffer, const_cast<int*>(seen), 0, nullptr, &unmapped) == CL_SUCCESS);
  called = 0;
  REQUIRE(clSetEventCallback(unmapped, CL_COMPLETE, [](cl_event, cl_int, void*) { ++called; }, nullptr) == CL_SUCCESS);
  REQUIRE(clFinish(session.queue) == CL_SUCCESS);
  expectCall(1);
  REQUIRE(clEnqueueNativeKernel(session.queue, native, nullptr, 0, 0, nullptr, nullptr, 0, nullptr, nullptr) ==
          CL_SUCCESS);
  REQUIRE(clFinish(session.queue) == CL_SUCCESS);
  expectCall(2);
  clReleaseEvent(unmapped);
  clReleaseEvent(gate);
  clReleaseMemObject(buffer);
}

void CL_CALLBACK onBuilt(cl_program, void*) { ++called; }

void build(const guest::Session& session) {
  for (int i = 0; i < 3; ++i)
    guest::computeSomething(session, i);
  const std::string source = guest::freshSource();
  const char* text = source.c_str();
  cl_int status = CL_SUCCESS;
  cl_program program = clCreateProgramWithSource(session.context, 1, &text, nullptr, &status);
  REQUIRE(status == CL_SUCCESS);
  called = 0;
  REQUIRE(clBuildProgram(program, 1, &session.device, "", onBuilt, nullptr) == CL_SUCCESS);
  expectCall(1);
  cl_kernel add = guest::kernel(program, "add");
  launch(session, add);
  clReleaseKernel(add);
  clReleaseProgram(program);
}

} // namespace

int main(int argc, char** argv) {
  REQUIRE(argc == 2);
  alarm(150);
  const guest::Session session;
  if (std::strcmp(argv[1], "builds") == 0) {
    forbid(kForbidden);
    build(session);
    return 0;
  }
  cl_program program = guest::build(session.context, session.device, guest::freshSource().c_str());
  cl_kernel add = guest::kernel(program, "add");
  std::vector<int> all = kForbidden;
  all.insert(all.end(), kForBuilds.begin(), kForBuilds.end());
  forbid(all);
  launch(session, add);
  clReleaseKernel(add);
  clReleaseProgram(program);
  return 0;
}
