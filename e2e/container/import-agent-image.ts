import { spawnSync } from 'node:child_process';
import { chmod, copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Podman } from './start-podman.ts';

export const agentImage = 'localhost/holdfast/agent-fixture:1';

/** Answers HTTP. On request it exits, or starts a child that takes memory until the kernel kills it, and then exits as an init would. */
const program = `#!/usr/local/bin/node
const { spawn } = require('node:child_process');
const take = 'const taken = []; for (;;) taken.push(Buffer.alloc(16 * 2 ** 20, 1))';
require('node:http').createServer((request, response) => {
  if (request.url === '/exit') process.exit(4);
  if (request.url === '/take') spawn(process.execPath, ['-e', take]).on('exit', () => process.exit(137));
  response.end(process.env.HOLDFAST_SANDBOX_UID);
}).listen(Number(process.env.HOLDFAST_AGENT_PORT), process.env.HOLDFAST_AGENT_HOST);
process.on('SIGTERM', () => process.exit(0));
`;

/** Makes an image of this Node and its libraries without a build, for tests in which the content of containers does not matter. */
export async function importAgentImage({ podman }: Pick<Podman, 'podman'>): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'holdfast-image-'));
  try {
    const put = async (from: string, path: string) => {
      await mkdir(join(root, dirname(path)), { recursive: true });
      await copyFile(from, join(root, path));
    };
    await put(process.execPath, '/usr/local/bin/node');
    for (const library of libraries(process.execPath)) await put(library, library);
    for (const folder of ['workspace', 'tmp', 'proc', 'sys', 'dev', 'etc', 'run', 'var/tmp', 'opt/holdfast']) {
      await mkdir(join(root, folder), { recursive: true });
    }
    await writeFile(join(root, 'opt/holdfast/run'), program);
    await chmod(join(root, 'opt/holdfast/run'), 0o755);
    const archive = `${root}.tar`;
    spawnSync('tar', ['-C', root, '-cf', archive, '.']);
    podman('import', '--quiet', archive, agentImage);
    await rm(archive);
  } finally {
    await rm(root, { recursive: true });
  }
}

function libraries(path: string): string[] {
  const { stdout } = spawnSync('ldd', [path], { encoding: 'utf8' });
  return [...stdout.matchAll(/(\/\S+) \(0x/g)].map(([, library = '']) => library);
}
