import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Holdfast, startHoldfast, temporaryDataDir } from '../support/start-holdfast.ts';

const program = fileURLToPath(new URL('../../../examples/safe-edit/host.ts', import.meta.url));

let holdfast: Holdfast;
let data: Awaited<ReturnType<typeof temporaryDataDir>>;
beforeAll(async () => {
  data = await temporaryDataDir();
  holdfast = await startHoldfast({ HOLDFAST_DATA_DIR: data.path });
}, 120_000);
afterAll(async () => {
  await holdfast?.stop();
  await data?.remove();
});

/** Runs the host of the example to its end, with the answers of a person. */
async function runHost(answers: readonly string[]): Promise<{ output: string; exitCode: number | null }> {
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env.PATH, HOLDFAST_URL: holdfast.url },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  child.stdin.end(answers.map((answer) => `${answer}\n`).join(''));
  await once(child, 'close');
  return { output, exitCode: child.exitCode };
}

test('the host of the example shows changes, obeys a person, answers a call and stops when the budget is used up', async () => {
  const { output, exitCode } = await runHost(['y', 'n', 'y']);
  expect(output).toContain('+    return sum(numbers) / len(numbers)');
  expect(output).toContain('(the changes were applied)');
  expect(output).toMatch(/\(numbers\.txt was put back, because of world\.writePatterns.*\)/);
  expect(output).toMatch(
    /\+REPORT.*\(the changes were rejected\).*\+# Report\n\+\n\+In short: the mean of 3 numbers is 5\.0\./s,
  );
  expect(output).toMatch(/stopped: the budget of session ses_\w+ is used up: 6 iterations/);
  expect(output).toMatch(/proposal\.commit: 2, denied 0.*proposal\.reject: 1, denied 0.*step\.run: 7, denied 1/s);
  expect(exitCode).toBe(0);
  const [id] = /ses_\w+/.exec(output) ?? [];
  const session = (await holdfast.request('GET', `/v1/sessions/${id}`)).body;
  expect(session).toMatchObject({ status: 'completed', budget: { used: { iterations: 6 } } });
  expect(session.budget.used.tokens).toBeGreaterThan(0);
}, 60_000);
