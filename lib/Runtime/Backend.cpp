// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Runtime/Backend.h"
#include "tilewright/Runtime/CudaBackend.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>

using namespace tilewright;

Backend::~Backend() = default;

bool Backend::mapHost(void *, uint64_t, const std::string &, bool, uint64_t *) { return false; }

bool Backend::fill(uint64_t address, uint8_t byte, uint64_t bytes, std::string *error) {
  std::string block(static_cast<size_t>(std::min<uint64_t>(bytes, 1 << 20)), static_cast<char>(byte));
  for (uint64_t done = 0; done < bytes; done += block.size())
    if (!upload(address + done, block.data(), std::min<uint64_t>(block.size(), bytes - done), error))
      return false;
  return true;
}

void Backend::unload(const Bundle &bundle) {
  auto belongsToBundle = [&](const std::unique_ptr<DefaultHandle> &handle) {
    for (const PlanKernel &kernel : bundle.plan.kernels)
      if (&kernel == handle->kernel)
        return true;
    return false;
  };
  std::lock_guard<std::mutex> lock(handleMutex);
  defaultHandles.erase(std::remove_if(defaultHandles.begin(), defaultHandles.end(), belongsToBundle),
                       defaultHandles.end());
}

bool Backend::ctasPerSm(const PlanKernel &, const PlanVariant &, int64_t *, std::string *error) {
  if (error)
    *error = describeDevice() + " does not say how many CTAs of a kernel an SM holds";
  return false;
}

void *Backend::prepare(const PlanKernel &kernel, const PlanVariant &variant, std::string *error) {
  std::lock_guard<std::mutex> lock(handleMutex);
  defaultHandles.push_back(std::make_unique<DefaultHandle>(DefaultHandle{&kernel, &variant}));
  return defaultHandles.back().get();
}

bool Backend::launchPrepared(void *prepared, const uint64_t *slots, const uint64_t grid[3], void *stream,
                             std::string *error) {
  const DefaultHandle *handle = static_cast<const DefaultHandle *>(prepared);
  std::lock_guard<std::mutex> lock(handleMutex);
  return launch(*handle->kernel, *handle->variant, slots, grid, error);
}

bool Backend::synchronize(std::string *error) { return true; }

bool Backend::measure(const PlanKernel &kernel, const PlanVariant &variant, const uint64_t *slots,
                      const uint64_t grid[3], unsigned warmups, unsigned repeats, std::vector<double> *seconds,
                      std::string *error) {
  seconds->clear();
  for (unsigned i = 0; i < warmups + repeats; ++i) {
    auto start = std::chrono::steady_clock::now();
    if (!launch(kernel, variant, slots, grid, error))
      return false;
    std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (i >= warmups)
      seconds->push_back(elapsed.count());
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Registry
//===----------------------------------------------------------------------===//

namespace {
struct Registry {
  std::mutex mutex;
  std::map<std::string, BackendFactory> factories;
};
} // namespace

static Registry &getRegistry() {
  static Registry *registry = [] {
    auto *made = new Registry; // Never destroyed: backends may be made while the process ends.
    made->factories["cuda"] = [](const BackendOptions &options) { return createCudaBackend(options); };
    return made;
  }();
  return *registry;
}

void tilewright::registerBackendFactory(const std::string &name, BackendFactory factory) {
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  registry.factories[name] = std::move(factory);
}

bool tilewright::hasBackendFactory(const std::string &name) {
  Registry &registry = getRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  return registry.factories.count(name) != 0;
}

BackendResult tilewright::createBackend(const std::string &name, const BackendOptions &options) {
  Registry &registry = getRegistry();
  BackendFactory factory;
  {
    std::lock_guard<std::mutex> lock(registry.mutex);
    auto it = registry.factories.find(name);
    if (it == registry.factories.end()) {
      std::string known;
      for (const auto &[other, ignored] : registry.factories)
        known += (known.empty() ? "" : ", ") + other;
      return {BackendStatus::Failed, nullptr, "there is no backend '" + name + "' in this program; it has: " + known};
    }
    factory = it->second;
  }
  return factory(options);
}
