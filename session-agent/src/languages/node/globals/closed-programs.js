import { createRequire, syncBuiltinESMExports } from 'node:module';
import process from 'node:process';
import { PolicyViolation } from './operations.js';

const require = createRequire(import.meta.url);
const starting = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'];
const rule = 'execution.allowShellCommands';

/**
 * Makes Node's own functions that start programs throw an error that names the policy, if the session's policy forbids programs. Code can get
 * around it. The boundary is the filter of the kernel's process (see launch.py), if the system has filters.
 */
export function closePrograms() {
  if (!process.env.HOLDFAST_CONFINED) return;
  const childProcess = require('node:child_process');
  const refuse = () => {
    throw new PolicyViolation(`the session's policy forbids code to start programs by its rule ${rule}`, rule);
  };
  for (const name of starting) childProcess[name] = refuse;
  childProcess.ChildProcess.prototype.spawn = refuse;
  if (process.execve) process.execve = refuse;
  syncBuiltinESMExports();
}
