import { expect, test } from 'vitest';
import { all, report } from '../support/agent-client.ts';
import { startAgent } from '../support/start-agent.ts';
import { amounts } from './amounts.ts';

const words = {
  python: {
    first: (i: number) => `print("first ${i}", flush=True)\nwhile True: print("of ${i}")`,
    second: (i: number) => `import time\nprint("second ${i}")\ntime.sleep(0.002)\nprint("end ${i}")`,
  },
  node: {
    first: (i: number) => `console.log("first ${i}"); for (;;) console.log("of ${i}")`,
    second: (i: number) =>
      `console.log("second ${i}"); await new Promise((r) => setTimeout(r, 2)); console.log("end ${i}")`,
  },
  bash: {
    first: (i: number) => `echo "first ${i}"; while :; do echo "of ${i}"; done`,
    second: (i: number) => `echo "second ${i}"; sleep 0.002; echo "end ${i}"`,
  },
};

test.for(Object.entries(words))(
  'a step that waits behind an interrupted one gets neither its interrupt nor its output: %s',
  { timeout: 1_800_000 },
  async ([language, { first, second }]) => {
    await using agent = await startAgent({ HOLDFAST_STOP_GRACE_MS: '5000' });
    const context = { contextId: language, language };
    await agent.run({ code: '', ...context });
    for (let i = 0; i < amounts.interrupts; i++) {
      const running = await agent.open({ code: first(i), ...context });
      const waiting = await agent.open({ code: second(i), ...context });
      const reads = Promise.all([all(running.frames), all(waiting.frames)]);
      // From at once to well within the step. Every eighth try sends several, the last of which may come after its end.
      if (i % 4 > 0) await new Promise((resolve) => setTimeout(resolve, (i % 16) / 2));
      const times = i % 8 === 7 ? 3 : 1;
      await Promise.all(
        Array.from({ length: times }, () => agent.call('POST', `/v1/steps/${running.stepId}/interrupt`)),
      );
      const [one, other] = (await reads).map((frames, at) => report([running, waiting][at]?.stepId ?? '', frames));
      expect(one?.done).toMatchObject({ status: 'interrupted', stateSurvived: true });
      expect(one?.stdout.replaceAll(`first ${i}\n`, '').replaceAll(`of ${i}\n`, '')).toMatch(/^(o|of|of \d*)?$/);
      expect({ i, status: other?.done.status, stdout: other?.stdout, stderr: other?.stderr }).toEqual({
        i,
        status: 'succeeded',
        stdout: `second ${i}\nend ${i}\n`,
        stderr: '',
      });
      await agent.call('POST', '/v1/acks', { stepIds: [running.stepId, waiting.stepId] });
    }
  },
);
