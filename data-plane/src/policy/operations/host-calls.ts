import type { OperationAnswer } from '@holdfast/specs/agent';
import type { Logger } from '../../observability/logger.ts';
import type { Database } from '../../registry/connect.ts';
import { timedOut } from '../../registry/operations/list-answers.ts';
import { markOperationDelivered } from '../../registry/operations/mark-operation-delivered.ts';
import { type SettledOperation, settleOperations } from '../../registry/operations/settle-operations.ts';
import type { CallingStep } from '../../steps/drive-step.ts';
import { type DeliverDependencies, deliverAnswer } from './deliver-answer.ts';

export type HostCallsDependencies = DeliverDependencies & { db: Database; log: Pick<Logger, 'warn'> };

type HostCall = { id: string; number: number; step: CallingStep };
type Waiting = HostCall & { isBeingDelivered: boolean };

const tickMs = 1000;

export type HostCalls = ReturnType<typeof createHostCalls>;

/**
 * The calls of this replica's steps that wait for the host. An answer is usually delivered by the replica that takes it. If that one dies
 * in between, or the agent could not be reached, this one finds the answer in the registry, and it ends the wait at the deadline.
 */
export function createHostCalls(deps: HostCallsDependencies) {
  const { db, log } = deps;
  const waiting = new Map<string, Waiting>();
  let isTicking = false;

  async function look(): Promise<void> {
    const ids = [...waiting.values()].filter(({ isBeingDelivered }) => !isBeingDelivered).map(({ id }) => id);
    // Side by side: an agent that does not answer delays no other one.
    for (const settled of await settleOperations(db, { ids })) deliver(settled).catch(warn);
  }

  async function deliver({ id, deliveredAt, ...settled }: SettledOperation): Promise<void> {
    const call = waiting.get(id);
    if (!call) return;
    call.isBeingDelivered = true;
    try {
      const { live, route } = call.step;
      const delivery = { stepId: live.id, call: call.number, answer: answerOf(settled) };
      if (deliveredAt === null && !(await deliverAnswer(deps, route, delivery))) return;
      waiting.delete(id);
      if (deliveredAt === null) await markOperationDelivered(db, { id });
    } finally {
      call.isBeingDelivered = false;
    }
  }

  const warn = (err: unknown) => log.warn({ err }, 'an answer to an operation is not delivered yet');

  function tickSoon(): void {
    if (isTicking || waiting.size === 0) return;
    isTicking = true;
    const tick = () =>
      look()
        .catch(warn)
        .finally(() => {
          isTicking = false;
          tickSoon();
        });
    setTimeout(tick, tickMs).unref();
  }

  return {
    /** Sees to the answer of a call that the registry has, until its step has ended. */
    follow(call: HostCall): void {
      if (call.step.signal.aborted) return;
      waiting.set(call.id, { ...call, isBeingDelivered: false });
      call.step.signal.addEventListener('abort', () => waiting.delete(call.id), { once: true });
      tickSoon();
    },

    /** The answer was delivered from here. */
    delivered(id: string): void {
      waiting.delete(id);
    },
  };
}

const answerOf = ({ status, answer }: Pick<SettledOperation, 'status' | 'answer'>): OperationAnswer =>
  answer === null || status === 'timed_out' ? JSON.parse(timedOut) : JSON.parse(answer);
