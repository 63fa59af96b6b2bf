import type { Socket } from 'node:net';
import { readProcess } from './list-processes.ts';
import type { KernelProcess } from './spawn-kernel.ts';

type End = Awaited<KernelProcess['ended']>;

const lookMs = 500;
const lookOftenMs = 20;
/** For so long the report of a process's end may follow that end. */
const reportMsMax = 250;

/** What of a kernel is needed to see that it has ended. */
type Watched = { pid: number; startedAt: number; control: Socket };

/**
 * The end of a process that is not our own child: as its zygote reports it, or without code and signal where the zygote is dead or
 * silent. The closing of the control channel says when to look.
 */
export function zygoteEnd(
  { pid, startedAt, control }: Watched,
  { reported, zygoteEnded }: { reported: Promise<End>; zygoteEnded: Promise<void> },
): Promise<End> {
  return new Promise((resolve) => {
    let mayReport = true;
    let goneAt: number | null = null;
    const finish = (end: End) => {
      clearInterval(timer);
      control.off('close', lookOften);
      resolve(end);
    };
    const look = () => {
      if (readProcess(pid)?.startedAt === startedAt) return;
      goneAt ??= performance.now();
      if (!mayReport || performance.now() - goneAt >= reportMsMax) finish({ exitCode: null, signal: null });
    };
    const lookOften = () => {
      clearInterval(timer);
      timer = setInterval(look, lookOftenMs);
    };
    let timer = setInterval(look, lookMs);
    timer.unref();
    control.once('close', lookOften);
    void reported.then(finish);
    void zygoteEnded.then(() => {
      mayReport = false;
    });
  });
}
