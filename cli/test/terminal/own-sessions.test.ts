import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Holdfast, type Session } from '../../../clients/typescript/src/index.ts';
import { eventually } from '../../../data-plane/test/support/eventually.ts';
import { createInstallation, type Installation } from '../../../data-plane/test/support/installation.ts';
import { buildCli, type Cli } from '../support/build-cli.ts';
import { createTmux, hasTmux } from '../support/tmux.ts';

describe.skipIf(!hasTmux)('sessions that a command has for itself', { timeout: 90_000 }, () => {
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

  const open = (args: string[]) =>
    tmux.open([process.execPath, join(cli.folder, 'dist/main.js'), ...args], {
      PATH: process.env.PATH ?? '',
      HOME: cli.folder,
      HOLDFAST_URL: url,
    });

  const latestSession = async (): Promise<Session> => {
    for await (const session of holdfast.sessions.list({ order: 'desc' })) return session;
    throw new Error('no session was made');
  };

  const stubborn = `import signal, time
signal.signal(signal.SIGINT, lambda *_: None)
print("runs")
while True: time.sleep(0.05)`;

  test.each([
    ['a repl at its prompt', ['repl'], /python>$/, ''],
    ['a repl whose code asks', ['repl'], /python>$/, 'input("asks: ")\n'],
    ['a repl whose code catches interrupts', ['repl'], /python>$/, `exec(${JSON.stringify(stubborn)})\n`],
    ['a shell', ['shell', '--', 'bash', '--norc'], /[$#]$/, ''],
    ['code that catches interrupts', ['run', '-c', stubborn], /^runs$/, ''],
    ['code that asks', ['run', '-c', 'input("asks: ")'], /^asks:$/, ''],
  ])('the session of %s ends if its window is closed', async (_, args, ready, typed) => {
    const screen = await open(args);
    await screen.shows(ready);
    if (typed) await screen.paste(typed);
    if (typed) await screen.shows(/^(?:runs|asks:)$/m);
    const session = await latestSession();
    expect(session.status).toBe('active');
    await screen.close();
    await eventually(async () => expect((await session.refresh()).status).toBe('completed'), 20_000);
  });

  test('a repl that is asked to end does so with its session, which would otherwise idle out after an hour', async () => {
    const screen = await open(['repl']);
    await screen.shows(/python>$/);
    const session = await latestSession();
    expect(session.record.idleTimeoutSeconds).toBe(3600);
    process.kill(await screen.pid(), 'SIGTERM');
    expect(await screen.exitCode()).toBe(143);
    expect((await session.refresh()).status).toBe('completed');
  });

  test('a session of a shell stays if a person leaves with the key for it, and idles out after an hour', async () => {
    const screen = await open(['shell', '--', 'bash', '--norc']);
    await screen.shows(/[$#]$/);
    await screen.press('C-]');
    expect(await screen.exitCode()).toBe(0);
    expect((await latestSession()).record).toMatchObject({ status: 'active', idleTimeoutSeconds: 3600 });
  });
});
