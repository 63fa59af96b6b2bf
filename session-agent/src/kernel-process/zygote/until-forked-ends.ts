import type { Socket } from 'node:net';
import { readProcess } from '../end/list-processes.ts';
import type { ProcessEnd } from '../kernel-process.ts';

/** While the zygote may report the end and the channel is open, a check is only for a zygote that is stopped and a child that holds the channel. */
const checkSeldomMs = 5000;
const checkMs = 500;
const checkOftenMs = 20;
/** How long the report of a process's end may arrive after that end. */
const reportMsMax = 250;

type ForkedProcess = { pid: number; startedAt: number; control: Socket };

/**
 * Waits for the end of a forked kernel, which is the zygote's child and not ours. Resolves with the end that the zygote reports, or
 * without code and signal if the zygote is dead or silent. Looks for itself once the zygote is dead, and more often once the kernel's control
 * channel has closed: an agent at rest has nothing else to do.
 */
export function untilForkedEnds(
  { pid, startedAt, control }: ForkedProcess,
  { reported, zygoteEnded }: { reported: Promise<ProcessEnd>; zygoteEnded: Promise<void> },
): Promise<ProcessEnd> {
  return new Promise((resolve) => {
    let mayReport = true;
    let goneAt: number | null = null;
    const finish = (end: ProcessEnd) => {
      clearInterval(timer);
      control.off('close', checkOften);
      resolve(end);
    };
    const check = () => {
      if (readProcess(pid)?.startedAt === startedAt) return;
      if (goneAt === null) checkOften();
      goneAt ??= performance.now();
      if (!mayReport || performance.now() - goneAt >= reportMsMax) finish({ exitCode: null, signal: null });
    };
    const checkEvery = (ms: number) => {
      clearInterval(timer);
      timer = setInterval(check, ms);
    };
    const checkOften = () => checkEvery(checkOftenMs);
    let timer = setInterval(check, checkSeldomMs);
    timer.unref();
    control.once('close', checkOften);
    void reported.then(finish);
    void zygoteEnded.then(() => {
      mayReport = false;
      if (goneAt === null && !control.destroyed) checkEvery(checkMs);
    });
  });
}
