# SPDX-License-Identifier: Apache-2.0
"""Covering arrays: few rows of choices in which every pair of choices of two factors occurs together.

Twenty factors with a handful of values each have more than 10^10 combinations; most errors need two choices to meet, and
all pairs fit in about as many rows as the two largest factors have pairs.
"""

import itertools


def pairs_of(row):
    """The pairs of choices that occur in a row, each as two (factor, value number) in the order of the factors."""
    return itertools.combinations(enumerate(row), 2)


def cover_pairs(counts):
    """Rows of value numbers, one per factor, that cover every pair of values of two factors.

    `counts` holds the number of values of each factor, at least two factors and one value each. Greedy and without chance:
    the same counts give the same rows. Each row begins with the first pair that is left and takes for every other factor
    the value that covers most pairs that are left; of equals, the one that was used least.
    """
    left = {
        pair: None  # A set that keeps the order.
        for (f, n), (g, m) in itertools.combinations(enumerate(counts), 2)
        for pair in itertools.product([(f, a) for a in range(n)], [(g, b) for b in range(m)])
    }
    used = [[0] * count for count in counts]
    rows = []
    while left:
        row = dict(next(iter(left)))
        # The factors with most values are hardest to cover, so they choose first.
        for factor in sorted(range(len(counts)), key=lambda f: (-counts[f], f)):
            if factor in row:
                continue

            def worth(value):
                here = (factor, value)
                covered = sum(tuple(sorted((here, other))) in left for other in row.items())
                return covered, -used[factor][value], -value

            row[factor] = max(range(counts[factor]), key=worth)
        rows.append(tuple(row[factor] for factor in range(len(counts))))
        for factor, value in row.items():
            used[factor][value] += 1
        for pair in pairs_of(rows[-1]):
            left.pop(pair, None)
    return rows
