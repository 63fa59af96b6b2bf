import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createInstallation, type Installation } from '../../data-plane/test/support/installation.ts';
import type { Holdfast } from '../../data-plane/test/support/start-holdfast.ts';
import { buildCli, type Cli } from './support/build-cli.ts';

// Each command is a program of its own, and a test starts several.
vi.setConfig({ testTimeout: 60_000 });

let installation: Installation;
let server: Holdfast;
let cli: Cli;

beforeAll(async () => {
  installation = await createInstallation();
  server = await installation.start();
  cli = await buildCli({ HOLDFAST_URL: server.url });
}, 180_000);

afterAll(async () => {
  await cli[Symbol.asyncDispose]();
  await installation[Symbol.asyncDispose]();
});

test('shows the value of the last expression, and nothing else', async () => {
  expect(await cli.run(['run', '-c', '6 * 7'])).toEqual({ exitCode: 0, stdout: '42\n', stderr: '' });
});

test.each([
  ['python', 'import sys; print("out"); sys.exit(3)', 3],
  ['bash', 'echo out; exit 3', 3],
  ['node', 'console.log("out"); process.exit(3)', 3],
  ['python', 'print("out"); import sys; sys.exit(0)', 0],
])('passes the exit code of %s through: %s', async (language, code, exitCode) => {
  expect(await cli.run(['run', '--language', language, '-'], { input: code })).toEqual({
    exitCode,
    stdout: 'out\n',
    stderr: '',
  });
});

test('code that raises gives 1, with its traceback on stderr', async () => {
  const { exitCode, stdout, stderr } = await cli.run(['run', '-c', 'print("before"); 1 / 0']);
  expect([exitCode, stdout]).toEqual([1, 'before\n']);
  expect(stderr).toMatch(/^Traceback[\s\S]*ZeroDivisionError: division by zero\n$/);
});

test('the name of a file tells its language', async () => {
  const file = join(cli.folder, 'double.ts');
  await writeFile(file, 'const n: number = 21;\nn * 2');
  expect(await cli.run(['run', file])).toMatchObject({ exitCode: 0, stdout: '42\n' });
});

test('a session of one key keeps its state from run to run', async () => {
  await cli.run(['run', '--session', 'notebook-7', '-c', 'x = 41']);
  expect(await cli.run(['run', '-s', 'notebook-7', '-c', 'x + 1'])).toMatchObject({ exitCode: 0, stdout: '42\n' });
});

test('a session of its own is completed, unless it is to be kept', async () => {
  const { stderr } = await cli.run(['run', '--keep', '-c', 'x = 1']);
  const id = /^session (ses_\w+)\n$/.exec(stderr)?.[1] ?? '';
  expect(await cli.run(['run', '-s', id, '-c', 'x'])).toMatchObject({ exitCode: 0, stdout: '1\n' });
  const { stdout } = await cli.run(['run', '-c', 'x = 1', '-o', 'json']);
  const { body } = await server.request('GET', `/v1/sessions/${JSON.parse(stdout).sessionId}`);
  expect(body).toMatchObject({ status: 'completed' });
});

test('lines of stdin answer code that asks for input, and its end ends the input', async () => {
  const code = 'a = input("first: ")\nb = input()\nprint(a + b)\ninput()';
  const { exitCode, stdout, stderr } = await cli.run(['run', '-c', code], { input: 'x\ny\n' });
  expect([exitCode, stdout]).toEqual([1, 'xy\n']);
  expect(stderr).toContain('EOFError');
});

test('a timeout interrupts the code and gives 124', async () => {
  const { exitCode, stderr } = await cli.run(['run', '--timeout', '0.5', '-c', 'while True: pass']);
  expect(exitCode).toBe(124);
  expect(stderr).toMatch(/KeyboardInterrupt[\s\S]*\nthe time is over\n$/);
});

test('output comes while the code runs, and Ctrl-C interrupts it', async () => {
  const child = cli.start(['run', '-c', 'import time\nprint("running")\ntime.sleep(600)']);
  const stderr = text(child.stderr);
  await once(child.stdout, 'data');
  child.kill('SIGINT');
  expect(await once(child, 'close')).toEqual([130, null]);
  expect(await stderr).toContain('KeyboardInterrupt');
});

test('a second Ctrl-C leaves code that catches the first one', async () => {
  const code = `import signal, time
signal.signal(signal.SIGINT, lambda *_: print("caught"))
print("running")
while True: time.sleep(0.05)`;
  const child = cli.start(['run', '--keep', '-c', code]);
  let seen = '';
  child.stdout.on('data', (piece) => {
    if (!seen) child.kill('SIGINT');
    seen += piece;
    if (seen.includes('caught')) child.kill('SIGINT');
  });
  expect(await once(child, 'close')).toEqual([130, null]);
});

test('a reader who leaves early ends the run without a word, and interrupts the code', async () => {
  const child = cli.start(['run', '--session', 'piped', '-c', 'n = 0\nwhile True: print(n); n += 1']);
  const stderr = text(child.stderr);
  await once(child.stdout, 'data');
  child.stdout.destroy();
  expect(await once(child, 'close')).toEqual([141, null]);
  expect(await stderr).toBe('');
  const { stdout } = await cli.run(['run', '--session', 'piped', '-c', 'n > 0']);
  expect(stdout).toBe('True\n');
});

test('a command succeeds although the reader of its notes has left', async () => {
  const child = cli.start(['servers', 'add', 'noted', 'http://noted.test'], {
    XDG_CONFIG_HOME: join(cli.folder, 'noted'),
  });
  child.stderr.destroy();
  expect(await once(child, 'close')).toEqual([0, null]);
});

test('an image is a file that stderr names', async () => {
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const code = `class Dot:\n  def _repr_png_(self): import base64; return base64.b64decode("${png}")\nDot()`;
  const { stderr } = await cli.run(['run', '-c', code], { env: { TMPDIR: cli.folder } });
  expect(stderr).toMatch(/^image: .*\/image-1\.png\n$/);
});

test.each([
  [['run'], 'FILE'],
  [['run', 'x.py', '-c', '1'], 'either'],
  [['run', '--timeout', 'soon', '-c', '1'], 'seconds'],
  [['walk'], "unknown command 'walk'"],
  [['--server', 'nowhere', 'sessions'], 'no server is stored'],
  [['--url', 'ftp://x.test', 'sessions'], 'begins with http'],
])('rejects the command line %j with 2', async (args, says) => {
  const { exitCode, stdout, stderr } = await cli.run(args);
  expect([exitCode, stdout]).toEqual([2, '']);
  expect(stderr).toContain(says);
});

test('a file that is missing gives 1 and one line', async () => {
  expect(await cli.run(['run', 'missing.py'])).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: 'holdfast: missing.py: no such file or directory\n',
  });
});

test('a server that is down is told within seconds, with advice', async () => {
  expect(await cli.run(['run', '-c', '1'], { env: { HOLDFAST_URL: 'http://127.0.0.1:9' } })).toEqual({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringMatching(
      /^holdfast: No answer from .*127\.0\.0\.1:9 \(connection-failed\)\. `holdfast up`.*\n$/,
    ),
  });
});

test('a key that is refused gives one line with the code of the problem', async () => {
  const { exitCode, stderr } = await cli.run(['run', '-c', '1'], {
    env: { HOLDFAST_API_KEY: 'hf_wrong_key_that_is_not_known' },
  });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^holdfast: .*\(unauthenticated\)\. Set HOLDFAST_API_KEY.*\n$/);
  expect(stderr).not.toContain('hf_wrong');
});
