import { eventually } from '../../support/eventually.ts';
import { freeze, killForGood, processesBySandbox } from '../stage/processes.ts';
import { type StagedSandbox, sessionOfPod } from '../stage/sandboxes.ts';
import type { Fault, FaultInput, FaultKind } from './fault.ts';

type OnSandbox = (input: FaultInput, sandbox: StagedSandbox) => Promise<string | null>;

/** A fault of one sandbox that runs. Its target is the session, which is what the judge knows. */
const onSandbox =
  (act: OnSandbox): Fault =>
  async (input) => {
    const { sandboxes } = input.stage;
    const running = sandboxes.running();
    if (running.length === 0) return null;
    const sandbox = input.random.pick(running);
    const name = sandboxes.podOf(sandbox.uid)?.metadata.name;
    const proof = await act(input, sandbox);
    return name && proof ? { target: sessionOfPod(name), proof } : null;
  };

const agentKilled = onSandbox(async ({ stage }, { uid }) => {
  const pid = await stage.sandboxes.agentOf(uid);
  return pid && (await killForGood(pid)) ? `agent ${pid} was gone` : null;
});

const agentPaused = onSandbox(async (input, { uid }) => {
  const pid = await input.stage.sandboxes.agentOf(uid);
  return pid ? await hold(input, [pid], 'agent') : null;
});

async function hold({ hold, random }: FaultInput, pids: number[], what: string): Promise<string | null> {
  const { frozen, thaw } = await freeze(pids);
  try {
    await hold(random.between(1000, 4000));
  } finally {
    thaw();
  }
  return frozen > 0 ? `${what} ${pids.join(', ')} was stopped` : null;
}

/**
 * A kernel is known by the runs that it writes down. The one that begins a run next is the target, so that its step is still running.
 * A job's process does the same and is as good a target.
 */
const onKernel =
  (act: (input: FaultInput, pid: number) => Promise<string | null>): Fault =>
  async (input) => {
    const before = (await input.stage.runsOf()).length;
    await eventually(async () => {
      if ((await input.stage.runsOf()).length === before) throw new Error('no step began to run');
    });
    const ours = await kernels(input);
    for (const run of (await input.stage.runsOf()).toReversed()) {
      const [mark = '', pid, sessionId = ''] = run.split(' ');
      if (!ours.has(Number(pid))) continue;
      const proof = await act(input, Number(pid));
      return proof ? { target: sessionId, proof: `${proof} after ${mark}` } : null;
    }
    return null;
  };

/** The pid of an ended process may belong to any program by now, so only processes of our own sandboxes count. */
async function kernels({ stage: { sandboxes } }: FaultInput): Promise<Set<number>> {
  const bySandbox = await processesBySandbox();
  return new Set(
    [...sandboxes.started.keys()].flatMap((uid) => (bySandbox.get(uid) ?? []).slice(1).map(({ pid }) => pid)),
  );
}

const kernelKilled = onKernel(async (_, pid) => ((await killForGood(pid)) ? `kernel ${pid} was gone` : null));

const kernelPaused = onKernel((input, pid) => hold(input, [pid], 'kernel'));

const connectionsCut = onSandbox(async (_, sandbox) => {
  const cut = (await sandbox.proxy).cut();
  return cut > 0 ? `${cut} connections were reset` : null;
});

const connectionsSilent = onSandbox(async (input, sandbox) => {
  const proxy = await sandbox.proxy;
  const silent = proxy.silence();
  try {
    await input.hold(input.random.between(1500, 5000));
  } finally {
    proxy.hear();
  }
  return silent > 0 ? `${silent} connections were silent` : null;
});

export const sandboxFaults = {
  'agent-killed': agentKilled,
  'agent-paused': agentPaused,
  'kernel-killed': kernelKilled,
  'kernel-paused': kernelPaused,
  'agent-connections-cut': connectionsCut,
  'agent-connections-silent': connectionsSilent,
} satisfies Partial<Record<FaultKind, Fault>>;
