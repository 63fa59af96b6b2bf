import { setTimeout as delay } from 'node:timers/promises';
import type { OperationAnswer } from '@holdfast/specs/agent';
import { faultWords, operationValueBytesMax, Problem } from '@holdfast/specs/public';
import { recordAudit } from '../../registry/audit/record-audit.ts';
import { databaseUnavailable } from '../../registry/database-error.ts';
import { insertOperation } from '../../registry/operations/insert-operation.ts';
import { findPolicy } from '../../registry/sessions/find-policy.ts';
import type { CallingStep, StepOperations } from '../../steps/drive-step.ts';
import type { AskingCall, StepCall } from '../../steps/frames/step-call.ts';
import { auditArguments } from '../audit/audit-arguments.ts';
import { askedOf } from '../rules/asked-of.ts';
import { decide } from '../rules/decide.ts';
import { deliverAnswer, failure } from './deliver-answer.ts';
import type { HostCalls, HostCallsDependencies } from './host-calls.ts';
import { auditedArguments } from './own/audited-arguments.ts';
import { callEntry } from './own/call-entry.ts';
import type { CallLog } from './own/create-call-log.ts';
import { OperationDenied, OperationFailed, type OwnOperation } from './own/own-operation.ts';

export type StepOperationsDependencies = HostCallsDependencies & {
  hostCalls: Pick<HostCalls, 'follow'>;
  own: Readonly<Record<string, OwnOperation>>;
  callLog: CallLog;
  background(work: Promise<unknown>): void;
  /** How long a call waits for the host. */
  hostSeconds: number;
};

const retryMs = 200;

/** See `StepOperations`. */
export function createStepOperations(deps: StepOperationsDependencies): StepOperations {
  return {
    async begin(calls, step) {
      for (const call of calls) if (call.kind !== 'host') deps.background(answerHere(deps, call, step));
      const denials = new Map<string, string>();
      const ask = async (call: AskingCall) => {
        const rule = await askHost(deps, call, step);
        if (rule !== null) denials.set(call.id, rule);
      };
      await Promise.all(calls.map((call) => call.kind === 'host' && ask(call)));
      return denials;
    },
  };
}

async function answerHere(deps: StepOperationsDependencies, call: StepCall, step: CallingStep): Promise<void> {
  const answer = call.kind === 'refused' ? failure('OperationError', call.reason) : await ownAnswer(deps, call, step);
  await deliverPatiently(deps, { call, step, answer });
}

/** Never rejects: whatever goes wrong, the code gets an answer. */
async function ownAnswer(
  { db, own, callLog, log }: StepOperationsDependencies,
  call: AskingCall,
  step: CallingStep,
): Promise<OperationAnswer> {
  const operation = Object.hasOwn(own, call.name) ? own[call.name] : undefined;
  if (!operation) return failure('OperationError', `there is no operation ${call.name}`);
  try {
    const policy = await findPolicy(db, { id: step.live.sessionId });
    const decision = decide(policy, askedOf(call.name, call.arguments));
    if (!decision.allowed) throw new OperationDenied(decision.rule);
    const run = async () => {
      const parsed = operation.arguments.safeParse(call.arguments, { error: faultWords });
      if (!parsed.success) throw new OperationFailed('InvalidArguments', faultsIn(parsed.error.issues));
      return await operation.run({ step, operationId: call.id, policy }, parsed.data);
    };
    const value = await audited(callLog, call, { step, run, isAudited: operation.isAudited });
    return bounded({ value: (value ?? null) as never });
  } catch (error) {
    if (error instanceof OperationDenied) return await denied({ db, log }, call, { step, rule: error.rule });
    if (error instanceof OperationFailed) return failure(error.code, error.message);
    if (error instanceof Problem) return failure(error.slug, error.options.detail ?? error.message);
    log.warn({ err: error, operation: call.name, stepId: step.live.id }, 'an operation failed');
    return failure('OperationError', 'the operation failed on our side');
  }
}

type Auditing = { step: CallingStep; run: () => Promise<unknown>; isAudited: boolean };

/**
 * The code gets what it reads once the entry is recorded, also if it gets an error. An operation that changes something has recorded its entry itself,
 * unless it has failed and so changed nothing.
 */
async function audited(
  callLog: CallLog,
  { name, arguments: args }: AskingCall,
  { step, run, isAudited }: Auditing,
): Promise<unknown> {
  const startMs = performance.now();
  const [outcome] = await Promise.allSettled([run()]);
  const hasFailed = outcome.status === 'rejected';
  if (isAudited && !(hasFailed && outcome.reason instanceof OperationFailed)) {
    if (hasFailed) throw outcome.reason;
    return outcome.value;
  }
  const called = { operation: name, arguments: auditedArguments(name, args), decision: { allowed: true } as const };
  await callLog.record({ ...callEntry(step, called), durationMs: performance.now() - startMs });
  if (hasFailed) throw outcome.reason;
  return outcome.value;
}

async function denied(
  { db, log }: Pick<StepOperationsDependencies, 'db' | 'log'>,
  { name, arguments: args }: AskingCall,
  { step, rule }: { step: CallingStep; rule: string },
): Promise<OperationAnswer> {
  step.onDenied();
  const decision = { allowed: false, rule } as const;
  const entry = callEntry(step, { operation: name, arguments: auditedArguments(name, args), decision });
  try {
    await recordAudit(db, entry);
    return violation(name, rule, args);
  } catch (err) {
    log.warn({ err, stepId: step.live.id }, 'a refusal could not be recorded');
    return failure('OperationError', 'the operation failed on our side');
  }
}

const faultsIn = (issues: readonly { path: PropertyKey[]; message: string }[]) =>
  issues.map(({ path, message }) => `argument ${path.map(String).join('/')}: ${message}`).join('; ');

function bounded(answer: OperationAnswer): OperationAnswer {
  if (Buffer.byteLength(JSON.stringify(answer)) <= operationValueBytesMax) return answer;
  return failure('ValueTooLarge', `the value has more than ${operationValueBytesMax} bytes`);
}

const violation = (name: string, rule: string, [subject]: readonly unknown[]): OperationAnswer => {
  // A rule of the world is about the path, without which its reader cannot tell what would be allowed.
  const of =
    rule.startsWith('world.') && typeof subject === 'string' ? ` of ${JSON.stringify(subject.slice(0, 256))}` : '';
  return {
    error: { name: 'PolicyViolation', message: `the session's policy forbids ${name}${of} by its rule ${rule}`, rule },
  };
};

/** Resolves when the registry has the call, so that clients may see it, with the rule by which the policy denied it, or null. */
async function askHost(deps: StepOperationsDependencies, call: AskingCall, step: CallingStep): Promise<string | null> {
  const { id, name, number, arguments: args } = call;
  const { sessionId, id: stepId } = step.live;
  const asked = {
    id,
    sessionId,
    stepId,
    call: number,
    name,
    arguments: JSON.stringify(args),
    auditedArguments: auditArguments(auditedArguments(name, args)),
    seconds: deps.hostSeconds,
  };
  let rule: string | null = null;
  for (;;) {
    try {
      const decision = decide(await findPolicy(deps.db, { id: sessionId }), askedOf(name, args));
      rule = decision.allowed ? null : decision.rule;
      const denial = decision.allowed
        ? null
        : {
            answer: JSON.stringify(violation(name, decision.rule, args)),
            entry: callEntry(step, { operation: name, arguments: auditedArguments(name, args), decision }),
          };
      const known = await insertOperation(deps.db, { ...asked, denial });
      if (!known) return rule;
      if (known.rule !== null) step.onDenied();
      deps.hostCalls.follow({ id, number, step });
      return known.rule;
    } catch (error) {
      if (step.signal.aborted) return rule;
      if (!databaseUnavailable(error)) {
        deps.log.warn({ err: error, stepId }, 'an operation could not be recorded');
        const answer = failure('OperationError', 'the session cannot ask its host now');
        deps.background(deliverPatiently(deps, { call, step, answer }));
        return rule;
      }
    }
    await delay(retryMs, undefined, { signal: step.signal }).catch(() => {});
  }
}

type Delivering = { call: Pick<StepCall, 'number'>; step: CallingStep; answer: OperationAnswer };

/** A connection may be cut; as long as the step runs, its code waits. */
async function deliverPatiently(deps: StepOperationsDependencies, { call, step, answer }: Delivering): Promise<void> {
  const delivery = { stepId: step.live.id, call: call.number, answer };
  while (!step.signal.aborted && !(await deliverAnswer(deps, step.route, delivery))) {
    await delay(retryMs, undefined, { signal: step.signal }).catch(() => {});
  }
}
