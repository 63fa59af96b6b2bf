import type { ProcessChannel } from '@holdfast/sdk';
import { write } from '../output/write.ts';
import { onStop, stopExitCodes } from '../run/stops.ts';

/** The person has left with the key for it. */
const detached = 0;

/**
 * Connects the terminal of this program with one in a sandbox. Resolves to null when the process has ended, or to the exit code of this
 * program if it leaves before.
 */
export async function useTerminal(channel: ProcessChannel, detachKey: number): Promise<number | null> {
  const { stdin, stdout } = process;
  let left: number | null = null;
  const leave = (exitCode: number) => {
    left ??= exitCode;
    channel.close();
  };
  // The iteration tells why a channel has failed.
  const ignored = () => {};
  const onInput = (bytes: Buffer) => {
    const at = bytes.indexOf(detachKey);
    if (at !== 0) channel.write(at < 0 ? bytes : bytes.subarray(0, at)).catch(ignored);
    if (at >= 0) leave(detached);
  };
  const resize = () => {
    if (channel.process.record.terminal) channel.resize({ columns: stdout.columns, rows: stdout.rows }).catch(ignored);
  };
  using _stops = onStop((stop) => leave(stopExitCodes[stop]));
  stdin.setRawMode(true);
  stdin.on('data', onInput);
  stdout.on('resize', resize);
  resize();
  try {
    for await (const { bytes } of channel) await write(stdout, bytes);
    return left;
  } finally {
    stdout.off('resize', resize);
    stdin.off('data', onInput);
    stdin.setRawMode(false);
    stdin.pause();
  }
}
