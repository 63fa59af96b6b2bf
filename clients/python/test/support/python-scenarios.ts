import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RestartableServer } from '../../../../data-plane/test/restartable/start-restartable.ts';
import { clientPython, packageFolder, runPython } from './python-environment.ts';
import { startControl } from './start-control.ts';

type Scenario = { title: string; actions: { restart?: object }[] };

const table = join(packageFolder, '../../specs/scenarios.json');
const { scenarios } = JSON.parse(await readFile(table, 'utf8')) as { scenarios: Scenario[] };
const hasRestart = ({ actions }: Scenario) => actions.some(({ restart }) => restart !== undefined);

/** Tests that one half of the package performs each scenario against a server. Those that kill it run alone. */
export function pythonScenarios(server: () => RestartableServer, half: 'synchronous' | 'asynchronous'): void {
  let control: Awaited<ReturnType<typeof startControl>>;
  let python: string;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'holdfast-client-'));
    python = await clientPython();
    // The program is written once, as the package itself is.
    const program = join(packageFolder, 'test/shared');
    if (half === 'asynchronous') await cp(program, folder, { recursive: true });
    else await runPython(python, ['generate/sync.py', program, folder]);
    control = await startControl(server());
  }, 300_000);

  afterAll(async () => {
    await control?.[Symbol.asyncDispose]();
    await rm(folder, { recursive: true, force: true });
  });

  const performOne = async ({ title }: Scenario) => {
    const { url, apiKey } = server();
    const output = await runPython(python, ['perform.py', table, title], {
      cwd: folder,
      env: {
        HOLDFAST_URL: url,
        ...(apiKey && { HOLDFAST_API_KEY: apiKey }),
        CONTROL_URL: control.url,
        PYTHONPATH: join(packageFolder, 'src'),
      },
    });
    expect(output).toBe('performed\n');
  };
  const undisturbed = scenarios.filter((scenario) => !hasRestart(scenario));
  test.concurrent.each(undisturbed)('$title', { timeout: 120_000 }, performOne);
  test.each(scenarios.filter(hasRestart))('$title', { timeout: 120_000 }, performOne);
}
