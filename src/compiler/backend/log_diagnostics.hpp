// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/raw_ostream.h>

#include <string>

namespace clotho::compiler {

/// Writes LLVM's diagnostics to the build log for the lifetime of the object.
class LogDiagnostics {
 public:
  LogDiagnostics(llvm::LLVMContext& context, std::string& log) : context_(context), log_(log) {
    context.setDiagnosticHandlerCallBack(
        [](const llvm::DiagnosticInfo* info, void* self) { static_cast<LogDiagnostics*>(self)->take(*info); }, this);
  }
  LogDiagnostics(const LogDiagnostics&) = delete;
  LogDiagnostics& operator=(const LogDiagnostics&) = delete;
  ~LogDiagnostics() { context_.setDiagnosticHandlerCallBack(nullptr); }
  bool failed() const { return failed_; }

 private:
  void take(const llvm::DiagnosticInfo& info) {
    if (info.getSeverity() != llvm::DS_Error && info.getSeverity() != llvm::DS_Warning) return;
    failed_ = failed_ || info.getSeverity() == llvm::DS_Error;
    llvm::raw_string_ostream out(log_);
    out << (info.getSeverity() == llvm::DS_Error ? "error: " : "warning: ");
    llvm::DiagnosticPrinterRawOStream printer(out);
    info.print(printer);
    out << '\n';
  }

  llvm::LLVMContext& context_;
  std::string& log_;
  bool failed_ = false;
};

} // namespace clotho::compiler
