# SPDX-License-Identifier: Apache-2.0
"""The pieces of random programs: values, operations, blocks. An operation knows its text and what it does in NumPy.

Nothing here is shared with the compiler: the text is written and the meaning is computed side by side from one object, so
that a program can be run, printed, and made smaller by taking operations away.
"""

import numpy as np

DTYPES = {"i1": bool, "i8": np.int8, "i32": np.int32, "i64": np.int64, "f16": np.float16, "f32": np.float32}
# Floats hold integers up to here, so that every operation is exact in any order. Integers wrap around as they do anyway.
LIMITS = {"f16": 1024, "f32": 1 << 22}


class Value:
    """An SSA value: a tile if it has a shape, else a scalar, a view or pointers.

    `bound` is the largest magnitude that it can have; `low`, of an index, the smallest value.
    """

    def __init__(self, type, shape=None, bound=0, low=None):
        self.type, self.shape, self.bound = type, None if shape is None else tuple(shape), bound
        self.low = -bound if low is None else low
        self.name = ""
        self.is_read = False

    @property
    def is_tile(self):
        return self.shape is not None

    @property
    def text(self):
        """The type as text."""
        return tile(self.shape, self.type) if self.is_tile else self.type

    @property
    def size(self):
        return int(np.prod(self.shape))


def tile(shape, type):
    return f"tensor<{'x'.join(map(str, shape))}x{type}>"


class Op:
    """An operation without regions. `template` names operands {0}, {1}, ... and results {r0}, ...; `run` computes.

    What is fixed carries a promise of the program, such as an address, and is never replaced.
    """

    def __init__(self, template, operands, results, run, has_effect=False, is_fixed=False):
        self.template, self.operands, self.results = template, list(operands), list(results)
        self.run, self.has_effect, self.is_fixed = run, has_effect, is_fixed

    blocks = ()
    is_zeros = False

    def write(self, writer):
        for result in self.results:
            writer.define(result)
        names = {f"r{i}": result.name for i, result in enumerate(self.results)}
        writer.line(self.template.format(*(operand.name for operand in self.operands), **names))

    def execute(self, context, values):
        found = self.run(context, *(values[operand] for operand in self.operands))
        for result, value in zip(self.results, found if isinstance(found, tuple) else (found,)):
            values[result] = value


def zeros(result):
    """What takes the place of an operation that is left out."""
    dense = {"i1": "false", "f16": "0.0", "f32": "0.0"}.get(result.type, "0")
    constant = f"dense<{dense}>" if result.is_tile else "0"
    run = lambda context: np.zeros(result.shape, DTYPES[result.type]) if result.is_tile else 0
    op = Op(f"{{r0}} = arith.constant {constant} : {result.text}", [], [result], run)
    op.is_zeros = True
    return op


class Block:
    """Operations in order, and the values that they hand to what contains them."""

    def __init__(self):
        self.ops = []
        self.yields = []

    def write(self, writer):
        for op in self.ops:
            op.write(writer)
        if self.yields:
            names = ", ".join(value.name for value in self.yields)
            writer.line(f"scf.yield {names} : {', '.join(value.text for value in self.yields)}")

    def execute(self, context, values):
        for op in self.ops:
            op.execute(context, values)
        return [values[value] for value in self.yields]


class Loop:
    """scf.for with carried values."""

    has_effect = is_fixed = is_zeros = False

    def __init__(self, bounds, variable, carried, initial, results, block):
        self.bounds, self.variable, self.carried, self.initial = bounds, variable, carried, initial
        self.results, self.blocks = results, (block,)

    @property
    def operands(self):
        return list(self.bounds) + list(self.initial)

    def write(self, writer):
        for value in [*self.results, self.variable, *self.carried]:
            writer.define(value)
        left = ", ".join(result.name for result in self.results)
        arguments = ", ".join(f"{a.name} = {b.name}" for a, b in zip(self.carried, self.initial))
        types = ", ".join(result.text for result in self.results)
        carried = f" iter_args({arguments}) -> ({types})" if self.carried else ""
        lower, upper, step = (value.name for value in self.bounds)
        head = f"scf.for {self.variable.name} = {lower} to {upper} step {step}{carried} {{"
        writer.nested(f"{left} = {head}" if left else head, self.blocks)

    def execute(self, context, values):
        state = [values[value] for value in self.initial]
        for trip in range(*(int(values[value]) for value in self.bounds)):
            values[self.variable] = trip
            values.update(zip(self.carried, state))
            state = self.blocks[0].execute(context, values)
        values.update(zip(self.results, state))


class Choice:
    """scf.if with results."""

    has_effect = is_fixed = is_zeros = False

    def __init__(self, condition, results, blocks):
        self.operands, self.results, self.blocks = [condition], results, blocks

    def write(self, writer):
        for result in self.results:
            writer.define(result)
        left = ", ".join(result.name for result in self.results)
        types = ", ".join(result.text for result in self.results)
        writer.nested(f"{left} = scf.if {self.operands[0].name} -> ({types}) {{", self.blocks, "} else {")

    def execute(self, context, values):
        block = self.blocks[0 if values[self.operands[0]] else 1]
        values.update(zip(self.results, block.execute(context, values)))


class Writer:
    """Text with unique names."""

    def __init__(self):
        self.lines, self.depth, self.count = [], 1, 0

    def define(self, value):
        value.name = f"%v{self.count}"
        self.count += 1

    def line(self, text):
        self.lines.append("  " * self.depth + text)

    def nested(self, head, blocks, between=None):
        self.line(head)
        for number, block in enumerate(blocks):
            if number:
                self.line(between)
            self.depth += 1
            block.write(self)
            self.depth -= 1
        self.line("}")


def all_blocks(block):
    """The block and those inside it, the outer ones first."""
    yield block
    for op in block.ops:
        for inner in op.blocks:
            yield from all_blocks(inner)


def effects(block):
    """Whether something in the block writes memory."""
    return any(op.has_effect or any(effects(inner) for inner in op.blocks) for op in block.ops)


def drop_dead(block, needed=()):
    """Takes away what nobody reads, from the end to the beginning; returns what is read from outside."""
    needed = set(needed) | set(block.yields)
    kept = []
    for op in reversed(block.ops):
        if op.has_effect or any(effects(inner) for inner in op.blocks) or any(r in needed for r in op.results):
            for inner in op.blocks:
                needed |= drop_dead(inner)
            needed |= set(op.operands)
            kept.append(op)
    block.ops = kept[::-1]
    return needed
