// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client/locate.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <initializer_list>
#include <link.h>
#include <memory>
#include <unistd.h>

namespace clotho {

namespace {

std::string resolved(const char* path) {
  struct Free {
    void operator()(char* text) const { free(text); }
  };
  std::unique_ptr<char, Free> real(realpath(path, nullptr));
  return real ? std::string(real.get()) : std::string();
}

std::string folderOf(const std::string& path) { return path.substr(0, path.rfind('/')); }

/// The first accessible file among `folder`/`place`/`name`; places that begin with a slash are absolute.
std::string search(const std::string& folder, std::initializer_list<const char*> places, const std::string& name,
                   int access) {
  for (const char* place : places) {
    if (*place != '/' && folder.empty()) continue;
    std::string path = *place == '/' ? std::string() : folder + "/";
    path.append(place).append("/").append(name);
    // In a setuid program the effective user's rights count.
    if (faccessat(AT_FDCWD, path.c_str(), access, AT_EACCESS) == 0) return resolved(path.c_str());
  }
  return {};
}

void anchor() {}

std::string ownFolder() { return folderOf(pathOfCode(reinterpret_cast<const void*>(&anchor))); }

std::string findExecutable(const std::string& name) {
  return search(ownFolder(),
                {"../bin", "../libexec/clotho", ".", "../../bin", "../../libexec/clotho", "../../../libexec/clotho",
                 CLOTHO_LIBEXEC_FOLDER},
                name, X_OK);
}

} // namespace

std::string pathOfCode(const void* address) {
  Dl_info info;
  link_map* object = nullptr;
  if (!dladdr1(address, &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP)) return {};
  // The program itself has no name there, and argv[0], which dladdr returns instead, need not be a path.
  if (!object || !*object->l_name) return resolved("/proc/self/exe");
  return resolved(object->l_name);
}

std::string findCompiler() { return findExecutable("clotho-compiler"); }

std::string findNode() { return findExecutable("clotho-node"); }

std::string findCompilerModule() {
  return search(ownFolder(), {".", "clotho", "..", "../lib", "../lib/clotho", CLOTHO_LIBRARY_FOLDER},
                "libclotho-compiler.so", R_OK);
}

std::string findFabricModule() {
  return search(ownFolder(), {"../lib", "../../" CLOTHO_LIBDIR "/clotho", "../../lib/clotho", CLOTHO_LIBRARY_FOLDER},
                "libclotho-fabric.so", R_OK);
}

std::string findCompilerData(const std::string& compiler, const std::string& name) {
  return search(folderOf(compiler),
                {"../lib/clotho", "clotho", ".", "../" CLOTHO_LIBDIR "/clotho", "../../lib/clotho",
                 "../../" CLOTHO_LIBDIR "/clotho", CLOTHO_LIBRARY_FOLDER},
                name, R_OK);
}

} // namespace clotho
