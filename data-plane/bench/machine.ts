import { mkdir, open, rm } from 'node:fs/promises';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { quantile } from './quantile.ts';

/** Describes the machine of a run: processor, memory, load, Node, and the time in which the disk makes 8 KiB durable. */
export async function describeMachine(directory: string): Promise<string> {
  const processors = cpus();
  const gibibytes = (totalmem() / 2 ** 30).toFixed(1);
  const fsyncMs = (await fsyncTimes(directory)).map((ms) => ms.toFixed(2));
  return [
    `machine  ${processors.length} x ${processors[0]?.model ?? 'unknown'}, ${gibibytes} GiB, Node ${process.versions.node}`,
    `load     ${loadavg()
      .map((load) => load.toFixed(2))
      .join(' ')}`,
    `fsync    ${fsyncMs[1]} ms (${fsyncMs[0]} to ${fsyncMs[2]})`,
  ].join('\n');
}

async function fsyncTimes(directory: string): Promise<number[]> {
  await mkdir(directory, { recursive: true });
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
  return [0.1, 0.5, 0.9].map((q) => quantile(times, q));
}
