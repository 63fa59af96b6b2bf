import type { Behaviour } from './run-behaviours.ts';

const magics = 'IPython: built-in magic commands';
const transformer = 'IPython: TransformerManager';
const history = 'IPython: input and output caching';

/** IPython asks for the end of a script in two ways at once. If the second comes too late, asyncio warns of it. */
const eitherOfTwoWaits = /^(Unknown child process pid \d+, will report returncode 255\n)?$/;

/** IPython's own: magics, help, indented and prompted cells, histories, settings of the shell. */
export const magicSteps: Behaviour[] = [
  {
    name: 'get_ipython returns a shell whose namespace is the steps’',
    source: 'IPython: InteractiveShell.user_ns',
    steps: [
      {
        code: 'from IPython import get_ipython as g\nip = get_ipython()\nip is g(), ip.user_ns is globals(), type(ip).__name__, ip.execution_count',
        shown: "(True, True, 'ZMQInteractiveShell', 2)",
      },
      { code: 'ip.push({"pushed": 5}); pushed', shown: '5' },
    ],
  },
  {
    name: 'a line magic has a value',
    source: magics,
    steps: [{ code: 'r = %timeit -n 2 -r 1 -o pass\nr.loops', stdout: /per loop/, shown: '2' }],
  },
  {
    name: 'a name that no magic has builds no shell, and a magic does so without its percent sign',
    source: magics,
    steps: [
      { code: 'missing * 2', error: { name: 'NameError', message: "name 'missing' is not defined" } },
      { code: 'missing', error: { name: 'NameError', message: "name 'missing' is not defined" } },
      { code: 'from holdfast_kernel.notebook import open_shell; open_shell.shell is None', shown: 'True' },
      { code: 'pwd', shown: /^'\/tmp\/holdfast-test-/ },
      { code: 'open_shell.shell is None', shown: 'False' },
    ],
  },
  {
    name: 'the names of magics that are known without a shell are those of a shell',
    source: magics,
    steps: [
      {
        code: `from holdfast_kernel.notebook import magic_names
before = magic_names.magic_names()
shell = get_ipython()
names = {*shell.magics_manager.magics["line"], *dict(shell.alias_manager.aliases)}
sorted(before ^ names)`,
        shown: '[]',
      },
    ],
  },
  {
    name: 'a magic that is unknown fails in IPython’s words',
    source: magics,
    steps: [
      {
        code: '%nowhere',
        error: {
          name: 'UsageError',
          message: 'Line magic function `%nowhere` not found.',
          traceback: /^UsageError: Line magic function `%nowhere` not found\.$/,
        },
      },
    ],
  },
  {
    name: 'a magic needs no sign if no name hides it',
    source: 'IPython: %automagic',
    steps: [
      { code: 'pwd == __import__("os").getcwd()', error: { name: 'NameError' } },
      { code: 'cd /', stdout: '/\n' },
      { code: "store['key'] = 5", error: { name: 'UsageError', message: "Unknown variable '[key]'" } },
      { code: 'pwd', shown: "'/'" },
      { code: 'pwd = 5' },
      { code: 'pwd', shown: '5' },
    ],
  },
  {
    name: 'an operator at the beginning of a line of Python stays one',
    source: transformer,
    steps: [{ code: 'x = (7\n%3)\nx', shown: '1' }],
  },
  {
    name: 'a cell magic gets the cell as it is',
    source: magics,
    steps: [
      { code: '%%writefile note.txt\nif ! this is no Python', stdout: 'Writing note.txt\n' },
      { code: 'open("note.txt").read()', shown: "'if ! this is no Python\\n'" },
    ],
  },
  {
    name: '%%capture keeps prints, results and the output of commands',
    source: magics,
    steps: [
      { code: '%%capture kept\nprint("a")\n!echo b\ndisplay(5)\n6' },
      { code: 'kept.stdout, [o.data["text/plain"] for o in kept.outputs]', shown: "('a\\nb\\n', ['5', '6'])" },
    ],
  },
  {
    name: 'an error in a cell that a magic runs fails the step',
    source: 'IPython shows the error',
    steps: [
      { code: '%%capture\n1/0', error: { name: 'ZeroDivisionError', traceback: /^(?![\s\S]*IPython)/ } },
      { code: '%%time\n1/0', stdout: /CPU times/, error: { name: 'ZeroDivisionError' } },
    ],
  },
  {
    name: '%run runs a file in the steps’ namespace, and its error fails the step after the rest of the step',
    source: magics,
    files: { 'good.py': 'x = __name__\n', 'bad.py': 'raise LookupError("bad")\n' },
    steps: [
      { code: '%run good.py\nx', shown: "'__main__'" },
      {
        code: '%run bad.py\nprint("rest")',
        stdout: 'rest\n',
        error: { name: 'LookupError', message: 'bad', traceback: /bad\.py", line 1/ },
      },
    ],
  },
  {
    name: '%%bash streams the output of a script, and its exit code is an error',
    source: magics,
    steps: [
      { code: '%%bash\necho out\necho err >&2', stdout: 'out\n', stderr: 'err\n' },
      { code: '%%bash\nexit 3', error: { name: 'CalledProcessError', message: /exit status 3/ } },
      { code: '%%bash\necho again', stdout: 'again\n' },
    ],
  },
  {
    name: 'an interrupt stops a script, also if its magic raises no error',
    source: 'languages/README.md',
    steps: [
      {
        code: '%%bash\necho up\nsleep 60',
        interruptAt: 'up',
        stdout: /^up\n/,
        stderr: eitherOfTwoWaits,
        status: 'interrupted',
      },
      {
        code: '%%bash --no-raise-error\necho up\nsleep 60',
        interruptAt: 'up',
        stdout: /^up\n/,
        stderr: eitherOfTwoWaits,
        status: 'interrupted',
      },
      { code: '1', shown: '1' },
    ],
  },
  {
    name: '%autoreload loads a changed module anew before a step',
    source: 'IPython: autoreload',
    files: { 'mine.py': 'def f(): return 1\n' },
    steps: [
      { code: '%load_ext autoreload\n%autoreload 2\nfrom mine import f\nf()', shown: '1' },
      { code: 'import os\nopen("mine.py", "w").write("def f(): return 22\\n")\nos.utime("mine.py", (2e9, 2e9))' },
      { code: 'f()', shown: '22' },
    ],
  },
  {
    name: '%debug asks for commands about the last error',
    source: magics,
    steps: [
      { code: 'def f(n):\n    return 1 / n\nf(0)', error: { name: 'ZeroDivisionError' } },
      { code: '%debug', error: { name: 'UsageError', message: /stdin: true/ } },
      {
        code: '%debug',
        stdin: ['p n', 'up', 'q'],
        prompts: ['ipdb> ', 'ipdb> ', 'ipdb> '],
        stdout: /> <step 1>\(2\)f\(\)[\s\S]*\n0\n> <step 1>\(3\)<module>\(\)/,
      },
    ],
  },
  {
    name: '%reset forgets the names, and without input it does not ask',
    source: magics,
    steps: [{ code: 'x = 5' }, { code: '%reset' }, { code: 'x', error: { name: 'NameError' } }],
  },
  {
    name: '%who lists the names of steps alone',
    source: magics,
    steps: [{ code: 'mine = 1' }, { code: '%who', stdout: 'mine\t \n' }],
  },
  {
    name: '%precision applies to the values of steps',
    source: magics,
    steps: [
      { code: '%precision 2', shown: "'%.2f'" },
      { code: '1 / 3', shown: '0.33' },
    ],
  },
  {
    name: 'help by question marks is a result',
    source: 'IPython: dynamic object introspection',
    steps: [
      { code: 'len?', displayed: [/Docstring: Return the number of items in a container/] },
      { code: 'def f(): return 1  # why' },
      { code: 'f??', displayed: [/Source: {4}def f\(\): return 1 {2}# why/] },
      { code: 'nowhere?', stdout: 'Object `nowhere` not found.\n' },
    ],
  },
  {
    name: 'an indented cell runs',
    source: transformer,
    steps: [{ code: '    x = 1\n    if x:\n        y = 2\n    y', shown: '2' }],
  },
  {
    name: 'prompts before lines are left out',
    source: transformer,
    steps: [
      { code: '>>> x = 3\n... \n>>> x', shown: '3' },
      { code: 'In [1]: y = 4\nIn [2]: y', shown: '4' },
    ],
  },
  {
    name: 'In, _i and Out have the steps before the shell was opened, too',
    source: history,
    steps: [
      { code: '1 + 1', shown: '2' },
      { code: '_i, _i1, _1, In[1]', shown: "('1 + 1', '1 + 1', 2, '1 + 1')" },
      { code: '%history -n', stdout: '   1: 1 + 1\n   2: _i, _i1, _1, In[1]\n   3: %history -n\n' },
      {
        code: '_ih is In, _oh is Out, In[3], Out[1], _i3',
        shown: `(True, True, "get_ipython().run_line_magic('history', '-n')", 2, '%history -n')`,
      },
      { code: '%recall 1', displayed: ['1 + 1'] },
      { code: '%rerun 1', stdout: /1 \+ 1/, shown: '2' },
    ],
  },
  {
    name: 'ast_node_interactivity chooses the value that is shown',
    source: 'IPython: InteractiveShell.ast_node_interactivity',
    steps: [
      { code: 'from IPython.core.interactiveshell import InteractiveShell as S' },
      { code: 'S.ast_node_interactivity = "last_expr_or_assign"' },
      { code: 'x = 3', shown: '3' },
      { code: 'x = 3;' },
      { code: 'S.ast_node_interactivity = "last"' },
      { code: 'if x:\n    x + 1', shown: '4' },
      { code: 'S.ast_node_interactivity = "none"' },
      { code: '4' },
    ],
  },
  {
    name: 'callbacks run around every step, plain ones too',
    source: 'IPython: events',
    steps: [
      {
        code: 'seen = []\nip = get_ipython()\nip.events.register("pre_run_cell", lambda info: seen.append(info.raw_cell))',
      },
      { code: 'ip.events.register("post_run_cell", lambda result: seen.append(result.result))' },
      { code: '5', shown: '5' },
      {
        code: 'seen[1:]',
        shown: `[None, '5', 5, 'seen[1:]']`,
      },
    ],
  },
  {
    name: 'an update by display_id is no result of its own',
    source: 'IPython: display',
    steps: [
      { code: 'handle = display("a", display_id=True); handle.update("b")', displayed: ["'a'"] },
      {
        code: 'from IPython.display import HTML, update_display\nupdate_display(HTML("<i>"), display_id=handle.display_id)',
        displayed: [],
      },
    ],
  },
];
