import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type OpenKernel, openKernel } from '../support/open-kernel.ts';

let cwd: string;
let open: OpenKernel;
let unconfined: OpenKernel;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'holdfast-magics-'));
  writeFileSync(join(cwd, 'a.py'), 'import os; os.system("touch made")');
  open = await openKernel('python', { cwd, isConfined: true });
  unconfined = await openKernel('python', { cwd });
}, 60_000);
afterAll(async () => {
  await open[Symbol.asyncDispose]();
  await unconfined[Symbol.asyncDispose]();
  rmSync(cwd, { recursive: true });
});

test.each([
  ['!touch made'],
  ['made = !touch made'],
  ['!!touch made'],
  ['%%bash\ntouch made'],
  ['%%sh\ntouch made'],
  ['%%script sh\ntouch made'],
  ['%%script --bg sh\ntouch made'],
  ['%system touch made'],
  ['%sx touch made'],
  ['%%system\ntouch made'],
  ['get_ipython().system("touch made")'],
  ['get_ipython().getoutput("touch made")'],
  ['%run a.py'],
  ['import os; os.system("touch made")'],
  ['import subprocess; subprocess.run(["touch", "made"])'],
  ['%time __import__("os").system("touch made")'],
  ['%%python3\nopen("made", "w").close()'],
])('a confined kernel runs no program for %j, and another one does', async (code) => {
  const made = join(cwd, 'made');
  const { error, end, stderr } = await open.run(code);
  expect(existsSync(made)).toBe(false);
  expect(`${end.status} ${error?.name} ${error?.message} ${stderr}`).toContain('PolicyViolation');
  await unconfined.run(code);
  await expect.poll(() => existsSync(made), { timeout: 10_000 }).toBe(true);
  rmSync(made);
});
