// SPDX-License-Identifier: Apache-2.0
// The rules of TMA at a launch, when every number is known.
#include "tilewright/Support/PlanEvaluator.h"

using namespace tilewright;

/// The expression that a rule is about.
static uint32_t exprOf(const PlanDescriptor &descriptor, const TmaFinding &finding) {
  if (finding.rule == TmaRule::Address)
    return descriptor.address;
  return finding.rule == TmaRule::Size ? descriptor.sizes[finding.dim] : descriptor.strides[finding.dim];
}

std::string tilewright::describeDescriptor(const PlanVariant &variant, size_t index) {
  const std::string &label = variant.descriptors[index].label;
  return "descriptor " + std::to_string(index) + (label.empty() ? "" : " (" + label + ")");
}

bool PlanEvaluator::checkDescriptors(const PlanArg *args, const int64_t *values, size_t variant,
                                     std::string *error) const {
  const std::vector<PlanDescriptor> &descriptors = kernel.variants[variant].descriptors;
  for (size_t i = 0; i < descriptors.size(); ++i) {
    const PlanDescriptor &descriptor = descriptors[i];
    TmaTensor tensor;
    tensor.type = descriptor.type;
    tensor.address = TmaNumber::exact(values[descriptor.address]);
    tensor.rank = static_cast<uint32_t>(descriptor.sizes.size());
    for (uint32_t d = 0; d < tensor.rank; ++d)
      tensor.dims[d] = {TmaNumber::exact(values[descriptor.sizes[d]]), TmaNumber::exact(values[descriptor.strides[d]]),
                        descriptor.box[d], descriptor.dims[d]};
    tensor.swizzle = descriptor.swizzle;
    tensor.fill = descriptor.fill;
    std::optional<TmaFinding> first;
    bool isLegal = checkTma(tensor, [&](const TmaFinding &finding) {
      if (!first)
        first = finding;
    });
    if (isLegal)
      continue;
    return failAt(describeDescriptor(kernel.variants[variant], i) + ": " + describeTmaFinding(tensor, *first),
                  exprOf(descriptor, *first), args, error);
  }
  return true;
}
