// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compile.hpp"

#include "base/options.hpp"
#include "compiler/client/disk_cache.hpp"
#include "compiler/client/tuning_records.hpp"

#include <llvm/Support/raw_ostream.h>

#include <ctime>

using namespace clotho;

namespace {

std::string dateOf(std::uint64_t when) {
  const auto seconds = static_cast<std::time_t>(when);
  std::tm parts{};
  char text[32];
  if (gmtime_r(&seconds, &parts) == nullptr || std::strftime(text, sizeof text, "%F %T", &parts) == 0) return "?";
  return text;
}

void print(const TunedCode& code) {
  llvm::outs() << "  kernel '" << code.kernel << "', launches '" << code.version.text() << "': ";
  switch (code.verdict) {
  case TunedCode::Verdict::Open: llvm::outs() << "general code"; break;
  case TunedCode::Verdict::Adopted: llvm::outs() << "version, " << code.figures.text(); break;
  case TunedCode::Verdict::Dropped: llvm::outs() << "general code, version " << code.figures.text(); break;
  }
  if (code.width != 0)
    llvm::outs() << "; width " << code.width << ", " << code.widthFigures.text();
  else
    llvm::outs() << (code.isWidthKnown ? "; usual width" : "; width not known yet");
  llvm::outs() << "; " << dateOf(code.when) << '\n';
}

} // namespace

int tuned(bool clears) {
  const std::string folder = DiskCache::defaultFolder(options());
  if (folder.empty()) {
    llvm::errs() << "clotho: there is no folder of builds\n";
    return 1;
  }
  const TuningRecords records(folder);
  if (clears) {
    llvm::outs() << records.clear() << " records deleted\n";
    return 0;
  }
  for (const TuningRecords::File& file : records.all()) {
    llvm::outs() << "on " << (file.processor.empty() ? "a processor without a name" : file.processor) << ", "
                 << file.starts << " times begun with:\n";
    for (const TunedCode& code : file.codes)
      print(code);
  }
  return 0;
}
