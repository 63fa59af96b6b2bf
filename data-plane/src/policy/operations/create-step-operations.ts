import { setTimeout as delay } from 'node:timers/promises';
import type { OperationAnswer } from '@holdfast/specs/agent';
import { faultWords, operationValueBytesMax, Problem } from '@holdfast/specs/public';
import type { NewAuditEntry } from '../../registry/audit/record-audit.ts';
import { databaseUnavailable } from '../../registry/database-error.ts';
import { findKeptAnswer } from '../../registry/operations/find-kept-answer.ts';
import { insertOperation } from '../../registry/operations/insert-operation.ts';
import { findPolicy } from '../../registry/sessions/find-policy.ts';
import type { CallingStep, StepOperations } from '../../steps/drive-step.ts';
import type { AskingCall, StepCall } from '../../steps/frames/step-call.ts';
import { auditArguments } from '../audit/audit-arguments.ts';
import { askedOf } from '../rules/asked-of.ts';
import { type Decision, decide } from '../rules/decide.ts';
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
  await deliverPatiently(deps, { call, step, answer: await recordedAnswer(deps, call, step) });
}

/** The answer, which the code gets once its call is recorded. Never rejects: whatever goes wrong, the code gets an answer. */
async function recordedAnswer(
  deps: StepOperationsDependencies,
  call: StepCall,
  step: CallingStep,
): Promise<OperationAnswer> {
  const before = step.isHandedOver ? await answerBefore(deps, call, step) : null;
  if (before) {
    if ('error' in before && before.error.rule !== undefined) step.onDenied();
    return before;
  }
  const answered = await answerTo(deps, call, step);
  try {
    await deps.callLog.record({ step, call, ...answered });
    return answered.answer;
  } catch (err) {
    deps.log.warn({ err, operation: call.name, stepId: step.live.id }, 'a call could not be recorded');
    return failedHere;
  }
}

/**
 * The answer that another replica has recorded before it died: its operation has been done. As long as that is not known, the operation is not done
 * again.
 */
async function answerBefore(
  { db, log }: Pick<StepOperationsDependencies, 'db' | 'log'>,
  { number }: StepCall,
  { live: { id: stepId }, signal }: CallingStep,
): Promise<OperationAnswer | null> {
  while (!signal.aborted) {
    try {
      const kept = await findKeptAnswer(db, { stepId, call: number });
      return kept === null ? null : JSON.parse(kept);
    } catch (err) {
      if (!databaseUnavailable(err)) {
        log.warn({ err, stepId }, 'the answer to an earlier call could not be read');
        return failedHere;
      }
    }
    await delay(retryMs, undefined, { signal }).catch(() => {});
  }
  return failedHere;
}

/** `entry`: null if there is none, or the operation has recorded it in the transaction of its change. */
type Answered = { answer: OperationAnswer; entry: NewAuditEntry | null; isKept: boolean };

async function answerTo(
  { db, own, log }: StepOperationsDependencies,
  call: StepCall,
  step: CallingStep,
): Promise<Answered> {
  const { name } = call;
  if (call.kind === 'refused') return withoutEntry(failure('OperationError', call.reason));
  const operation = Object.hasOwn(own, name) ? own[name] : undefined;
  if (!operation) return withoutEntry(failure('OperationError', `there is no operation ${name}`));
  const { arguments: args } = call;
  let startMs = performance.now();
  const entryOf = (decision: Decision): NewAuditEntry => ({
    ...callEntry(step, { operation: name, arguments: auditedArguments(name, args), decision }),
    ...(decision.allowed && { durationMs: performance.now() - startMs }),
  });
  let isRun = false;
  try {
    const policy = await findPolicy(db, { id: step.live.sessionId });
    const decision = decide(policy, askedOf(name, args));
    if (!decision.allowed) throw new OperationDenied(decision.rule);
    startMs = performance.now();
    isRun = true;
    const parsed = operation.arguments.safeParse(args, { error: faultWords });
    if (!parsed.success) throw new OperationFailed('InvalidArguments', faultsIn(parsed.error.issues));
    const value = await operation.run({ step, operationId: call.id, policy }, parsed.data);
    const answer = bounded({ value: (value ?? null) as never });
    return { answer, entry: operation.isAudited ? null : entryOf({ allowed: true }), isKept: true };
  } catch (error) {
    if (error instanceof OperationDenied) {
      step.onDenied();
      const { rule } = error;
      return { answer: violation(name, rule, args), entry: entryOf({ allowed: false, rule }), isKept: true };
    }
    // An operation that changes something has recorded its entry, unless it has failed and so changed nothing.
    const wantsEntry = isRun && (!operation.isAudited || error instanceof OperationFailed);
    const entry = wantsEntry ? entryOf({ allowed: true }) : null;
    if (error instanceof OperationFailed) return { answer: failure(error.code, error.message), entry, isKept: true };
    if (error instanceof Problem) {
      return { answer: failure(error.slug, error.options.detail ?? error.message), entry, isKept: true };
    }
    log.warn({ err: error, operation: name, stepId: step.live.id }, 'an operation failed');
    return { answer: failedHere, entry, isKept: false };
  }
}

const withoutEntry = (answer: OperationAnswer): Answered => ({ answer, entry: null, isKept: true });

const failedHere = failure('OperationError', 'the operation failed on our side');

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
