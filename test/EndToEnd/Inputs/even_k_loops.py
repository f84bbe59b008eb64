# SPDX-License-Identifier: Apache-2.0
"""A kernel with nested loops whose ends a host cannot know."""

# Each program walks a matrix in blocks of 4x16, all rows and columns from FIRST to where memory says.
SUMS = """
!mat = !tile.view<?x?xi32, strides = [?, 1]>
!one = !tile.view<?xi32, strides = [1]>
!out = !tile.view<?x4x16xi32, strides = [64, 16, 1]>
func.func @sums(%v: !mat {tile.name = "v"}, %ends: !one {tile.name = "ends"}, %out: !out {tile.name = "out"})
    attributes {tile.kernel, tile.grid = @sums_grid} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  %first = arith.constant FIRST : index
  %zero = arith.constant dense<0> : tensor<4x16xi32>
  %p = tile.program_id x
  %t = tile.load %ends[%p] : !one -> tensor<1xi32>
  %e = tile.to_scalar %t : tensor<1xi32>
  %end = arith.index_cast %e : i32 to index
  %rows = tile.view_size %v, 0 : !mat
  %columns = tile.view_size %v, 1 : !mat
  %limit = arith.minsi %end, %columns : index
  %sum = scf.for %i = %c0 to %rows step %c4 iter_args(%outer = %zero) -> (tensor<4x16xi32>) {
    %inner = scf.for %j = %first to %limit step %c16 iter_args(%acc = %outer) -> (tensor<4x16xi32>) {
      %x = tile.load %v[%i, %j] pad(zero) : !mat -> tensor<4x16xi32>
      %next = arith.addi %acc, %x : tensor<4x16xi32>
      scf.yield %next : tensor<4x16xi32>
    }
    scf.yield %inner : tensor<4x16xi32>
  }
  tile.store %sum, %out[%p, %c0, %c0] dims [1, 2] : tensor<4x16xi32>, !out
  return
}
func.func @sums_grid(%v: !mat, %ends: !one, %out: !out) -> index {
  %n = tile.view_size %ends, 0 : !one
  return %n : index
}
"""


def sums(first):
    """The kernel whose inner loop begins at `first`."""
    return SUMS.replace("FIRST", str(first))
