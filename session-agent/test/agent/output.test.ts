import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { newId } from '@holdfast/specs/public';
import { expect, test } from 'vitest';
import type { AgentClient } from '../support/agent-client.ts';
import { residentBytes } from '../support/processes-of.ts';
import { startAgent } from '../support/start-agent.ts';

const mebibyte = 1024 * 1024;
const small = { HOLDFAST_STEP_OUTPUT_BYTES_MAX: String(mebibyte) };
const printChunks = (count: number) =>
  `import sys\nfor i in range(${count}): sys.stdout.write((str(i) + "é" * 32 + "\\n") * 1024)`;

async function output(agent: AgentClient, stepId: string, stream = 'stdout') {
  const response = await agent.send('GET', `/v1/steps/${stepId}/output/${stream}`);
  const body = Buffer.from(await response.arrayBuffer());
  return { status: response.status, kept: response.headers.get('holdfast-output'), body };
}

function printed(count: number): Buffer {
  return Buffer.concat(Array.from({ length: count }, (_, i) => Buffer.from(`${i}${'é'.repeat(32)}\n`.repeat(1024))));
}

test('stores the whole of a long output, also after the step is acknowledged', async () => {
  await using agent = await startAgent(small);
  const { stepId, frames } = await agent.run({ code: printChunks(100) });
  expect(frames.some(({ type }) => type === 'truncated')).toBe(true);
  await agent.call('POST', '/v1/acks', { stepIds: [stepId] });
  const { status, kept, body } = await output(agent, stepId);
  expect([status, kept, body.length]).toEqual([200, 'whole', printed(100).length]);
  expect(digest(body)).toBe(digest(printed(100)));
  expect((await output(agent, stepId, 'stderr')).status).toBe(404);
});

test('stores no file for output that fits into the step', async () => {
  await using agent = await startAgent(small);
  const { stepId } = await agent.run({ code: 'print(1)' });
  expect((await output(agent, stepId)).status).toBe(404);
  expect((await output(agent, newId('stp'))).status).toBe(404);
  expect((await output(agent, stepId, 'stdlog')).status).toBe(404);
});

test('drops the oldest output first, and stores the beginning of a stream that exceeds its share', async () => {
  await using agent = await startAgent({ ...small, HOLDFAST_OUTPUT_FILES_BYTES_MAX: String(20 * mebibyte) });
  const steps = [];
  for (let count = 0; count < 5; count++) steps.push((await agent.run({ code: printChunks(64) })).stepId);
  const found = await Promise.all(steps.map((stepId) => output(agent, stepId)));
  expect(found.map(({ status }) => status)).toEqual([404, 200, 200, 200, 200]);
  expect(found.slice(1).map(({ kept }) => kept)).toEqual(Array(4).fill('whole'));
  const { stepId } = await agent.run({ code: printChunks(200) });
  const { kept, body } = await output(agent, stepId);
  expect(kept).toBe('beginning');
  expect(body.length).toBeGreaterThan(4 * mebibyte);
  expect(body.length).toBeLessThan(5 * mebibyte + 1);
  expect(body.equals(printed(200).subarray(0, body.length))).toBe(true);
});

test('stores output in files without names, and none without space for them', async () => {
  const tmp = mkdtempSync('/tmp/holdfast-test-');
  try {
    await using agent = await startAgent({ ...small, TMPDIR: tmp });
    const before = readdirSync(tmp);
    const { stepId } = await agent.run({ code: printChunks(100) });
    expect((await output(agent, stepId)).kept).toBe('whole');
    expect(readdirSync(tmp)).toEqual(before);
    await using none = await startAgent({ ...small, HOLDFAST_OUTPUT_FILES_BYTES_MAX: '0' });
    expect((await output(none, (await none.run({ code: printChunks(100) })).stepId)).status).toBe(404);
  } finally {
    rmSync(tmp, { recursive: true });
  }
});

test('stays small during a flood with slow readers', async () => {
  await using agent = await startAgent(small);
  await agent.run({ code: '1' });
  const before = residentBytes(agent.pid);
  const { stepId } = await agent.run({ code: 'import os\nfor _ in range(300): os.write(1, b"x" * (1 << 20))' });
  const slow = await Promise.all(
    Array.from({ length: 8 }, () => agent.send('GET', `/v1/steps/${stepId}/output/stdout`)),
  );
  expect(residentBytes(agent.pid) - before).toBeLessThan(64 * mebibyte);
  for (const response of slow) await response.body?.cancel();
  expect((await output(agent, stepId)).body.length).toBeGreaterThan(mebibyte);
});

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
