// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client/protocol.hpp"

#include "base/bytes.hpp"
#include "compiler/client/fields.hpp"

#include <xxhash.h>

namespace clotho {

namespace {

constexpr std::uint32_t kFrameMagic = 0x6f746c43; // "Clto"
constexpr std::uint64_t kMaxFrame = std::uint64_t{1} << 31;

} // namespace

std::string serialise(const BuildRequest& request) {
  ByteWriter out;
  FieldWriter{out}(request);
  return out.take();
}

std::optional<BuildRequest> parseRequest(std::string_view bytes) {
  ByteReader in(bytes);
  BuildRequest request;
  FieldReader{in}(request);
  if (!in.finished()) return std::nullopt;
  return request;
}

std::string serialise(const BuildResult& result) {
  ByteWriter out;
  visitDescription(result, FieldWriter(out));
  out.text(result.object);
  out.text(result.portable);
  FieldWriter{out}(result.stages);
  return out.take();
}

std::optional<BuildResult> parseResult(std::string_view bytes) {
  ByteReader in(bytes);
  BuildResult result;
  visitDescription(result, FieldReader(in));
  result.object = in.text();
  result.portable = in.text();
  FieldReader{in}(result.stages);
  if (!in.finished()) return std::nullopt;
  return result;
}

std::string serialiseDescription(const BuildResult& result) {
  ByteWriter out;
  visitDescription(result, FieldWriter(out));
  return out.take();
}

std::optional<BuildResult> parseDescription(std::string_view bytes) {
  ByteReader in(bytes);
  BuildResult result;
  visitDescription(result, FieldReader(in));
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
