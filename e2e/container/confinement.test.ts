import { spawn } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentSeenByCode } from '../agent-seen-by-code.ts';
import { runAndShow } from './run-and-show.ts';
import { type OnEngine, startOnEngine } from './start-on-engine.ts';

let on: OnEngine;
const sessions: string[] = [];
beforeAll(async () => {
  on = await startOnEngine();
  for (const body of [{}, {}]) sessions.push((await on.holdfast.createSession(body)).id);
});
afterAll(() => on[Symbol.asyncDispose]());

const [first, second] = [() => sessions[0] ?? '', () => sessions[1] ?? ''];
const shown = (id: string, code: string) => runAndShow(on.holdfast, { id, code });

test('code can write only to its two folders and to shared memory, and only up to their sizes', async () => {
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

test('code runs as a user of its own without rights, and cannot write to the root file system', async () => {
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

test("code cannot reach the agent's memory, and opens no debugger in it", async () => {
  expect(await shown(first(), agentSeenByCode)).toEqual({ agents: 1, readable: [], catchesDebuggerSignal: false });
});

test('code that becomes root in a namespace of its own gains nothing', async () => {
  const code = `
import subprocess
def tried(script, *namespaces):
    command = ["unshare", "--user", "--map-root-user", "--mount", *namespaces, "sh", "-c", script]
    return subprocess.run(command, capture_output=True, text=True).returncode != 0 or "done"
show({
    "none": tried("true"),
    "root": tried("mount -o remount,rw /; mount -o remount,bind,rw /; touch /etc/mine"),
    "memory": tried("mount -t tmpfs none /run; cd /sys/fs/cgroup; echo -1 | tee memory/memory.limit_in_bytes memory.max"),
    "processes": tried("mount -t proc none /tmp", "--pid", "--fork"),
    "kernel": tried("mount -t sysfs none /tmp && echo 1 | tee /tmp/kernel/*", "--net"),
    "settings": tried("umount -l /proc/sys; echo 1 >/proc/sys/kernel/panic"),
})`;
  const { none, ...tries } = (await shown(first(), code)) as Record<string, unknown>;
  // Not every engine allows the namespace.
  expect([true, 'done']).toContain(none);
  expect(tries).toEqual({ root: true, memory: true, processes: true, kernel: true, settings: true });
});

test("code sees its own processes and none of the machine's", async () => {
  const host = spawn('sleep', ['4711']);
  try {
    const seen = await shown(
      first(),
      `
import glob
lines = [open(path).read().replace("\\0", " ").strip() for path in glob.glob("/proc/[0-9]*/cmdline")]
show({"first": open("/proc/1/comm").read().strip(), "few": len(lines) < 20,
      "host": [line for line in lines for word in ("sleep 4711", "postgres", "podman", "conmon", "data-plane") if word in line]})`,
    );
    expect(seen).toEqual({ first: 'tini', few: true, host: [] });
  } finally {
    host.kill();
  }
});

test("code finds no environment but its sandbox's, and no socket of the engine", async () => {
  const seen = await shown(
    first(),
    `
import glob, os, stat
texts = [open(path, errors="replace").read() for path in glob.glob("/proc/[0-9]*/environ") if os.access(path, os.R_OK)]
sockets = [os.path.join(folder, name) for folder in ("/run", "/var/run", "/tmp", "/workspace", "/") if os.path.isdir(folder)
           for name in os.listdir(folder) if stat.S_ISSOCK(os.lstat(os.path.join(folder, name)).st_mode)]
words = ("DATABASE_URL", "SIGNING_KEY", "ENCRYPTION_KEY", "API_KEY", "DOCKER_")
show({"read": len(texts) > 1, "sockets": sockets, "words": [word for word in words if any(word in text for text in texts)]})`,
  );
  // The one socket is that of the session-agent, for the calls of the code.
  const own = expect.stringMatching(/^\/tmp\/holdfast-[0-9a-f]{16}$/);
  expect(seen).toEqual({ read: true, sockets: [own], words: [] });
});
