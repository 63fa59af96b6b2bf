import type { Behaviour, BehaviourStep } from './run-behaviours.ts';

/** The end of a step that exits with a code other than 0. */
const exits = (exitCode: number) => ({ exitCode, error: { name: 'exit', message: String(exitCode) } });

/** A step that exits and prints nothing, and one that shows that directory, variables and functions stay. */
const kept = (name: string, code: string, exitCode: number, files: Record<string, string> = {}): Behaviour => ({
  name: `the state stays, and nothing more runs, after exit ${name}`,
  source: 'Bourne Shell Builtins: exit',
  files,
  steps: [
    { code: 'v=kept; f() { echo "$v"; }; set -- a b; mkdir deep; cd deep; touch file' },
    { code: `${code}\necho never`, exitCode, ...(exitCode === 0 ? {} : exits(exitCode)) },
    { code: 'echo $?; f; ls; echo $#', stdout: `${exitCode}\nkept\nfile\n2\n` },
  ],
});

/** Strict mode, a trap on ERR and a trap on EXIT, in one step. */
const strict: BehaviourStep = {
  code: `set -Eeuo pipefail
trap 'echo "line $LINENO: $BASH_COMMAND gave $?"' ERR
trap cleanup EXIT
cleanup() { echo "cleaning up after $?"; }
work() { grep -q nothing /dev/null; echo never; }
work`,
  stdout: 'line 5: grep -q nothing /dev/null gave 1\ncleaning up after 1\n',
  ...exits(1),
};

/** Exit as a result. Sections are those of the Bash Reference Manual. */
export const bashExit: readonly Behaviour[] = [
  kept('without a number', 'true; exit', 0),
  kept('with the last status', '(exit 7); exit', 7),
  kept(
    'in a function in a loop in eval',
    `g() { local v=x; exit 3; }\nwhile :; do for i in 1 2; do eval g; done; done`,
    3,
  ),
  kept('in a file that is sourced', 'source ../lib.sh', 4, { 'lib.sh': 'cd /; cd - >/dev/null; exit 4; echo never' }),
  kept('in a group that is redirected', '{ exit 5; echo never; } >/dev/null 2>&1', 5),
  kept('of more than a byte', 'exit 300', 44),
  kept('behind builtin', 'builtin exit 6', 6),
  kept('behind command', 'command exit 6', 6),
  kept('in posix mode', 'set -o posix; exit 6', 6),
  kept('in a trap on INT', `trap 'exit 8' INT; kill -INT $$; trap - INT`, 8),
  kept('under set -e', 'set -e; false', 1),
  kept(
    'under set -e in a function in a subshell',
    'set -e; g() { (exit 9); echo never; }; (g; echo never); echo never',
    9,
  ),
  kept('under set -e in a pipeline', 'set -eo pipefail; (exit 9) | cat', 9),
  kept('under set -e in a command substitution', 'set -e; x=$(exit 9)', 9),
  kept('under set -e that a sourced file sets', 'source ../lib.sh', 9, { 'lib.sh': 'set -e\n(exit 9)\necho never' }),
  {
    name: 'set -e stays, and spares conditions',
    source: 'The Set Builtin',
    steps: [
      { code: 'set -e' },
      { code: 'false || true; if false; then :; fi; ! true; false && true; echo "$?" on', stdout: '1 on\n' },
      { code: '(exit 5); echo never', ...exits(5) },
      { code: 'echo $?; [[ -o errexit ]]; set +e; false; echo on', stdout: '5\non\n' },
    ],
  },
  {
    name: 'an unset variable under set -eu fails the step with code 1',
    source: 'The Set Builtin',
    steps: [
      { code: 'set -eu' },
      { code: 'f() { echo $nope; echo never; }; f; echo never', stderr: 'bash: nope: unbound variable\n', ...exits(1) },
      { code: 'echo on', stdout: 'on\n' },
      { code: 'echo ${nope:?it is missing}; echo never', stderr: 'bash: nope: it is missing\n', ...exits(1) },
      { code: 'echo on', stdout: 'on\n' },
    ],
  },
  {
    name: 'a number that is none is an error of exit',
    source: 'Bourne Shell Builtins: exit',
    steps: [{ code: 'exit abc', stderr: 'bash: exit: abc: numeric argument required\n', ...exits(2) }],
  },
  {
    name: 'exit ends a subshell, a part of a pipeline and another bash, and no more',
    source: 'Command Execution Environment',
    steps: [
      { code: '(exit 3); echo $?; x=$(echo a; exit 4); echo $x $?; bash -c "exit 5"; echo $?', stdout: '3\na 4\n5\n' },
      { code: 'echo a | while read x; do exit 6; done; echo $?; cat <(exit 7; echo never)', stdout: '6\n' },
      {
        code: '(trap "echo bye" EXIT; exit 8) || echo $?; (set -e; false; echo never); echo $?',
        stdout: 'bye\n8\n1\n',
      },
      { code: 'set -a; export -f exit; bash -c "exit 9"; echo $?; set +a', stdout: '9\n' },
    ],
  },
  {
    name: 'a trap on EXIT runs when the step exits, with its streams, and then no more',
    source: 'Bourne Shell Builtins: trap',
    steps: [
      { code: `trap 'echo "bye $?" >&2' EXIT` },
      { code: 'echo on', stdout: 'on\n' },
      { code: '{ exit 3; } 2>file', ...exits(3) },
      { code: 'cat file; exit', stdout: 'bye 3\n', exitCode: 0 },
      { code: `trap 'exit 9' EXIT; exit 1`, ...exits(9) },
      { code: `trap 'echo one; false; echo never' EXIT; set -e; exit 0`, stdout: 'one\n', ...exits(1) },
      { code: `set +e; trap 'echo never' EXIT; trap - EXIT; exit 2`, ...exits(2) },
    ],
  },
  {
    name: 'strict mode ends a step with its traps, again and again',
    source: 'The Set Builtin; Bourne Shell Builtins: trap',
    steps: [strict, { code: 'echo "$? $0"; set +e', stdout: /^1 / }, strict],
  },
  {
    name: 'a trap on ERR fires in functions only under set -E',
    source: 'The Set Builtin: -E',
    steps: [
      { code: `trap 'echo "$?"' ERR; f() { (exit 3); true; }; f; (exit 4); true`, stdout: '4\n' },
      { code: 'f; (exit 5); $(exit 6); true', stdout: '5\n6\n' },
      { code: 'set -E; f; (exit 5); true', stdout: '3\n5\n' },
      { code: 'f; set +E; f; trap - ERR; false; true', stdout: '3\n' },
    ],
  },
  {
    name: 'code may have a function of its own that is called exit',
    source: 'Shell Functions',
    steps: [
      { code: 'exit() { echo mine "$1"; builtin exit "$1"; }' },
      { code: 'exit 3; echo never', stdout: 'mine 3\n', ...exits(3) },
      { code: 'unset -f exit' },
      { code: 'exit 4', ...exits(4) },
    ],
  },
  {
    name: 'an interrupt stops a trap on EXIT that never ends',
    source: 'Signals',
    steps: [
      {
        code: `trap 'echo up; while :; do :; done' EXIT; exit 3`,
        interruptAt: 'up',
        stdout: 'up\n',
        status: 'interrupted',
      },
      { code: 'echo on', stdout: 'on\n' },
    ],
  },
  {
    name: 'children of a step that exits live on',
    source: 'the kernel protocol: the end of a step',
    steps: [
      { code: '(sleep 0.2; echo late) & exit 3', background: 'late\n', ...exits(3) },
      { code: 'wait $!; echo $?', stdout: '0\n' },
    ],
  },
];
