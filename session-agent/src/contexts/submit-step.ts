import type { AgentStep } from '@holdfast/specs/agent';
import { isBuiltIn, Problem } from '@holdfast/specs/public';
import { StepCalls } from '../steps/step-calls.ts';
import { StepInput } from '../steps/step-input.ts';
import type { StepLog } from '../steps/step-log.ts';
import type { StepMemory } from '../steps/step-memory.ts';
import type { ContextSet } from './context-set.ts';

/**
 * Accepts a step and returns the log of its frames. A rejected step has not started, and its id stays free.
 * @throws Problem `step-repeated`, `results-unacknowledged`, `session-ended`, `session-paused`, `not-found`, `context-deleted`, `context-busy`,
 * `state-reset`, `quota-exceeded` or `unsupported-by-runtime`
 */
export function submitStep(deps: { contexts: ContextSet; memory: StepMemory }, step: AgentStep): StepLog {
  const {
    stepId,
    contextId,
    language,
    code,
    comm,
    timeoutMs,
    env,
    ifContextEpoch,
    replay,
    onError,
    silent,
    expressions,
  } = step;
  if (step.acks) deps.memory.acknowledge(step.acks);
  deps.memory.admit(stepId);
  deps.contexts.assertMayRun();
  const context = deps.contexts.forStep(contextId, language);
  if (ifContextEpoch !== undefined && ifContextEpoch !== context.contextEpoch) {
    throw new Problem('state-reset', { detail: `${contextId} is in epoch ${context.contextEpoch}` });
  }
  if (env && Object.keys(env).length > 0 && !isBuiltIn(context.options.language)) throw noStepEnvironment();
  if (expressions && context.options.language === 'bash') throw noExpressions();
  if (step.queue === 'reject' && context.busy) throw new Problem('context-busy', { detail: `${contextId} is busy` });
  if (context.full) throw new Problem('quota-exceeded', { detail: `the queue of ${contextId} is full` });
  const input = step.stdin ? new StepInput() : null;
  const calls = new StepCalls();
  const log = deps.memory.begin(stepId, { contextId, input, calls });
  context.run({
    stepId,
    code,
    comm,
    timeoutMs,
    env,
    ifContextEpoch,
    replay,
    onError,
    isSilent: silent,
    expressions,
    input,
    calls,
    log,
  });
  return log;
}

function noExpressions(): Problem {
  const detail = 'a shell has no expressions; run a command and read its output';
  return new Problem('unsupported-by-runtime', { detail, errors: [{ pointer: '/expressions', detail }] });
}

/** Jupyter's protocol has no variables for one step, and a kernel's own cannot be changed from outside. */
function noStepEnvironment(): Problem {
  const detail = 'a Jupyter kernel takes no variables for one step; set them for the context';
  return new Problem('unsupported-by-runtime', { detail, errors: [{ pointer: '/env', detail }] });
}
