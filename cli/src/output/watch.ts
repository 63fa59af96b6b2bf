import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Kind } from './list-writer.ts';
import type { printer } from './printer.ts';

const periodMs = 2000;

/** Shows all rows, and again each row that has changed or is new, until the command is ended. */
export async function watch<Row>(
  read: () => AsyncIterable<Row>,
  kind: Kind<Row>,
  { rows }: ReturnType<typeof printer>,
): Promise<never> {
  const writer = rows(kind);
  let before = new Map<string, string>();
  for (;;) {
    const now = new Map<string, string>();
    for await (const row of read()) {
      const name = kind.name(row);
      const digest = createHash('sha256').update(JSON.stringify(row)).digest('base64');
      now.set(name, digest);
      if (before.get(name) !== digest) await writer.add(row);
    }
    await writer.flush();
    before = now;
    await pause(periodMs);
  }
}
