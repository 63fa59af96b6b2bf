import { closeSync, writeSync } from 'node:fs';
import { createApp } from './app.ts';
import { createBinding } from './auth/bind-session.ts';
import { createAuthenticate } from './auth/create-authenticate.ts';
import { createIdentity } from './auth/create-identity.ts';
import type { Config } from './config.ts';
import { ContextSet } from './contexts/context-set.ts';
import { createLease } from './create-lease.ts';
import { listen } from './http/listen.ts';
import { findPython } from './kernel/find-python.ts';
import type { StartKernel } from './kernel/kernel.ts';
import { findMemoryEvents } from './kernel/memory-events.ts';
import { createStartKernel } from './kernel/start-kernel.ts';
import { logError } from './log.ts';
import { returnStartMemory } from './return-start-memory.ts';
import { StepMemory } from './steps/step-memory.ts';
import { stopAgent } from './stop-agent.ts';
import { warnOfBypass } from './warn-of-bypass.ts';

/** Composes the agent and serves it. `stop` ends it with all its kernels, and then the process. */
export async function startAgent(config: Config): Promise<{ stop: () => Promise<void> }> {
  const { sandboxUid, workspace, auth } = config;
  const startKernel = await kernelStarter(config);
  const contexts = new ContextSet({ startKernel, limits: config.steps, workspace });
  const binding = createBinding({ superseded: () => void stop() });
  const lease = createLease({ ended: () => void stop(), isBound: () => binding.session !== null }, config);
  const app = createApp({
    sandboxUid,
    authenticate: await createAuthenticate({ config, binding }),
    binding,
    identity: createIdentity(sandboxUid),
    contexts,
    memory: new StepMemory(config.steps),
    heard: lease.heard,
    log: logError,
  });
  const { server, port } = await listen(app, config);

  let stopping: Promise<void> | undefined;
  function stop(): Promise<void> {
    lease.cancel();
    stopping ??= stopAgent({ server, contexts });
    return stopping;
  }

  if (auth.bypassed) warnOfBypass(logError);
  returnStartMemory();
  if (config.readyFd !== null) reportPort(config.readyFd, port);
  return { stop };
}

async function kernelStarter({ kernels, sandboxUid }: Config): Promise<StartKernel> {
  const { path, home, tmp } = kernels;
  const found = await findPython(path, kernels.python ?? undefined).catch(() => null);
  const python = kernels.python ?? found ?? 'python3';
  const memoryEvents = findMemoryEvents();
  return createStartKernel({
    python,
    hasPython: found !== null,
    node: process.execPath,
    path,
    home,
    tmp,
    sandboxUid,
    memoryEvents,
  });
}

/** Tells whoever launched the agent where it listens. */
function reportPort(fd: number, port: number): void {
  writeSync(fd, `${JSON.stringify({ port })}\n`);
  closeSync(fd);
}
