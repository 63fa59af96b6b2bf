import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readProcess } from '../../src/kernel-process/end/list-processes.ts';
import { languages, missing, type TestedLanguage, type Words } from '../support/kernel-languages.ts';
import * as kernels from '../support/open-kernel.ts';
import { until } from '../support/until.ts';

/** A message as a kernel sends it, in hexadecimal digits. */
const framed = (json: string) => json.length.toString(16).padStart(8, '0') + Buffer.from(json).toString('hex');

/** Whether every signal was delivered and the process sleeps again. */
function isAtRest(pid: number): boolean {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return /^ShdPnd:\t0+$/m.test(status) && /^State:\tS/m.test(status);
}

/** Any other kernel is one of Jupyter: a process of its own, whose usage the adapter does not measure. */
const withUsage: readonly string[] = ['python', 'node', 'bash', 'ruby'];

/** Each language, and how its kernel starts: by itself, or as a fork of a zygote that has loaded these libraries. */
const origins: [TestedLanguage, string, (readonly string[])?][] = [
  ...(Object.keys(languages) as TestedLanguage[]).map((language): [TestedLanguage, string] => [language, '']),
  ['python', ' from a zygote', []],
];

describe.for(origins)('a %s kernel%s', ([language, , zygote]) => {
  const reason = missing(language);
  if (reason) {
    test.skip(reason, () => {});
    return;
  }
  const words: Words = languages[language];
  const lastValue = ({ shown, stdout, results }: kernels.Seen) => {
    if (words.lacks?.values) return stdout.trimEnd();
    return words.lacks?.mainValue ? results.at(-1)?.data['text/plain'] : shown;
  };
  /** Each step of a shell has an exit status. */
  const ended = (status: string, exitCode: number) => ({
    status,
    streamIncomplete: false,
    ...(language === 'bash' && { exitCode }),
  });
  const succeeded = ended('succeeded', 0);
  const openKernel: typeof kernels.openKernel = (of, wish) => kernels.openKernel(of, { ...wish, zygote });

  test('keeps state from step to step and shows the value of the last expression', async () => {
    await using open = await openKernel(language);
    expect((await open.run(words.define)).end).toEqual(succeeded);
    const used = await open.run(words.use);
    expect(lastValue(used)).toBe(words.useShown);
    expect(used.results).toHaveLength(words.lacks?.values ? 0 : 1);
    expect((await open.run(words.silent)).results).toEqual([]);
  });

  test('tells what each step has used', async () => {
    await using open = await openKernel(language);
    await open.run(words.define);
    const { usage } = await open.run(words.use);
    expect(usage !== undefined).toBe(withUsage.includes(language));
    if (!usage) return;
    expect(usage.cpuSeconds).toBeGreaterThanOrEqual(0);
    expect(usage.cpuSeconds).toBeLessThan(5);
    expect(usage.memoryBytesMax).toBeGreaterThan(1_000_000);
  });

  test('sends output to the stream it was written to, in order and while the step runs', async () => {
    await using open = await openKernel(language);
    await open.run(words.print('warm'));
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-output-'));
    const seenFile = join(folder, 'seen');
    // The code ends only once its first output has been seen.
    const { stdout } = await open.run(words.printAround('first', seenFile, 'second'), () =>
      writeFileSync(seenFile, ''),
    );
    rmSync(folder, { recursive: true });
    expect(stdout).toBe('first\nsecond\n');
    const failed = await open.run(words.printError('complaint'));
    expect([failed.stdout, failed.stderr]).toEqual(['', 'complaint\n']);
  });

  test('reports an error with frames of earlier steps and without frames of the kernel', async () => {
    await using open = await openKernel(language);
    const { end, error } = await open.run(words.fail.code);
    expect(end.status).toBe('failed');
    expect(error).toMatchObject({ name: words.fail.name, message: words.fail.message });
    if (!words.lacks?.sources) expect(error?.traceback.join('\n')).toMatch(/step.1/);
    expect(error?.traceback.join('\n')).not.toContain('languages/');
    const again = await open.run(words.fail.again);
    if (!words.lacks?.tracebacks)
      expect(again.error?.traceback.join('\n')).toMatch(/step.1[^0-9][\s\S]*step.2|step.2[^0-9][\s\S]*step.1/);
    const invalid = await open.run(words.invalid);
    expect([invalid.end.status, invalid.error?.name]).toEqual(['failed', words.invalidName ?? 'SyntaxError']);
  });

  test.skipIf(words.lacks?.topLevelAwait)('awaits at top level', async () => {
    await using open = await openKernel(language);
    expect((await open.run(words.awaitValue)).shown).toBe('7');
  });

  test.for(['busyLoop', 'wait'] as const)('stops a step by interrupt and keeps its state: %s', async (deed) => {
    await using open = await openKernel(language);
    await open.run(words.define);
    const step = open.run(`${words.print('running')}\n${words[deed]}`, () => open.kernel.interrupt());
    const { end, error } = await step;
    expect(end).toEqual(ended('interrupted', 130));
    expect(error).toBeDefined();
    expect(lastValue(await open.run(words.use))).toBe(words.useShown);
  });

  test('stops a step whose interrupt comes before the step begins', async () => {
    await using open = await openKernel(language);
    await open.run(words.define);
    const step = open.run(words.busyLoop);
    open.kernel.interrupt();
    const { end } = await step;
    expect(end.status).toBe('interrupted');
    expect(lastValue(await open.run(words.use))).toBe(words.useShown);
  });

  test('ignores an interrupt while no step runs', async () => {
    await using open = await openKernel(language);
    await open.run(words.define);
    open.kernel.interrupt();
    process.kill(open.kernel.pid, 'SIGINT');
    await until('the delivery of the signal', () => isAtRest(open.kernel.pid));
    expect(lastValue(await open.run(words.use))).toBe(words.useShown);
  });

  test.skipIf(words.lacks?.interruptedChildren)(
    'stops a program together with the step that waits for it',
    async () => {
      await using open = await openKernel(language);
      const { end } = await open.run(words.shell('echo up; exec sleep 60'), () => open.kernel.interrupt());
      expect(end.status).toBe('interrupted');
    },
  );

  test.skipIf(words.lacks?.exit)('ends a step that exits with its code and output, and keeps the state', async () => {
    await using open = await openKernel(language);
    await open.run(words.define);
    const { end, stdout, error } = await open.run(words.exit(7));
    expect(end).toEqual({ status: 'failed', exitCode: 7, streamIncomplete: false });
    expect([stdout, error?.message]).toEqual(['last words\n', '7']);
    expect((await open.run(words.exit(0))).end).toEqual({ status: 'succeeded', exitCode: 0, streamIncomplete: false });
    expect(lastValue(await open.run(words.use))).toBe(words.useShown);
  });

  test('ends its running step with the signal when it is killed', async () => {
    await using open = await openKernel(language);
    const { end, stdout } = await open.run(words.killItself(9));
    expect(end).toMatchObject({ status: 'died', cause: { code: 'kernel_killed', signal: 'SIGKILL' } });
    expect(stdout).toBe('last words\n');
    expect(await open.kernel.exited).toMatchObject({ code: 'kernel_killed' });
    expect((await open.run(words.use)).end.status).toBe('died');
    await expect(open.kernel.symbols()).rejects.toThrow('kernel');
  });

  test('cuts three megabytes of output exactly, between whole characters', async () => {
    await using open = await openKernel(language);
    const { end, stdout, chunks } = await open.run(words.printMuch(3_000_000));
    expect(end).toEqual(succeeded);
    expect(stdout === 'é'.repeat(1_500_000)).toBe(true);
    expect(chunks.length).toBeGreaterThan(1);
    expect((await open.run(words.print('next'))).stdout).toBe('next\n');
  });

  test.skipIf(words.lacks?.manyMessages)('sends ten thousand lines whole and in order', async () => {
    await using open = await openKernel(language);
    const { stdout } = await open.run(words.printLines(10_000));
    expect(stdout).toBe(`${Array.from({ length: 10_000 }, (_, line) => line).join('\n')}\n`);
  });

  test('sends late output as background output only', async () => {
    await using open = await openKernel(language);
    const first = await open.run(words.printLater('late', 0.15));
    expect(first.stdout).toBe('');
    await until('the late output', () => open.background().includes('late'));
    expect((await open.run(words.print('next'))).stdout).toBe('next\n');
  });

  test('catches the output of child processes, late ones included', async () => {
    await using open = await openKernel(language);
    const prints = async (command: string, { stdout = '', stderr = '', late = '' }) => {
      const background = () => [open.background(undefined, 'stdout'), open.background(undefined, 'stderr')] as const;
      const [outBefore, errBefore] = background();
      const seen = await open.run(words.shell(command));
      const now = (text: string) => (words.lacks?.promptChildren ? expect.any(String) : text);
      expect(seen).toMatchObject({ end: succeeded, stdout: now(stdout), stderr: now(stderr) });
      // The next step would get what has not come yet.
      await until(command, () => {
        const [out, err] = background();
        const isWhole = seen.stdout + out.slice(outBefore.length) === stdout + late;
        return isWhole && seen.stderr + err.slice(errBefore.length) === stderr;
      });
    };
    await prints('echo out; echo err >&2', { stdout: 'out\n', stderr: 'err\n' });
    await prints('echo device > /dev/stdout', { stdout: 'device\n' });
    await prints('(sleep 0.2; echo late) & echo early', { stdout: 'early\n', late: 'late\n' });
  });

  const canCloseStdout = !words.lacks?.descriptors;
  test.runIf(canCloseStdout).for(['closeStdout', 'replaceStdout'] as const)(
    'writes to stdout again in the next step: %s',
    async (deed) => {
      await using open = await openKernel(language);
      expect((await open.run(words[deed])).end).toEqual(succeeded);
      expect(await open.run(words.print('again'))).toMatchObject({ end: succeeded, stdout: 'again\n' });
      expect((await open.run(words.shell('echo child'))).stdout).toBe('child\n');
    },
  );

  test('writes all output although a child has made it non-blocking', async () => {
    await using open = await openKernel(language);
    const program = 'import os; os.set_blocking(1, False); os.set_blocking(2, False)';
    await open.run(words.shell(`python3 -c '${program}'`));
    const { stdout, end } = await open.run(words.printMuch(1_000_000));
    expect([stdout.length, end]).toEqual([500_000, succeeded]);
  });

  const reachesAgent = !words.lacks?.agentChannel;
  test.runIf(reachesAgent).for([
    ['an endless length', 'ffffffff'],
    ['invalid JSON', '000000027b7b'],
    ['an unknown message', framed('{"type":"bye"}')],
    ['endless nesting', framed(`{"type":"result","data":{"deep":${'['.repeat(50_000)}${']'.repeat(50_000)}}}`)],
  ] as const)('is killed, and no other kernel is, for %s on its channel', async ([, hex]) => {
    await using forger = await openKernel(language);
    await using other = await openKernel(language);
    await other.run(words.define);
    const { end } = await forger.run(words.sendRaw(hex));
    expect(end).toMatchObject({ status: 'died', cause: { code: 'kernel_killed' } });
    expect(end.status === 'died' && end.cause.message).toContain('protocol');
    expect(lastValue(await other.run(words.use))).toBe(words.useShown);
  });

  test.for(['kill', 'crash'] as const)(
    'ends together with its descendants, orphans in sessions of their own included: %s',
    async (how) => {
      const folder = mkdtempSync('/tmp/holdfast-test-');
      await using open = await openKernel(language);
      try {
        const shown = lastValue(await open.run(words.detach('exec sleep 100')));
        const file = join(folder, 'pid');
        await open.run(words.detach(`sleep 100 & echo $! > ${file}.new; mv ${file}.new ${file}`));
        await until('the orphan', () => existsSync(file));
        const pids = [Number(shown), Number(readFileSync(file, 'utf8')), open.kernel.pid];
        for (const pid of pids) expect(readProcess(pid)).not.toBeNull();
        if (how === 'kill') await open.kernel.kill();
        else await open.run(words.killItself(9));
        for (const pid of pids) expect(readProcess(pid)).toBeNull();
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  );

  test('has only the environment variables that it is given', async () => {
    await using open = await openKernel(language, { env: { GIVEN: 'yes' }, config: { sandboxUid: 'uid-1' } });
    const folder = mkdtempSync('/tmp/holdfast-test-');
    try {
      await open.run(words.shell(`env > ${join(folder, 'env')}`));
      const names = readFileSync(join(folder, 'env'), 'utf8').match(/^\w+(?==)/gm) ?? [];
      const shells = new Set(['PWD', 'OLDPWD', 'SHLVL', '_']);
      const isOwn = (name: string) => shells.has(name) || words.ownVariables?.test(name);
      expect(names.filter((name) => !isOwn(name)).sort()).toEqual([
        'GIVEN',
        'HOLDFAST_KERNEL',
        'HOLDFAST_SANDBOX_UID',
        'HOME',
        'LANG',
        'LC_ALL',
        'MPLBACKEND',
        'OMP_NUM_THREADS',
        'PATH',
        'PYTHONDONTWRITEBYTECODE',
        'TERM',
        'TMPDIR',
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test.skipIf(words.lacks?.symbols)('tells which names steps have defined', async () => {
    await using open = await openKernel(language);
    await open.run(words.define);
    const symbol = await open.symbol('kept');
    expect(symbol).toMatchObject({ kind: 'variable', preview: '41', size: null });
    expect(symbol?.stepId).toMatch(/^stp_/);
    expect(existsSync(`/proc/${open.kernel.pid}`)).toBe(true);
  });
});
