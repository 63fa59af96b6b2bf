import { closeSync, readdirSync, readFileSync } from 'node:fs';

/** O_CLOEXEC in the flags of proc_pid_fdinfo(5), which are octal. */
const closeOnExec = 0o2000000;

/**
 * Closes the descriptors that the agent inherited and that user code would inherit from it, such as the lock file of a shell that started
 * the whole program. Node's own descriptors close when a program is executed. So does a descriptor with a low number that is meant for
 * the agent, because Node changes those at its start.
 */
export function closeInheritedDescriptors(): void {
  for (const name of readdirSync('/proc/self/fdinfo')) {
    const descriptor = Number(name);
    if (descriptor > 2 && isInheritable(descriptor)) closeSync(descriptor);
  }
}

/** False for the descriptor of the directory that was just listed, which is closed already. */
function isInheritable(descriptor: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1] ?? '0';
    return (Number.parseInt(flags, 8) & closeOnExec) === 0;
  } catch {
    return false;
  }
}
