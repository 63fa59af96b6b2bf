/** Steps after which a Python session has state of many kinds, two names of which cannot be saved: `connection` and `lazy`. */
export const richState = [
  'import functools, socket, dataclasses\nimport numpy as np, pandas as pd',
  'class Account:\n  def __init__(self): self.total = 0\n  def put(self, n): self.total += n; return self.total\naccount = Account(); account.put(5)',
  '@dataclasses.dataclass\nclass Point:\n  x: int\npoint = Point(3)',
  'def counter():\n  n = 0\n  def step():\n    nonlocal n\n    n += 1\n    return n\n  return step\nstep = counter(); step()',
  'def twice(f):\n  @functools.wraps(f)\n  def run(*a): return 2 * f(*a)\n  return run\n@twice\ndef f(k): return k + len(items)',
  'items = [1]; table = {"items": items}; cycle = []; cycle.append(cycle)',
  'array = np.arange(1000); view = array[10:20]; frame = pd.DataFrame({"a": [1, 2]})',
  'connection = socket.socket(); lazy = (n for n in items)',
];

export const notSaved = ['connection', 'lazy'];

/** Uses everything that can be saved, and changes some of it. */
export const useOfState =
  '(account.put(1), point, step(), f.__name__, f(1), table["items"] is items, cycle[0] is cycle, int(array.sum()), view.base is not None, frame["a"].tolist())';
export const resultOfUse = "(6, Point(x=3), 2, 'f', 4, True, True, 499500, True, [1, 2])";
