import type { Config } from '../config/parse-config.ts';
import type { Verbs } from '../http/v1/verbs.ts';
import { answerOperation } from '../policy/operations/answer-operation.ts';
import { createStepOperations } from '../policy/operations/create-step-operations.ts';
import { createHostCalls } from '../policy/operations/host-calls.ts';
import { listOperations } from '../policy/operations/list-operations.ts';
import { createCallLog } from '../policy/operations/own/create-call-log.ts';
import { memoryOperations } from '../policy/operations/own/memory-operations.ts';
import { sessionOperations } from '../policy/operations/own/session-operations.ts';
import { stepOperations } from '../policy/operations/own/step-operations.ts';
import { worldOperations } from '../policy/operations/own/world-operations.ts';
import { followStep } from '../steps/follow-step.ts';
import { interruptStep } from '../steps/interrupt-step.ts';
import { type RunStepDependencies, runStep } from '../steps/run-step.ts';
import { createKeyedLocks } from '../timing/keyed-locks.ts';
import type { Core } from './compose-core.ts';

type OperationsInput = {
  config: Config;
  core: Core;
  hint(sessionId: string): void;
  /** Runs the steps that other steps run. It is composed after this, since it needs this. */
  running: () => RunStepDependencies & Parameters<typeof interruptStep>[0];
};

/** The operations that the code of steps calls, and the verbs of the host that answers some of them. */
export function composeOperations({ config, core, hint, running }: OperationsInput) {
  const { db } = core;
  const hostCalls = createHostCalls(core);
  const own = {
    ...worldOperations({ ...core, reading: createKeyedLocks() }),
    ...memoryOperations(core),
    ...sessionOperations({ ...core, hint }),
    ...stepOperations({
      db,
      runStep: (input) => runStep(running(), input),
      followStep: (input) => followStep(core, input),
      interruptStep: (input) => interruptStep(running(), input),
    }),
  };
  const ofSteps = createStepOperations({
    ...core,
    hostCalls,
    own,
    callLog: createCallLog(core),
    hostSeconds: config.steps.operationSeconds,
  });
  const verbs = {
    listOperations: (input) => listOperations(core, input),
    answerOperation: (input) => answerOperation({ ...core, hostCalls }, input),
  } satisfies Partial<Verbs>;
  return { ofSteps, verbs };
}
