// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Support/Counted.h"

std::string tilewright::counted(int64_t number, std::string_view one, std::string_view many) {
  std::string text = std::to_string(number) + ' ';
  if (number == 1)
    return text.append(one);
  return many.empty() ? text.append(one) + 's' : text.append(many);
}
