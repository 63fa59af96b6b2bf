import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { eventually } from '../../../data-plane/test/support/eventually.ts';

const run = promisify(execFile);

export const hasTmux = spawnSync('tmux', ['-V']).status === 0;

/** A server of terminals of a test's own. */
export function createTmux() {
  const name = `holdfast-${randomUUID()}`;
  const tmux = async (...args: string[]) => (await run('tmux', ['-L', name, '-f', '/dev/null', ...args])).stdout;
  return {
    /** Runs a program in a terminal. */
    async open(command: readonly string[], env: Record<string, string>) {
      const variables = Object.entries(env).map(([key, value]) => `${key}=${value}`);
      const id = (
        await tmux(
          ...['new-session', '-d', '-P', '-F', '#{pane_id}', '-x', '100', '-y', '40', ';'],
          ...['set-option', '-g', 'remain-on-exit', 'on', ';', 'set-option', '-g', 'exit-empty', 'off', ';'],
          ...['respawn-pane', '-k', 'env', '-i', 'TERM=xterm-256color', ...variables, ...command],
        )
      ).trim();
      const of = (verb: string, ...args: string[]) => tmux(verb, '-t', id, ...args);
      const text = async () => (await of('capture-pane', '-p', '-J', '-S', '-')).trimEnd();
      return {
        text,
        /** Types the text as it is. */
        type: (keys: string) => of('send-keys', '-l', '--', keys),
        /** Presses keys by their names, such as Enter, Tab and C-c. */
        press: (...keys: string[]) => of('send-keys', ...keys),
        /** Types a line with its end. */
        async line(keys: string) {
          await of('send-keys', '-l', '--', keys);
          await of('send-keys', 'Enter');
        },
        /** Pastes several lines at once, between marks if the program has asked for them. */
        async paste(lines: string) {
          await tmux('set-buffer', '--', lines);
          await of('paste-buffer', '-d', '-p');
        },
        resize: (columns: number, rows: number) => of('resize-window', '-x', String(columns), '-y', String(rows)),
        /** The process of the program. */
        pid: async () => Number(await of('display-message', '-p', '#{pane_pid}')),
        /** Closes the window with the program in it. */
        close: () => of('kill-pane'),
        /** Waits until the screen, with what has left it above, matches. Spaces at the ends of its lines are not there. */
        shows: (pattern: RegExp | string) => eventually(async () => expect(await text()).toMatch(pattern), 20_000),
        /** Waits for the end of the program, and answers its exit code. */
        exitCode: () =>
          eventually(async () => {
            const [isDead, status] = (await of('display-message', '-p', '#{pane_dead} #{pane_dead_status}'))
              .trim()
              .split(' ');
            // tmux loses the end of a child that ends while its record of logins is written, and asks for it again when another child ends.
            if (isDead === '1' && status === undefined) await tmux('run-shell', 'true');
            expect([isDead, status]).toEqual(['1', expect.stringMatching(/^\d+$/)]);
            return Number(status);
          }, 20_000),
      };
    },

    async [Symbol.asyncDispose]() {
      await tmux('kill-server').catch(() => {});
    },
  };
}
