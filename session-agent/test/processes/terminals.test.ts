import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type AgentUnderTest, startAgent } from '../support/start-agent.ts';
import { until } from '../support/until.ts';
import { all, jsonOf, outputOf, processClient, readTo, report } from './support/process-client.ts';
import { openLocal, openSession, type ScreenSession, size } from './support/screens.ts';

let agent: AgentUnderTest;
let processes: ReturnType<typeof processClient>;
beforeAll(async () => {
  agent = await startAgent({ HOLDFAST_AGENT_PYTHON_PRELOAD: 'none' });
  processes = processClient(agent);
});
afterAll(() => agent[Symbol.asyncDispose]());

const editorName = `holdfast-editor-${process.pid}.py`;
const isInstalled = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

/** Does the same in a terminal of the agent and in one of this machine, and compares the screens after each act. */
async function compare(acts: ((session: ScreenSession) => Promise<unknown>)[]): Promise<string> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-terminal-')));
  try {
    await using session = await openSession(agent);
    await using local = await openLocal(folder);
    for (const act of [(one: ScreenSession) => one.shows('> '), ...acts]) {
      for (const one of [session, local]) await act(one);
      await until('both screens to be the same', () => isDeepStrictEqual(session.cells(), local.cells())).catch(
        () => {},
      );
      expect(session.cells()).toEqual(local.cells());
    }
    return folder;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const run = (line: string, shown: string) => async (session: ScreenSession) => {
  await session.type(`${line}\r`);
  await session.shows(shown);
};
const press = (keys: string, shown: string) => async (session: ScreenSession) => {
  await session.type(keys);
  await session.shows(shown);
};

test('leaves the screen that a local terminal has: wide and combined characters, control characters, job control, resize', async () => {
  await compare([
    run("printf '日本語 e\\u0301 🎉 done%s\\n' 1", 'done1'),
    run('cat', 'cat'),
    press('typed', 'typed'),
    press('\x1a', 'Stopped'),
    run('jobs; echo listed', 'Stopped                 cat\nlisted'),
    run('fg', '> fg\ncat'),
    press('\x03', '^C\n> '),
    async (session) => {
      await session.resize({ columns: 100, rows: 30 });
      await session.type('stty size\r');
      await session.shows('30 100');
    },
    run('read -n 200 line; tput cup 5 10; echo moved', 'read -n 200'),
    press('abc\r', 'moved'),
  ]);
}, 60_000);

/** A small editor that needs nothing but Python: it draws on a screen of its own, takes keys, and adapts to the size. */
const editor = `import curses
def main(screen):
    text, curses.ESCDELAY = '', 25
    curses.use_default_colors()
    while True:
        rows, columns = screen.getmaxyx()
        screen.erase()
        screen.border()
        screen.addstr(1, 2, f'{columns} x {rows}', curses.A_REVERSE)
        screen.addstr(rows // 2, 4, text)
        key = screen.get_wch()
        if key == 'q':
            return
        if key in (curses.KEY_BACKSPACE, chr(127)):
            text = text[:-1]
        elif key == curses.KEY_LEFT:
            text = text[::-1]
        elif isinstance(key, str):
            text += key
curses.wrapper(main)
`;

test('edits in a program that draws on the whole screen as in a local terminal', async () => {
  writeFileSync(join(tmpdir(), editorName), editor);
  onTestFinished(() => rmSync(join(tmpdir(), editorName)));
  await compare([
    run(`python3 ${join(tmpdir(), editorName)}`, '80 x 24'),
    press('wörld 日本', 'wörld 日本'),
    press('\x7f!', 'wörld 日!'),
    press('\x1bOD', '!日 dlröw'),
    async (session) => {
      await session.resize({ columns: 60, rows: 12 });
      await session.shows('60 x 12');
    },
    press('q', '.py\n> '),
    run('echo back', 'back\n>'),
  ]);
}, 60_000);

test.skipIf(!isInstalled('vim'))(
  'edits a file in vim as in a local terminal',
  async () => {
    await compare([
      run('vim -u NONE -N note', 'note" [New]'),
      press('ihello wörld 日本', 'hello wörld 日本'),
      press('\x1b:set number\r', '1 hello'),
      press('yyp', '2 hello'),
      press(':wq\r', 'note\n> '),
      run('cat note', '> cat note\nhello wörld 日本\nhello wörld 日本'),
    ]);
    expect(readFileSync(join(agent.workspace, 'note'), 'utf8')).toBe('hello wörld 日本\n'.repeat(2));
  },
  60_000,
);

/** Settings that top wrote itself. They hide its summary of the whole machine, which differs from one moment to the next. */
const topSettings = join(import.meta.dirname, 'support/without-summary.toprc');

/** Keys for a program that drops what it reads behind a key: the next ones are for a screen that shows that these were taken. */
const answer = (keys: string, prompt: string) => async (session: ScreenSession) => {
  await session.type(keys);
  await until('the prompt to be gone', () => !session.lines().join('\n').includes(prompt));
};

test.skipIf(!isInstalled('top'))(
  'shows processes in top, its other pages and its prompts as in a local terminal',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'holdfast-home-'));
    const shown = ['600', '601'].map((seconds) => spawn('sleep', [seconds]));
    onTestFinished(() => {
      for (const child of shown) child.kill('SIGKILL');
      rmSync(home, { recursive: true });
    });
    copyFileSync(topSettings, join(home, '.toprc'));
    await compare([
      run(`HOME=${home} top -d 300 -p ${shown.map(({ pid }) => pid).join()}`, 'COMMAND'),
      press('c', 'sleep 601'),
      press('h', 'Help for Interactive Commands'),
      press('q', 'sleep 600'),
      press('f', 'Fields Management'),
      press('q', 'sleep 600'),
      press('d', 'Change delay from 300'),
      answer('\r', 'Change delay'),
      async (session) => {
        await session.resize({ columns: 100, rows: 10 });
        await session.shows('sleep 600');
      },
      press('L', 'Locate string'),
      answer('\r', 'Locate string'),
      press('q', '> '),
      run('echo back', 'back\n>'),
    ]);
  },
  60_000,
);

test.skipIf(!isInstalled('top'))(
  'shows top, which draws its page anew by itself',
  async () => {
    await using session = await openSession(agent, { command: ['top', '-d', '0.2'] });
    await session.shows('PID USER');
    const [first] = session.lines();
    expect(first).toMatch(/^top - /);
    await until('another time of the day', () => session.lines()[0] !== first, 10_000);
    await session.type('q');
  },
  30_000,
);

test('passes bytes as they are, also halves of characters', async () => {
  const { processId, frames } = await processes.open({
    command:
      "stty raw -echo; printf ready; head -c 4 | od -An -tx1; printf '\\xf0\\x9f'; sleep 0.1; printf '\\x8e\\x89\\xff'",
    terminal: size,
  });
  await readTo(frames, 'ready');
  for (const byte of [0xe6, 0x97, 0xa5, 0x03]) await processes.input(processId, new Uint8Array([byte]));
  const rest = outputOf(await all(frames), 'stdout');
  expect(rest.toString('latin1')).toContain(' e6 97 a5 03');
  expect(rest.subarray(-5).toString('hex')).toBe('f09f8e89ff');
});

test('is a terminal with its own session, whose input ends with `end`', async () => {
  const { processId, frames } = await processes.open({
    command: 'tty && tty <&2; stty size; echo $TERM; cut -d" " -f5,6,8 /proc/$$/stat; echo ready; cat; echo over',
    terminal: { columns: 1000, rows: 1 },
  });
  const shown = await readTo(frames, 'ready\r\n');
  expect(shown).toMatch(/^\/dev\/pts\/\d+\r\n\/dev\/pts\/\d+\r\n1 1000\r\nxterm-256color\r\n/);
  const groups = shown.split('\r\n').at(-3)?.trim().split(/\s+/);
  expect(new Set(groups).size).toBe(1);
  await processes.input(processId, 'line\n', '?end=true');
  const { done, stdout } = report(processId, await all(frames));
  expect(stdout).toContain('over');
  expect(done).toMatchObject({ status: 'exited', exitCode: 0, stderrBytes: 0 });
});

test('takes no input and no size once the process has closed its terminal', async () => {
  const { processId, frames } = await processes.open({
    command: 'trap "" HUP; echo up; exec >/dev/null 2>&1 </dev/null; sleep 600',
    terminal: size,
  });
  await readTo(frames, 'up');
  const ended = async () => (await processes.state(processId)).stdinEnded;
  await until('the terminal to be closed', ended);
  expect(await (await processes.input(processId, 'x')).json()).toMatchObject({ code: 'stdin-closed' });
  const resized = await agent.call('PUT', processes.path(processId, '/terminal'), size);
  expect(resized.body).toMatchObject({ code: 'no-terminal' });
  await processes.signal(processId, 'SIGKILL');
  await all(frames);
});

test('ends what still has the terminal when its shell ends', async () => {
  const { done } = await processes.run({ command: 'sleep 600 & exit 4', terminal: size });
  expect(done).toMatchObject({ status: 'exited', exitCode: 4, outputIncomplete: false });
});

test('reads a flood at ten megabytes a second and serves others meanwhile', async () => {
  const flood = await processes.open({ command: 'head -c 30000000 /dev/zero', terminal: size, paced: true });
  const reading = all(flood.frames);
  expect((await processes.run({ command: 'echo on' })).stdout).toBe('on\n');
  const frames = await reading;
  expect(outputOf(frames, 'stdout').length).toBe(30_000_000);
  expect(jsonOf(frames.at(-1) as (typeof frames)[0])).toMatchObject({ status: 'exited', exitCode: 0 });
}, 60_000);
