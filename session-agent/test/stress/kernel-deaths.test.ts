import { expect, test } from 'vitest';
import { processesOf } from '../processes-of.ts';
import { startAgent } from '../start-agent.ts';
import { until } from '../until.ts';
import { amounts } from './amounts.ts';

type Death = { code: string; cause: object };

const exited = (exitCode: number) => ({ code: 'kernel_exited', exitCode });
const killed = (signal: string) => ({ code: 'kernel_killed', signal });

const deaths: Record<string, { mark: string; deaths: Death[] }> = {
  python: {
    mark: 'print("mark", flush=True)\n',
    deaths: [
      { code: 'import sys; sys.exit(3)', cause: exited(3) },
      { code: 'import os; os._exit(0)', cause: exited(0) },
      { code: 'import os; os.abort()', cause: killed('SIGABRT') },
      { code: 'import os; os.kill(os.getpid(), 9)', cause: killed('SIGKILL') },
      { code: 'import os; os.kill(os.getpid(), 11)', cause: killed('SIGSEGV') },
      { code: 'import ctypes; ctypes.string_at(0)', cause: killed('SIGSEGV') },
      {
        code: 'import subprocess; subprocess.Popen(["sleep", "100"], start_new_session=True)\nimport os; os._exit(9)',
        cause: exited(9),
      },
    ],
  },
  node: {
    mark: 'console.log("mark");',
    deaths: [
      { code: 'process.exit(3)', cause: exited(3) },
      { code: 'process.abort()', cause: killed('SIGABRT') },
      { code: 'process.kill(process.pid, "SIGKILL"); for (;;) {}', cause: killed('SIGKILL') },
    ],
  },
};

test.for(Object.entries(deaths))(
  'each of many deaths of a kernel ends its step within a second with its own cause and leaves nothing: %s',
  { timeout: 1_800_000 },
  async ([language, { mark, deaths }]) => {
    await using agent = await startAgent();
    await agent.run({ code: '', contextId: language, language });
    await settled(agent.uid);
    const before = processesOf(agent.uid).length;
    for (let i = 0; i < amounts.deaths; i++) {
      const { code, cause } = deaths[i % deaths.length] as Death;
      const step = await agent.open({ code: mark + code, contextId: language, language });
      let markedAt = Number.NaN;
      let last: Record<string, unknown> = {};
      let stdout = '';
      for await (const frame of step.frames) {
        if (frame.type === 'stdout') {
          stdout += frame.text;
          markedAt = performance.now();
        }
        last = frame.json;
      }
      const ms = performance.now() - markedAt;
      expect({ ...last, code }).toMatchObject({
        status: 'failed',
        cause,
        code,
        stateSurvived: false,
        contextEpoch: i + 1,
      });
      expect(stdout).toBe('mark\n');
      // Running out of memory is work in itself; the second counts from the death, which here comes at once.
      if (!code.includes('max-old-space')) expect(ms).toBeLessThan(1000);
      await agent.call('POST', '/v1/acks', { stepIds: [step.stepId] });
    }
    const after = await agent.run({ code: mark, contextId: language, language });
    expect(after).toMatchObject({ stdout: 'mark\n', done: { status: 'succeeded', contextEpoch: amounts.deaths + 1 } });
    await until('no more processes to be left than there were', () => processesOf(agent.uid).length <= before);
  },
);

/** Waits until the agent starts no more processes by itself. */
async function settled(uid: string): Promise<void> {
  let same = 0;
  let last = 0;
  await until('the number of processes to stay', () => {
    const now = processesOf(uid).length;
    same = now === last ? same + 1 : 0;
    last = now;
    return same > 50;
  });
}
