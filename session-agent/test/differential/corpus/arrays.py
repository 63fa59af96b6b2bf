# %% an array [needs numpy]
import numpy as np
np.arange(12).reshape(3, 4)
# %% a scalar [needs numpy]
np.float64(1.5), np.int32(3)
# %% an array in a list [needs numpy]
[np.zeros(3), np.eye(2)]
# %% an array in a dict [needs numpy]
{'a': np.arange(20), 'b': np.ones((2, 2))}
# %% a large array [needs numpy]
np.arange(5000)
# %% a dtype [needs numpy]
np.dtype('float32'), np.int64
# %% a structured array [needs numpy]
np.array([(1, 2.0)], dtype=[('x', 'i4'), ('y', 'f8')])
# %% a numpy error [needs numpy]
np.zeros(3) + np.zeros(4)
# %% a numpy warning [needs numpy]
np.array([1.0]) / 0
# %% a numpy function [needs numpy]
np.sum, np.sin
