import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { RestartableServer } from '../../../data-plane/test/restartable/start-restartable.ts';
import { Holdfast, HoldfastError } from '../src/index.ts';
import { type Action, perform } from './perform.ts';

type Scenario = { title: string; session?: object; actions: Action[] };

const table = await readFile(new URL('../../../specs/scenarios.json', import.meta.url), 'utf8');
const { scenarios } = JSON.parse(table) as { scenarios: Scenario[] };
const hasRestart = ({ actions }: Scenario) => actions.some(({ restart }) => restart !== undefined);

/** Tests that each scenario is performed against a server. Those that kill it run alone. */
export function typescriptScenarios(server: () => RestartableServer): void {
  const performOne = (scenario: Scenario) => performScenario(server(), scenario);
  const undisturbed = scenarios.filter((scenario) => !hasRestart(scenario));
  test.concurrent.each(undisturbed)('$title', { timeout: 120_000 }, performOne);
  test.each(scenarios.filter(hasRestart))('$title', { timeout: 120_000 }, performOne);
}

async function performScenario(server: RestartableServer, { session: options, actions }: Scenario): Promise<void> {
  const holdfast = new Holdfast({ url: server.url, apiKey: server.apiKey });
  await using session = await holdfast.sessions.create(options);
  for (const action of actions) {
    let restarted: Promise<void> | undefined;
    const onOutput = (pieces: number) => {
      if (action.restart?.after === pieces) restarted ??= server.restart();
    };
    // A call that shows nothing before its end is cut off while it runs.
    if (action.restart?.after === 0) restarted = delay(1000).then(() => server.restart());
    const result = await perform(session, action, onOutput).catch((error) => error);
    await restarted;
    expect(restarted !== undefined).toBe(action.restart !== undefined);
    if (action.refusal) {
      expect(result).toBeInstanceOf(HoldfastError);
      expect(result).toMatchObject(action.refusal);
    } else {
      expect(result).not.toBeInstanceOf(Error);
      if (action.expect === null) expect(result).toBeNull();
      else expect(result ?? {}).toMatchObject(action.expect ?? {});
    }
  }
}
