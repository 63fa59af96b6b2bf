# %% a line
print('line')
# %% values and a separator
print(1, 'two', [3], None, sep=' | ')
# %% an end of its own
print('a', end='')
print('b', end='!')
# %% nothing at all
print('', end='')
# %% an empty line
print()
# %% a flush
print('flushed', flush=True)
# %% many lines
for number in range(200):
    print('line', number)
# %% a long line
print('x' * 5000)
# %% the error stream
import sys
print('complaint', file=sys.stderr)
# %% both streams
print('out 1')
print('err 1', file=sys.stderr)
print('out 2')
print('err 2', file=sys.stderr)
# %% a write gives its length
sys.stdout.write('written')
# %% writelines
sys.stdout.writelines(['a\n', 'b\n'])
# %% a carriage return stays
print('50 %\r100 %')
# %% a backspace, a bell and colours stay
print('a\bb\a\x1b[31mred\x1b[0m')
# %% a form feed and a vertical tab
print('a\x0cb\x0bc')
# %% Windows line ends
print('a\r\nb')
# %% other scripts
print('naïve 日本語 😀')
# %% output and a value
print('printed')
'shown'
# %% print gives nothing to show
[print('inside')]
# %% a container printed is not wrapped
print(list(range(40)))
# %% a dict printed
print({'b': 1, 'a': {'c': [1, 2]}})
# %% an object printed
class Told:
    def __str__(self):
        return 'told'
    def __repr__(self):
        return 'repr'
print(Told(), [Told()])
# %% pprint
import pprint
pprint.pprint({'name%d' % i: list(range(i)) for i in range(12)})
# %% a warning
import warnings
warnings.warn('take care')
# %% a warning of a category
warnings.warn('old', DeprecationWarning)
# %% a warning from a function
def caution():
    warnings.warn('from inside', UserWarning, stacklevel=2)
caution()
# %% a comparison that the compiler warns of
1 is 1
# %% a log message
import logging
logging.warning('logged')
# %% a log message below the level
logging.info('not logged')
# %% a logger of its own
logger = logging.getLogger('corpus')
logger.error('an error of %s', 'corpus')
# %% an exception logged
try:
    1 / 0
except ZeroDivisionError:
    logger.exception('went wrong')
# %% a traceback printed
import traceback
try:
    {}['k']
except KeyError:
    traceback.print_exc()
# %% a traceback formatted
def deep():
    raise ValueError('deep')
try:
    deep()
except ValueError as error:
    print(traceback.format_exception_only(type(error), error))
# %% a stack of this cell alone
[frame.name for frame in traceback.extract_stack()][-1:]
# %% a child process whose output is taken
import subprocess
subprocess.run(['echo', 'from a child'], capture_output=True, text=True).stdout
# %% a child process that fails
subprocess.run(['false'], check=True)
# %% a result of a child process
subprocess.run(['true'])
# %% a thread that is joined
import threading
thread = threading.Thread(target=lambda: print('from a thread'))
thread.start()
thread.join()
# %% a thread that fails and is joined
import re
def fail():
    raise ValueError('in a thread')
seen = []
hook = threading.excepthook
threading.excepthook = lambda args: seen.append((args.exc_type.__name__, str(args.exc_value)))
thread = threading.Thread(target=fail)
thread.start()
thread.join()
threading.excepthook = hook
seen
# %% a pool of threads
from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor(2) as pool:
    print(list(pool.map(str.upper, 'abc')))
# %% standard output taken
import contextlib
import io
taken = io.StringIO()
with contextlib.redirect_stdout(taken):
    print('hidden')
taken.getvalue()
# %% standard error taken
with contextlib.redirect_stderr(io.StringIO()) as other:
    print('hidden', file=sys.stderr)
other.getvalue()
# %% the encoding of the streams
sys.stdout.encoding.lower(), sys.stderr.encoding.lower()
# %% bytes through the buffer of a text stream of its own
stream = io.TextIOWrapper(io.BytesIO(), 'utf-8')
print('é', file=stream, flush=True)
stream.buffer.getvalue()
# %% a help text
help(len)
# %% a help text of a function of a cell
def documented(a, b=2):
    """Adds two numbers.

    Both are numbers.
    """
    return a + b
help(documented)
# %% the help of a name that is none
help('no_such_topic_at_all')
# %% exec prints
exec('print("from exec")')
# %% a loop with a progress line
for i in range(3):
    print('\r%d of 3' % (i + 1), end='')
print()
# %% a printed generator of text
print(*(c for c in 'abc'), sep='\n')
# %% input is not allowed
input('name? ')
# %% a shell command
!echo "from the shell"
# %% a shell command's output as lines
lines = !printf 'a\nb\n'
list(lines)
# %% a shell command with a variable
word = 'expanded'
!echo {word} $word
# %% a shell command that fails
!exit 3
