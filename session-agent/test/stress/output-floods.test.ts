import { expect, test } from 'vitest';
import { type ReadFrame, report } from '../support/agent-client.ts';
import { residentBytes } from '../support/processes-of.ts';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';
import { amounts } from './amounts.ts';

const megabyte = 1024 * 1024;
const grownBytesMax = 64 * megabyte;
const bytes = amounts.floodMegabytes * megabyte;
const lineBytes = bytes / 2;
const lines = Math.round(bytes / 100);

const floods = {
  python: {
    chunks: `import sys\nfor _ in range(${bytes / megabyte}): sys.stdout.write(("x" * 1023 + "\\n") * 1024)`,
    oneLine: `import os\nline = b"x" * ${megabyte}\nfor _ in range(${lineBytes / megabyte}): os.write(1, line)`,
    lines: `for i in range(${lines}): print(i)`,
    endless: 'while True: print("x" * 4096)',
  },
  node: {
    chunks: `for (let i = 0; i < ${bytes / megabyte}; i++) process.stdout.write(("x".repeat(1023) + "\\n").repeat(1024)); undefined`,
    oneLine: `for (let i = 0; i < ${lineBytes / megabyte}; i++) process.stdout.write("x".repeat(${megabyte})); undefined`,
    lines: `for (let i = 0; i < ${lines}; i++) console.log(i)`,
    endless: 'for (;;) console.log("x".repeat(4096))',
  },
  bash: {
    chunks: `head -c ${bytes} /dev/zero | tr '\\0' 'x' | fold -w 1023`,
    oneLine: `head -c ${lineBytes} /dev/zero | tr '\\0' 'x'`,
    lines: `seq ${lines}`,
    endless: 'yes "$(head -c 4096 /dev/zero | tr \'\\0\' x)"',
  },
};

const kinds = ['chunks', 'oneLine', 'lines'] as const;
const cases = Object.entries(floods).flatMap(([language, codes]) => kinds.map((kind) => ({ language, kind, codes })));

test.for(cases)(
  'a flood of output is truncated and does not make the agent larger: $language, $kind',
  { timeout: 600_000 },
  async ({ language, kind, codes }) => {
    await using agent = await startAgent({
      HOLDFAST_STEP_OUTPUT_BYTES_MAX: String(megabyte),
      // No data-plane calls the agent while the flood lasts.
      HOLDFAST_AGENT_LEASE_SECONDS: '3600',
    });
    const { most, read } = await watched(agent, language);
    const { done, frames } = await read({ code: codes[kind], timeoutMs: 600_000 });
    expect(done.status).toBe('succeeded');
    const truncated = frames.find(({ type }) => type === 'truncated');
    expect(truncated?.json).toMatchObject({ stream: 'stdout' });
    expect(most()).toBeLessThan(grownBytesMax);
  },
);

test.for(Object.entries(floods))(
  'an interrupt stops a flood of output within two seconds: %s',
  { timeout: 60_000 },
  async ([language, { endless }]) => {
    await using agent = await startAgent();
    const { most, read } = await watched(agent, language);
    let interruptedAt = 0;
    const { done } = await read({ code: endless, timeoutMs: 60_000 }, async (stepId, frame) => {
      if (frame.type !== 'stdout' || interruptedAt > 0) return;
      interruptedAt = performance.now();
      await agent.call('POST', `/v1/steps/${stepId}/interrupt`);
    });
    expect(done.status).toBe('interrupted');
    expect(performance.now() - interruptedAt).toBeLessThan(2000);
    expect(most()).toBeLessThan(grownBytesMax);
    expect((await agent.run({ code: '', contextId: language, language })).stdout).toBe('');
  },
);

/** Reads steps of a warm agent. `most` returns by how many bytes the agent has grown at most. */
async function watched(agent: AgentUnderTest, language: string) {
  await agent.run({ code: '', contextId: language, language });
  const before = residentBytes(agent.pid);
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, residentBytes(agent.pid) - before);
  }, 20);
  return {
    most: () => most,
    async read(
      step: { code: string; timeoutMs: number },
      onFrame: (stepId: string, frame: ReadFrame) => unknown = () => {},
    ) {
      try {
        const { stepId, frames } = await agent.open({ ...step, contextId: language, language });
        const seen: ReadFrame[] = [];
        for await (const frame of frames) {
          seen.push(frame);
          await onFrame(stepId, frame);
        }
        return report(stepId, seen);
      } finally {
        clearInterval(timer);
      }
    },
  };
}
