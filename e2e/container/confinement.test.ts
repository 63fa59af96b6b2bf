import { afterAll, beforeAll, expect, test } from 'vitest';
import { shownBy } from './shown-by.ts';
import { type OnEngine, startOnEngine } from './start-on-engine.ts';

let on: OnEngine;
const sessions: string[] = [];
beforeAll(async () => {
  on = await startOnEngine();
  for (const body of [{}, {}]) sessions.push((await on.holdfast.createSession(body)).id);
});
afterAll(() => on[Symbol.asyncDispose]());

const [first, second] = [() => sessions[0] ?? '', () => sessions[1] ?? ''];
const shown = (id: string, code: string) => shownBy(on.holdfast, { id, code });

test('code writes nowhere but to its own two folders and to shared memory, and no more than they hold', async () => {
  const seen = await shown(
    first(),
    `
import os
def writes(folder):
    try:
        path = os.path.join(folder, "mine")
        with open(path, "w") as file: file.write("x")
        os.remove(path)
        return True
    except OSError:
        return False
folders = [folder for folder, _, _ in os.walk("/") if not folder.startswith(("/proc", "/sys"))]
def filled(folder, megabytes):
    path, block, count = os.path.join(folder, "full"), b"x" * 2**20, 0
    try:
        with open(path, "wb", buffering=0) as file:
            for count in range(megabytes): file.write(block)
        return "no end"
    except OSError as error:
        return [error.strerror, count]
    finally:
        os.remove(path)
show({"folders": sorted(folder for folder in folders if writes(folder) and not folder.startswith(("/tmp/", "/workspace/"))),
      "full": [filled("/workspace", 300), filled("/tmp", 300), filled("/dev/shm", 300)]})`,
  );
  const full = (least: number, most: number) => [
    'No space left on device',
    expect.toSatisfy((n) => n >= least && n <= most),
  ];
  expect(seen).toEqual({
    folders: ['/dev/shm', '/tmp', '/workspace'],
    full: [full(200, 256), full(64, 128), full(32, 64)],
  });
});

test('code is a user of its own without rights, and the root of the file system stays closed to it', async () => {
  const code = `
import os
status = dict(line.split(":\\t", 1) for line in open("/proc/self/status").read().splitlines() if ":\\t" in line)
def refused(work):
    try: work(); return "done"
    except OSError as error: return error.strerror
show({"uid": os.getuid(), "gid": os.getgid(), "status": [status[name].strip() for name in ("CapEff", "CapPrm", "CapBnd", "NoNewPrivs", "Seccomp")],
      "mount": refused(lambda: os.open("/proc/sys/kernel/core_pattern", os.O_WRONLY)),
      "sysctl": refused(lambda: os.open("/proc/sys/net/ipv4/ip_forward", os.O_WRONLY)),
      "root": refused(lambda: os.setuid(0)), "chroot": refused(lambda: os.chroot("/tmp"))})`;
  type Own = { uid: number; gid: number; status: string[] };
  const [one, other] = (await Promise.all([first(), second()].map((id) => shown(id, code)))) as [Own, Own];
  const none = '0000000000000000';
  expect(one).toMatchObject({ status: [none, none, none, '1', '2'], root: 'Operation not permitted' });
  expect(one).toMatchObject({ chroot: 'Operation not permitted', mount: expect.not.stringMatching('done') });
  expect(one).toMatchObject({ sysctl: expect.not.stringMatching('done') });
  expect(one.uid).toBeGreaterThanOrEqual(1_000_000);
  expect(one.gid).toBe(one.uid);
  expect(other.uid).not.toBe(one.uid);
});

test("code sees its own processes and no environment but its sandbox's, and no socket of the engine", async () => {
  const seen = (await shown(
    first(),
    `
import glob, os, stat
names = [open(path).read().strip() for path in glob.glob("/proc/[0-9]*/comm")]
texts = [open(path, errors="replace").read() for path in glob.glob("/proc/[0-9]*/environ") if os.access(path, os.R_OK)]
sockets = [os.path.join(folder, name) for folder in ("/run", "/var/run", "/tmp", "/workspace", "/") if os.path.isdir(folder)
           for name in os.listdir(folder) if stat.S_ISSOCK(os.lstat(os.path.join(folder, name)).st_mode)]
words = ("DATABASE_URL", "SIGNING_KEY", "ENCRYPTION_KEY", "API_KEY", "DOCKER_")
show({"count": len(names), "first": open("/proc/1/comm").read().strip(), "host": [name for name in names if name in ("postgres", "podman", "conmon", "systemd")],
      "sockets": sockets, "words": [word for word in words if any(word in text for text in texts)]})`,
  )) as { count: number };
  expect(seen).toMatchObject({ first: 'tini', host: [], sockets: [], words: [] });
  expect(seen.count).toBeLessThan(20);
});
