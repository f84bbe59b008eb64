// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/Tile/IR/DotRecord.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile;

DictionaryAttr tile::toAttribute(MLIRContext *context, const DotRecord &record) {
  Builder builder(context);
  NamedAttrList entries;
  entries.set("family", builder.getStringAttr(StringRef(mmaFamilyName(record.family))));
  entries.set("shape", builder.getDenseI64ArrayAttr(record.shape));
  if (record.padded)
    entries.set("padded", builder.getDenseI64ArrayAttr(*record.padded));
  entries.set("lhs", builder.getStringAttr(record.lhs));
  entries.set("rhs", builder.getStringAttr(record.rhs));
  entries.set("sum", builder.getStringAttr(record.sum));
  if (!record.reason.empty())
    entries.set("reason", builder.getStringAttr(record.reason));
  return entries.getDictionary(context);
}

/// Three positive numbers; nothing for another attribute.
static std::optional<std::array<int64_t, 3>> extentsOf(Attribute attr) {
  auto numbers = dyn_cast_if_present<DenseI64ArrayAttr>(attr);
  if (!numbers || numbers.size() != 3 || llvm::any_of(numbers.asArrayRef(), [](int64_t extent) { return extent < 1; }))
    return std::nullopt;
  return std::array<int64_t, 3>{numbers[0], numbers[1], numbers[2]};
}

std::optional<DotRecord> tile::parseDotRecord(Attribute attr, std::string *error) {
  auto complain = [&](const Twine &rule) -> std::optional<DotRecord> {
    if (error)
      *error = rule.str();
    return std::nullopt;
  };
  auto dictionary = dyn_cast_if_present<DictionaryAttr>(attr);
  if (!dictionary)
    return complain("a dictionary");
  auto text = [&](StringRef key) {
    auto string = dictionary.getAs<StringAttr>(key);
    return string ? string.getValue() : StringRef();
  };
  std::optional<MmaFamily> family = parseMmaFamily(text("family"));
  if (!family)
    return complain("a dictionary whose family is one of " + Twine(quotedMmaFamilies()));
  DotRecord record;
  record.family = *family;
  std::optional<std::array<int64_t, 3>> shape = extentsOf(dictionary.get("shape"));
  if (!shape)
    return complain("a dictionary whose shape is an array of three positive i64");
  record.shape = *shape;
  if (Attribute padded = dictionary.get("padded")) {
    record.padded = extentsOf(padded);
    if (!record.padded)
      return complain("a dictionary whose padded is an array of three positive i64");
  }
  for (NamedAttribute entry : dictionary)
    if (!llvm::is_contained({"family", "shape", "padded", "lhs", "rhs", "sum", "reason"}, entry.getName().getValue()))
      return complain("a dictionary of family, shape, padded, lhs, rhs, sum and reason, which has no " +
                      Twine(entry.getName().getValue()));
  for (StringRef key : {"lhs", "rhs", "sum", "reason"})
    if (Attribute entry = dictionary.get(key); entry && !isa<StringAttr>(entry))
      return complain("a dictionary whose " + Twine(key) + " is a string");
  record.lhs = text("lhs").str();
  record.rhs = text("rhs").str();
  record.sum = text("sum").str();
  record.reason = text("reason").str();
  return record;
}
