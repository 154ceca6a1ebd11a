// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/driver.hpp"

#include "compiler/client/locate.hpp"

#include <dlfcn.h>
#include <fstream>
#include <unistd.h>

namespace clotho::replay {

namespace {

bool exists(const std::string& path) { return access(path.c_str(), R_OK) == 0; }

/// Clotho's library: in a build tree, in an installation, or where loaders look for it.
std::string ownLibrary() {
  const std::string command = pathOfCode(reinterpret_cast<const void*>(&ownLibrary));
  const std::string prefix = command.substr(0, command.rfind('/', command.rfind('/') - 1));
  for (const char* place : {"/lib/libclotho.so", "/lib/clotho/libclotho.so", "/lib64/clotho/libclotho.so",
                            "/lib/x86_64-linux-gnu/clotho/libclotho.so", "/lib/aarch64-linux-gnu/clotho/libclotho.so"})
    if (exists(prefix + place)) return prefix + place;
  return "libclotho.so";
}

std::string libraryOf(const std::string& where) {
  if (where.empty()) return ownLibrary();
  const std::string vendor = "/etc/OpenCL/vendors/" + where + ".icd";
  const std::string file = where.ends_with(".icd") ? where : exists(vendor) ? vendor : "";
  if (file.empty()) return where;
  std::ifstream in(file);
  std::string library;
  if (!std::getline(in, library)) throw Failure(file + ": names no library");
  return library;
}

} // namespace

void require(cl_int status, const char* call) {
  if (status != CL_SUCCESS) throw Failure(std::string(call) + " returns " + std::to_string(status));
}

Driver::Driver(const std::string& where) : path_(libraryOf(where)) {
  // Another driver may have a clang of its own, and this command has one, too: each is to find its own.
  void* const library = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  if (!library) throw Failure(dlerror());
  using Find = decltype(&clGetExtensionFunctionAddress);
  using Platforms = cl_int(CL_API_CALL*)(cl_uint, cl_platform_id*, cl_uint*);
  auto platforms = reinterpret_cast<Platforms>(dlsym(library, "clIcdGetPlatformIDsKHR"));
  if (!platforms)
    if (auto find = reinterpret_cast<Find>(dlsym(library, "clGetExtensionFunctionAddress")))
      platforms = reinterpret_cast<Platforms>(find("clIcdGetPlatformIDsKHR"));
  if (!platforms) throw Failure(path_ + ": is no OpenCL driver");
  require(platforms(1, &platform_, nullptr), "clIcdGetPlatformIDsKHR");
  // Every object of a driver begins with its dispatch table (cl_khr_icd).
  calls_ = *reinterpret_cast<cl_icd_dispatch* const*>(platform_);
  require(calls_->clGetDeviceIDs(platform_, CL_DEVICE_TYPE_ALL, 1, &device_, nullptr), "clGetDeviceIDs");
  char name[256] = {};
  calls_->clGetPlatformInfo(platform_, CL_PLATFORM_NAME, sizeof name - 1, name, nullptr);
  isClotho_ = std::string(name) == "Clotho";
}

} // namespace clotho::replay
