export type Stop = 'SIGINT' | 'SIGTERM' | 'SIGHUP' | 'EPIPE';

/** The exit code of a program that such a signal has ended. */
export const stopExitCodes: Record<Stop, number> = { SIGHUP: 129, SIGINT: 130, EPIPE: 141, SIGTERM: 143 };

/** The reader of a pipe has left, such as `head`, or the terminal is closed. */
export const isReaderGone = ({ code }: NodeJS.ErrnoException) => code === 'EPIPE' || code === 'EIO';

/** Whether a command leaves at once what it has asked to end: after a second stop, or if its terminal or reader is gone. */
export const leavesAtOnce = (stop: Stop, times: number) => times > 1 || stop === 'EPIPE' || stop === 'SIGHUP';

/** Hears what asks the command to end, a closed pipe behind stdout included, until it is disposed of. */
export function onStop(hear: (stop: Stop, times: number) => void): Disposable {
  let times = 0;
  const heard = (stop: Stop) => hear(stop, ++times);
  const signals = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((name) => ({ name, listen: () => heard(name) }));
  const onError = (error: NodeJS.ErrnoException) => {
    if (isReaderGone(error)) heard('EPIPE');
  };
  for (const { name, listen } of signals) process.on(name, listen);
  process.stdout.on('error', onError);
  return {
    [Symbol.dispose]() {
      for (const { name, listen } of signals) process.off(name, listen);
      process.stdout.off('error', onError);
    },
  };
}
