import { setTimeout as pause } from 'node:timers/promises';
import type { Kind, printer } from './printer.ts';

const periodMs = 2000;

/** Prints all rows, and again each row that has changed or is new, until the command is ended. */
export async function watch<Row>(
  read: () => AsyncIterable<Row>,
  kind: Kind<Row>,
  { list }: ReturnType<typeof printer>,
): Promise<never> {
  const seen = new Map<string, string>();
  for (;;) {
    const changed: Row[] = [];
    for await (const row of read()) {
      const text = JSON.stringify(row);
      if (seen.get(kind.name(row)) === text) continue;
      seen.set(kind.name(row), text);
      changed.push(row);
    }
    if (changed.length > 0) await list(changed, kind);
    await pause(periodMs);
  }
}
