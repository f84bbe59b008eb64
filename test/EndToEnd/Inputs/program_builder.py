# SPDX-License-Identifier: Apache-2.0
"""What the pieces of a random program are built with: parameters, names that are at hand, choices.

Floats hold small integers, so every result is exact. What an operation promises holds by construction.
"""

import numpy as np

from program_ops import DTYPES, Op, Value

MOST_ELEMENTS = 512


def divisors(number):
    return [d for d in range(1, number + 1) if number % d == 0]


class Memory:
    """An array parameter. `steps` are those of a view's strides in memory, outermost last; pointers have one dimension."""

    def __init__(self, name, values, order=None, kind="view", is_output=False, facts=()):
        self.name, self.values, self.kind, self.is_output, self.facts = name, values, kind, is_output, facts
        self.order = tuple(order or range(values.ndim))
        self.has_places = False  # One for each program, along the first dims.

    def type(self, order=None):
        """The view's type, its dims permuted by `order`."""
        type = next(name for name, dtype in DTYPES.items() if dtype == self.values.dtype.type or
                    (dtype is bool and self.values.dtype == bool))
        if self.kind == "pointer":
            return f"!tile.ptr<{type}>"
        last = self.order[-1]
        strides = ["1" if dim == last else "?" for dim in range(self.values.ndim)]
        if order:
            strides = [strides[dim] for dim in order]
        return f"!tile.view<{'?x' * self.values.ndim}{type}, strides = [{', '.join(strides)}]>"

    def lay_out(self, values):
        """A copy with the strides that the type promises: dimension `order[-1]` runs fastest, rows are padded. Returns it, the
        room that it lies in and where in there."""
        ordered = values.transpose(self.order)
        shape = list(ordered.shape)
        if len(shape) > 1:
            shape[-1] += 3  # Rows are not neighbours.
        room = np.full(shape, 99, values.dtype)
        inside = tuple(slice(0, extent) for extent in ordered.shape)
        view = room[inside]
        view[...] = ordered
        return view.transpose(np.argsort(self.order)), room, inside


class Context:
    """What one program sees."""

    def __init__(self, ids, grid, memory, numbers):
        self.ids, self.grid, self.memory, self.numbers = ids, grid, memory, numbers


class Builder:
    """Writes operations into a block. Its `random` makes every choice; `scopes` has what can be read, the innermost last."""

    def emit(self, template, operands, results, run, has_effect=False):
        """Adds an operation to the current block; returns its results, which later operations may read."""
        op = Op(template, operands, results, run, has_effect, self.is_fixed)
        self.block.ops.append(op)
        self.scopes[-1] += results
        return results[0] if len(results) == 1 else results

    def scalar(self, text, run, operands=(), bound=0, type="index", low=None):
        return self.emit(f"{{r0}} = {text}", list(operands), [Value(type, None, bound, low)], run)

    def constant(self, value, type="index"):
        return self.scalar(f"arith.constant {value} : {type}", lambda context: value, (), abs(value), type, value)

    def visible(self, wanted):
        return [value for scope in self.scopes for value in scope if wanted(value)]

    def tile_value(self, *types, wanted=lambda value: True):
        """A tile that is at hand, the newer the likelier and one that nobody read before the others, or None."""
        found = self.visible(lambda value: value.is_tile and (not types or value.type in types) and wanted(value))
        unread = [value for value in found if not value.is_read]
        if unread and self.random.random() < 0.5:
            found = unread
        if not found:
            return None
        value = found[int(len(found) * self.random.random() ** 0.6)]
        value.is_read = True
        return value

    def index(self, low, high):
        """An index scalar whose value lies in the range in every program: from ids, loops, parameters or a constant."""
        pick = self.random.random()
        found = self.visible(lambda value: value.type == "index" and value.low >= low and value.bound <= high)
        if pick < 0.45 and found:
            return self.random.choice(found)
        if pick < 0.75:
            return self.number(self.random.randint(low, high))
        return self.constant(self.random.randint(low, high))

    def number(self, value):
        """A parameter of that value, with facts that hold."""
        facts = []
        if self.random.random() < 0.4:
            facts.append(f"tile.div_by = {self.random.choice(divisors(abs(value)) if value else (1, 8, 64))} : i64")
        if self.random.random() < 0.4:
            facts.append(f"tile.min = {value - self.random.choice((0, 1, 9))} : i64")
        if self.random.random() < 0.4:
            facts.append(f"tile.max = {value + self.random.choice((0, 1, 9))} : i64")
        name = f"%n{len(self.numbers)}"
        self.numbers.append((name, value, facts))
        # A parameter is no operation, so something that reads it stands for it: an assumption that holds, or a sum.
        fact = f"min {value - self.random.choice((0, 3))}" if self.random.random() < 0.5 else \
            f"div_by {self.random.choice(divisors(abs(value)) if value else (1, 16))}"
        if self.random.random() < 0.5:
            return self.scalar(f"arith.addi {name}, %zero_index overflow<nsw> : index", lambda context: value, (),
                               abs(value), low=value)
        return self.scalar(f"tile.assume {name} {fact} : index", lambda context: value, (), abs(value), low=value)

    def extents(self, rank, most=MOST_ELEMENTS):
        while True:
            shape = [self.random.choice((1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 64)) for _ in range(rank)]
            if np.prod(shape) <= most:
                return shape

    def values(self, type, shape):
        if type == "i1":
            return self.data.integers(0, 2, shape).astype(bool)
        high = {"i8": 5, "f16": 4, "f32": 5, "i32": 1000, "i64": 10**6}[type]
        return self.data.integers(-high, high + 1, shape).astype(DTYPES[type])

    def bound_of(self, type):
        return {"i8": 5, "f16": 4, "f32": 5, "i1": 1}.get(type, 0)
