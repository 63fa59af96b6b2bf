import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ContextLimits } from '@holdfast/specs/public';
import type { KernelConfig } from '../kernel-config.ts';
import { listKernelspecs } from '../kernelspecs/list-kernelspecs.ts';
import type { Kernelspec } from '../kernelspecs/read-kernelspec.ts';
import { languagePrograms as programs } from '../language-programs.ts';
import { findProgram } from './find-program.ts';
import { limitCommand } from './limit-command.ts';

/** The adapter is TypeScript, which Node warns of in versions that call this experimental. */
const nodeFlags = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=1'];
/** The path of a Unix socket has at most 107 bytes (unix(7)), and ours add a name to the folder's. */
const folderBytesMax = 100;
/** As many as `mkdtemp` adds to a prefix. */
const randomCharacters = 6;

/**
 * The command of the adapter that starts and speaks for a Jupyter kernel. `remove` deletes the folder of its sockets. The limits are
 * those of the kernel alone.
 * @throws Error with a message for the user if there is no such kernel, or its program is not installed
 */
export function jupyterCommand(
  config: KernelConfig,
  language: string,
  limits: ContextLimits,
): { command: [string, ...string[]]; remove: () => void } {
  const spec = listKernelspecs(config).get(language);
  if (!spec) throw new Error(`The language ${language} is not installed.`);
  const [file = '', ...rest] = spec.argv;
  const args = rest.map((part) => part.replaceAll('{resource_dir}', spec.folder).replaceAll('{prefix}', spec.prefix));
  const limited = limitCommand({ file: programOf(config, spec, file), args }, { language, limits });
  const folder = makeSocketFolder(config);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const { interrupt_mode: interruptMode, env } = spec;
  const asked = JSON.stringify({ argv: [limited.file, ...limited.args], env, interruptMode, folder });
  return { command: [config.node, ...nodeFlags, programs.jupyter, asked], remove };
}

/** In the agent's own folder, which is removed with the sandbox, unless the path would be too long. */
function makeSocketFolder({ agentTmp, tmp }: KernelConfig): string {
  for (const place of [agentTmp, tmp]) {
    const prefix = join(place, 'holdfast-kernel-');
    if (Buffer.byteLength(prefix) + randomCharacters <= folderBytesMax) return mkdtempSync(prefix);
  }
  throw new Error(`The path of ${tmp} is too long for the sockets of a Jupyter kernel.`);
}

/** A kernelspec that says only `python` means the Python beside which it was installed, or else the one of Python contexts. */
function programOf(config: KernelConfig, { prefix }: Kernelspec, file: string): string {
  if (file.startsWith('/')) return file;
  if (!/^python3?(\.\d+)?$/.test(file)) return findProgram(config.path, file);
  const own = join(prefix, 'bin/python3');
  return existsSync(own) ? own : config.python;
}
