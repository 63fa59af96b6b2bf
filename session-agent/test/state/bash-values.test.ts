import { expect, test } from 'vitest';
import { openKernel } from '../support/open-kernel.ts';
import { type LaterStep, manifestOf, recoverState, saveState } from '../support/state.ts';

/** Runs the steps, saves, and recovers in another kernel. */
async function recovered(codes: string[], later: LaterStep[] = []) {
  await using before = await openKernel('bash');
  for (const code of codes) {
    const { error } = await before.run(code);
    if (error) throw new Error(`${error.name}: ${error.message}`);
  }
  const archive = await saveState(before.kernel);
  const after = await openKernel('bash');
  return { after, archive, report: await recoverState(after.kernel, { archive, steps: later }) };
}

test.each([
  ['a text', ["x='a  b'"], 'echo "$x"', 'a  b\n'],
  [
    'lines and bytes that are no characters',
    ["x=$'a\\nb\\377\\001\\177'"],
    'printf %s "$x" | od -An -tx1',
    ' 61 0a 62 ff 01 7f\n',
  ],
  ['characters', ['x=é→'], 'echo $x', 'é→\n'],
  ['an array with gaps', ['a=([2]="x y" [7]=z)'], 'declare -p a', 'declare -a a=([2]="x y" [7]="z")\n'],
  [
    'an associative array',
    ["declare -A m=(['a b']=1 [@]=2 [$'x\\ny']=3)"],
    `echo "\${m['a b']}\${m[@]}\${m[$'x\\ny']}\${#m[@]}"`,
    expect.stringMatching(/^1.*3\n$/),
  ],
  [
    'attributes that came after the value',
    ['a=abc; declare -u a; b=1+1; declare -i b'],
    'echo $a $b; a=$a; b=$b; echo $a $b',
    'abc 1+1\nABC 2\n',
  ],
  [
    'a name without a value',
    ['declare -i n; declare -A m; export e'],
    'declare -p n m e',
    'declare -i n\ndeclare -A m\ndeclare -x e\n',
  ],
  ['a read-only name', ['readonly r=1'], '(r=2) 2>/dev/null; echo $r', '1\n'],
  ['a reference', ['x=1; declare -n r=x'], 'r=5; echo $x', '5\n'],
  ['read-only separators and a read-only locale', ['readonly IFS=, LC_ALL=C.UTF-8; x=é'], 'echo "$x$#$IFS"', 'é0,\n'],
  ['an exported name', ['export K=v'], 'sh -c \'echo "$K"\'', 'v\n'],
  ['the absence of a name', ['unset TERM'], 'echo "${TERM-none}"', 'none\n'],
  ['functions', ['f() { echo "f $(g "$1")"; }; g() { cat <<END\n<$1>\nEND\n}'], 'f 1', 'f <1>\n'],
  ['a function with an odd name', ['a-b.c() { echo odd; }; function +x { echo plus; }'], 'a-b.c; +x', 'odd\nplus\n'],
  ['an exported function', ['f() { echo f; }; export -f f'], "bash -c 'f'", 'f\n'],
  [
    'options',
    ['set -uf; shopt -s extglob nullglob', 'g() { [[ $1 == +(a) ]] && echo "${1/+(a)/b}"; }'],
    'echo "${-//[^uf]/}"; shopt nullglob; g aa',
    'fu\nnullglob       \ton\nb\n',
  ],
  ['an alias', ["alias hi='echo hi there'"], 'hi', 'hi there\n'],
  ['positional parameters', ["set -- a 'b c' ''"], 'echo "$# $2"', '3 b c\n'],
  [
    'the directory and its stack',
    ['cd /usr; pushd -n /var >/dev/null; pushd -n /etc >/dev/null'],
    'pwd; dirs -l',
    '/usr\n/usr /etc /var\n',
  ],
  ['umask and limits', ['umask 027; ulimit -Sn 99'], 'umask; ulimit -Sn', '0027\n99\n'],
  ['a clock', ['SECONDS=1000'], 'echo $((SECONDS / 100))', '10\n'],
  ['the name of the shell', ['BASH_ARGV0=me'], 'echo $0', 'me\n'],
  ['separators', ['IFS=,'], 'x=a,b; printf "%s;" $x', 'a;b;'],
  ['a trap of a signal', ["trap 'echo got it' USR1"], 'kill -USR1 $$', 'got it\n'],
  ['completions', ['complete -W "aa b" -o nospace foo'], 'complete -p', "complete -o nospace -W 'aa b' foo\n"],
  ['a trap on errors', ["trap 'echo failed' ERR"], 'false; :', 'failed\n'],
  [
    'names that the kernel uses, too',
    ['line=1 texts=2 status=3 late=4 name=5'],
    'echo $line$texts$status$late$name',
    '12345\n',
  ],
])('brings back %s', async (_, steps, check, shown) => {
  const { after, report } = await recovered(steps);
  await using _after = after;
  expect(report).toMatchObject({ lost: [], stopped: null });
  expect((await after.run(check)).stdout).toEqual(shown);
});

test('many keys keep their values', async () => {
  const { after, report } = await recovered(['declare -A m; for i in {1..3000}; do m[k$i]=$i; done']);
  await using _after = after;
  expect(report.lost).toEqual([]);
  expect((await after.run('echo ${#m[@]} ${m[k7]} ${m[k2999]}')).stdout).toBe('3000 7 2999\n');
});

test.each([
  ['the sequence of RANDOM that code has set', ['RANDOM=42'], ['RANDOM']],
  ['nothing if code only reads RANDOM', ['x=$((RANDOM % 6)) y=${RANDOM} z="RANDOM"; (( RANDOM == 1 )) || :'], []],
  ['a coprocess with both variables', ['coproc cat'], ['$!', 'COPROC', 'COPROC_PID', 'job 1']],
  ['a coprocess with a name', ['coproc MINE { cat; }'], ['$!', 'MINE', 'MINE_PID', 'job 1']],
  ['no variable that only looks like that of a coprocess', ['W=(1 2) W_PID=1'], []],
  [
    'nothing after a substitution of a process',
    ['cat <(echo a) >/dev/null 2>&1 && :; x=1', 'while [[ -d /proc/$! ]]; do :; done'],
    [],
  ],
  ['the number of a process in the background that has ended', ['true & wait'], ['$!']],
  ['a clock that has become a plain variable', ['unset SECONDS; SECONDS=7'], ['SECONDS']],
])('loses %s', async (_, steps, names) => {
  const { after, report } = await recovered(steps);
  await using _after = after;
  expect(report.lost.map(({ name }) => name).sort()).toEqual(names);
});

test('a function that came back and sets RANDOM makes its sequence one that cannot be saved', async () => {
  const { after, report } = await recovered(['f() { (( RANDOM += 1 )); }']);
  await using _after = after;
  expect(report.lost).toEqual([]);
  await after.run('f');
  expect(manifestOf(await saveState(after.kernel)).notSaved.map(({ name }) => name)).toEqual(['RANDOM']);
});

test('in POSIX mode only the traps that code has set come back', async () => {
  const { after, report } = await recovered(["trap 'echo u' USR1; set -o posix", 'x=1']);
  await using _after = after;
  expect(report.restored.filter((name) => name.startsWith('trap'))).toEqual(['trap SIGUSR1']);
});

test('open files and background processes are lost by name', async () => {
  const { after, report, archive } = await recovered(['exec 7</etc/passwd; x=1; sleep 60 &']);
  await using _after = after;
  expect(report.lost.map(({ name }) => name).sort()).toEqual(['$!', 'fd 7', 'job 1']);
  expect(manifestOf(archive).saved).toContainEqual({ name: 'x', kind: 'variable' });
});

test('replaced builtins and aliases change neither a snapshot nor a recovery', async () => {
  const hostile = ['declare', 'printf', 'eval', 'echo', 'set', 'trap', 'unset', 'builtin_', 'mapfile', 'source'];
  const { after, report } = await recovered([
    'x=1; declare -A m=([k]=v); f() { :; }; alias if=false local=false source=false builtin=false',
    hostile.map((name) => `${name}() { x=broken; }`).join('; '),
  ]);
  await using _after = after;
  expect(report.lost).toEqual([]);
  expect((await after.run('\\builtin \\printf %s "$x${m[k]}"')).stdout).toBe('1v');
});

test('a snapshot changes nothing that code can see', async () => {
  await using kernel = await openKernel('bash');
  const look =
    'echo "$? $_ $! $- $PWD"; jobs; trap -p USR1; set | grep -Ev "^(_|__holdfast|BASH_|LINENO|RANDOM|SRANDOM|SECONDS|EPOCH|PIPESTATUS)"; declare -F | grep -v __holdfast; shopt; ls /proc/$$/fd';
  await kernel.run("trap 'echo u' USR1; x=1; sleep 30 & false");
  await kernel.run(look);
  const before = await kernel.run(look);
  await saveState(kernel.kernel);
  const after = await kernel.run(look);
  expect(after.stdout).toBe(before.stdout);
  expect(after.end).toEqual(before.end);
  expect(kernel.background()).toBe('');
});

test('neither `wait` nor a trap on CHLD notices a snapshot, and the step is not late', async () => {
  const codes = ['for i in {1..9000}; do a[i]=$i; done', "trap 'n+=x' CHLD; wait; :", ': ; :; echo "<$n>"'];
  const seen = async (saves: boolean) => {
    await using kernel = await openKernel('bash');
    const found = [];
    for (const code of codes) {
      const { end, stdout } = await kernel.run(code);
      found.push({ end, stdout });
      const answered = Promise.withResolvers<void>();
      if (!saves) continue;
      saveState(kernel.kernel, { onAnswered: answered.resolve }).then(manifestOf);
      await answered.promise;
    }
    return found;
  };
  expect(await seen(true)).toEqual(await seen(false));
});

test('lists as not saved all that the limits leave out', async () => {
  await using kernel = await openKernel('bash');
  await kernel.run('printf -v big %050000d 1; small=1');
  const { saved, notSaved } = manifestOf(await saveState(kernel.kernel, { bytesMax: 5000 }));
  expect(saved.map(({ name }) => name)).toContain('small');
  expect(notSaved).toContainEqual({ name: 'big', reason: 'the snapshot would be too large' });
  const late = manifestOf(await saveState(kernel.kernel, { timeoutMs: 0 }));
  expect(late.notSaved).toContainEqual({ name: 'small', reason: 'the time for the snapshot was over' });
});

test.each([
  ['cut off', (archive: Buffer) => archive.subarray(0, archive.length - 20)],
  ['damaged', (archive: Buffer) => Buffer.concat([Buffer.from('rubbish'), archive.subarray(7)])],
  ['empty', () => Buffer.alloc(0)],
])('an archive that is %s is reported, and the kernel goes on', async (_, change) => {
  await using before = await openKernel('bash');
  await before.run('x=1');
  const archive = change(await saveState(before.kernel));
  await using after = await openKernel('bash');
  const report = await recoverState(after.kernel, { archive });
  expect(report.restored).toEqual([]);
  expect(report.lost[0]?.reason).toContain('the snapshot cannot be read');
  expect((await after.run('echo $((1 + 1))')).stdout).toBe('2\n');
});

test('a value that takes too long to load is not saved, and the others are', async () => {
  const big = 'kept=1; big=$(head -c 9000000 /dev/zero | tr "\\0" x)';
  const { after, report } = await recovered([big]);
  await using _after = after;
  expect(report.lost).toEqual([{ name: 'big', reason: 'the snapshot would be too large' }]);
  expect((await after.run('echo "$kept"')).stdout).toBe('1\n');
});
