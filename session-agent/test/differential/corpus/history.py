# %% a first value
6 * 7
# %% the last value
_ + 1
# %% the last and the one before
_, __
# %% the one before that
___
# %% a statement leaves the last value
x = 1
# %% and it is still there
_
# %% None leaves the last value
None
# %% still
_
# %% a silenced value is not the last value
100;
# %% as before
_
# %% the value of a numbered cell
_1, _2
# %% by Out
Out[1]
# %% Out holds what was shown
sorted(Out)[:4], 5 in Out
# %% Out is a dict
type(Out).__name__
# %% a printed value is no last value
print('p')
# %% as before the print
_2
# %% a loop variable named _ is the user's
for _ in range(3):
    pass
# %% and stays so
_
# %% even after a value
'value'
# %% as the user left it
_
# %% until it is deleted
del _
# %% a new value
'fresh'
# %% is the last value again
_
# %% a failed cell leaves the last value
1 / 0
# %% still the last
_
# %% the names are no builtins
import builtins
hasattr(builtins, '_')
# %% a cell's source
In[1]
