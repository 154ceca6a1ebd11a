// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/join/pmix.hpp"

#include <pmix.h>
#include <utility>

namespace clotho::node {

namespace {

class PmixLauncher final : public Launcher {
 public:
  std::string open() {
    pmix_status_t status = PMIx_Init(&self_, nullptr, 0);
    if (status != PMIX_SUCCESS) return PMIx_Error_string(status);
    isOpen_ = true;
    pmix_value_t* size = nullptr;
    const pmix_proc_t job = processOf(PMIX_RANK_WILDCARD);
    status = PMIx_Get(&job, PMIX_JOB_SIZE, nullptr, 0, &size);
    if (status != PMIX_SUCCESS) return PMIx_Error_string(status);
    if (size->type == PMIX_UINT32) size_ = size->data.uint32;
    PMIX_VALUE_RELEASE(size);
    return "";
  }
  ~PmixLauncher() override { PmixLauncher::finish(); }

  std::uint32_t rank() const noexcept override { return self_.rank; }
  std::uint32_t size() const noexcept override { return size_; }

  std::optional<std::vector<std::string>> exchange(const std::string& own) override {
    const std::string key = "clotho-" + std::to_string(exchanges_++);
    pmix_value_t value;
    PMIX_VALUE_LOAD(&value, own.c_str(), PMIX_STRING);
    pmix_status_t status = PMIx_Put(PMIX_GLOBAL, key.c_str(), &value);
    PMIX_VALUE_DESTRUCT(&value);
    if (status == PMIX_SUCCESS) status = PMIx_Commit();
    const bool collects = true;
    pmix_info_t info;
    PMIX_INFO_LOAD(&info, PMIX_COLLECT_DATA, &collects, PMIX_BOOL);
    if (status == PMIX_SUCCESS) status = PMIx_Fence(nullptr, 0, &info, 1);
    PMIX_INFO_DESTRUCT(&info);
    if (status != PMIX_SUCCESS) return std::nullopt;
    std::vector<std::string> texts;
    for (std::uint32_t rank = 0; rank < size_; ++rank) {
      const pmix_proc_t process = processOf(rank);
      pmix_value_t* got = nullptr;
      if (PMIx_Get(&process, key.c_str(), nullptr, 0, &got) != PMIX_SUCCESS) return std::nullopt;
      texts.emplace_back(got->type == PMIX_STRING ? got->data.string : "");
      PMIX_VALUE_RELEASE(got);
    }
    return texts;
  }

  void finish() noexcept override {
    if (std::exchange(isOpen_, false)) PMIx_Finalize(nullptr, 0);
  }

 private:
  pmix_proc_t processOf(pmix_rank_t rank) const {
    pmix_proc_t result;
    PMIX_PROC_LOAD(&result, self_.nspace, rank);
    return result;
  }

  pmix_proc_t self_{};
  std::uint32_t size_ = 1;
  bool isOpen_ = false;
  unsigned exchanges_ = 0;
};

} // namespace

std::unique_ptr<Launcher> openPmix(std::string& why) {
  auto launcher = std::make_unique<PmixLauncher>();
  if (const std::string error = launcher->open(); !error.empty()) {
    why = "the launcher does not talk PMIx: " + error;
    return nullptr;
  }
  return launcher->size() > 1 ? std::move(launcher) : nullptr;
}

} // namespace clotho::node
