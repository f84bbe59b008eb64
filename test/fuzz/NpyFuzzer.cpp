// SPDX-License-Identifier: Apache-2.0
// .npy files: the input is the file. What is read is printed and read again, which must give the same array.
#include "Require.h"
#include "tilewright/Runtime/Npy.h"

#include <cstring>

using namespace tilewright;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  std::string error;
  std::optional<NpyHeader> header = parseNpyHeader(bytes, &error);
  if (!header)
    requireMessage(error);
  error.clear();
  std::optional<HostArray> array = parseNpy(bytes, &error);
  if (!array) {
    requireMessage(error);
    return 0;
  }
  require(header.has_value(), "a file that is read has a header");
  std::optional<HostArray> again = parseNpy(printNpy(*array), &error);
  require(again.has_value(), "what is printed can be read: " + error);
  require(again->shape == array->shape, "shapes survive");
  int64_t count = array->numElements();
  for (int64_t i = 0; i < count; ++i)
    require(std::memcmp(array->element(i), again->element(i), array->elementBytes()) == 0, "elements survive");
  for (ScalarType type : {ScalarType::BF16, ScalarType::TF32, ScalarType::F8E4M3FN, ScalarType::Index, ScalarType::I1}) {
    error.clear();
    if (!viewBits(*array, type, &error))
      requireMessage(error);
  }
  return 0;
}
