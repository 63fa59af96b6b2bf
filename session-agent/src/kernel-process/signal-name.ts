import { constants } from 'node:os';

/** What a signal is called; those of real time (signal(7)) by their number. */
export function signalName(number: number): string {
  const known = Object.entries(constants.signals).find(([, value]) => value === number)?.[0];
  return known ?? `SIGRT${number}`;
}
