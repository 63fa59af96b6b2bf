import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { type LaterStep, recoverState, saveState } from '../support/state.ts';

const before = [
  "n=1 text=a items=(1 '2 3')",
  'declare -A table=([k]=v)',
  'read_it() { echo "$n"; }',
  'count() { ((n += 1)); other="$1"; }',
  'twice() { count "$1"; count "$1"; }',
];
const all = ['count()', 'items', 'n', 'read_it()', 'table', 'text', 'twice()'];

/** Saves after `before`, and recovers with these steps after it. */
async function after(steps: LaterStep[]) {
  await using saved = await openKernel('bash');
  for (const code of before) await saved.run(code);
  const archive = await saveState(saved.kernel);
  const kernel = await openKernel('bash');
  const report = await recoverState(kernel.kernel, { archive, steps });
  return { kernel, report, lost: report.lost.map(({ name }) => name).sort() };
}

test.each([
  ['echo "$n ${items[@]}" | grep -c 1', []],
  ['ls / > /dev/null 2>&1', []],
  ['read_it', []],
  ['n=2', []],
  ['n=$((n + 1)); text="$n $text"', []],
  ["items+=(4); items[7]='x y'; table[k]=w", []],
  ['unset text', []],
  ['export text', []],
  ['text=$(date)', ['text']],
  ['text=~', ['text']],
  ['text=$HOME', ['text']],
  ['m=$missing', ['m']],
  ['for i in 1 2; do n=$((n + i)); done', ['i', 'n']],
  ['[ -f /etc/passwd ] && text=b', ['text']],
  ['count 5', ['n', 'other']],
  ['twice 5', ['n', 'other']],
  ['text=b 2>/dev/null', ['text']],
  ['read -r text <<<"x"', ['text']],
  ['cd "$(pwd)"', ['OLDPWD', 'PWD', 'current directory']],
  ['case $text in\n  a*|b) text=b ;;\n  (*) n=1; : ;;\nesac', ['n', 'text']],
  ['case a in a) echo a; esac', []],
  ['cat <<END\n$n $((1 + 1)) $(date)\nEND\nm=1', []],
  ["cat <<'END' | grep -c x\n${n:=2} `n=2`\nEND", []],
  ['read -r text <<-END\n\tx\n\tEND', ['text']],
  ['cat <<END\n$((n += 1))\nEND', ['n']],
  ['text=$(cat <<END\na) "b\nEND\n)', ['text']],
  ['(cd /; n=2; read -r text)', []],
  ['while read -r text; do n=1; done < <(ls /)', ['n', 'text']],
  ['echo hi &', ['$!']],
  ['sleep 0 & wait; n=2', ['$!', 'n']],
  ["alias ll='ls -l' la='ls -a'; unalias la", []],
  ["alias ll='n=2'\nn=3", []],
  ["trap 'echo bye' EXIT", []],
  ["trap 'text=b' USR1\nn=2", ['text']],
  ["trap 'text=b' USR1\ntrap - USR1", ['text']],
])('after a step that ran %j, the lost names are %j', async (code, lost) => {
  const found = await after([{ code }]);
  await using kernel = found.kernel;
  expect(found.lost).toEqual(lost);
  for (const name of lost) {
    if (/^[a-z]+$/.test(name)) expect((await kernel.run(`echo "\${${name}-gone}"`)).stdout).toBe('gone\n');
  }
});

test.each([
  ['cd /', []],
  ['go() { cd /; }\ngo', ['OLDPWD', 'PWD', 'current directory']],
  ['export text=$(date)', ['text']],
  ['umask 077', ['*', ...all]],
  ['if true; then umask 077; fi', ['*', ...all]],
  ['mask() { umask 077; }\nmask', ['*', ...all, 'mask()'].sort()],
  ['ulimit -Sn 99', ['*', ...all]],
  ['pushd /', ['*', ...all]],
  ['set -u', ['*', ...all]],
  ['shopt -s nullglob', ['*', ...all]],
  ['LC_ALL=C', ['*', ...all]],
])('after a step that changed the surroundings by %j, %j is lost', async (code, lost) => {
  const found = await after([{ code }]);
  await using _kernel = found.kernel;
  expect(found.lost).toEqual(lost);
});

test.each([
  'eval n=2',
  '. /dev/null',
  'echo ${n:=2}',
  'echo $((n++ + ${n}))',
  "alias echo='n=2;'\necho",
  "alias ll=$(echo 'n=2')\nll",
  "alias a='b '\nb=1; a",
  "trap 'eval n=2' TERM",
  'trap "n=2" ERR',
  'case a in a) eval n=2 ;; esac',
  'cat <<END\n${n:=2}\nEND',
  'x=1; break; n=2',
  "trap 'n=2' USR1",
  'declare -n r=n',
  'echo() { n=2; }; echo',
  'printf "%n" n',
  'x="n=2"; echo $((x))',
  '[[ x -eq n ]]',
  '[ -v "items[n=2]" ]',
  'shopt -s lastpipe',
  'set -- a',
  'exec {n}</dev/null',
  'coproc cat',
  'source /dev/null',
  'builtin read n',
  'select n in 1; do :; done',
  'let n=2',
  'getopts a n -a',
  'wait -p n',
  'export m=1 n=$m',
])('everything is lost, or n, after a step that ran %j', async (code) => {
  const found = await after([{ code }]);
  await using _kernel = found.kernel;
  expect(found.lost).toContain('n');
});

test.each([
  ['export text', ['text']],
  ['declare -i text', ['text']],
  ['f() { local text=1; }\nf', []],
  ['export text; unset text', []],
])('a name that was lost, after %j, and then gets a new value has lost its attributes: %j', async (code, lost) => {
  const { kernel, ...found } = await after([{ code: `text=$(date)\n${code}` }, { code: 'text=new' }]);
  await using _kernel = kernel;
  expect(found.lost).toEqual(lost);
});

test('the directory is known again after a step that goes to another one', async () => {
  const { kernel, lost } = await after([{ code: 'cd "$(echo /tmp)"' }, { code: 'cd /usr' }]);
  await using _kernel = kernel;
  expect(lost).toEqual([]);
  expect((await kernel.run('echo "$PWD $(pwd)"')).stdout).toBe('/usr /usr\n');
});

test('the later steps are evaluated in their order, and definitions run again', async () => {
  const { kernel, report } = await after([
    { code: 'f() {\n  echo "f $n"\n}' },
    { code: 'n=5\ntext="n is $n"; # a comment\n\nitems=("$text")' },
    { code: 'function g { f; echo "${items[0]}"; }' },
    { code: 'echo "not shown twice"' },
  ]);
  await using _kernel = kernel;
  expect(report).toMatchObject({ lost: [], stopped: null });
  expect(report.replayed.sort()).toEqual(['f()', 'g()', 'items', 'n', 'text']);
  expect(await kernel.run('g')).toMatchObject({ stdout: 'f 5\nn is 5\n' });
  expect(kernel.background()).toBe('');
});

test('a whole step runs again if it may, and what it sets is replayed', async () => {
  const { kernel, report } = await after([
    { code: 'n=$((n + 10)); echo shown', replay: true },
    { code: 'eval "items+=(\\$n)"; set -u', replay: true },
    { code: 'text=c' },
  ]);
  await using _kernel = kernel;
  expect(report).toMatchObject({ lost: [], stopped: null });
  expect(report.replayed.sort()).toEqual(['items', 'n', 'text']);
  expect(await kernel.run('echo $n "${items[@]}" $text ${-//[^u]/}')).toMatchObject({ stdout: '11 1 2 3 11 c u\n' });
  expect(kernel.background()).toBe('');
});

test('the replay stops at a step that ends in another way than before', async () => {
  const stepId = newId('stp');
  const { kernel, report, lost } = await after([
    { code: 'n=5', replay: true },
    { code: 'text=b; false', replay: true, stepId },
    { code: 'n=6', replay: true },
  ]);
  await using _kernel = kernel;
  expect(report.stopped).toMatchObject({ stepId, reason: expect.stringContaining('failed') });
  expect(lost).toEqual(expect.arrayContaining(all));
});

test('a step of which the end is unknown does not run again, and loses what it sets', async () => {
  const { kernel, lost, report } = await after([{ code: 'f() { :; }\nn=7; text=b', status: 'lost' }]);
  await using _kernel = kernel;
  expect(lost).toEqual(['f()', 'n', 'text']);
  expect(report.restored).toContain('items');
});

test('without a snapshot, plain steps come back', async () => {
  await using kernel = await openKernel('bash');
  const report = await recoverState(kernel.kernel, { steps: before.map((code) => ({ code })) });
  expect(report.lost).toEqual([]);
  expect((await kernel.run('count; echo $n ${items[1]} ${table[k]}')).stdout).toBe('2 2 3 v\n');
});
