import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { array, assert, asyncProperty, nat } from 'fast-check';
import { expect, test } from 'vitest';
import { writeSession } from '../support/node-statements.ts';
import { openKernel } from '../support/open-kernel.ts';

const size = { steps: 10, statements: 8 };
const sessions = 10;
const log = 'globalThis.log = (...values) => console.log(JSON.stringify(values));';
const endOfStep = 'end of step';

test('generated statements do in steps what they do in a module whose scope has the names of earlier steps', async () => {
  const tapes = array(nat({ max: 2 ** 30 }), { minLength: 400, maxLength: 400, size: 'max' });
  const property = asyncProperty(tapes, async (tape) => {
    const steps = writeSession(tape, size);
    const [inSteps, inModule] = [await runInSteps(steps), await runInModule(steps)];
    expect(inSteps.map((output, index) => [steps[index], output])).toEqual(
      inModule.map((output, index) => [steps[index], output]),
    );
  });
  await assert(property, { numRuns: sessions, seed: 12, endOnFailure: true });
}, 240_000);

async function runInSteps(steps: string[]): Promise<string[]> {
  await using open = await openKernel('node');
  await open.run(log);
  const outputs: string[] = [];
  for (const code of steps) {
    const { stdout, error } = await open.run(code);
    outputs.push(error ? `${stdout}${error.traceback.join('\n')}` : stdout);
  }
  return outputs;
}

/** Each step is a function inside that of the step before, so that its declarations hide earlier ones and see all others. */
async function runInModule(steps: string[]): Promise<string[]> {
  const nested = steps.reduceRight(
    (inner, code) => `await (async () => {\n${code}\nlog('${endOfStep}');\n${inner}\n})();`,
    '',
  );
  const folder = mkdtempSync('/tmp/holdfast-test-');
  try {
    writeFileSync(join(folder, 'oracle.mjs'), `${log}\n${nested}`);
    const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'oracle.mjs')]);
    return stdout.split(`["${endOfStep}"]\n`).slice(0, -1);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
