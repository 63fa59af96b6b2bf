import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { readRun } from '../../bench/report/read-run.ts';

const main = join(import.meta.dirname, '../../bench/main.ts');

/** It takes less than a minute on a machine that does nothing else. */
const timeoutMs = 600_000;

test('a smoke run gives right results, is not far from the yardstick, and shows that nothing was switched off', {
  timeout: timeoutMs,
}, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'holdfast-smoke-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const out = join(directory, 'smoke.jsonl');
  const child = spawn(process.execPath, [main, '--smoke', '--out', out], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // Without a cluster: the end-to-end tests install there.
    env: { ...process.env, KUBECONFIG: '' },
  });
  const [shown, errors, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.once('exit', resolve)),
  ]);
  expect(code, `${shown}\n${errors}`).toBe(0);

  const { header, samples } = await readRun(out);
  expect(header.guarantees).toEqual({
    fsync: 'on',
    synchronousCommit: 'on',
    agentAuthentication: 'on',
    peerProof: 'on',
  });
  expect(header.fsyncMs.p50).toBeGreaterThan(0);
  const measured = new Set(samples.map(({ scenario }) => scenario));
  expect(header.options.scenarios.filter((name) => !measured.has(name))).toEqual(['kubernetes']);
  expect(samples.filter(({ value }) => !Number.isFinite(value) || value < 0)).toEqual([]);
  expect(shown).toContain('Holdfast / yardstick');
});
