// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client/build_key.hpp"

#include "base/bytes.hpp"
#include "base/unique_fd.hpp"
#include "compiler/client/fields.hpp"
#include "compiler/client/host_cpu.hpp"
#include "compiler/client/protocol.hpp"

#include <sys/stat.h>
#include <xxhash.h>

namespace clotho {

namespace {

/// Whether a build depends on the working directory: files are searched there, and debug information records it. A
/// program without either is the same program in another folder. Errs on the side of "yes".
bool dependsOnWorkingDirectory(const BuildRequest& request) {
  auto mentions = [](const std::string& text, std::string_view word) { return text.find(word) != std::string::npos; };
  if (mentions(request.options, "-I") || mentions(request.options, "-g") || mentions(request.options, "\""))
    return true;
  // A directive can be spelt across lines or with a digraph, but not without one of these.
  for (std::string_view word : {"include", "import", "embed", "\\\n", "\\\r", "?\?/"})
    if (mentions(request.source, word)) return true;
  return !request.headers.empty();
}

bool readWhole(const std::string& path, std::string& contents) {
  UniqueFd fd = makeFd([&] { return open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY); });
  struct stat status;
  if (!fd || fstat(fd.get(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  contents.resize(static_cast<std::size_t>(status.st_size));
  std::size_t have = 0;
  while (have < contents.size()) {
    ssize_t got = retryInterrupted([&] { return read(fd.get(), contents.data() + have, contents.size() - have); });
    if (got <= 0) return false;
    have += static_cast<std::size_t>(got);
  }
  return true;
}

} // namespace

std::string BuildKey::hex() const {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::uint64_t word : words)
    for (int shift = 60; shift >= 0; shift -= 4)
      text += kDigits[word >> shift & 15];
  return text;
}

BuildKey hashBytes(std::string_view bytes) {
  XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {{hash.low64, hash.high64}};
}

std::string targetIdentity(const Target& target) {
  ByteWriter out;
  FieldWriter{out}(target);
  out.text(target.kind == TargetKind::Cpu && target.cpu.empty() ? hostCpuIdentity() : std::string_view());
  return out.take();
}

BuildKey requestKey(const BuildRequest& request, std::string_view compilerIdentity) {
  ByteWriter out;
  out.u32(kProtocolVersion);
  out.text(compilerIdentity);
  out.text(targetIdentity(request.target));
  const std::string* ignored = dependsOnWorkingDirectory(request) ? nullptr : &request.workingDirectory;
  visitFields(request, [&](const auto& field) {
    if constexpr (std::same_as<decltype(field), const std::vector<std::string>&>) {
      // Modules are large: hashing them is cheaper than a copy.
      out.u64(field.size());
      for (const std::string& module : field)
        FieldWriter{out}(hashBytes(module).words);
    } else if (static_cast<const void*>(&field) != ignored) {
      FieldWriter{out}(field);
    }
  });
  return hashBytes(out.bytes());
}

BuildKey objectKey(const BuildKey& request, std::span<const Dependency> dependencies) {
  ByteWriter out;
  out.u64(request.words[0]);
  out.u64(request.words[1]);
  for (const Dependency& dependency : dependencies)
    FieldWriter{out}(dependency);
  return hashBytes(out.bytes());
}

std::string identityOf(std::span<const std::string> files) {
  ByteWriter out;
  for (const std::string& file : files) {
    struct stat status;
    out.text(file);
    if (stat(file.c_str(), &status) != 0) continue;
    out.u64(static_cast<std::uint64_t>(status.st_size));
    out.u64(static_cast<std::uint64_t>(status.st_mtim.tv_sec));
    out.u64(static_cast<std::uint64_t>(status.st_mtim.tv_nsec));
  }
  return out.take();
}

bool unchanged(std::span<const Dependency> dependencies) {
  std::string contents;
  for (const Dependency& dependency : dependencies) {
    if (dependency.isAbsence()) {
      if (access(dependency.path.c_str(), F_OK) == 0) return false;
      continue;
    }
    if (!readWhole(dependency.path, contents)) return false;
    BuildKey now = hashBytes(contents);
    if (now.words[0] != dependency.hash[0] || now.words[1] != dependency.hash[1]) return false;
  }
  return true;
}

} // namespace clotho
