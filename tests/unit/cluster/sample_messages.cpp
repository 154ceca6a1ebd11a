// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sample_messages.hpp"

#include <array>
#include <cstring>

namespace clotho::cluster::test {

std::vector<ToNode> messagesToNode(std::uint64_t base) {
  RunLaunch launch{.program = 5,
                   .kernel = 1,
                   .dimensions = 2,
                   .offset = {1, 2, 3},
                   .global = {64, 8, 2},
                   .local = {16, 4, 1},
                   .args = std::string(24, 'a'),
                   .objects = {{base, 4096, true}, {base + 8192, 100, false}},
                   .bufferCount = 1,
                   .readImageCount = 1,
                   .localBytes = 256,
                   .largestPointed = 77,
                   .arePointersApart = false,
                   .zeroesLocal = true};
  const RunCopy copy{.source = {Place::Kind::Slots, 4096},
                     .target = {Place::Kind::Device, base},
                     .rowBytes = 16,
                     .rows = 4,
                     .slices = 2,
                     .sourceRowPitch = 16,
                     .sourceSlicePitch = 64,
                     .targetRowPitch = 32,
                     .targetSlicePitch = 128,
                     .mayOverlap = true};
  const RunFill fill{
      .target = base + 64, .pattern = "1234", .rowBytes = 16, .rows = 2, .slices = 3, .rowPitch = 32, .slicePitch = 64};
  return {UseMemory{base, 4096},
          UseMemory{base + 8192, 4096},
          MakeQueue{3, false},
          RunCommand{.number = 2, .queue = 3, .after = {}, .work = launch},
          RunCommand{.number = 3, .queue = 3, .after = {{2, true}}, .work = copy},
          RunCommand{.number = 4, .queue = 3, .after = {{2, false}, {3, true}}, .work = fill},
          RunCommand{.number = 5, .queue = 3, .after = {{4, false}}, .work = RunNothing{}},
          RecordCommand{9, copy},
          RecordCommand{9, fill},
          RunCommand{.number = 6, .queue = 3, .after = {{5, false}}, .work = RunSequence{9}},
          WriteBytes{base + 100, "some bytes"},
          ChooseLocalSize{.question = 7, .program = 5, .kernel = 1, .dimensions = 2, .global = {64, 8, 1}},
          RunCommand{.number = 7,
                     .queue = 3,
                     .after = {{5, true}, {4, true, {7, 99}}},
                     .work = SendBytes{.address = base, .size = 16, .to = {1000, 99}, .edge = 8}},
          RunCommand{.number = 8,
                     .queue = 3,
                     .work = ReceiveBytes{.address = base, .size = 16, .from = {1000, 99}, .edge = 3}},
          TellEnd{.number = 5, .to = {1000, 99}, .edge = 2},
          ForgetPeer{98},
          ForgetSequence{9},
          DropProgram{5},
          DropQueue{3},
          FreeMemory{base}};
}

std::vector<ToHost> messagesToHost() {
  return {Ended{.number = 2, .status = static_cast<std::uint32_t>(-5), .started = 10, .ended = 20},
          Reported{3, Reported::Level::Warn, "what went wrong"}, Printed{4, "text"},
          LocalSizeChosen{.question = 5, .local = {16, 4, 2}}};
}

std::string damaged(std::string bytes, std::mt19937& random) {
  const auto below = [&](std::size_t count) { return random() % count; };
  for (std::size_t times = 1 + below(3); times > 0; --times) {
    const std::size_t at = bytes.empty() ? 0 : below(bytes.size());
    switch (below(6)) {
    case 0: // a bit
      if (!bytes.empty()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
      break;
    case 1: bytes.resize(at); break;
    case 2: bytes.insert(at, std::string(1 + below(9), static_cast<char>(random()))); break;
    case 3: bytes.erase(at, 1 + below(9)); break;
    case 4: { // a number, that is large or small
      constexpr std::array<std::uint64_t, 8> kNumbers{0,          1,         255, 4096, 0x7fffffff, ~std::uint64_t{0},
                                                      1ULL << 63, 1ULL << 40};
      const std::uint64_t number = kNumbers[below(kNumbers.size())];
      if (bytes.size() >= at + sizeof number) std::memcpy(bytes.data() + at, &number, sizeof number);
      break;
    }
    default: // a part of itself somewhere else
      bytes.insert(at, bytes.substr(bytes.empty() ? 0 : below(bytes.size()), 1 + below(32)));
    }
  }
  return bytes;
}

} // namespace clotho::cluster::test
