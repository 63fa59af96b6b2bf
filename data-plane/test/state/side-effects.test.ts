import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Session } from '@holdfast/specs/public';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation, type Installation } from '../support/installation.ts';
import type { Holdfast } from '../support/start-holdfast.ts';
import { agentOf } from './kill-sandbox.ts';
import { pythonWithCloudpickle } from './python-with-cloudpickle.ts';

let installation: Installation;
let holdfast: Holdfast;

beforeAll(async () => {
  installation = await createInstallation();
  holdfast = await installation.start({ HOLDFAST_PYTHON: await pythonWithCloudpickle(installation.dataDir) });
}, 120_000);

afterAll(() => installation[Symbol.asyncDispose]());

/** Code that appends a line to a file outside of the world, and code that then goes on for a minute. */
const languages = {
  python: {
    append: (file: string, line: string) => `with open('${file}', 'a') as log: log.write('${line}\\n')`,
    wait: 'import time; time.sleep(60)',
    define: (code: string) => `def effect():\n  ${code}\neffect()`,
    fail: 'missing()',
  },
  node: {
    append: (file: string, line: string) => `require('node:fs').appendFileSync('${file}', '${line}\\n')`,
    wait: 'await new Promise((done) => setTimeout(done, 60_000))',
    define: (code: string) => `function effect() { ${code} }\neffect()`,
    fail: 'missing()',
  },
  bash: {
    append: (file: string, line: string) => `echo ${line} >>${file}`,
    wait: 'sleep 60',
    define: (code: string) => `effect() { ${code}; }\neffect`,
    fail: 'false',
  },
};

test.each(['python', 'node', 'bash'] as const)(
  'a recovery of %s repeats no effect but that of steps which may run again, once each',
  async (language) => {
    const file = join(installation.dataDir, `effects-${language}`);
    const { append, wait, define, fail } = languages[language];
    const { id } = await holdfast.createSession({ language, recovery: 'manual' });
    const run = (code: string, more: object = {}) => holdfast.runStep(id, { code, ...more });
    const effects = async () => {
      const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1);
      return Object.fromEntries([...new Set(lines)].map((line) => [line, lines.filter((one) => one === line).length]));
    };
    const recover = async (agent: number, epoch: number) => {
      process.kill(agent, 'SIGKILL');
      await eventually(async () => {
        await holdfast.request('GET', `/v1/sessions/${id}/contexts`);
        expect((await holdfast.request('GET', `/v1/sessions/${id}`)).body).toMatchObject({ status: 'lost' });
      }, 20_000);
      const { body }: { body: Session } = await holdfast.request('POST', `/v1/sessions/${id}/recover`);
      expect(body).toMatchObject({ status: 'active', epoch });
    };

    await run(append(file, 'saved'), { replay: true });
    expect((await holdfast.request('POST', `/v1/sessions/${id}/snapshots`)).status).toBe(201);
    await run(append(file, 'plain'));
    await run(append(file, 'again'), { replay: true });
    await run(define(append(file, 'defined')));
    await run(`${append(file, 'failed')}\n${fail}`);
    const agent = await agentOf(holdfast, id, language);
    const running = run(`${append(file, 'running')}\n${wait}`, { replay: true });
    await eventually(async () => expect(await effects()).toHaveProperty('running'));
    const once = { saved: 1, plain: 1, defined: 1, failed: 1, running: 1 };
    expect(await effects()).toEqual({ ...once, again: 1 });

    await recover(agent, 2);
    expect(await running).toMatchObject({ status: 'lost' });
    expect(await effects()).toEqual({ ...once, again: 2 });
    await recover(await agentOf(holdfast, id, language), 3);
    expect(await effects()).toEqual({ ...once, again: 3 });
  },
  90_000,
);
