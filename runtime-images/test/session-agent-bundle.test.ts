import { execFileSync } from 'node:child_process';
import { access, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { languagePrograms } from '../../session-agent/src/kernel-process/language-programs.ts';
import { processClient } from '../../session-agent/test/processes/support/process-client.ts';
import { jupyterPath } from '../../session-agent/test/support/jupyter-path.ts';
import { missing } from '../../session-agent/test/support/kernel-languages.ts';
import { startAgent } from '../../session-agent/test/support/start-agent.ts';
import { until } from '../../session-agent/test/support/until.ts';
import { bundleSessionAgent } from '../bundle-session-agent.ts';

/** PR_GET_DUMPABLE of prctl(2). */
const getDumpable = 3;

let folder: string;
let main: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-bundle-'));
  main = join(folder, 'agent/agent.mjs');
  await bundleSessionAgent(folder);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the bundled agent runs Python and Node outside the repository, and interrupts both', async () => {
  await using agent = await startAgent({}, main);
  expect((await agent.call('PUT', '/v1/session', { language: 'python', env: {} })).status).toBe(200);
  expect(await agent.run({ code: 'x = 41' })).toMatchObject({ done: { status: 'succeeded' } });
  expect(await agent.run({ code: 'print("out"); x + 1' })).toMatchObject({ stdout: 'out\n', value: '42' });
  const typed = "import { sep } from 'node:path';\nconst n: number = await Promise.resolve(42); sep + n";
  expect(await agent.run({ code: typed, contextId: 'node' })).toMatchObject({ value: "'/42'" });
  const transformed = 'const again = 1; enum Colour { Red = 7 }\nColour.Red';
  expect(await agent.run({ code: transformed, contextId: 'node' })).toMatchObject({ value: '7' });
  for (const [contextId, code] of [
    ['python', 'while True: pass'],
    ['node', 'while (true) {}'],
  ] as const) {
    const { done } = await agent.run({ code, contextId, timeoutMs: 300 });
    expect(done).toMatchObject({ status: 'timed_out', stateSurvived: true });
  }
  expect(await agent.run({ code: 'x' })).toMatchObject({ value: '41' });
});

test.for([
  ['bash', 'f() { echo $((40 + 2)); }; f'],
  ['ruby', 'puts 40 + 2'],
] as const)('the bundled agent runs %s', async ([language, code], { skip }) => {
  const reason = missing(language);
  if (reason) skip(reason);
  await using agent = await startAgent({}, main);
  const contextId = `ctx_${'0'.repeat(26)}`;
  expect((await agent.call('POST', '/v1/contexts', { contextId, language })).status).toBe(201);
  expect(await agent.run({ contextId, code })).toMatchObject({ stdout: '42\n', done: { status: 'succeeded' } });
});

test('the bundled agent runs a Jupyter kernel', async ({ skip }) => {
  const reason = missing('calysto_scheme');
  if (reason) skip(reason);
  await using agent = await startAgent({ JUPYTER_PATH: jupyterPath.join(':') }, main);
  const contextId = `ctx_${'0'.repeat(26)}`;
  const made = await agent.call('POST', '/v1/contexts', { contextId, language: 'calysto_scheme' });
  expect(made.status).toBe(201);
  expect(await agent.run({ contextId, code: '(+ 40 2)' })).toMatchObject({
    value: '42',
    done: { status: 'succeeded' },
  });
});

test('the bundled agent runs a process in a terminal', async () => {
  await using agent = await startAgent({}, main);
  const { run } = processClient(agent);
  const { stdout, done } = await run({ command: 'stty size', terminal: { columns: 90, rows: 20 } });
  expect(stdout).toBe('20 90\r\n');
  expect(done).toMatchObject({ status: 'exited', exitCode: 0 });
});

test('errors of Node steps show no frame of the bundled kernel', async () => {
  await using agent = await startAgent({}, main);
  const { frames } = await agent.run({ code: 'function f() { throw new Error("mine"); }\nf()', contextId: 'node' });
  const error = frames.find(({ type }) => type === 'error')?.json;
  expect(error).toMatchObject({ message: 'mine' });
  expect(String(error?.traceback)).toContain('at f');
  expect(String(error?.traceback)).not.toContain(folder);
});

test.each(['tar', 'zip'])('the bundled agent packs and unpacks a %s archive', async (format) => {
  await using agent = await startAgent({}, main);
  await agent.run({ code: 'import os\nos.mkdir("from")\nopen("from/a.txt", "w").write("kept")' });
  const headers = { authorization: `Bearer ${agent.token}` };
  const archive = (path: string) => `${agent.url}/v1/archive?path=${path}&format=${format}`;
  const packed = await fetch(archive('from'), { headers });
  const body = Buffer.from(await packed.arrayBuffer());
  expect((await fetch(archive('to'), { method: 'PUT', headers, body })).status).toBe(200);
  const { value } = await agent.run({ code: '[open(os.path.join("to", found)).read() for found in os.listdir("to")]' });
  expect(value).toBe("['kept']");
});

test("the module that is loaded before the agent closes the agent's memory to other processes", () => {
  const state = `require(${JSON.stringify(join(folder, 'agent/koffi.node'))}).load(null).func('int prctl(int)')(${getDumpable})`;
  const dumpable = (...flags: string[]) =>
    execFileSync(process.execPath, [...flags, '--print', state], { encoding: 'utf8' }).trim();
  expect(dumpable()).toBe('1');
  expect(dumpable('--import', join(folder, 'agent/not-dumpable.mjs'))).toBe('0');
});

test('the bundled agent rejects callers other than its data-plane', async () => {
  await using agent = await startAgent({}, main);
  expect((await fetch(`${agent.url}/v1/session`)).status).toBe(401);
  expect((await agent.call('GET', '/v1/session')).body).toMatchObject({ sessionId: agent.sessionId });
});

test('programs find the module that calls operations in the bundle', async () => {
  await using agent = await startAgent({}, main);
  const code = `python3 -c 'import holdfast; print(holdfast.OperationError.__name__)'
"$HOLDFAST_NODE" -p 'require("holdfast").OperationError.name'
ruby -r holdfast -e 'puts Holdfast::OperationError'`;
  const { stdout } = await agent.run({ contextId: 'bash', code });
  expect(stdout).toBe('OperationError\nOperationError\nHoldfast::OperationError\n');
});

test('the bundle has every program of the agent, and runs a job of Node that lies outside the workspace', async () => {
  const languages = join(import.meta.dirname, '../../session-agent/src/languages');
  const { modules, ...programs } = languagePrograms;
  for (const program of [...Object.values(programs), ...Object.values(modules)]) {
    await expect(access(join(folder, 'languages', relative(languages, program)))).resolves.toBeUndefined();
  }
  await using agent = await startAgent({}, main);
  const code = 'import { basename } from "node:path"; console.log(basename("a/b"))';
  const { stdout, stderr } = await agent.runJob({ language: 'node', filename: 'main.mjs', code });
  expect([stdout, stderr]).toEqual(['b\n', '']);
});

test('an idle agent uses less than 20 MB of private memory', async () => {
  await using agent = await startAgent({ MALLOC_TOP_PAD_: '0' }, main);
  await agent.run({ code: '1' });
  // It returns the memory of its start a second later.
  await until('the memory of the start to be given back', async () => (await privateBytes(agent.pid)) < 20_000_000);
});

test('the same sources give the same bytes', async () => {
  const again = join(folder, 'again');
  await bundleSessionAgent(again);
  for (const file of ['agent/agent.mjs', 'languages/node/main.js']) {
    expect(await readFile(join(again, file))).toEqual(await readFile(join(folder, file)));
  }
});

/** The memory that only this process has written to, as proc_pid_smaps_rollup(5) counts it. */
async function privateBytes(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Private_Dirty: +(\d+) kB$/m.exec(rollup)?.[1]) * 1024;
}
