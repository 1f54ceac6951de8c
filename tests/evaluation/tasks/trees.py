# Count the ends of numbers, sieve primes, grow a search tree.
state = 42


def random(n):
    global state
    state = (state * 1103515245 + 12345) % 2147483648
    return state % n


count = {}
for word in sorted(str(random(1000000)) for i in range(60000)):
    for key in (word[:2], word[:3], word[-2:]):
        count[key] = count.get(key, 0) + 1

sieve = bytearray([1]) * 200000
for i in range(2, 448):
    if sieve[i]:
        for j in range(i * i, len(sieve), i):
            sieve[j] = 0


class Node:
    def __init__(self, key):
        self.key, self.left, self.right = key, None, None


root = Node(500000)
for i in range(10000):
    key, at = random(1000000), root
    while True:
        side = 'left' if key < at.key else 'right'
        to = getattr(at, side)
        if to is None:
            setattr(at, side, Node(key))
            break
        at = to
print(len(count), sum(sieve))
