import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { readProcess } from '../end/list-processes.ts';
import type { KernelOptions } from '../kernel.ts';
import type { KernelConfig } from '../kernel-config.ts';
import type { KernelProcess } from '../kernel-process.ts';
import { openFifos } from '../output/fifos.ts';
import { kernelCommand } from './kernel-command.ts';
import { kernelEnvironment } from './kernel-environment.ts';

/**
 * Forks the process from the zygote if it can provide this kernel, which is asynchronous; otherwise starts an interpreter.
 * @throws Error with a message for the user if the interpreter cannot be started
 */
export function spawnKernel(config: KernelConfig, options: KernelOptions): KernelProcess | Promise<KernelProcess> {
  const forked = options.language === 'python' ? config.zygote?.take(options) : null;
  return forked ? forked.then((kernel) => kernel ?? startProcess(config, options)) : startProcess(config, options);
}

function startProcess(config: KernelConfig, options: KernelOptions): KernelProcess {
  const command = kernelCommand(config, options.language, options);
  const { file, args, interruptsByLifeline, speaksLines = false, wantsInterruptNumbers = false } = command;
  const marker = randomBytes(16).toString('hex');
  const fifos = openFifos(config.agentTmp);
  try {
    const child = spawn(file, args, {
      cwd: options.cwd,
      env: kernelEnvironment(config, options, marker),
      detached: true,
      stdio: ['ignore', fifos.stdout.own, fifos.stderr.own, 'pipe', 'pipe', fifos.stdout.copy, fifos.stderr.copy],
    });
    child.on('error', () => {});
    if (child.pid === undefined) throw new Error(`The interpreter ${file} cannot be started in ${options.cwd}.`);
    return {
      tree: { pid: child.pid, startedAt: readProcess(child.pid)?.startedAt ?? 0, marker: `HOLDFAST_KERNEL=${marker}` },
      control: child.stdio[3] as Socket,
      lifeline: child.stdio[4] as Socket,
      interruptsByLifeline,
      wantsInterruptNumbers,
      speaksLines,
      stdout: fifos.stdout.reader,
      stderr: fifos.stderr.reader,
      ended: once(child, 'exit').then(([exitCode, signal]) => {
        command.remove?.();
        return { exitCode, signal };
      }),
    };
  } catch (error) {
    command.remove?.();
    fifos.stdout.reader.destroy();
    fifos.stderr.reader.destroy();
    throw error;
  } finally {
    fifos.closeWriters();
  }
}
