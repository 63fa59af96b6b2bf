import { spawnSync } from 'node:child_process';
import type { ProcessChannel } from '@holdfast/sdk';
import { write } from '../output/write.ts';
import { onStop, type Stop } from '../run/stops.ts';

/**
 * Connects the terminal of this program with one in a sandbox. Resolves to null when the process has ended, or to the reason why this program
 * leaves before: the key for it, or a signal.
 */
export async function useTerminal(channel: ProcessChannel, detachKey: number): Promise<'key' | Stop | null> {
  const { stdin, stdout } = process;
  let left: 'key' | Stop | null = null;
  const leave = (reason: 'key' | Stop) => {
    left ??= reason;
    channel.close();
  };
  // The iteration tells why a channel has failed.
  const ignored = () => {};
  const onInput = (bytes: Buffer) => {
    const at = bytes.indexOf(detachKey);
    if (at !== 0) channel.write(at < 0 ? bytes : bytes.subarray(0, at)).catch(ignored);
    if (at >= 0) leave('key');
  };
  const resize = () => {
    if (channel.process.record.terminal) channel.resize({ columns: stdout.columns, rows: stdout.rows }).catch(ignored);
  };
  using _stops = onStop(leave);
  // The terminal of a closed window cannot be read, or set to any mode.
  const onGone = () => leave('SIGHUP');
  stdin.on('error', onGone);
  makeRaw(stdin);
  // The shell that stopped this program has set its own mode.
  const onContinue = () => {
    stdin.setRawMode(false);
    makeRaw(stdin);
  };
  process.on('SIGCONT', onContinue);
  stdin.on('data', onInput);
  stdout.on('resize', resize);
  resize();
  try {
    for await (const { bytes } of channel) await write(stdout, bytes);
    return left;
  } finally {
    process.off('SIGCONT', onContinue);
    stdout.off('resize', resize);
    stdin.off('data', onInput);
    stdin.setRawMode(false);
    stdin.pause();
    stdin.off('error', onGone);
  }
}

/** Node leaves the terminal to put a carriage return before each line feed, and has no call to change that. The end of the raw mode restores all. */
function makeRaw(stdin: NodeJS.ReadStream): void {
  stdin.setRawMode(true);
  spawnSync('stty', ['-opost'], { stdio: ['inherit', 'ignore', 'ignore'] });
}
