// SPDX-License-Identifier: Apache-2.0
// Sine and cosine: |x| = n * pi/2 + r with |r| <= pi/4, then a polynomial in r chosen by n mod 4.
//
// Up to a limit, r comes from three fused multiply-adds by parts of pi/2: the first is exact, as both terms are
// multiples of its result's last place, the others add the bits that cancellation uncovers. Beyond it, x * 2/pi is
// formed in integers from the bits of 2/pi that matter (Payne and Hanek 1983): higher bits only add multiples of 4 to
// n.
#include "Functions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::expand;

namespace {
/// |x| = n * pi/2 + r; only the low two bits of n count.
struct Reduced {
  Flt r;
  Int n;
};
} // namespace

static const double kSin32[] = {-0x1.555556p-3, 0x1.111174p-7, -0x1.a05956p-13, 0x1.7c2d9ap-19};
static const double kSin64[] = {-0x1.5555555555555p-3, 0x1.1111111111069p-7,   -0x1.a01a019ffe522p-13,
                                0x1.71de3a33a5527p-19, -0x1.ae642c51503a7p-26, 0x1.6109bd1b98c85p-33,
                                -0x1.9ffd391e6bf56p-41};
static const double kCos32[] = {0x1.55554ap-5, -0x1.6c0c28p-10, 0x1.99e80cp-16};
static const double kCos64[] = {0x1.555555555554bp-5,   -0x1.6c16c16c1500dp-10, 0x1.a01a019c8dd1dp-16,
                                -0x1.27e4f7f05011ap-22, 0x1.1ee9dacb7c2e1p-29,  -0x1.8fa5ec7cc1d93p-37};

/// 2/pi after its binary point, 64 bits a word, behind one word of zeros.
static const uint64_t kTwoOverPi[] = {0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
                                      0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
                                      0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
                                      0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
                                      0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

/// Returns the four words of `table` from `index` on, by a shift of one bit of the index at a time.
static SmallVector<Int> selectWords(ArrayRef<uint64_t> table, Int index, unsigned indexBits, Int like) {
  SmallVector<Int> words;
  for (uint64_t word : table)
    words.push_back(like.constant(word));
  for (unsigned bit = indexBits; bit-- > 0;) {
    unsigned step = 1u << bit;
    Bool taken = (index & uint64_t(step)) != 0;
    // What remains can be shifted by the lower bits only.
    size_t keep = std::min<size_t>(words.size(), step + 3);
    SmallVector<Int> next;
    for (size_t i = 0; i < keep; ++i)
      next.push_back(i + step < words.size() ? select(taken, words[i + step], words[i]) : words[i]);
    words = std::move(next);
  }
  words.erase(words.begin() + 4, words.end());
  return words;
}

/// `hi:lo` shifted left by `count` in [0, width), its high word.
static Int funnelShift(Int hi, Int lo, Int count) {
  // Two shifts, as one by the width would be poison.
  Int back = (lo.shr(1)).shr(count ^ uint64_t(hi.width() - 1));
  return hi.shl(count) | back;
}

/// The reduction of any finite |x| at or above the limit of reduceSmall.
static Reduced reduceHuge32(Flt x) {
  SmallVector<uint64_t> table;
  for (unsigned i = 0; i < 4; ++i) {
    if (i != 0)
      table.push_back(kTwoOverPi[i] >> 32);
    table.push_back(kTwoOverPi[i] & 0xffffffff);
  }
  Int bits = x.bits();
  // x = m * 2^(biased - 150). The first bit of 2/pi that counts has weight 2^-(biased - 151).
  Int offset = bits.shr(23u) - 120;
  SmallVector<Int> words = selectWords(table, offset.shr(5u), 3, bits);
  Int count = offset & 31;
  Int m = ((bits & 0x7fffff) | 0x800000).resizeUnsigned(64);
  Int w0 = funnelShift(words[0], words[1], count).resizeUnsigned(64);
  Int w1 = funnelShift(words[1], words[2], count).resizeUnsigned(64);
  Int w2 = funnelShift(words[2], words[3], count).resizeUnsigned(64);
  // The top 64 of 96 bits of m * w; weight of the last is 2^-62.
  Int product = (m * w0).shl(32u) + m * w1 + (m * w2).shr(32u);
  Int n = (product + (uint64_t(1) << 61)).shr(62u).resizeUnsigned(32);
  // A signed fraction in units of 2^-63, short of the last bit so that rounding cannot leave the range.
  Int fraction = product.shl(2u).sar(1);
  Type f32 = x.getElementType();
  Flt hi = fraction.signedToFloat(f32);
  Flt lo = (fraction - hi.toSigned(64)).signedToFloat(f32);
  const double c = 0x1.921fb6p+0, cLo = -0x1.777a5cp-25;
  Flt r = fma(hi, c * 0x1p-63, fma(hi, cLo * 0x1p-63, lo * (c * 0x1p-63)));
  return {r, n};
}

static Reduced reduceHuge64(Flt x) {
  Int bits = x.bits();
  Int offset = bits.shr(52u) - 1013;
  SmallVector<Int> words = selectWords(kTwoOverPi, offset.shr(6u), 5, bits);
  Int count = offset & 63;
  Int m = (bits & 0xfffffffffffff) | 0x10000000000000;
  Int w0 = funnelShift(words[0], words[1], count);
  Int w1 = funnelShift(words[1], words[2], count);
  Int w2 = funnelShift(words[2], words[3], count);
  // The top 128 of 192 bits of m * w; weight of the last is 2^-126.
  Int carryIn = m.mulWide(w2).second;
  auto [midLow, midHigh] = m.mulWide(w1);
  Int low = midLow + carryIn;
  Int top = m * w0 + midHigh + select(low.ult(carryIn), 1, low.constant(0));
  Int n = (top + (uint64_t(1) << 61)).shr(62u);
  Int fraction = top.shl(2u) | low.shr(62u);
  // In units of 2^-63: a signed integer, and what is below it as a fraction of 2^63.
  Int whole = fraction.sar(1);
  Int rest = (fraction & 1).shl(62u) | (low.shl(2u)).shr(2u);
  Type f64 = x.getElementType();
  Flt hi = whole.signedToFloat(f64);
  Flt lo = fma(rest.signedToFloat(f64), 0x1p-63, (whole - hi.toSigned(64)).signedToFloat(f64));
  const double c = 0x1.921fb54442d18p+0, cLo = 0x1.1a62633145c07p-54;
  Flt r = fma(hi, c * 0x1p-63, fma(hi, cLo * 0x1p-63, lo * (c * 0x1p-63)));
  return {r, n};
}

static double smallLimit(Flt x) { return x.pick(32768.0, 2097152.0); }

static Reduced reduceSmall(Flt x) {
  double magic = x.pick(0x1.8p23, 0x1.8p52);
  Flt shifted = fma(x, 0x1.45f306dc9c883p-1, magic);
  Flt n = shifted - magic;
  Flt r = fma(n, x.pick(-0x1.921fb6p+0, -0x1.921fb54442d18p+0), x);
  r = fma(n, x.pick(0x1.777a5cp-25, -0x1.1a62633145c07p-54), r);
  r = fma(n, x.pick(0x1.ee59dap-50, 0x1.f1976b7ed8fbcp-110), r);
  return {r, shifted.bits()};
}

/// The huge reduction where an element needs it, the small one elsewhere; NaN for infinity and NaN.
static Reduced reduceAll(Flt x, const Reduced &small) {
  Reduced huge = x.isDouble() ? reduceHuge64(x) : reduceHuge32(x);
  Bool needed = x >= smallLimit(x);
  Flt r = select(x < x.infinity(), huge.r, x.nan());
  return {select(needed, r, small.r), select(needed, huge.n, small.n)};
}

/// The reduction of |x|. Scalars and vectors branch around the long code, which almost no program needs; tensors, whose
/// elements are not all here, always run it.
static Reduced reduce(Flt x) {
  Reduced small = reduceSmall(x);
  const Site &site = x.getSite();
  auto vectorType = dyn_cast<VectorType>(x.getType());
  if (isa<ShapedType>(x.getType()) && (!vectorType || vectorType.isScalable()))
    return reduceAll(x, small);

  OpBuilder &b = site.builder;
  Value any = (x >= smallLimit(x)).get();
  if (vectorType) {
    if (vectorType.getRank() == 0)
      any = vector::ExtractOp::create(b, site.loc, any, ArrayRef<int64_t>{});
    else {
      if (vectorType.getRank() > 1)
        any =
            vector::ShapeCastOp::create(b, site.loc, VectorType::get(vectorType.getNumElements(), b.getI1Type()), any);
      any = vector::ReductionOp::create(b, site.loc, vector::CombiningKind::OR, any);
    }
  }
  auto branch = scf::IfOp::create(b, site.loc, TypeRange{x.getType(), small.n.getType()}, any, /*withElse=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  Reduced both = reduceAll(x, small);
  scf::YieldOp::create(b, site.loc, ValueRange{both.r.get(), both.n.get()});
  b.setInsertionPointToStart(branch.elseBlock());
  scf::YieldOp::create(b, site.loc, ValueRange{small.r.get(), small.n.get()});
  return {Flt(site, branch.getResult(0)), Int(site, branch.getResult(1))};
}

static Flt sinPolynomial(Flt r) {
  Flt z = r * r;
  return fma(r * z, polynomial(z, kSin32, kSin64), r);
}

static Flt cosPolynomial(Flt r) {
  Flt z = r * r;
  return fma(z * z, polynomial(z, kCos32, kCos64), fma(z, -0.5, 1.0));
}

/// Flips the sign of `x` where bit `bit` of `n` is set.
static Flt flipSign(Flt x, Int n, unsigned bit) {
  unsigned top = n.width() - 1;
  return (x.bits() ^ (n.shl(top - bit) & (uint64_t(1) << top))).asFloat(x.getElementType());
}

static Flt flipSignLike(Flt x, Flt sign) {
  uint64_t top = uint64_t(1) << (x.bits().width() - 1);
  return (x.bits() ^ (sign.bits() & top)).asFloat(x.getElementType());
}

std::pair<Flt, Flt> expand::sinCos(Flt x) {
  auto [r, n] = reduce(x.abs());
  Flt s = sinPolynomial(r), c = cosPolynomial(r);
  Bool odd = (n & 1) != 0;
  Flt sine = flipSignLike(flipSign(select(odd, c, s), n, 1), x);
  Flt cosine = flipSign(select(odd, s, c), n + 1, 1);
  return {sine, cosine};
}

Flt expand::sin(Flt x) {
  auto [r, n] = reduce(x.abs());
  Flt value = select((n & 1) != 0, cosPolynomial(r), sinPolynomial(r));
  return flipSignLike(flipSign(value, n, 1), x);
}

Flt expand::cos(Flt x) {
  auto [r, n] = reduce(x.abs());
  return flipSign(select((n & 1) != 0, sinPolynomial(r), cosPolynomial(r)), n + 1, 1);
}

Flt expand::tan(Flt x) {
  auto [r, n] = reduce(x.abs());
  Flt s = sinPolynomial(r), c = cosPolynomial(r);
  Bool odd = (n & 1) != 0;
  return flipSignLike(flipSign(select(odd, c, s) / select(odd, s, c), n, 0), x);
}
