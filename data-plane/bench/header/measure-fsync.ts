import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { quantile } from '../measure/quantile.ts';

export type Spread = { p10: number; p50: number; p90: number };

/** The time in milliseconds in which the disk of a directory makes 8 KiB durable. */
export async function measureFsync(directory: string): Promise<Spread> {
  const path = join(directory, 'fsync');
  const file = await open(path, 'w');
  const times: number[] = [];
  for (let i = 0; i < 100; i++) {
    await file.write(Buffer.alloc(8192), 0, 8192, 0);
    const start = performance.now();
    await file.datasync();
    times.push(performance.now() - start);
  }
  await file.close();
  await rm(path);
  const [p10 = 0, p50 = 0, p90 = 0] = [0.1, 0.5, 0.9].map((share) => Number(quantile(times, share).toFixed(3)));
  return { p10, p50, p90 };
}
