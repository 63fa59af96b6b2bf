import { afterAll, beforeAll, expect, test } from 'vitest';
import { missing } from '../support/kernel-languages.ts';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';

let agent: AgentUnderTest;
beforeAll(async () => {
  agent = await startAgent();
});
afterAll(() => agent[Symbol.asyncDispose]());

test.for([
  ['python', 'open("/mnt/data/missing.csv")'],
  ['python', 'import sqlite3; sqlite3.connect("/mnt/data/missing.db")'],
  ['node', 'require("node:fs").readFileSync("/mnt/data/missing.csv")'],
  ['bash', 'cat /mnt/data/missing.csv'],
  ['ruby', 'File.read("/mnt/data/missing.csv")'],
] as const)(
  'a %s step that fails on a path below /mnt/data is told where the workspace is: %s',
  async ([language, code], { skip }) => {
    const reason = missing(language);
    if (reason) skip(reason);
    const { frames, done } = await agent.run({ contextId: language, code });
    expect(done).toMatchObject({ status: 'failed' });
    const error = frames.find(({ type }) => type === 'error')?.json as { traceback: string[] };
    expect(error.traceback.at(-1)).toMatch(/^Hint: \/mnt\/data does not lead to the workspace/);
    expect(error.traceback.at(-1)).toContain(agent.workspace);
  },
);
