"""example_policy.py - a replacement policy in Python: not the last one used

    python3 example_policy.py TRACE

The victim is the way after the one that was used last, as in example_policy.c.
"""
import sys

import margay


class NotLast(margay.Policy):
    def __init__(self, sets, ways, seed):
        super().__init__(sets, ways, seed)
        self.last = [0] * sets  # the way that was used last

    def hit(self, set, way):
        self.last[set] = way

    def victim(self, set):
        return (self.last[set] + 1) % self.ways

    def fill(self, set, way, block):
        self.last[set] = way


table = margay.assoc(sys.argv[1], sets=64, ways=8, policy=["lru", NotLast])
for policy, misses in zip(table.policy, table.misses):
    print(policy, misses)
