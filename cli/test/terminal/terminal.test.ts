import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import { createServer as createHttpServer, request, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Holdfast } from '../../../clients/typescript/src/index.ts';
import { eventually } from '../../../data-plane/test/support/eventually.ts';
import { createInstallation, type Installation } from '../../../data-plane/test/support/installation.ts';
import { buildCli, type Cli } from '../support/build-cli.ts';
import { createTmux, hasTmux } from '../support/tmux.ts';

const title = 'in a real terminal (tmux, which .ci/prepare installs)';

describe.skipIf(!hasTmux)(title, { timeout: 90_000 }, () => {
  let installation: Installation;
  let cli: Cli;
  let holdfast: Holdfast;
  let url: string;
  const tmux = createTmux();

  beforeAll(async () => {
    installation = await createInstallation();
    ({ url } = await installation.start());
    holdfast = new Holdfast({ url });
    cli = await buildCli();
  }, 60_000);
  afterAll(async () => {
    await tmux[Symbol.asyncDispose]();
    await cli[Symbol.asyncDispose]();
    await installation[Symbol.asyncDispose]();
  });

  const open = (args: string[], env: Record<string, string> = {}) =>
    tmux.open([process.execPath, join(cli.folder, 'dist/main.js'), ...args], {
      PATH: process.env.PATH ?? '',
      HOME: cli.folder,
      HOLDFAST_URL: url,
      ...env,
    });

  test('repl: results, live output, several lines, and a session that ends with it', async () => {
    const screen = await open(['repl']);
    await screen.shows(/python>$/);
    await screen.line('6 * 7');
    await screen.shows(/^42$/m);
    await screen.line('import time; print("now"); time.sleep(600)');
    await screen.shows(/^now$/m);
    await screen.press('C-c');
    await screen.shows(/KeyboardInterrupt[\s\S]*python>$/);
    await screen.line('def double(x):');
    await screen.shows(/\.\.\.\.\.\.>$/);
    await screen.line('return x * 2');
    await screen.line('');
    await screen.line('double(8)');
    await screen.shows(/^16$/m);
    await screen.type('no such code');
    await screen.press('C-c');
    await screen.shows(/no such code\^C\npython>$/);
    await screen.press('C-d');
    expect(await screen.exitCode()).toBe(0);
    for await (const session of holdfast.sessions.list({ order: 'desc' })) {
      expect(session.status).toBe('completed');
      break;
    }
  });

  test('repl: pasted lines, input of code, and what is typed ahead', async () => {
    const screen = await open(['repl']);
    await screen.shows(/python>$/);
    await screen.paste('for i in range(3):\n    print("row", i)\n\nprint("behind")\n');
    await screen.shows(/row 0\nrow 1\nrow 2\n/);
    await screen.shows(/^behind$/m);
    await screen.line('name = input("who? ")');
    await screen.shows(/^who\?$/m);
    await screen.line('Ada');
    await screen.line('print("hello", name)');
    await screen.shows(/^hello Ada$/m);
    await screen.line('import getpass; secret = getpass.getpass("key: ")');
    await screen.shows(/^key:$/m);
    await screen.line('hidden-word');
    await screen.line('len(secret)');
    await screen.shows(/^11$/m);
    expect(await screen.text()).not.toContain('hidden-word');
    await screen.press('C-d');
    await screen.exitCode();
    const file = join(cli.folder, '.local/state/holdfast/repl-history');
    const history = await readFile(file, 'utf8');
    expect(history).toContain('print("hello", name)');
    expect(history).not.toContain('hidden-word');
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const next = await open(['repl']);
    await next.shows(/python>$/);
    await next.press('Up');
    await next.shows(/python> len\(secret\)$/);
  });

  test('repl: a paste is one piece of code, with the blank lines in it', async () => {
    const screen = await open(['repl', '--session', 'pasted']);
    await screen.shows(/python>$/);
    await screen.paste('class A:\n    x = 6\n\n    def go(self):\n        return self.x * 7\n\na = A()\na.go()\n');
    await screen.shows(/^42\npython>$/m);
    await screen.paste('if a:\n    print("in")\n\n    print("still in")');
    await screen.shows(/still in"\)$/);
    await screen.press('Enter', 'Enter');
    await screen.shows(/^in\nstill in\npython>$/m);
    const { record } = await holdfast.sessions.create({ clientKey: 'pasted' });
    expect(record.stepCount).toBe(2);
  });

  test('repl: completion, other languages, and a session that others have', async () => {
    const { id } = await holdfast.sessions.create({ clientKey: 'shared' });
    const session = await holdfast.sessions.get(id);
    await session.run('import json\nlong_name_of_a_value = 5');
    const screen = await open(['repl', '--session', 'shared']);
    await screen.shows(/python>$/);
    await screen.type('long_name_of');
    await screen.press('Tab');
    await screen.shows(/long_name_of_a_value$/);
    await screen.press('Enter');
    await screen.shows(/^5$/m);
    await screen.line('.language bash');
    await screen.line('echo "in $BASH" | tr a-z A-Z');
    await screen.shows(/^IN .*BASH$/m);
    await screen.line('for i in 1 2; do');
    await screen.line('echo "turn $i"; done');
    await screen.shows(/^turn 2$/m);
    await screen.line('.language nonsense');
    await screen.shows(/not nonsense \(unsupported-by-runtime\)\nbash>$/);
    await screen.line('.exit');
    expect(await screen.exitCode()).toBe(0);
    expect((await session.refresh()).status).toBe('active');
  });

  test('repl: Ctrl-Z stops it, and it goes on in the foreground', async () => {
    const screen = await tmux.open(['bash', '--norc', '--noprofile'], {
      PATH: process.env.PATH ?? '',
      HOME: cli.folder,
      HOLDFAST_URL: url,
      PS1: 'shell$ ',
    });
    await screen.line(`${process.execPath} ${join(cli.folder, 'dist/main.js')} repl`);
    await screen.shows(/python>$/);
    await screen.press('C-z');
    await screen.shows(/Stopped[\s\S]*shell\$$/);
    await screen.line('fg');
    await screen.shows(/python>$/);
    await screen.line('"again" * 2');
    await screen.shows(/'againagain'\npython>$/);
    await screen.press('C-d');
    await screen.shows(/shell\$$/);
    await screen.line('exit $?');
    expect(await screen.exitCode()).toBe(0);
  });

  test('repl: Ctrl-C does not wait for a server that is gone', async () => {
    const sockets: Socket[] = [];
    const way = createServer((near) => {
      const far = connect(Number(new URL(url).port), '127.0.0.1');
      for (const socket of [near, far]) sockets.push(socket.on('error', () => {}));
      near.pipe(far).pipe(near);
    });
    await once(way.listen(0, '127.0.0.1'), 'listening');
    const { port } = way.address() as AddressInfo;
    const screen = await open(['repl'], { HOLDFAST_URL: `http://127.0.0.1:${port}` });
    await screen.shows(/python>$/);
    way.close();
    for (const socket of sockets) socket.destroy();
    await screen.line('6 * 7');
    await screen.press('C-c');
    await screen.shows(/python> 6 \* 7\npython>$/);
    // The end of the line and Ctrl-C come in one piece.
    await screen.type('6 * 8\r\u0003');
    await screen.shows(/python> 6 \* 8\npython>$/);
  });

  test('repl: an interrupt that is answered late leaves the next line alone', async () => {
    const session = await holdfast.sessions.create();
    const held: ServerResponse[] = [];
    await using way = createHttpServer(({ method, url: path, headers }, answer) => {
      if (path?.endsWith('/interrupt')) return void held.push(answer);
      const outgoing = request(url + path, { method, headers }, (found) => {
        answer.writeHead(found.statusCode ?? 502, found.headers);
        found.pipe(answer);
      });
      answer.req.pipe(outgoing.on('error', () => answer.destroy()));
      answer.on('close', () => outgoing.destroy());
    });
    await once(way.listen(0, '127.0.0.1'), 'listening');
    const { port } = way.address() as AddressInfo;
    const screen = await open(['repl', '--session', session.id], { HOLDFAST_URL: `http://127.0.0.1:${port}` });
    await screen.shows(/python>$/);
    await screen.line('while True: pass');
    await eventually(async () => expect((await session.refresh()).record.stepCount).toBe(1));
    await screen.press('C-c', 'C-c');
    await screen.shows(/the step goes on\npython>$/);
    await session.complete();
    await Promise.all(held.map((answer) => once(answer.writeHead(404).end(), 'close')));
    // Without a connection, only the terminal keeps the program.
    way.closeAllConnections();
    await screen.line('6 * 7');
    await screen.shows(/\(session-ended\)/);
    expect(await screen.exitCode()).toBe(1);
  });

  test('repl: an image is a file if the terminal cannot draw it', async () => {
    const screen = await open(['repl']);
    await screen.shows(/python>$/);
    await screen.line('type("Figure", (), {"_repr_png_": lambda self: b"\\x89PNG\\r\\n\\x1a\\n..."})()');
    await screen.shows(/^image: \/\S+\/image-1\.png$/m);
    const [, path = ''] = /^image: (.*)$/m.exec(await screen.text()) ?? [];
    expect((await readFile(path)).subarray(1, 4).toString()).toBe('PNG');
    await screen.press('C-d');
    await screen.exitCode();
  });

  test('attach: the step of an agent while it runs, with its actor, and a step of the person', async () => {
    const session = await holdfast.sessions.create({ clientKey: 'watched' });
    const screen = await open(['attach', 'watched']);
    await screen.shows(/python>$/);
    await screen.type('1 +');
    const agent = session.run(
      'import time, os\nprint("working")\nwhile not os.path.exists("go"): time.sleep(0.05)\nx = 41',
      {
        actorName: 'planner',
      },
    );
    await screen.shows(/planner \(agent\) runs python\n\| import time, os\n[\s\S]*working\npython> 1 \+$/);
    await session.files.write('go', '');
    await agent;
    await screen.line(' x');
    await screen.shows(/python> 1 \+ x\n42\npython>$/);
    const failed = await session.run('1 / 0');
    await screen.shows(/agent runs python\n\| 1 \/ 0\n[\s\S]*ZeroDivisionError/);
    const steps = await eventually(async () => {
      const all = [];
      for await (const step of session.steps.list()) all.push([step.actor, step.code.slice(0, 5)]);
      return all;
    });
    expect(steps).toEqual([
      ['agent', 'impor'],
      ['user', '1 + x'],
      ['agent', '1 / 0'],
    ]);
    expect(failed.status).toBe('failed');
    expect((await screen.text()).match(/^42$/gm)).toHaveLength(1);
    await session.complete();
    await screen.shows(/the session has ended/);
    expect(await screen.exitCode()).toBe(0);
  });

  test('shell: a terminal of the same size, keys for programs in it, and its exit code', async () => {
    const screen = await open(['shell', '--', 'bash', '--norc']);
    await screen.shows(/[$#]$/);
    await screen.line('stty size');
    await screen.shows(/^40 100$/m);
    await screen.resize(90, 30);
    await eventually(async () => {
      await screen.line('stty size');
      await screen.shows(/^30 90$/m);
    });
    await screen.line('echo ready; cat');
    await screen.shows(/^ready$/m);
    await screen.line('echoed');
    await screen.shows(/^echoed\nechoed$/m);
    await screen.press('C-c');
    // Keys that come before the shell has the terminal again are dropped with the interrupted line.
    await screen.shows(/\^C\n.*[$#]$/);
    // A bare line feed moves down, and not to the beginning of the line, as programs expect it in raw mode.
    await screen.line('stty raw -echo; printf "ab\\ncd"; stty sane; echo');
    await screen.shows(/^ab\n {2}cd$/m);
    await screen.line('exit 7');
    expect(await screen.exitCode()).toBe(7);
  });

  test('shell: a person leaves with the key for it, and goes back', async () => {
    const session = await holdfast.sessions.create({ clientKey: 'kept-shell' });
    const screen = await open(['shell', '--session', 'kept-shell', '--', 'bash', '--norc']);
    await screen.shows(/\$$|#$/);
    await screen.line('marker=kept; echo set');
    await screen.shows(/^set$/m);
    await screen.press('C-]');
    expect(await screen.exitCode()).toBe(0);
    const [, again = ''] = /--process (prc_\w+)/.exec(await screen.text()) ?? [];
    const back = await open(['shell', '--session', session.id, '--process', again]);
    await back.shows(/set$/m);
    await back.line('echo "still $marker"');
    await back.shows(/^still kept$/m);
    await back.line('kill -9 $$');
    expect(await back.exitCode()).toBe(137);
    expect((await session.refresh()).status).toBe('active');
  });
});
