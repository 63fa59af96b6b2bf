import type { Behaviour } from './run-behaviours.ts';

const ipython = 'IPython: system shell access';
const note = 'Note: you may need to restart the kernel to use updated packages.\n';

/** `!command`, `name = !command` and `%pip`. */
export const commands: Behaviour[] = [
  {
    name: '!command runs a shell command, whose two streams are one',
    source: ipython,
    steps: [{ code: '!echo out; echo err >&2; echo on', stdout: 'out\nerr\non\n' }],
  },
  {
    name: 'what Python writes to stderr stays in order with a command',
    source: 'languages/README.md: order',
    steps: [{ code: 'import sys\nprint("a", file=sys.stderr)\n!echo b\nprint("c")', stdout: 'b\nc\n', stderr: 'a\n' }],
  },
  {
    name: 'a command writes to the stream in the place of sys.stdout',
    source: 'IPython: system_piped',
    steps: [
      {
        code: 'import io, contextlib\nwith contextlib.redirect_stdout(io.StringIO()) as s:\n    !echo caught; echo too >&2\ns.getvalue()',
        shown: "'caught\\ntoo\\n'",
      },
    ],
  },
  {
    name: 'a Python program that a command runs holds no output back',
    source: 'PYTHONUNBUFFERED',
    steps: [
      {
        code: '!python -c "import time; print(\'up\'); time.sleep(60)"',
        interruptAt: 'up',
        stdout: /^up/,
        status: 'interrupted',
      },
    ],
  },
  {
    name: 'python and pip are those of the kernel, also for a program that a command starts',
    source: 'IPython: %pip',
    steps: [
      {
        code: 'import sys\nx = !env python3 -c "import sys; print(sys.executable)"; nohup pip --version\nx[0] == sys.executable, sys.prefix in x[-1]',
        shown: '(True, True)',
      },
    ],
  },
  {
    name: '!command works in a block',
    source: ipython,
    steps: [{ code: 'for i in range(2):\n    !echo {i}\nprint("end")', stdout: '0\n1\nend\n' }],
  },
  {
    name: 'a failing command does not fail the step, and leaves its exit code',
    source: 'IPython: _exit_code',
    steps: [{ code: '!exit 3' }, { code: '_exit_code', shown: '3' }],
  },
  {
    name: 'a command writes to a terminal of 24 lines and 80 columns',
    source: 'ipykernel: system_piped, by pexpect',
    files: { 'long-name-of-one-file': '', 'long-name-of-another-file': '' },
    steps: [
      { code: '!ls', stdout: 'long-name-of-another-file  long-name-of-one-file\n' },
      {
        code: '!python -c "import os; print([os.isatty(fd) for fd in range(3)], *os.get_terminal_size())"',
        stdout: '[False, True, True] 80 24\n',
      },
      { code: 'lines = !ls\nlines', shown: "['long-name-of-another-file', 'long-name-of-one-file']" },
    ],
  },
  {
    name: 'a command cannot wait for keys, and its pagers show all at once',
    source: 'ipykernel: PAGER',
    steps: [
      { code: '!python -c "import os; os.read(2, 1)" | tail -n 1', stdout: /Bad file descriptor/ },
      { code: '!seq 99 > lines; more lines', stdout: /1\n2\n[\s\S]*98\n99\n$/ },
      { code: '!echo $PAGER $GIT_PAGER', stdout: 'cat cat\n' },
      { code: '!echo $PAGER', env: { PAGER: 'mine' }, stdout: 'mine\n' },
    ],
  },
  {
    name: 'the bytes of a command reach the step as they are',
    source: 'POSIX: terminal output',
    steps: [{ code: "!printf 'a\\r\\nb\\rc\\n'", stdout: 'a\r\nb\rc\n' }],
  },
  {
    name: 'a process that a command leaves running does not hold up the step, also with a stream in the place of sys.stdout',
    source: 'sh: &',
    steps: [
      {
        code: 'import io, contextlib\nwith contextlib.redirect_stdout(io.StringIO()) as s:\n    !echo caught; (sleep 0.3; echo late) &\ns.getvalue()',
        shown: "'caught\\n'",
        background: 'late\n',
      },
      { code: '!(sleep 0.1; echo soon) & echo at once\nimport time; time.sleep(0.5)', stdout: 'at once\nsoon\n' },
      { code: '!exec sleep 60 &\n_exit_code', shown: '0' },
    ],
  },
  {
    name: 'text that was printed before a command comes before its output',
    source: ipython,
    steps: [{ code: 'print("a")\n!echo b\nprint("c")', stdout: 'a\nb\nc\n' }],
  },
  {
    name: 'name = !command is the list of its lines',
    source: ipython,
    steps: [
      { code: 'x = !printf "a\\nb\\n"; echo c >&2\nx', shown: "['a', 'b', 'c']" },
      { code: 'x.n, x.s, x.l == x', shown: "('a\\nb\\nc', 'a b c', True)" },
    ],
  },
  {
    name: 'a command gets the values of {expression} and $name',
    source: 'IPython: var_expand',
    steps: [{ code: 'n = 5; words = ["a", "b"]\n!echo {n + 1} $n {words[0]}', stdout: '6 5 a\n' }],
  },
  {
    name: 'a command in a function gets the values of its local names',
    source: 'IPython: var_expand',
    steps: [{ code: 'def f(local):\n    !echo {local} $local\nf("here")', stdout: 'here here\n' }],
  },
  {
    name: 'a command with a name or an expression that Python does not know is left to the shell as it is',
    source: 'IPython: var_expand',
    steps: [
      { code: 'n = 5\n!echo $n {nowhere} {a,b}', stdout: '{nowhere} a b\n' },
      { code: '!V=1; echo $V', stdout: '1\n' },
    ],
  },
  {
    name: 'double braces stand for single braces',
    source: 'IPython: var_expand',
    steps: [{ code: '!echo {{x}}', stdout: '{x}\n' }],
  },
  {
    name: 'quotes that Python could not read are left to the shell',
    source: ipython,
    steps: [{ code: '!echo "it\'s" \\"', stdout: 'it\'s "\n' }],
  },
  {
    name: 'a command goes on after a backslash at the end of a line',
    source: ipython,
    steps: [{ code: '!echo a \\\n   b\nprint("c")', stdout: 'a b\nc\n' }],
  },
  {
    name: 'a line of a string that looks like a command stays text',
    source: ipython,
    steps: [{ code: 's = """\n!echo no\n%pip no\n"""\nprint(s)', stdout: '\n!echo no\n%pip no\n\n' }],
  },
  {
    name: 'a line of a string stays text if there are commands beside it',
    source: ipython,
    steps: [{ code: '"""\n!no\n"""\ns = f(\n"""\n!no\n""") if 0 else 1\n!echo yes\nprint(s)', stdout: 'yes\n1\n' }],
  },
  {
    name: 'operators at the beginning of a continued line stay operators',
    source: 'Python language reference, 2.1.6',
    steps: [{ code: 'x = (7\n% 4)\ny = 7 \\\n% 5\nz = (1\n!= 2)\nx, y, z', shown: '(3, 2, True)' }],
  },
  {
    name: 'a traceback shows the line as it was typed',
    source: ipython,
    steps: [
      {
        code: 'x = 1\n!echo hi\n1/0',
        stdout: 'hi\n',
        error: { name: 'ZeroDivisionError', traceback: /line 3, in <module>\n {4}1\/0/ },
      },
    ],
  },
  {
    name: 'a background command goes on after the step',
    source: 'sh: &',
    steps: [{ code: '!(sleep 0.05; echo late) &', background: 'late\n' }],
  },
  {
    name: 'an interrupt stops a command',
    source: ipython,
    steps: [
      {
        code: '!echo up; exec sleep 60',
        interruptAt: 'up',
        stdout: 'up\n',
        status: 'interrupted',
        error: { name: 'KeyboardInterrupt' },
      },
      { code: '1', shown: '1' },
    ],
  },
  {
    name: '%pip runs pip of this interpreter',
    source: 'IPython: %pip',
    files: { 'pip.py': 'import sys\nprint("pip", *sys.argv[1:])\n' },
    steps: [{ code: '%pip list --format json', stdout: `pip list --format json\n${note}` }],
  },
  {
    name: '%pip installs below the home folder if it can write only there',
    source: 'languages/python/holdfast_kernel/notebook/README.md',
    files: {
      'pip.py':
        'import os, sys\nprefix = os.environ["PIP_PREFIX"]\nlib = f"{prefix}/lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"\nos.makedirs(lib)\nopen(f"{lib}/fresh_package.py", "w").write("value = 5")\nprint("installed")\n',
    },
    steps: [
      {
        code: 'import os; os.access = lambda *rest: False\n%pip install fresh_package\nimport fresh_package; fresh_package.value',
        stdout: `installed\n${note}`,
        shown: '5',
      },
    ],
  },
  {
    name: '%pip installs into the folder that the user names',
    source: 'pip: --target',
    files: { 'pip.py': 'import os\nprint(os.environ.get("PIP_PREFIX"))\n' },
    steps: [{ code: 'import os; os.access = lambda *rest: False\n%pip install --target x y', stdout: `None\n${note}` }],
  },
];
