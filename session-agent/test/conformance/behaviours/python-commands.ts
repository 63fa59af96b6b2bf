import type { Behaviour } from './run-behaviours.ts';

const ipython = 'IPython: system shell access';

/** `!command`, `name = !command` and `%pip`, the supported part of IPython's syntax. */
export const commands: Behaviour[] = [
  {
    name: '!command runs a shell command',
    source: ipython,
    steps: [{ code: '!echo out; echo err >&2', stdout: 'out\n', stderr: 'err\n' }],
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
    steps: [{ code: 'n = 5; words = ["a", "b"]\n!echo {n + 1} $n {words[0]} {n:03d}', stdout: '6 5 a 005\n' }],
  },
  {
    name: 'a command in a function gets the values of its local names',
    source: 'IPython: var_expand',
    steps: [{ code: 'def f(local):\n    !echo {local} $local\nf("here")', stdout: 'here here\n' }],
  },
  {
    name: 'names that Python does not know are left to the shell',
    source: ipython,
    steps: [
      {
        // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's
        code: '!V=1; echo $V ${V}x $$HOME | grep -c "1 1x /"; echo {a,b}; echo a b | awk \'{print $2}\'',
        stdout: '1\na b\nb\n',
      },
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
    source: 'languages/python/holdfast_kernel/notebook/README.md',
    steps: [{ code: 's = """\n!echo no\n%pip no\n"""\nprint(s)', stdout: '\n!echo no\n%pip no\n\n' }],
  },
  {
    name: 'a line of a string stays text if there are commands beside it',
    source: 'languages/python/holdfast_kernel/notebook/README.md',
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
    steps: [{ code: '%pip list --format json', stdout: 'pip list --format json\n' }],
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
        stdout: 'installed\n',
        shown: '5',
      },
    ],
  },
  {
    name: '%pip installs into the folder that the user names',
    source: 'pip: --target',
    files: { 'pip.py': 'import os\nprint(os.environ.get("PIP_PREFIX"))\n' },
    steps: [{ code: 'import os; os.access = lambda *rest: False\n%pip install --target x y', stdout: 'None\n' }],
  },
  ...['%matplotlib inline', '%%bash\necho hi', '!!ls', '%timeit 1', '%pipe'].map((code) => ({
    name: `other syntax of IPython is a clear SyntaxError: ${code.split('\n')[0]}`,
    source: 'languages/python/holdfast_kernel/notebook/README.md',
    steps: [
      {
        code: `x = 1\n${code}`,
        error: {
          name: 'SyntaxError',
          message: /is IPython's: of its syntax only !command and %pip are understood here/,
          traceback: /line 2\n/,
        },
      },
    ],
  })),
  {
    name: 'help by a question mark is a SyntaxError',
    source: 'languages/python/holdfast_kernel/notebook/README.md',
    steps: [{ code: 'len?', error: { name: 'SyntaxError', message: /invalid syntax/ } }],
  },
];
