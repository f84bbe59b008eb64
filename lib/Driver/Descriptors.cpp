// SPDX-License-Identifier: Apache-2.0
// The tensor maps of a bundle: known once layouts are assigned, said in the launch plan.
#include "Internal.h"
#include "tilewright/Conversion/TileToTileGPU/DescriptorPlan.h"

using namespace mlir;
using namespace tilewright;

static auto factsOf(const PlanDescriptor &d) {
  return std::tie(d.type, d.address, d.sizes, d.strides, d.box, d.dims, d.swizzle, d.fill);
}

LogicalResult driver::addDescriptors(ModuleOp module, LaunchPlan &plan, const Target &target) {
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!func->hasAttr("tile.kernel"))
      continue;
    FailureOr<std::vector<DescriptorSpec>> specs = planDescriptors(func, target);
    if (failed(specs))
      return failure();
    std::string name = kernelOf(func), symbol = func.getSymName().str();
    auto kernel = llvm::find_if(plan.kernels, [&](const PlanKernel &known) { return known.name == name; });
    assert(kernel != plan.kernels.end() && "every kernel has a plan");
    auto variant = llvm::find_if(kernel->variants, [&](const PlanVariant &known) { return known.symbol == symbol; });
    assert(variant != kernel->variants.end() && "every version is in the plan");
    for (const DescriptorSpec &spec : *specs) {
      FailureOr<PlanDescriptor> descriptor = buildPlanDescriptor(*kernel, spec);
      if (failed(descriptor))
        return failure();
      descriptor->label = spec.memory + ", " + spec.access->getName().getStringRef().str();
      if (std::string place = describePlace(spec.access->getLoc()); !place.empty())
        descriptor->label += " at " + place;
      // Accesses that copy alike share a map.
      if (llvm::none_of(variant->descriptors,
                        [&](const PlanDescriptor &known) { return factsOf(known) == factsOf(*descriptor); }))
        variant->descriptors.push_back(std::move(*descriptor));
      if (variant->descriptors.size() > PlanLimits::kDescriptors)
        return spec.access->emitOpError() << "needs one tensor map more than the " << PlanLimits::kDescriptors
                                          << " that a launch plan holds for a kernel; disable tile-insert-tma";
    }
  }
  return success();
}

std::string driver::describeDescriptor(const PlanDescriptor &descriptor) {
  std::string text = descriptor.label + ": box ";
  for (size_t d = 0; d < descriptor.box.size(); ++d)
    text += (d ? "x" : "") + std::to_string(descriptor.box[d]);
  return text + " of " + std::string(scalarTypeName(descriptor.type)) + ", swizzle " +
         std::string(tmaSwizzleName(descriptor.swizzle)) + ", fill " + std::string(tmaFillName(descriptor.fill)) + ", " +
         std::to_string(descriptor.boxBytes()) + " bytes";
}
