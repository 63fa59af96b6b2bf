"""Prepares a session once, then tries variants of the next move in forks of it, each on its own."""
from concurrent.futures import ThreadPoolExecutor

from holdfast import Holdfast

PREPARE = """
points = [(x, 3 * x + 1) for x in range(-20, 21)]
def loss(a, b): return sum((a * x + b - y) ** 2 for x, y in points)
"""

FIT = """
a = b = 0.0
for _ in range(2000):
    a -= {rate} * sum(2 * x * (a * x + b - y) for x, y in points) / len(points)
    b -= {rate} * sum(2 * (a * x + b - y) for x, y in points) / len(points)
round(loss(a, b), 3)
"""

with Holdfast() as holdfast, holdfast.sessions.create() as session:
    session.run(PREPARE)
    rates = [0.0001, 0.001, 0.003]
    forks = session.fork(len(rates))
    with ThreadPoolExecutor() as pool:
        losses = list(pool.map(lambda fork, rate: float(fork.run(FIT.format(rate=rate)).text), forks, rates))
    for rate, loss in zip(rates, losses):
        print(f"rate {rate}: loss {loss}")
    best = min(zip(losses, forks), key=lambda pair: pair[0])[1]
    print("best:", best.run("round(a, 2), round(b, 2)").text)
    for fork in forks:
        fork.delete()
