import { constants } from 'node:os';

/** The name of a signal. Real-time signals (signal(7)) are named by their number. */
export function signalName(number: number): string {
  const known = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  return known ?? `SIGRT${number}`;
}
