// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client/protocol.hpp"

#include "base/bytes.hpp"

#include <xxhash.h>

namespace clotho {

namespace {

constexpr std::uint32_t kFrameMagic = 0x6f746c43; // "Clto"
constexpr std::uint64_t kMaxFrame = std::uint64_t{1} << 31;

template <class List, class Write> void writeList(ByteWriter& out, const List& list, Write&& write) {
  out.u64(list.size());
  for (const auto& element : list)
    write(element);
}

/// `minimum` is the least number of bytes that one element takes.
template <class Element, class Read> std::vector<Element> readList(ByteReader& in, std::size_t minimum, Read&& read) {
  std::vector<Element> list;
  std::size_t count = in.count(minimum);
  list.reserve(count);
  for (std::size_t i = 0; i < count && in.ok(); ++i)
    list.push_back(read());
  return list;
}

constexpr std::size_t kTextMinimum = 8;

std::vector<std::string> readTexts(ByteReader& in) {
  return readList<std::string>(in, kTextMinimum, [&] { return in.text(); });
}

constexpr std::size_t kArgMinimum = 3 + 4 * 4 + 2 * kTextMinimum;

void write(ByteWriter& out, const ArgInfo& arg) {
  out.enumerator(arg.kind);
  out.enumerator(arg.address);
  out.enumerator(arg.access);
  out.u32(arg.typeQualifiers);
  out.u32(arg.size);
  out.u32(arg.alignment);
  out.u32(arg.offset);
  out.text(arg.name);
  out.text(arg.typeName);
}

ArgInfo readArg(ByteReader& in) {
  ArgInfo arg;
  arg.kind = in.enumerator(ArgKind::Queue);
  arg.address = in.enumerator(AddressQualifier::Local);
  arg.access = in.enumerator(AccessQualifier::ReadWrite);
  arg.typeQualifiers = in.u32();
  arg.size = in.u32();
  arg.alignment = in.u32();
  arg.offset = in.u32();
  arg.name = in.text();
  arg.typeName = in.text();
  return arg;
}

constexpr std::size_t kKernelMinimum = 3 * kTextMinimum + 8 + 10 * 4 + 8 * 8 + 6;

void write(ByteWriter& out, const KernelInfo& kernel) {
  out.text(kernel.name);
  out.text(kernel.symbol);
  out.text(kernel.attributes);
  writeList(out, kernel.args, [&](const ArgInfo& arg) { write(out, arg); });
  out.u32(kernel.argBlockSize);
  for (std::uint32_t size : kernel.requiredLocalSize)
    out.u32(size);
  out.u32(kernel.subGroupSize);
  out.u32(kernel.requiredSubGroupSize);
  out.u64(kernel.localBytes);
  out.u64(kernel.privateBytes);
  out.u64(kernel.frameBytesPerItem);
  out.u64(kernel.interleavedState);
  out.u64(kernel.stackBytes);
  out.u64(kernel.subGroupStackBytes);
  out.boolean(kernel.hasArgInfo);
  out.boolean(kernel.usesPrintf);
  out.boolean(kernel.usesBarrier);
  out.boolean(kernel.flushesDenormals);
  out.boolean(kernel.usesSubGroups);
  out.boolean(kernel.allowsNonUniform);
  out.u32(kernel.mergedRow);
  for (std::uint32_t size : kernel.directSize)
    out.u32(size);
  out.u32(kernel.rowsAtOnce);
  out.u64(kernel.outputs);
  out.u64(kernel.changed);
}

KernelInfo readKernel(ByteReader& in) {
  KernelInfo kernel;
  kernel.name = in.text();
  kernel.symbol = in.text();
  kernel.attributes = in.text();
  kernel.args = readList<ArgInfo>(in, kArgMinimum, [&] { return readArg(in); });
  kernel.argBlockSize = in.u32();
  for (std::uint32_t& size : kernel.requiredLocalSize)
    size = in.u32();
  kernel.subGroupSize = in.u32();
  kernel.requiredSubGroupSize = in.u32();
  kernel.localBytes = in.u64();
  kernel.privateBytes = in.u64();
  kernel.frameBytesPerItem = in.u64();
  kernel.interleavedState = in.u64();
  kernel.stackBytes = in.u64();
  kernel.subGroupStackBytes = in.u64();
  kernel.hasArgInfo = in.boolean();
  kernel.usesPrintf = in.boolean();
  kernel.usesBarrier = in.boolean();
  kernel.flushesDenormals = in.boolean();
  kernel.usesSubGroups = in.boolean();
  kernel.allowsNonUniform = in.boolean();
  kernel.mergedRow = in.u32();
  for (std::uint32_t& size : kernel.directSize)
    size = in.u32();
  kernel.rowsAtOnce = in.u32();
  kernel.outputs = in.u64();
  kernel.changed = in.u64();
  return kernel;
}

constexpr std::size_t kFormatMinimum = kTextMinimum + 8 + 8;

void write(ByteWriter& out, const PrintfFormat& format) {
  out.text(format.format);
  writeList(out, format.argSizes, [&](std::uint32_t size) { out.u32(size); });
  writeList(out, format.strings, [&](const std::string& string) { out.text(string); });
}

PrintfFormat readFormat(ByteReader& in) {
  PrintfFormat format;
  format.format = in.text();
  format.argSizes = readList<std::uint32_t>(in, 4, [&] { return in.u32(); });
  format.strings = readTexts(in);
  return format;
}

void writeDescription(ByteWriter& out, const BuildResult& result) {
  out.enumerator(result.status);
  out.text(result.log);
  writeList(out, result.kernels, [&](const KernelInfo& kernel) { write(out, kernel); });
  writeList(out, result.printfFormats, [&](const PrintfFormat& format) { write(out, format); });
  out.u64(result.globalVariableBytes);
  out.boolean(result.hasProgramScopeVariables);
  writeList(out, result.dependencies, [&](const Dependency& dependency) {
    out.text(dependency.path);
    out.u64(dependency.hash[0]);
    out.u64(dependency.hash[1]);
  });
}

BuildResult readDescription(ByteReader& in) {
  BuildResult result;
  result.status = in.enumerator(BuildStatus::Unavailable);
  result.log = in.text();
  result.kernels = readList<KernelInfo>(in, kKernelMinimum, [&] { return readKernel(in); });
  result.printfFormats = readList<PrintfFormat>(in, kFormatMinimum, [&] { return readFormat(in); });
  result.globalVariableBytes = in.u64();
  result.hasProgramScopeVariables = in.boolean();
  result.dependencies = readList<Dependency>(in, kTextMinimum + 16, [&] {
    Dependency dependency;
    dependency.path = in.text();
    dependency.hash[0] = in.u64();
    dependency.hash[1] = in.u64();
    return dependency;
  });
  return result;
}

} // namespace

std::string serialise(const BuildRequest& request) {
  ByteWriter out;
  out.enumerator(request.kind);
  out.text(request.source);
  out.text(request.options);
  out.text(request.workingDirectory);
  writeList(out, request.headers, [&](const Header& header) {
    out.text(header.name);
    out.text(header.text);
  });
  writeList(out, request.modules, [&](const std::string& module) { out.text(module); });
  out.text(request.target.cpu);
  out.text(request.target.features);
  out.u32(request.target.width);
  out.u32(request.openclVersion);
  return out.take();
}

std::optional<BuildRequest> parseRequest(std::string_view bytes) {
  ByteReader in(bytes);
  BuildRequest request;
  request.kind = in.enumerator(BuildKind::Link);
  request.source = in.text();
  request.options = in.text();
  request.workingDirectory = in.text();
  request.headers = readList<Header>(in, 2 * kTextMinimum, [&] {
    Header header;
    header.name = in.text();
    header.text = in.text();
    return header;
  });
  request.modules = readTexts(in);
  request.target.cpu = in.text();
  request.target.features = in.text();
  request.target.width = in.u32();
  request.openclVersion = in.u32();
  if (!in.finished()) return std::nullopt;
  return request;
}

std::string serialise(const BuildResult& result) {
  ByteWriter out;
  writeDescription(out, result);
  out.text(result.object);
  out.text(result.portable);
  return out.take();
}

std::optional<BuildResult> parseResult(std::string_view bytes) {
  ByteReader in(bytes);
  BuildResult result = readDescription(in);
  result.object = in.text();
  result.portable = in.text();
  if (!in.finished()) return std::nullopt;
  return result;
}

std::string serialiseDescription(const BuildResult& result) {
  ByteWriter out;
  writeDescription(out, result);
  return out.take();
}

std::optional<BuildResult> parseDescription(std::string_view bytes) {
  ByteReader in(bytes);
  BuildResult result = readDescription(in);
  if (!in.finished()) return std::nullopt;
  return result;
}

std::string serialise(const Hello& hello) {
  ByteWriter out;
  out.u32(kFrameMagic);
  out.u32(hello.version);
  out.boolean(hello.ready);
  out.text(hello.reason);
  return out.take();
}

std::optional<Hello> parseHello(std::string_view bytes) {
  ByteReader in(bytes);
  Hello hello;
  if (in.u32() != kFrameMagic) return std::nullopt;
  hello.version = in.u32();
  if (in.ok() && hello.version != kProtocolVersion) return hello;
  hello.ready = in.boolean();
  hello.reason = in.text();
  if (!in.finished()) return std::nullopt;
  return hello;
}

FrameHeader FrameHeader::of(std::string_view payload) {
  return {kFrameMagic, kProtocolVersion, payload.size(), XXH3_64bits(payload.data(), payload.size())};
}

bool FrameHeader::plausible() const { return magic == kFrameMagic && version == kProtocolVersion && size <= kMaxFrame; }

bool FrameHeader::matches(std::string_view payload) const {
  return payload.size() == size && XXH3_64bits(payload.data(), payload.size()) == checksum;
}

} // namespace clotho
