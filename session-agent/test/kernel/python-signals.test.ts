import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { kernelConfig } from '../support/open-kernel.ts';

const folder = new URL('../../src/languages/python', import.meta.url).pathname;

/** Reads from a pipe as a kernel reads its channel, while a signal handler raises again and again, and prints what it received. */
const program = `
import os, signal, sys
sys.path.insert(0, ${JSON.stringify(folder)})
from holdfast_kernel.agent import channel

bytes_sent, raised, is_reading = 80_000, 0, False

def ring(*_):
    global is_reading
    if is_reading:
        is_reading = False
        raise TimeoutError

channel.fd, writer = os.pipe()
if os.fork() == 0:
    for _ in range(bytes_sent // 4):
        os.write(writer, b'four')
    os._exit(0)
os.close(writer)
# It reads often.
channel.read_bytes_max = 4
signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)
while len(channel._received) < bytes_sent:
    try:
        is_reading = True
        while channel._read():
            pass
        break
    except TimeoutError:
        raised += 1
signal.setitimer(signal.ITIMER_REAL, 0)
print(len(channel._received), raised > 10)
`;

test('a kernel loses nothing that it reads while signal handlers raise', async () => {
  const { python } = await kernelConfig();
  const { stdout } = await promisify(execFile)(python as string, ['-c', program]);
  expect(stdout).toBe('80000 True\n');
});
