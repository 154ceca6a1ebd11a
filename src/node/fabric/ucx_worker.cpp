// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/fabric/ucx_worker.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace clotho::node {

namespace {

/// Longest header that is asked for: longer texts are no headers for any network.
constexpr std::size_t kMostHeader = 4096;

std::string failure(const std::string& interface, ucs_status_t status) {
  return "UCX cannot use the network " + interface + ": " + ucs_status_string(status);
}

} // namespace

std::unique_ptr<UcxWorker> UcxWorker::create(const std::string& interface, Handler& handler, std::string& why) {
  std::unique_ptr<UcxWorker> worker(new UcxWorker(handler));
  why = worker->open(interface);
  return why.empty() ? std::move(worker) : nullptr;
}

/// Why UCX cannot work; empty if it does.
std::string UcxWorker::open(const std::string& interface) {
  ucp_config_t* config = nullptr;
  ucs_status_t status = ucp_config_read(nullptr, nullptr, &config);
  if (status != UCS_OK) return "UCX's variables make no sense: " + std::string(ucs_status_string(status));
  // NOLINTNEXTLINE(concurrency-mt-unsafe): threads of a node leave the environment alone
  if (!std::getenv("UCX_NET_DEVICES")) status = ucp_config_modify(config, "NET_DEVICES", interface.c_str());
  ucp_params_t parameters{};
  parameters.field_mask = UCP_PARAM_FIELD_FEATURES;
  parameters.features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  if (status == UCS_OK) status = ucp_init(&parameters, config, &context_);
  ucp_config_release(config);
  if (status != UCS_OK) return failure(interface, status);

  ucp_worker_params_t ofWorker{};
  ofWorker.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  ofWorker.thread_mode = UCS_THREAD_MODE_SERIALIZED;
  status = ucp_worker_create(context_, &ofWorker, &worker_);
  if (status == UCS_OK) status = ucp_worker_get_efd(worker_, &descriptor_);
  ucp_worker_attr_t attributes{};
  attributes.field_mask = UCP_WORKER_ATTR_FIELD_MAX_AM_HEADER;
  if (status == UCS_OK) status = ucp_worker_query(worker_, &attributes);
  mostHeader_ = std::min(attributes.max_am_header, kMostHeader);
  ucp_am_handler_param_t handler{};
  handler.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                       UCP_AM_HANDLER_PARAM_FIELD_CB | UCP_AM_HANDLER_PARAM_FIELD_ARG;
  handler.id = kMessageId;
  handler.flags = UCP_AM_FLAG_WHOLE_MSG;
  handler.cb = &UcxWorker::arrived;
  handler.arg = this;
  if (status == UCS_OK) status = ucp_worker_set_am_recv_handler(worker_, &handler);
  if (status != UCS_OK) return failure(interface, status);
  return mostHeader_ < sizeof(PartHeader) ? "UCX has no room for headers" : "";
}

UcxWorker::~UcxWorker() {
  if (worker_) ucp_worker_destroy(worker_);
  if (context_) ucp_cleanup(context_);
}

std::string UcxWorker::address() const {
  ucp_address_t* address = nullptr;
  std::size_t size = 0;
  if (ucp_worker_get_address(worker_, &address, &size) != UCS_OK) return {};
  std::string result(reinterpret_cast<const char*>(address), size);
  ucp_worker_release_address(worker_, address);
  return result;
}

ucs_status_t UcxWorker::arrived(void* self, const void* header, std::size_t headerSize, void* data, std::size_t size,
                                const ucp_am_recv_param_t* parameters) noexcept {
  // Data that has still to be fetched is from no node: they send all of it at once.
  if (headerSize < sizeof(PartHeader) || (parameters->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0) return UCS_OK;
  ArrivedPart part;
  std::memcpy(&part.header, header, sizeof part.header);
  part.text = {static_cast<const char*>(header) + sizeof part.header, headerSize - sizeof part.header};
  part.data = {static_cast<const char*>(data), size};
  static_cast<UcxWorker*>(self)->handler_.arrived(part);
  return UCS_OK;
}

} // namespace clotho::node
