# %% a frame [needs pandas]
import pandas as pd
frame = pd.DataFrame({'a': [1, 2, 3], 'b': ['x', 'y', None], 'c': [0.1, 0.2, 0.3]})
frame
# %% a series [needs pandas]
frame['a']
# %% an index [needs pandas]
frame.columns
# %% frames in a list [needs pandas]
[frame, frame['a']]
# %% a frame in a dict [needs pandas]
{'frame': frame, 'n': 1}
# %% a long frame [needs pandas]
pd.DataFrame({'n': range(100)})
# %% a wide frame [needs pandas]
pd.DataFrame([range(40)])
# %% a frame displayed [needs pandas]
display(frame)
# %% a description [needs pandas]
frame.describe()
# %% info prints [needs pandas]
frame.info()
# %% a grouping [needs pandas]
frame.groupby('b')
# %% a grouped sum [needs pandas]
frame.groupby('b').sum()
# %% a missing column [needs pandas]
frame['missing']
# %% a timestamp [needs pandas]
pd.Timestamp('2024-02-29 12:00'), pd.Timedelta('1h'), pd.NaT, pd.NA
# %% a category [needs pandas]
pd.Series(['a', 'b'], dtype='category')
# %% a styled frame's types [needs pandas]
type(frame).__name__, frame.shape
