// SPDX-License-Identifier: Apache-2.0
// Argument specs of a command line: the input is the text. What parses is made, unless it names a file or is large.
#include "Require.h"
#include "tilewright/Runtime/ArgSpec.h"

using namespace tilewright;

static constexpr int64_t kMaxElements = 4096;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  std::string error;
  if (!splitNamedSpec(text, "--arg", &error))
    requireMessage(error);
  error.clear();
  std::optional<ArgSpec> spec = parseArgSpec(text, &error);
  if (!spec) {
    requireMessage(error);
    return 0;
  }
  if (spec->kind == ArgSpec::Kind::File)
    return 0;
  if (spec->kind == ArgSpec::Kind::Array) {
    std::optional<int64_t> count = countElements(spec->shape);
    if (count && *count > kMaxElements)
      return 0;
  }
  std::optional<HostArg> made = makeHostArg(*spec, &error);
  if (!made)
    requireMessage(error);
  else
    require(made->isScalar == (spec->kind == ArgSpec::Kind::Scalar), "a scalar spec gives a scalar");
  return 0;
}
