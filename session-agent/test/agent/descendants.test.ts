import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const modules = fileURLToPath(new URL('../../src/languages/python', import.meta.url));

/** Has a child, a grandchild and a child of a thread, and prints what both ways find below it. */
const code = `
import os, subprocess, sys, threading
sys.path.insert(0, sys.argv[1])
from holdfast_kernel.agent import program_limits
sleep = ['sh', '-c', 'sleep 60 & echo; wait']
started = []
start = lambda: started.append(subprocess.Popen(sleep, stdout=subprocess.PIPE, start_new_session=True))
start(); thread = threading.Thread(target=start); thread.start(); thread.join()
for process in started: process.stdout.readline()
found = [sorted(program_limits._descendants(os.getpid()))]
program_limits.os.path.exists = lambda path: False
found.append(sorted(program_limits._descendants(os.getpid())))
for process in started: os.killpg(process.pid, 9)
print(len(found[0]), found[0] == found[1])
`;

test('a supervisor finds the processes below it, also if the system does not list the children of a process', () => {
  expect(execFileSync('python3', ['-I', '-c', code, modules], { encoding: 'utf8' })).toBe('4 True\n');
});
