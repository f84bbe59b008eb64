// SPDX-License-Identifier: Apache-2.0
#include "Internal.h"
#include "tilewright/Support/Counted.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace tilewright;

/// The tensor maps of a variant.
static ArrayRef<PlanDescriptor> descriptorsOf(const CompileResult &result, const CompiledVariant &variant) {
  if (const PlanKernel *kernel = result.bundle.plan.findKernel(variant.kernel))
    for (const PlanVariant &entry : kernel->variants)
      if (entry.symbol == variant.symbol)
        return entry.descriptors;
  return {};
}

std::string driver::makeReport(const CompileResult &result, const CompileOptions &options,
                               const std::optional<CudaTool> &ptxas) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("target", options.target);
    json.attribute("options", options.toString());
    if (ptxas)
      json.attribute("ptxas", ptxas->version);
    json.attributeArray("dots", [&] {
      for (const DotReport &dot : result.dots)
        json.object([&] {
          json.attribute("location", dot.location);
          json.attribute("family", dot.family);
          json.attribute("shape", dot.shape);
          json.attribute("type", dot.type);
          json.attribute("reason", dot.reason);
          json.attributeArray("variants", [&] {
            for (const std::string &variant : dot.variants)
              json.value(variant);
          });
        });
    });
    json.attributeArray("conversions", [&] {
      for (const ConversionReport &conversion : result.conversions)
        json.object([&] {
          json.attribute("location", conversion.location);
          json.attribute("tile", conversion.tile);
          json.attribute("kind", conversion.kind);
          json.attribute("cycles", conversion.cycles);
          json.attribute("shared_bytes", conversion.sharedBytes);
          json.attribute("write_conflicts", conversion.writeConflicts);
          json.attribute("read_conflicts", conversion.readConflicts);
          json.attribute("ldmatrix", conversion.readsMatrices);
          json.attribute("reason", conversion.reason);
          json.attribute("count", conversion.count);
          json.attributeArray("variants", [&] {
            for (const std::string &variant : conversion.variants)
              json.value(variant);
          });
        });
    });
    json.attributeArray("variants", [&] {
      for (const CompiledVariant &variant : result.variants)
        json.object([&] {
          json.attribute("kernel", variant.kernel);
          json.attribute("symbol", variant.symbol);
          json.attribute("threads", variant.numThreads);
          if (variant.tiles.empty()) { // Else nothing is known yet.
            json.attribute("shared_bytes", variant.sharedBytes);
            json.attribute("stages", 1);
          }
          json.attributeArray("descriptors", [&] {
            for (const PlanDescriptor &descriptor : descriptorsOf(result, variant))
              json.object([&] {
                json.attribute("label", descriptor.label);
                json.attribute("type", llvm::StringRef(scalarTypeName(descriptor.type)));
                json.attributeArray("box", [&] {
                  for (uint32_t extent : descriptor.box)
                    json.value(extent);
                });
                json.attribute("swizzle", llvm::StringRef(tmaSwizzleName(descriptor.swizzle)));
                json.attribute("fill", llvm::StringRef(tmaFillName(descriptor.fill)));
                json.attribute("bytes", static_cast<int64_t>(descriptor.boxBytes()));
              });
          });
          if (variant.resources) {
            json.attribute("registers", variant.resources->registers);
            json.attribute("spill_store_bytes", variant.resources->spillStoreBytes);
            json.attribute("spill_load_bytes", variant.resources->spillLoadBytes);
            json.attribute("stack_bytes", variant.resources->stackBytes);
            json.attribute("barriers", variant.resources->barriers);
          }
          json.attributeArray("ptxas_warnings", [&] {
            for (const std::string &warning : variant.ptxasWarnings)
              json.value(warning);
          });
        });
    });
  });
  return text;
}

void tilewright::printReport(const CompileResult &result, llvm::raw_ostream &stream) {
  const LaunchPlan &plan = result.bundle.plan;
  stream << "report: target " << plan.target << ", " << plan.compilerVersion;
  if (plan.ptxasVersion.empty())
    stream << ", not assembled: registers and spills are unknown\n";
  else
    stream << ", ptxas " << plan.ptxasVersion << '\n';
  for (const CompiledVariant &variant : result.variants) {
    stream << "report: kernel " << variant.kernel << ", variant " << variant.symbol << ": "
           << counted(variant.numThreads, "thread") << ", ";
    if (variant.tiles.empty())
      stream << variant.sharedBytes << " bytes of shared memory, 1 stage";
    else
      stream << "lowered at its first launch";
    if (const auto &r = variant.resources)
      stream << ", " << counted(r->registers, "register") << ", "
             << counted(r->spillStoreBytes + r->spillLoadBytes, "byte") << " spilled, "
             << counted(r->stackBytes, "byte") << " of stack, " << counted(r->barriers, "barrier");
    stream << '\n';
    for (const PlanDescriptor &descriptor : descriptorsOf(result, variant))
      stream << "report:   descriptor of " << driver::describeDescriptor(descriptor) << '\n';
    for (const std::string &warning : variant.ptxasWarnings)
      stream << "report:   ptxas: " << warning << '\n';
  }
  for (const DotReport &dot : result.dots)
    stream << "report: dot at " << dot.location << " (" << llvm::join(dot.variants, ", ") << "): " << dot.family
           << ' ' << dot.shape << ", sums in " << dot.type << (dot.reason.empty() ? "" : "; ") << dot.reason << '\n';
  for (const ConversionReport &c : result.conversions) {
    stream << "report: ";
    if (c.count > 1)
      stream << c.count << " conversions, each";
    else
      stream << "conversion";
    stream << " of " << c.tile << " at " << c.location << " (" << llvm::join(c.variants, ", ") << "): by " << c.kind
           << llvm::format(", about %.0f cycles", c.cycles);
    if (c.sharedBytes > 0)
      stream << ", " << c.sharedBytes << " bytes, "
             << llvm::format("%.4g bank conflicts per write, %.4g per read", c.writeConflicts, c.readConflicts)
             << (c.readsMatrices ? " by ldmatrix" : "");
    stream << "; " << c.reason << '\n';
  }
}
