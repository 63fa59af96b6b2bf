import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { encodeFrame } from '@holdfast/specs/agent';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createInstallation } from '../support/installation.ts';
import { activeSession, storedStep } from '../support/registry-rows.ts';

const mebibyte = 1024 * 1024;

/** The memory of a process in bytes: `VmRSS` now, `VmHWM` at most so far. */
function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const found = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(found?.[1]) * 1024;
}

test('twenty clients that ask for a large step and read nothing take little memory, and all goes on', async () => {
  await using installation = await createInstallation();
  const { db } = installation.database;
  const holdfast = await installation.start();
  const { id: sessionId } = await activeSession(db, { tenant: 'default' });
  const output = Buffer.alloc(64 * 1024, 'a line of output\n');
  const events = Buffer.concat(Array.from({ length: 256 }, (_, index) => encodeFrame('stdout', index + 1, output)));
  const large = await storedStep(db, { sessionId, number: 1, events });
  const small = await storedStep(db, { sessionId, number: 2 });
  const steps = `/v1/sessions/${sessionId}/steps`;
  const small200 = async () => expect((await holdfast.request('GET', `${steps}/${small.id}`)).status).toBe(200);
  for (let warm = 0; warm < 20; warm++) await small200();
  const before = memoryOf(holdfast.pid, 'VmRSS');

  let answering = 0;
  const sockets = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const socket = connect(Number(new URL(holdfast.url).port), '127.0.0.1');
      socket.on('error', () => {});
      // Tells that bytes have come, and does not read them.
      socket.once('readable', () => answering++);
      await once(socket, 'connect');
      socket.write(`GET ${steps}/${large.id} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
      return socket;
    }),
  );
  // Some are answered, and the others refused when they have waited for too long.
  await eventually(() => expect(answering).toBe(20), 90_000);
  for (let round = 0; round < 20; round++) {
    await small200();
    expect((await holdfast.request('GET', '/readyz')).status).toBe(200);
  }
  for (const socket of sockets) socket.destroy();
  await eventually(async () => {
    const [row] = await db.sql`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`;
    expect(row?.count).toBe(0);
  });
  const { body } = await holdfast.request('GET', `${steps}/${large.id}`);
  expect(body.stdout).toHaveLength(16 * mebibyte);
  expect(memoryOf(holdfast.pid, 'VmHWM') - before).toBeLessThan(200 * mebibyte);
}, 180_000);
