import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Holdfast, startHoldfast, temporaryDataDir } from '../support/start-holdfast.ts';

const inherited = 63;
let holdfast: Holdfast;
let dataDir: Awaited<ReturnType<typeof temporaryDataDir>>;
let session: string;

beforeAll(async () => {
  dataDir = await temporaryDataDir();
  const shell = ['bash', '-c', `exec ${inherited}</etc/hostname; exec "$@"`, 'bash'];
  holdfast = await startHoldfast({ HOLDFAST_DATA_DIR: dataDir.path }, shell);
  session = (await holdfast.createSession({})).id;
});
afterAll(async () => {
  await holdfast.stop();
  await dataDir.remove();
});

test.for([
  ['python', `import os; print(os.path.exists("/proc/self/fd/${inherited}"))`, 'False\n'],
  ['node', `console.log(require("node:fs").existsSync("/proc/self/fd/${inherited}"))`, 'false\n'],
  ['bash', `[ -e /proc/self/fd/${inherited} ] && echo open || echo closed`, 'closed\n'],
] as const)(
  'a file that the starter of the program left open does not reach code in %s',
  async ([language, code, stdout]) => {
    const step = await holdfast.runStep(session, { language, code });
    expect(step).toMatchObject({ status: 'succeeded', stdout });
  },
);

test('code opens no debugger in the agent by a signal, and can use the signal for itself', async () => {
  const code = `
import glob, os, signal
uid = ("HOLDFAST_SANDBOX_UID=" + os.environ["HOLDFAST_SANDBOX_UID"]).encode()
def is_agent(folder):
    try: return open(folder + "/cmdline", "rb").read().endswith(b"/session-agent/src/main.ts\\0") and uid in open(folder + "/environ", "rb").read()
    except OSError: return False
[agent] = [int(folder[6:]) for folder in glob.glob("/proc/[0-9]*") if is_agent(folder)]
caught = int(next(line for line in open(f"/proc/{agent}/status") if line.startswith("SigCgt")).split()[1], 16)
got = []
signal.signal(signal.SIGUSR1, lambda *_: got.append("mine"))
os.kill(agent, signal.SIGUSR1)
os.kill(os.getpid(), signal.SIGUSR1)
print(bool(caught >> signal.SIGUSR1 - 1 & 1), got)`;
  expect(await holdfast.runStep(session, { code })).toMatchObject({ stdout: "False ['mine']\n" });
  expect(await holdfast.runStep(session, { code: 'got' })).toMatchObject({ status: 'succeeded' });
});

test('an error in the background that nothing handles is logged, and the program goes on', async () => {
  const own = await temporaryDataDir();
  const fail = encodeURIComponent('process.on("SIGUSR2", () => Promise.reject(new Error("forgotten")))');
  const program = await startHoldfast({
    HOLDFAST_DATA_DIR: own.path,
    NODE_OPTIONS: `--import=data:text/javascript,${fail}`,
  });
  process.kill(program.pid, 'SIGUSR2');
  await eventually(() => expect(program.output.join()).toContain('a promise was rejected without a handler'));
  expect(await program.request('GET', '/readyz')).toMatchObject({ status: 200 });
  await program.stop();
  await own.remove();
});
