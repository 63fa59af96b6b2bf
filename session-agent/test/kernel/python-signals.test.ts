import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { kernelConfig } from '../support/open-kernel.ts';

const folder = new URL('../../src/languages/python', import.meta.url).pathname;

/** Reads from a pipe as a kernel reads its channel, while a signal handler raises again and again, and prints how much too much it received. */
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

# It reads often.
channel.read_bytes_max = 4
signal.signal(signal.SIGALRM, ring)
rounds = 0
# A handler comes less often on a busy machine, so it reads until enough have come.
while raised <= 10:
    rounds += 1
    channel.fd, writer = os.pipe()
    child = os.fork()
    if child == 0:
        for _ in range(bytes_sent // 4):
            os.write(writer, b'four')
        os._exit(0)
    os.close(writer)
    signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)
    while len(channel._received) < rounds * bytes_sent:
        try:
            is_reading = True
            while channel._read():
                pass
            is_reading = False
            break
        except TimeoutError:
            raised += 1
    signal.setitimer(signal.ITIMER_REAL, 0)
    os.close(channel.fd)
    os.waitpid(child, 0)
print(len(channel._received) - rounds * bytes_sent)
`;

/** Sends messages through a pipe that is nearly always full while a signal handler raises, and prints what arrived. */
const sending = `
import os, random, signal, sys
sys.path.insert(0, ${JSON.stringify(folder)})
from holdfast_kernel.agent import channel

sent, repeats, raised, is_sending = 0, 100_000, 0, False

def ring(*_):
    global is_sending
    if is_sending and random.random() < 0.3:
        is_sending = False
        raise TimeoutError

reader, channel.fd = os.pipe()
child = os.fork()
if child == 0:
    os.close(channel.fd)
    with os.fdopen(reader, 'rb', buffering=0) as stream:
        data = b''.join(iter(lambda: stream.read(4096), b''))
    size = 4 * repeats
    parts = [data[at : at + size] for at in range(0, len(data), size)]
    numbers = [int.from_bytes(part[:4], 'big') for part in parts]
    whole = all(part == part[:4] * repeats for part in parts)
    print(whole, numbers == sorted(set(numbers)), len(numbers), flush=True)
    os._exit(0)
os.close(reader)
signal.signal(signal.SIGALRM, ring)
signal.setitimer(signal.ITIMER_REAL, 0.0002, 0.0002)
number = 0
# On a busy machine the handler gives up nearly every message before its first byte, so every other one is left alone.
while number < 60 or raised <= 10:
    try:
        is_sending = number % 2 == 1
        channel.send_encoded(number.to_bytes(4, 'big') * repeats)
        is_sending = False
        sent += 1
    except TimeoutError:
        raised += 1
    number += 1
signal.setitimer(signal.ITIMER_REAL, 0)
channel.send_encoded(b'')
os.close(channel.fd)
os.waitpid(child, 0)
print(sent, number)
`;

test('a kernel sends each message once and as a whole while signal handlers raise', async () => {
  const { python } = await kernelConfig();
  const { stdout } = await promisify(execFile)(python as string, ['-c', sending]);
  const [, arrived, sent, tried] = /^True True (\d+)\n(\d+) (\d+)\n$/.exec(stdout) ?? [];
  expect(Number(arrived)).toBeGreaterThanOrEqual(Number(sent));
  expect(Number(arrived)).toBeLessThanOrEqual(Number(tried));
});

test('a kernel loses nothing that it reads while signal handlers raise', async () => {
  const { python } = await kernelConfig();
  const { stdout } = await promisify(execFile)(python as string, ['-c', program]);
  expect(stdout).toBe('0\n');
});
