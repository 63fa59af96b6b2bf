import { setTimeout as wait } from 'node:timers/promises';
import { agentOf } from '../../../test/state/kill-sandbox.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { runRounds } from '../../measure/run-rounds.ts';
import { product } from '../../peers/product.ts';
import { amount, type Plan, roundsOf } from '../../stage/plan.ts';
import type { Stage } from '../../stage/stage.ts';

const retryMs = 10;

/** From the loss of a sandbox to the first answer of a client that keeps asking, beside a new session and its first answer. */
export async function measureLossToAnswer(stage: Stage, plan: Plan): Promise<void> {
  const holdfast = await stage.holdfast();
  await runRounds(stage, {
    scenario: 'recovery',
    case: 'sandbox lost',
    rounds: roundsOf(plan, { smoke: 1, full: 12 }),
    warmUp: amount(plan, { smoke: 0, full: 1 }),
    contestants: [
      {
        peer: product,
        async measure() {
          const { id } = await holdfast.createSession({ recovery: 'auto' });
          await holdfast.runStep(id, { code: 'n = 41; items = list(range(1000))' });
          const agent = await agentOf(holdfast, id);
          await eventually(async () => {
            const { body } = await holdfast.request('GET', `/v1/sessions/${id}/snapshots`);
            if (body.items.length === 0) throw new Error('the session is not saved');
          }, 30_000);
          const start = performance.now();
          process.kill(agent, 'SIGKILL');
          const value = await firstAnswer(() =>
            holdfast.request('POST', `/v1/sessions/${id}/steps`, { code: 'n + 1' }),
          );
          const ms = performance.now() - start;
          if (value !== '42') throw new Error(`the recovered session answers ${value}`);
          await holdfast.request('DELETE', `/v1/sessions/${id}`);
          return [{ metric: 'first answer', value: ms, unit: 'ms' }];
        },
      },
      {
        peer: 'a new session',
        async measure() {
          const start = performance.now();
          const { id } = await holdfast.createSession();
          await holdfast.runStep(id, { code: '42' });
          const ms = performance.now() - start;
          await holdfast.request('DELETE', `/v1/sessions/${id}`);
          return [{ metric: 'first answer', value: ms, unit: 'ms' }];
        },
      },
    ],
  });
}

/** A step that meets the loss is refused or lost, so a client asks again. */
// biome-ignore lint/suspicious/noExplicitAny: the body of an answer of the API
async function firstAnswer(ask: () => Promise<{ status: number; body: any }>): Promise<unknown> {
  for (;;) {
    const { status, body } = await ask();
    if (status === 200 && body.status === 'succeeded') return body.results[0]?.data['text/plain'];
    await wait(retryMs);
  }
}
