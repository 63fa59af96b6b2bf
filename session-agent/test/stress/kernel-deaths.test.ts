import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import { processesOf } from '../support/processes-of.ts';
import { startAgent } from '../support/start-agent.ts';
import { until } from '../support/until.ts';
import { amounts } from './amounts.ts';

type Death = { code: string; cause: object };

const exited = (exitCode: number) => ({ code: 'kernel_exited', exitCode });
const killed = (signal: string) => ({ code: 'kernel_killed', signal });

const outOfMemory = 'const all = []; for (;;) all.push(new Array(1e5).fill({}))';

const deaths: Record<string, { mark: string; deaths: Death[] }> = {
  python: {
    mark: 'print("mark", flush=True)\n',
    deaths: [
      { code: 'import os; os._exit(3)', cause: exited(3) },
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
      { code: 'process.reallyExit(3)', cause: exited(3) },
      { code: 'process.abort()', cause: killed('SIGABRT') },
      { code: 'process.kill(process.pid, "SIGKILL"); for (;;) {}', cause: killed('SIGKILL') },
      { code: outOfMemory, cause: killed('SIGABRT') },
    ],
  },
};

test.for(Object.entries(deaths))(
  'each of many deaths of a kernel ends its step within a second with its cause and leaves no process: %s',
  { timeout: 1_800_000 },
  async ([language, { mark, deaths }]) => {
    await using agent = await startAgent();
    const contextId = newId('ctx');
    const limits = language === 'node' ? { memoryMb: 64 } : undefined;
    expect((await agent.call('POST', '/v1/contexts', { contextId, language, limits })).status).toBe(201);
    for (let i = 0; i < amounts.deaths; i++) {
      const { code, cause } = deaths[i % deaths.length] as Death;
      const step = await agent.open({ code: mark + code, contextId });
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
      // Filling the memory itself takes time.
      const ms = code === outOfMemory ? 0 : performance.now() - markedAt;
      expect({ ...last, code }).toMatchObject({
        status: 'failed',
        cause,
        code,
        stateSurvived: false,
        contextEpoch: i + 1,
      });
      expect(stdout).toBe('mark\n');
      expect(ms).toBeLessThan(1000);
      await agent.call('POST', '/v1/acks', { stepIds: [step.stepId] });
    }
    const after = await agent.run({ code: mark, contextId });
    expect(after).toMatchObject({ stdout: 'mark\n', done: { status: 'succeeded', contextEpoch: amounts.deaths + 1 } });
    const left = () => processesOf(agent.uid).length;
    await until('the agent, one kernel, the zygote and its reserve to be all that is left', () => left() <= 4);
  },
);
