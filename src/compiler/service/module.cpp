// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler as a shared library, for applications that may not start programs.
#include "compiler/client/locate.hpp"
#include "compiler/client/protocol.hpp"
#include "compiler/service/make_core.hpp"

#include <cstddef>

using namespace clotho;

namespace {

BuildResult build(const char* bytes, std::size_t size) {
  BuildResult result;
  std::optional<BuildRequest> request = parseRequest({bytes, size});
  if (!request) {
    result.log = "the compiler did not understand the request\n";
    return result;
  }
  // Never destroyed, since the application may build from its own static destructors.
  static service::Core* core = nullptr;
  if (!core) core = service::makeCore(pathOfCode(reinterpret_cast<const void*>(&build)), result.log).release();
  if (core) return core->build(*request);
  result.status = BuildStatus::Unavailable;
  result.log += '\n';
  return result;
}

} // namespace

/// Takes a serialised BuildRequest; `answer` gets a serialised BuildResult, once. One call at a time.
extern "C" __attribute__((visibility("default"))) void
clotho_compile(const char* bytes, std::size_t size, void (*answer)(void*, const char*, std::size_t), void* context) {
  std::string result = serialise(build(bytes, size));
  answer(context, result.data(), result.size());
}
