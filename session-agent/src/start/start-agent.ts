import { closeSync, writeSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAuthenticate } from '../auth/create-authenticate.ts';
import { createBinding } from '../auth/create-binding.ts';
import { createIdentity } from '../auth/create-identity.ts';
import type { Config } from '../config.ts';
import { ContextSet } from '../contexts/context-set.ts';
import { openWorkspaceFiles } from '../files/workspace-files.ts';
import { createAnswerPlainStep } from '../http/answer-plain-step.ts';
import { createApp } from '../http/create-app.ts';
import { listen } from '../http/listen.ts';
import { createAnswerTunnel } from '../http/port-operations.ts';
import { rehearseClaim } from '../http/rehearse-claim.ts';
import { JobSet } from '../jobs/job-set.ts';
import { findMemoryEvents } from '../kernel-process/end/memory-events.ts';
import { createSharedSweeps } from '../kernel-process/end/shared-sweeps.ts';
import type { StartKernel } from '../kernel-process/kernel.ts';
import type { KernelConfig } from '../kernel-process/kernel-config.ts';
import { openOperationsSocket } from '../kernel-process/operations/operations-socket.ts';
import { isExecutable } from '../kernel-process/start/find-program.ts';
import { findPython } from '../kernel-process/start/find-python.ts';
import { listLanguages } from '../kernel-process/start/list-languages.ts';
import { createStartKernel } from '../kernel-process/start/start-kernel.ts';
import { createZygote, type Zygote } from '../kernel-process/zygote/zygote.ts';
import { logError } from '../log.ts';
import { createPortTunnels } from '../ports/port-tunnels.ts';
import { ProcessSet } from '../processes/process-set.ts';
import { createProcessStarter } from '../processes/start/create-process-starter.ts';
import { OutputFiles } from '../steps/output-files.ts';
import { SharedTimer } from '../steps/shared-timer.ts';
import { StepMemory } from '../steps/step-memory.ts';
import { createLease } from './create-lease.ts';
import { createMemoryReturn } from './create-memory-return.ts';
import { stopAgent } from './stop-agent.ts';
import { writeAccounts } from './write-accounts.ts';

/** Delay until the zygote starts. It leaves the CPU to the first work of a new sandbox: many sandboxes end soon after that. */
const zygoteAfterMs = 3000;
const bypassWarningMs = 60_000;

/**
 * Composes the agent and serves it. `stop` ends the agent with all its kernels and then the process. `stopAfterSaving` leaves the data-plane
 * some time before that, if the session gets its state back in another sandbox.
 */
export async function startAgent(config: Config): Promise<Record<'stop' | 'stopAfterSaving', () => Promise<void>>> {
  const { sandboxUid, workspace, auth } = config;
  writeAccounts(config);
  const operations = await openOperationsSocket(config.kernels.agentTmp);
  const sweep = createSharedSweeps();
  const kernelConfig = { ...(await findInterpreters(config)), operations, sweep };
  const { startKernel, zygote } = createKernelStarter(kernelConfig, config.kernels);
  const workspaceFiles = openWorkspaceFiles({ workspace, ownName: config.user?.name, ...config.files });
  const tmp = config.kernels.agentTmp;
  const files = new OutputFiles({ tmp, ...config.steps });
  const ofContexts = { limits: config.steps, files, watch: workspaceFiles.watch, workspace, tmp };
  const contexts = new ContextSet({
    ...ofContexts,
    startKernel,
    listLanguages: () => listLanguages(kernelConfig),
    onFenced: () => zygote?.end(),
    onConfining: () => zygote?.startNoMore(),
  });
  const memory = new StepMemory(config.steps);
  const jobs = new JobSet({
    config: { ...kernelConfig, workspace },
    limits: config.steps,
    files,
    watch: workspaceFiles.watch,
    workspace: workspaceFiles.workspace,
    session: contexts,
    memory,
  });
  const processes = new ProcessSet({
    config: { ...kernelConfig, workspace },
    starter: createProcessStarter(kernelConfig),
    sweep,
    limits: config.steps,
    bounds: config.processes,
    watch: workspaceFiles.watch,
    session: contexts,
  });
  let ownPort: number | null = null;
  const ports = createPortTunnels({
    ownPort: () => ownPort,
    assertMayRun: () => contexts.assertMayRun(),
  });
  const binding = createBinding({ onSuperseded: () => void stop() });
  const lease = createLease({ onExpired: () => void stop(), isBound: () => binding.session !== null }, config);
  const memoryReturn = createMemoryReturn({
    // The collection also drops compiled code.
    onReturned() {
      if (binding.session !== null) return;
      rehearseClaim({ ...ofContexts, sandboxUid }).catch((error) => logError('the rehearsal of a claim failed', error));
    },
  });
  const served = {
    sandboxUid,
    authenticate: await createAuthenticate({ config, binding }),
    binding,
    identity: createIdentity(sandboxUid),
    contexts,
    jobs,
    processes,
    memory,
    files,
    workspaceFiles,
    ports,
    gathering: new SharedTimer(),
    onRequest() {
      lease.renew();
      memoryReturn.countRequest();
    },
    log: logError,
  };
  const app = createApp(served);
  const answers = { answerPlainStep: createAnswerPlainStep(served), answerTunnel: createAnswerTunnel(served) };
  const { port, close } = await listen({ app, ...answers }, config);
  ownPort = port;

  let stopping: Promise<void> | undefined;
  function stop(): Promise<void> {
    lease.cancel();
    stopping ??= stopAgent({ close, contexts, jobs, ports, processes });
    return stopping;
  }

  async function stopAfterSaving(): Promise<void> {
    if (config.savingMs > 0 && contexts.keepsState && (!contexts.fenced || contexts.isToBeSaved)) {
      // From now on nothing changes, so the last snapshot has everything.
      const ended = { code: 'session_ended' } as const;
      await Promise.all([contexts.fence(), jobs.quiesce(ended), processes.end(ended), sleep(config.savingMs)]);
    }
    await stop();
  }

  if (auth.bypassed) warnOfBypass();
  if (config.readyFd !== null) reportPort(config.readyFd, port);
  return { stop, stopAfterSaving };
}

async function findInterpreters({ kernels, sandboxUid }: Config): Promise<Omit<KernelConfig, 'sweep'>> {
  const { path, home, jupyterPath, env, tmp, agentTmp, pythonExtras } = kernels;
  const found = await findInterpreter(kernels);
  const python = kernels.python ?? found ?? 'python3';
  const [hasPython, node, memoryEvents] = [found !== null, process.execPath, findMemoryEvents()];
  const folders = { path, home, jupyterPath, tmp, agentTmp };
  return { python, pythonExtras, hasPython, node, ...folders, env, sandboxUid, memoryEvents };
}

/** An absolute path comes from a launcher that has run it: to run it again would be a tenth of an agent's start. */
async function findInterpreter({ python, path }: Config['kernels']): Promise<string | null> {
  if (python !== null && isAbsolute(python)) return isExecutable(python) ? python : null;
  return await findPython(path, python ?? undefined).catch(() => null);
}

function createKernelStarter(
  config: KernelConfig,
  { preload }: Pick<Config['kernels'], 'preload'>,
): { startKernel: StartKernel; zygote?: Zygote } {
  if (!config.hasPython) return { startKernel: createStartKernel(config) };
  const zygote = createZygote(config, { preload, startAfterMs: zygoteAfterMs });
  return { startKernel: createStartKernel({ ...config, zygote }), zygote };
}

/** Logs now and each minute that authentication is bypassed, so that it cannot be overlooked. */
function warnOfBypass(): void {
  const warn = () => logError('agent authentication is bypassed: anyone who can reach this port may run code');
  warn();
  setInterval(warn, bypassWarningMs).unref();
}

/** Reports the port to the launcher of the agent. */
function reportPort(fd: number, port: number): void {
  writeSync(fd, `${JSON.stringify({ port })}\n`);
  closeSync(fd);
}
