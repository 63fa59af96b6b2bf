import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { serveCli } from './support/serve-cli.ts';

// Each command is a program of its own, and a test starts several.
vi.setConfig({ testTimeout: 60_000 });

let served: Awaited<ReturnType<typeof serveCli>>;

beforeAll(async () => {
  served = await serveCli();
  await served.output('run', '--session', 'main', '-c', 'x = 41');
}, 180_000);

afterAll(() => served[Symbol.asyncDispose]());

const patient = { timeout: 30_000, interval: 200 };

const json = async (...args: string[]) => JSON.parse(await served.output(...args, '-o', 'json'));

test('a folder goes into a session and comes back with its rights, and links stay out', async () => {
  const folder = join(served.cli.folder, 'project');
  await mkdir(join(folder, 'sub/empty'), { recursive: true });
  await writeFile(join(folder, 'sub/a.txt'), 'a'.repeat(300_000));
  await writeFile(join(folder, 'none'), '');
  await writeFile(join(folder, 'run.sh'), '#!/bin/sh\necho ran');
  await chmod(join(folder, 'run.sh'), 0o755);
  await symlink('/etc/passwd', join(folder, 'link'));
  const { stderr } = await served.cli.run(['cp', folder, 'main:']);
  expect(stderr).toBe(`left out: ${join(folder, 'link')}\n`);
  expect(await served.output('exec', 'main', '--', './project/run.sh')).toBe('ran\n');
  const back = join(served.cli.folder, 'back');
  await served.output('cp', 'main:project', back);
  expect((await readdir(back, { recursive: true })).toSorted()).toEqual([
    'none',
    'run.sh',
    'sub',
    'sub/a.txt',
    'sub/empty',
  ]);
  expect(await readFile(join(back, 'sub/a.txt'), 'utf8')).toBe('a'.repeat(300_000));
  expect((await stat(join(back, 'run.sh'))).mode & 0o111).toBe(0o111);
});

test('a copy tells of names that are not UTF-8, copies the rest, and fails', async () => {
  const folder = join(served.cli.folder, 'names');
  await mkdir(folder);
  await writeFile(join(folder, 'good'), 'x');
  await writeFile(Buffer.concat([Buffer.from(`${folder}/bad-`), Buffer.from([0xe9])]), 'x');
  await writeFile(join(folder, 'came-from-\uFFFD'), 'x');
  const up = await served.cli.run(['cp', folder, 'main:']);
  expect(up).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(
      /bad-\uFFFD, whose name is not UTF-8\n.*from-\uFFFD, whose name is not UTF-8\n.*2 entries were not copied/s,
    ),
  });
  await served.output(
    'exec',
    'main',
    '--',
    'sh',
    '-c',
    'ls names; touch "names/$(printf "a\\351")" "names/$(printf "b\\351")"',
  );
  const back = join(served.cli.folder, 'names-back');
  const down = await served.cli.run(['cp', 'main:names', back]);
  expect(down).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/left out: 2 whose names are not UTF-8\n.*2 entries were not copied/s),
  });
  expect(await readdir(back)).toEqual(['good']);
});

test('a server that leaves during the copy of a folder is told in one line', async () => {
  await using server = createServer(({ method, socket }, answer) => {
    if (method === 'PUT') socket.destroy();
    else answer.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const env = { HOLDFAST_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const { exitCode, stderr } = await served.cli.run(
    ['cp', join(served.cli.folder, 'project/sub'), `ses_${'0'.repeat(26)}:to/`],
    { env },
  );
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/^holdfast: The folder was not copied: .+ \(connection-failed\)[^\n]*\n$/);
});

test('a file is copied under its name into a folder, and stdin and stdout are files', async () => {
  const file = join(served.cli.folder, 'in.txt');
  await writeFile(file, 'text');
  await served.output('cp', file, 'main:given/');
  expect(await served.output('cp', 'main:given/in.txt', '-')).toBe('text');
  await served.cli.run(['cp', '-', 'main:from-stdin'], { input: 'piped' });
  expect(await served.output('cp', 'main:from-stdin', '-')).toBe('piped');
  expect(await served.cli.run(['cp', 'main:missing', '-'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/nothing is at missing/),
  });
});

test('a command has its own streams, bytes and exit code', async () => {
  const command = 'cat; printf "\\303\\251" >&2; exit 5';
  const ran = await served.cli.run(['exec', 'main', '--stdin', '--', command], { input: 'in' });
  expect(ran).toEqual({ exitCode: 5, stdout: 'in', stderr: 'é' });
  const words = await served.cli.run(['exec', 'main', '--', 'printf', '%s|', 'a b', '$HOME']);
  expect(words).toEqual({ exitCode: 0, stdout: 'a b|$HOME|', stderr: '' });
});

test('input that is lost on its way ends the command, and is told', async () => {
  let pieces = 0;
  await using server = createServer(({ method, url, headers, socket }, answer) => {
    if (url?.endsWith('/stdin') && ++pieces > 1) return void socket.destroy();
    const outgoing = request(served.url + url, { method, headers }, (found) => {
      answer.writeHead(found.statusCode ?? 502, found.headers);
      found.pipe(answer);
    });
    answer.req.pipe(outgoing.on('error', () => answer.destroy()));
    answer.on('close', () => outgoing.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const env = { HOLDFAST_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const child = served.cli.start(['exec', 'main', '--stdin', '--', 'cat; echo "has its end"'], env);
  const said = text(child.stderr);
  child.stdin.write('first');
  expect(String((await once(child.stdout, 'data'))[0])).toBe('first');
  child.stdin.write('second');
  expect(await once(child, 'close')).toEqual([1, null]);
  expect(await said).toMatch(/^holdfast: some of the input was lost, so the command was hung up: .*\n$/);
  await expect.poll(() => served.output('ps', 'main', '-o', 'name'), patient).toBe('');
});

test('Ctrl-C reaches the command', async () => {
  const child = served.cli.start([
    'exec',
    'main',
    '--',
    'trap "echo caught; exit 7" INT; echo ready; sleep 600 & wait',
  ]);
  let seen = '';
  child.stdout.on('data', (piece) => {
    if (!seen) child.kill('SIGINT');
    seen += piece;
  });
  expect(await once(child, 'close')).toEqual([7, null]);
  expect(seen).toBe('ready\ncaught\n');
});

test('a process that is left alone is listed until it is killed', async () => {
  const id = (await served.output('exec', 'main', '--detach', '--', 'sleep', '600')).trim();
  expect(await served.output('ps', 'main', '-o', 'name')).toBe(`${id}\n`);
  await served.output('kill', 'main', id, '--signal', 'kill');
  await expect.poll(() => served.output('ps', 'main', '-o', 'name'), patient).toBe('');
  expect((await json('ps', 'main', '--all')).find((one: { id: string }) => one.id === id)).toMatchObject({
    signal: 'SIGKILL',
  });
});

test('a forwarded port takes requests and WebSockets with the key', async () => {
  const program = `const server = require('http').createServer((request, answer) => {
  answer.writeHead(request.url === '/old' ? 302 : 200, { Location: 'http://' + request.headers.host + '/new' });
  request.pipe(answer);
});
server.on('upgrade', (_, socket) => {
  socket.write('HTTP/1.1 101 Switching Protocols\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\n\\r\\n');
  socket.pipe(socket);
});
server.listen(18474, '127.0.0.1', () => console.log('listening'));`;
  await served.output('run', '--session', 'main', '--language', 'node', '-c', program);
  const child = served.cli.start(['ports', 'forward', 'main', '0:18474']);
  const [line] = await once(createInterface(child.stderr), 'line');
  const url = /^(http:\S+) is port 18474/.exec(line)?.[1] ?? '';
  const echoed = await fetch(`${url}/echo`, { method: 'POST', body: 'hello' });
  expect([echoed.status, await echoed.text()]).toEqual([200, 'hello']);
  const moved = await fetch(`${url}/old`, { redirect: 'manual' });
  expect(moved.headers.get('Location')).toBe(`${url}/new`);
  expect(await upgraded(url, 'over the socket')).toBe('over the socket');
  child.kill('SIGINT');
  expect(await once(child, 'close')).toEqual([0, null]);
  expect(await json('ports', 'main')).toMatchObject([{ port: 18474, revokedAt: expect.any(String) }]);
});

test('a port that cannot be forwarded does not stay open', async () => {
  const taken = createServer();
  await once(taken.listen(0, '127.0.0.1'), 'listening');
  const { port } = taken.address() as AddressInfo;
  const { exitCode, stderr } = await served.cli.run(['ports', 'forward', 'main', `${port}:18475`]);
  taken.close();
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('EADDRINUSE')]);
  const opened = (await json('ports', 'main')).filter((one: { port: number }) => one.port === 18475);
  expect(opened).toMatchObject([{ revokedAt: expect.any(String) }]);
});

test('a job has arguments and files, and its exit code is that of the command', async () => {
  const program = join(served.cli.folder, 'job.py');
  await writeFile(program, 'import sys\nprint(sys.argv[1:], open("data.txt").read())\nsys.exit(4)');
  await writeFile(join(served.cli.folder, 'data.txt'), 'data');
  const data = join(served.cli.folder, 'data.txt');
  const ran = await served.cli.run(['jobs', 'run', '--session', 'main', '--with', data, program, 'a', '--', '-b']);
  expect(ran).toEqual({ exitCode: 4, stdout: "['a', '-b'] data\n", stderr: '' });
  expect(await json('jobs', 'list', 'main')).toMatchObject([{ exitCode: 4 }]);
});

test('the second Ctrl-C leaves a job that catches the first one', async () => {
  const code = `import signal, time
signal.signal(signal.SIGINT, lambda *_: print("caught", flush=True))
print("running", flush=True)
while True: time.sleep(0.05)`;
  const child = served.cli.start(['jobs', 'run', '--session', 'main', '--language', 'python', '-c', code]);
  let seen = '';
  child.stdout.on('data', (piece) => {
    if (!seen) child.kill('SIGINT');
    seen += piece;
    if (seen.includes('caught')) child.kill('SIGINT');
  });
  expect(await once(child, 'close')).toEqual([130, null]);
});

test('the log has code and output of all steps, and follows those of others', async () => {
  await served.output('run', '--session', 'logged', '-c', 'print("first")');
  expect(await served.output('logs', 'logged')).toBe('[1] user python> print("first")\nfirst\n');
  const child = served.cli.start(['logs', 'logged', '--follow']);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  expect([(await lines.next()).value, (await lines.next()).value]).toEqual([
    '[1] user python> print("first")',
    'first',
  ]);
  await served.output('run', '--session', 'logged', '-c', 'print("second")');
  expect([(await lines.next()).value, (await lines.next()).value]).toEqual([
    '[2] user python> print("second")',
    'second',
  ]);
  await served.output('sessions', 'complete', 'logged');
  expect(await once(child, 'close')).toEqual([0, null]);
});

test('the latest steps of a log come alone, and what follows them', async () => {
  for (const word of ['first', 'second', 'third']) await served.output('run', '-s', 'last', '-c', `print("${word}")`);
  expect(await served.output('logs', 'last', '--last', '2')).toBe(
    '[2] user python> print("second")\nsecond\n[3] user python> print("third")\nthird\n',
  );
  const child = served.cli.start(['logs', 'last', '--last', '1', '--follow']);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  expect([(await lines.next()).value, (await lines.next()).value]).toEqual([
    '[3] user python> print("third")',
    'third',
  ]);
  await served.output('run', '-s', 'last', '-c', 'print("fourth")');
  expect([(await lines.next()).value, (await lines.next()).value]).toEqual([
    '[4] user python> print("fourth")',
    'fourth',
  ]);
  await served.output('sessions', 'complete', 'last');
  expect(await once(child, 'close')).toEqual([0, null]);
});

test('a log in YAML is a document for each event', async () => {
  const log = parseAllDocuments(await served.output('logs', 'last', '--last', '1', '-o', 'yaml'));
  expect(log.map((document) => document.toJS())).toMatchObject([
    { type: 'started' },
    { type: 'stdout', text: 'fourth\n' },
    { type: 'finished' },
  ]);
});

test('a watched list in JSON is one object a line', async () => {
  const child = served.cli.start(['sessions', '--key', 'main', '--watch', '-o', 'json']);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  expect(JSON.parse((await lines.next()).value ?? '')).toMatchObject({ clientKey: 'main' });
  await served.output('run', '-s', 'main', '-c', '1');
  expect(JSON.parse((await lines.next()).value ?? '')).toMatchObject({ clientKey: 'main' });
  child.kill();
});

test('a list in JSON and YAML says the same, also if it is empty', async () => {
  const steps = await json('steps', 'last');
  expect(steps).toMatchObject([{ number: 1 }, { number: 2 }, { number: 3 }, { number: 4 }]);
  expect(parse(await served.output('steps', 'last', '-o', 'yaml'))).toEqual(steps);
  expect(await served.output('steps', 'last', '-o', 'json')).toBe(`${JSON.stringify(steps, null, 2)}\n`);
  expect([await json('jobs', 'list', 'last'), await served.output('jobs', 'list', 'last', '-o', 'yaml')]).toEqual([
    [],
    '[]\n',
  ]);
});

test('a snapshot gives back what was changed', async () => {
  await served.output('run', '-s', 'saved', '-c', 'y = 1');
  const snapshot = (await served.output('snapshots', 'create', 'saved', '-o', 'name')).trim();
  await served.output('run', '-s', 'saved', '-c', 'y = 2');
  await served.output('snapshots', 'restore', 'saved', snapshot);
  expect(await served.output('run', '-s', 'saved', '-c', 'y')).toBe('1\n');
});

test('a proposal is shown as a diff and committed', async () => {
  await served.output('sessions', 'create', '--key', 'proposing', '--policy', 'safe-edit');
  const { stderr } = await served.cli.run(['run', '-s', 'proposing', '-c', '_ = open("a.txt", "w").write("new\\n")']);
  const [, session = '', proposal = ''] = /proposals diff (\S+) (\S+)/.exec(stderr) ?? [];
  const diff = await served.output('proposals', 'diff', session, proposal);
  expect(diff).toContain('created a.txt (open)\n');
  expect(diff).toContain('\n+new\n');
  await served.output('proposals', 'commit', 'proposing', proposal);
  expect(await json('proposals', 'proposing')).toMatchObject([{ id: proposal, status: 'committed' }]);
});

test('sessions are made, listed by name, and ended', async () => {
  const id = (
    await served.output('sessions', 'create', '--key', 'listed', '--metadata', 'topic=a=b', '-o', 'name')
  ).trim();
  expect((await served.output('sessions', 'create', '--key', 'listed', '-o', 'name')).trim()).toBe(id);
  expect(await served.output('sessions', '--metadata', 'topic=a=b', '-o', 'name')).toBe(`${id}\n`);
  expect(await served.output('sessions', 'get', 'listed')).toMatch(new RegExp(`^ID +${id}\n`));
  await served.output('sessions', 'complete', 'listed');
  const { exitCode, stderr } = await served.cli.run(['run', '--session', id, '-c', '1']);
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(/completed_by_host.*\(session-ended\)\n$/)]);
  await served.output('sessions', 'delete', id);
});

test('a new key works until it is revoked', async () => {
  const key = (await served.output('keys', 'create', '--name', 'ci')).trim();
  const env = { HOLDFAST_API_KEY: key };
  expect(await served.cli.run(['sessions'], { env })).toMatchObject({ exitCode: 0 });
  expect(await served.cli.run(['keys'], { env })).toMatchObject({
    exitCode: 1,
    stderr: expect.stringMatching(/\(forbidden\)/),
  });
  const [{ id }] = (await json('keys')).filter(({ name }: { name: string }) => name === 'ci');
  await served.output('keys', 'revoke', id);
  await expect
    .poll(async () => (await served.cli.run(['sessions'], { env })).stderr, patient)
    .toContain('(unauthenticated)');
});

test('a stored server is used with its key, from a file that others cannot read', async () => {
  const { url, apiKey, cli } = served;
  const env = { HOLDFAST_URL: '', HOLDFAST_API_KEY: '' };
  expect(await cli.run(['servers', 'add', 'team', url, '--api-key', apiKey], { env })).toMatchObject({ exitCode: 0 });
  expect((await stat(join(cli.folder, '.config/holdfast/config.yaml'))).mode & 0o777).toBe(0o600);
  expect(await cli.run(['sessions', '--key', 'main', '-o', 'name'], { env })).toMatchObject({
    stdout: expect.stringMatching(/^ses_/),
  });
  expect((await cli.run(['context', 'list'], { env })).stdout).not.toContain(apiKey);
  await cli.run(['servers', 'remove', 'team'], { env });
  expect(await cli.run(['servers', '-o', 'json'], { env })).toMatchObject({ stdout: '[]\n' });
});

test('the doctor finds nothing at fault, and says what to do if something is', async () => {
  const findings = await json('doctor');
  const statuses = Object.fromEntries(findings.map(({ check, status }: Record<string, string>) => [check, status]));
  expect(statuses).toMatchObject({
    server: 'ok',
    clock: 'ok',
    API: 'ok',
    key: 'ok',
    sandbox: 'ok',
    runtime: 'warning',
  });
  expect(await served.cli.run(['doctor'], { env: { HOLDFAST_API_KEY: '' } })).toMatchObject({
    exitCode: 1,
    stdout: expect.stringMatching(/key +fault .*To do: set HOLDFAST_API_KEY/),
  });
  expect(await served.cli.run(['doctor'], { env: { HOLDFAST_URL: 'http://127.0.0.1:9' } })).toMatchObject({
    exitCode: 1,
    stdout: expect.stringMatching(/server +fault .*To do: start a server with `holdfast up`/),
  });
});

test('history is exported as a script', async () => {
  expect(await served.output('export', 'main', '--format', 'script')).toContain('x = 41');
});

test('a reader who leaves early ends a list without a word', async () => {
  const child = served.cli.start(['steps', 'main']);
  child.stdout.destroy();
  let said = '';
  child.stderr.on('data', (piece) => {
    said += piece;
  });
  expect(await once(child, 'close')).toEqual([141, null]);
  expect(said).toBe('');
});

/** Sends a text over an upgraded connection, and answers as much as comes back. */
async function upgraded(url: string, text: string): Promise<string> {
  const outgoing = request(url, {
    headers: {
      Connection: 'Upgrade',
      Upgrade: 'websocket',
      'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      'Sec-WebSocket-Version': '13',
    },
  }).end();
  const [, socket] = await once(outgoing, 'upgrade');
  socket.write(text);
  const [piece] = await once(socket, 'data');
  socket.destroy();
  return String(piece);
}
