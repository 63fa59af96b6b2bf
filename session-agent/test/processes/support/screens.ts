import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import xterm, { type IBufferCell } from '@xterm/headless';
import type { AgentUnderTest } from '../../support/start-agent.ts';
import { until } from '../../support/until.ts';
import { type ProcessRequest, processClient } from './process-client.ts';

export const size = { columns: 80, rows: 24 };
const command = ['bash', '--noprofile', '--norc', '-i'];
const env = { PS1: '> ', TERM: 'xterm-256color', LC_ALL: 'C.UTF-8', LANG: 'C.UTF-8', HISTFILE: '/dev/null' };

/** A shell in a terminal, with the screen that a person would see. */
export type ScreenSession = {
  type(keys: string): Promise<unknown>;
  resize(size: { columns: number; rows: number }): Promise<unknown>;
  /** The lines of the screen, without blanks at their ends. */
  lines(): string[];
  /** All that the screen has: the text, the looks and the width of each cell, the cursor, and which of its two buffers shows. */
  cells(): { rows: string[]; cursor: [column: number, row: number]; buffer: string };
  /** Waits until the screen has this text. */
  shows(text: string): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

function createScreen() {
  const terminal = new xterm.Terminal({ cols: size.columns, rows: size.rows, allowProposedApi: true });
  const lines = () => {
    const { active } = terminal.buffer;
    return Array.from(
      { length: terminal.rows },
      (_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? '',
    );
  };
  const cells = () => {
    const { active } = terminal.buffer;
    const rows = Array.from({ length: terminal.rows }, (_, row) => {
      const line = active.getLine(active.viewportY + row);
      return describeRow(Array.from({ length: terminal.cols }, (_, column) => line?.getCell(column)));
    });
    return { rows, cursor: [active.cursorX, active.cursorY] as [number, number], buffer: active.type };
  };
  return {
    write: (bytes: Uint8Array) => terminal.write(bytes),
    resize: (columns: number, rows: number) => terminal.resize(columns, rows),
    lines,
    cells,
    shows: (text: string) =>
      until(`the screen to show ${JSON.stringify(text)}`, () => lines().join('\n').includes(text), 10_000).catch(
        (cause) => {
          throw new Error(`the screen is ${JSON.stringify(lines().filter(Boolean))}`, { cause });
        },
      ),
  };
}

/** The text of a row, with the looks and the width of a cell before its text if they differ from those of the cell before. */
function describeRow(cells: (IBufferCell | undefined)[]): string {
  let before = '';
  return cells
    .map((cell) => {
      const looks = cell && cell.getWidth() > 0 ? looksOf(cell) : before;
      const change = looks === before ? '' : `{${looks}}`;
      before = looks;
      return `${change}${cell?.getChars() || (cell?.getWidth() === 0 ? '' : ' ')}`;
    })
    .join('');
}

function looksOf(cell: IBufferCell): string {
  if (cell.isAttributeDefault() && cell.getWidth() === 1) return '';
  const kinds = [
    cell.isBold(),
    cell.isDim(),
    cell.isInverse(),
    cell.isUnderline(),
    cell.isInvisible(),
    cell.isItalic(),
  ];
  const colors = [cell.getFgColorMode(), cell.getFgColor(), cell.getBgColorMode(), cell.getBgColor()];
  return [...kinds.map(Number), ...colors, cell.getWidth()].join();
}

/** A shell in a terminal of the session-agent. */
export async function openSession(agent: AgentUnderTest, more: Partial<ProcessRequest> = {}): Promise<ScreenSession> {
  const processes = processClient(agent);
  const screen = createScreen();
  const { processId, frames } = await processes.open({ command, env, terminal: size, ...more });
  const ended = (async () => {
    for await (const { type, payload } of frames) if (type === 'stdout') screen.write(payload);
  })();
  return {
    ...screen,
    type: (keys) => processes.input(processId, keys),
    async resize(to) {
      screen.resize(to.columns, to.rows);
      await agent.call('PUT', processes.path(processId, '/terminal'), to);
    },
    async [Symbol.asyncDispose]() {
      await processes.signal(processId, 'SIGKILL');
      await ended;
    },
  };
}

/** The same shell in a terminal of this machine, which `script` has made. */
export async function openLocal(folder: string): Promise<ScreenSession> {
  const screen = createScreen();
  const named = join(folder, 'terminal');
  const prepared = `tty > ${named}; stty cols ${size.columns} rows ${size.rows}; exec ${command.join(' ')}`;
  const child = spawn('script', ['-qfec', prepared, '/dev/null'], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, ...env },
  });
  child.stdout.on('data', screen.write);
  return {
    ...screen,
    type: async (keys) => child.stdin.write(keys),
    async resize({ columns, rows }) {
      screen.resize(columns, rows);
      const terminal = readFileSync(named, 'utf8').trim();
      spawnSync('stty', ['-F', terminal, 'cols', `${columns}`, 'rows', `${rows}`]);
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
}
