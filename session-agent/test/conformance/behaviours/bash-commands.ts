import type { Behaviour } from './run-behaviours.ts';

const status = (code: number) => ({ name: 'ExitStatus', message: `exit status ${code}` });

/** Running and ending commands. Sections are those of the Bash Reference Manual. */
export const bashCommands: readonly Behaviour[] = [
  {
    name: 'the last command gives the step its exit status',
    source: 'Exit Status',
    steps: [{ code: 'false; true' }, { code: 'true; (exit 42)', error: status(42) }],
  },
  {
    name: 'a step of blank lines and comments succeeds, and changes no status',
    source: 'Comments; Exit Status',
    steps: [
      { code: 'echo $?', stdout: '0\n' },
      { code: '(exit 3)', error: status(3) },
      { code: '' },
      { code: '# comment\n\n  # another \\' },
      { code: 'echo $?', stdout: '3\n' },
    ],
  },
  {
    name: 'a command that is not found ends with 127',
    source: 'Exit Status',
    steps: [{ code: 'nosuch', stderr: /nosuch: command not found\n/, error: status(127) }],
  },
  {
    name: 'set -u makes using an unset variable an error, and the shell lives',
    source: 'The Set Builtin: a shell that is not interactive exits',
    steps: [
      { code: 'set -u' },
      { code: 'echo $nope; echo never', stderr: /nope: unbound variable\n/, error: status(1) },
      { code: 'echo on', stdout: 'on\n' },
    ],
  },
  {
    name: 'a syntax error names the problem and its line',
    source: 'Shell Operation',
    steps: [
      {
        code: 'echo a\nfi',
        stdout: 'a\n',
        stderr: /line 2: syntax error/,
        error: { name: 'SyntaxError', message: /line 2: syntax error near unexpected token `fi'/ },
      },
      { code: 'echo on', stdout: 'on\n' },
    ],
  },
  {
    name: 'an unclosed quote is a syntax error',
    source: 'Quoting',
    steps: [{ code: `echo 'a`, stderr: /unexpected EOF/, error: { name: 'SyntaxError', message: /unexpected EOF/ } }],
  },
  {
    name: 'a syntax error on the first line quotes that line alone',
    source: 'Shell Operation',
    steps: [
      {
        code: 'done; echo a',
        stderr: "bash: eval: line 1: syntax error near unexpected token `done'\nbash: eval: line 1: `done; echo a'\n",
        error: { name: 'SyntaxError', message: "line 1: syntax error near unexpected token `done'" },
      },
      { code: 'echo $?', stdout: '2\n' },
    ],
  },
  {
    name: 'code that stops in the middle of a command is a syntax error',
    source: 'Shell Operation',
    steps: [
      ...['echo a |', 'echo a | # to be continued', 'true &&', 'f()', 'for i in a b', 'for ((;;))'].map((code) => ({
        code,
        stderr: /^bash: eval: line 2: syntax error: unexpected end of file\n$/,
        error: { name: 'SyntaxError', message: /syntax error: unexpected end of file/ },
      })),
      {
        code: 'echo ${a',
        stderr: /^bash: eval: line 1: unexpected EOF while looking for matching `}'\n$/,
        error: { name: 'SyntaxError', message: /unexpected EOF while looking for matching `}'/ },
      },
      { code: 'f', stderr: 'bash: f: command not found\n', error: status(127) },
    ],
  },
  {
    name: 'a step sees $? and $_ of the step before, and its own lines count from 1, also if its code has a syntax error',
    source: 'Special Parameters',
    steps: [
      { code: 'set -e; f() { return 3; }; f last || true' },
      {
        code: `echo $_ $LINENO\ntrue || echo never\nset +e; nosuch\n)`,
        stdout: 'true 1\n',
        stderr:
          "bash: nosuch: command not found\nbash: eval: line 4: syntax error near unexpected token `)'\nbash: eval: line 4: `)'\n",
        error: { name: 'SyntaxError', message: "line 4: syntax error near unexpected token `)'" },
      },
      { code: 'false', error: status(1) },
      {
        code: 'echo $?\n}; echo never; {',
        stdout: '1\n',
        stderr: /line 2: `};/,
        error: { name: 'SyntaxError', message: /line 2/ },
      },
    ],
  },
  {
    name: 'here-documents work with and without expansion, and so do here-strings',
    source: 'Redirections: Here Documents',
    steps: [{ code: `n=1\ncat <<A\n$n\nA\ncat <<'B'\n$n\nB\ncat <<<"s $n"`, stdout: '1\n$n\ns 1\n' }],
  },
  {
    name: 'an unclosed here-document ends with its step',
    source: 'Redirections: Here Documents',
    steps: [
      { code: 'cat <<A\ntext', stdout: 'text\n', stderr: /delimited by end-of-file/ },
      { code: 'echo on', stdout: 'on\n' },
    ],
  },
  {
    name: 'strings may span lines, and a backslash may end a step',
    source: 'Quoting',
    steps: [
      { code: `echo 'a\nb' "é\tü"\\\n c`, stdout: 'a\nb é\tü c\n' },
      { code: 'echo a \\', stdout: 'a \\\n' },
    ],
  },
  {
    name: 'lines count from 1 in each step',
    source: 'Shell Variables: LINENO',
    steps: [
      { code: 'echo $LINENO\necho $LINENO', stdout: '1\n2\n' },
      { code: '\necho $LINENO', stdout: '2\n' },
    ],
  },
  {
    name: 'set -x writes to stderr and shows only the code of the step',
    source: 'The Set Builtin; PS4, whose first character tells the depth',
    steps: [
      { code: 'set -x' },
      { code: 'echo a', stdout: 'a\n', stderr: /^\++ echo a\n$/ },
      { code: '{ set +x; } 2>/dev/null' },
    ],
  },
  {
    name: 'a step may redirect its output, and the next step has its own again',
    source: 'the kernel protocol: the end of a step',
    steps: [
      { code: 'exec >file 2>&1; echo in file; nosuch', error: status(127) },
      { code: 'cat file', stdout: /^in file\n.*not found\n$/ },
    ],
  },
  {
    name: 'pipelines have their statuses, and process substitution works',
    source: 'Pipelines; Process Substitution',
    steps: [{ code: 'false | true | (exit 2); echo ${PIPESTATUS[*]}; cat <(echo sub)', stdout: '1 0 2\nsub\n' }],
  },
  {
    name: 'input is empty if the step does not allow it',
    source: 'the kernel protocol: stdin',
    steps: [{ code: 'read x; echo "$? [$x]"; cat', stdout: '1 []\n' }],
  },
  {
    name: 'read asks for a line if the step allows it',
    source: 'Bash Builtin Commands: read',
    steps: [
      {
        code: 'read -p "who? " first rest; echo "$rest $first"',
        stdin: ['a "b" c'],
        prompts: ['who? '],
        stdout: '"b" c a\n',
      },
      {
        code: 'while read x; do echo "<$x>"; done',
        stdin: ['1', '2', null],
        prompts: ['', '', ''],
        stdout: '<1>\n<2>\n',
      },
      { code: 'echo piped | { read x; echo $x; }; read y <<<string; echo $y', stdin: [], stdout: 'piped\nstring\n' },
    ],
  },
  {
    name: 'return ends the step with its status',
    source: 'Bourne Shell Builtins: return, as in a file that is sourced',
    steps: [
      { code: 'return 3; echo never', error: status(3) },
      { code: 'echo on $?', stdout: 'on 3\n' },
    ],
  },
  {
    name: 'exec of a missing program leaves the shell alive',
    source: 'Bourne Shell Builtins: exec',
    steps: [
      { code: 'exec nosuch', stderr: /not found/, error: status(127) },
      { code: 'echo on', stdout: 'on\n' },
    ],
  },
  {
    name: 'exec replaces the shell, and the context ends with the program',
    source: 'Bourne Shell Builtins: exec',
    steps: [
      {
        code: 'exec sh -c "echo new; exit 6"',
        stdout: 'new\n',
        status: 'died',
        cause: { code: 'kernel_exited', exitCode: 6 },
      },
    ],
  },
  {
    name: 'an interrupt stops a pipeline, and the shell keeps its state',
    source: 'Signals',
    steps: [
      {
        code: 'kept=1; echo up; sleep 60 | cat',
        interruptAt: 'up',
        stdout: 'up\n',
        status: 'interrupted',
      },
      { code: 'echo $kept', stdout: '1\n' },
    ],
  },
];
