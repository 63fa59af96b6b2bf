import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { recoverState, saveState } from '../support/state.ts';

/** Runs the steps, saves after the first ones, and recovers with the later ones. Compares with the run without a loss. */
async function compared({ before, later = [], shown }: { before: string[]; later?: string[]; shown: string }) {
  await using whole = await openKernel('bash');
  for (const code of before) expect((await whole.run(code)).end.status).toBe('succeeded');
  const archive = await saveState(whole.kernel);
  for (const code of later) expect((await whole.run(code)).end.status).toBe('succeeded');
  await using after = await openKernel('bash');
  const report = await recoverState(after.kernel, { archive, steps: later.map((code) => ({ code })) });
  const [expected, found] = [await whole.run(shown), await after.run(shown)];
  return { lost: report.lost.map(({ name }) => name).sort(), expected: expected.stdout, found: found.stdout };
}

const later = ['x=2', 'y+=c; a+=(4)', 'z="$x$y"', 'n=$((n + 2))', 'printf -v t "%s-%s" "$x" "$y"', 'unset m'];
const values = ['x=1; y="a b"; a=(1 "2 3"); declare -A m=([k]=v); n=3'];
const shown = 'declare -p x y a z n t; declare -p m 2>/dev/null; printf "<%s>" "${IFS-none}"';

test.each([
  ['IFS=,'],
  ["IFS=''"],
  ['unset IFS'],
  ['IFS=declare_holdfast012'],
  ['readonly IFS=,'],
  ['declare -n r=x'],
  ['declare -n r=a[1] s=r none=nothing'],
])('later steps are evaluated after %s', async (code) => {
  const { lost, expected, found } = await compared({ before: [...values, code], later, shown });
  expect(lost).toEqual([]);
  expect(found).toBe(expected);
});

test.each(['IFS=,', 'readonly IFS=,', 'readonly IFS=0123456789', 'declare -r IFS='])(
  'a kernel after %s measures its steps, keeps the order of their output and knows their names',
  async (code) => {
    await using kernel = await openKernel('bash');
    // More than a tick of the clock that measures (10 ms), so that the step after it starts from another count than none.
    expect((await kernel.run('for ((i = 0; i < 40000; i++)); do :; done')).usage?.cpuSeconds).toBeGreaterThan(0);
    expect((await kernel.run(code)).end.status).toBe('succeeded');
    const busy = await kernel.run('for ((i = 0; i < 40000; i++)); do :; done; after=1');
    expect(busy.usage?.cpuSeconds).toBeGreaterThan(0);
    expect((await kernel.run('echo 1\necho 2 >&2\nls /nowhere\necho 3')).chunks.join('')).toMatch(
      /^1\n2\nls: .*\n3\n$/,
    );
    expect(await kernel.symbol('after')).toMatchObject({ preview: '1', stepId: busy.stepId });
    expect((await kernel.run('false')).end.status).toBe('failed');
  },
);

test.each(["IFS='}'", "IFS='{}'", "IFS='\"'", "IFS=$' }\"'", 'IFS=0123456789'])(
  'a kernel after readonly %s knows an interrupt, takes input, and runs code with the same characters',
  async (separators) => {
    await using kernel = await openKernel('bash');
    expect((await kernel.run(`readonly ${separators}`)).end.status).toBe('succeeded');
    // Only the agent's message tells the shell that such a program has ended because of it.
    const program = `bash -c 'trap "exit 130" INT; echo begun; while :; do sleep 0.05; done'`;
    const stopped = await kernel.run(program, () => kernel.kernel.interrupt());
    expect(stopped.end.status).toBe('interrupted');
    for (const text of ['}', '"', '{"}"}', '']) {
      const asked = await kernel.run('read -r; printf "<%s>" "$REPLY"', undefined, { stdin: () => text });
      expect(asked.stdout).toBe(`<${text}>`);
    }
    expect((await kernel.run('f() { echo "}"; }\nf\necho \'"\'')).stdout).toBe('}\n"\n');
  },
);

test('separators of a later step are those of the steps after it', async () => {
  const steps = ['IFS=,', 'z="${a[*]}"', 'n=5'];
  const { lost, expected, found } = await compared({
    before: values,
    later: steps,
    shown: 'printf "<%s>" "$z" "$n" "$IFS"',
  });
  expect(lost).toEqual([]);
  expect(found).toBe(expected);
});

test.each([
  ['reads a reference to a value that is there', 'z=$r', []],
  ['reads a reference to a value that is lost', 'x=$(date +%N); z=$r', ['x', 'z']],
])('a step that %s', async (_, code, names) => {
  const { lost } = await compared({ before: [...values, 'declare -n r=x'], later: [code], shown: ':' });
  expect(lost).toEqual(names);
});

test.each([
  'r=7',
  '((r += 7))',
  'unset r',
  'export r',
  'read -r r <<<7',
  'for r in x y; do :; done',
  'g() { r=8; }; g',
])('after the step %j, which uses a reference to change a name, nothing is taken for known', async (code) => {
  const { lost, expected, found } = await compared({
    before: [...values, 'declare -n r=n'],
    later: [code],
    shown: 'echo "$n"',
  });
  expect(lost.includes('*') || found === expected).toBe(true);
});

test.each([
  ['readonly line=1 texts=2 status=3 name=4 word=5 message=6 form=7 text=8 stream=9 rest=10 traces=11'],
  ['readonly count found children late at path fd before out err stdin streams segment kept'],
  ['readonly PS0=a PS1=b'],
  ['readonly TMOUT=1'],
  ['FUNCNEST=2'],
  ['enable -n builtin'],
  ['enable -n printf read mapfile return eval set trap source . local declare exec'],
  [
    'local() { :; }; return() { :; }; exec() { :; }; continue() { :; }; break() { :; }; readonly() { :; }; source() { :; }',
  ],
  ['builtin() { :; }'],
  ['enable() { :; }; builtin() { :; }'],
])('a shell after %j runs steps, can be saved and comes back', async (code) => {
  const before = ['x=1; f() { echo "f$1"; }', code, 'y=2'];
  const look = 'declare -p x y name PS1 TMOUT FUNCNEST 2>/dev/null; declare -F local return builtin; f 1; false; :';
  const { lost, expected, found } = await compared({ before, shown: look });
  expect(lost).toEqual([]);
  expect(found).toContain('declare -- x="1"\ndeclare -- y="2"\n');
  expect(found).toBe(expected);
});

test('functions with the names of builtins run in each step, and a step that exits ends as it should', async () => {
  await using kernel = await openKernel('bash');
  await kernel.run('local() { echo mine; }; return() { echo too; }; trap "echo failed" ERR');
  expect((await kernel.run('local; return; false; :')).stdout).toBe('mine\ntoo\nfailed\n');
  expect((await kernel.run('exit 3')).end).toMatchObject({ status: 'failed', exitCode: 3 });
  expect((await kernel.run('local')).stdout).toBe('mine\n');
});

test('a shell without its last means says why it ends', async () => {
  await using kernel = await openKernel('bash');
  const { end, error } = await kernel.run('enable -n builtin enable');
  expect(end.status).toBe('died');
  expect(error?.message).toContain('disabled `builtin`');
});
