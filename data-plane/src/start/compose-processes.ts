import type { Config } from '../config/parse-config.ts';
import type { Verbs } from '../http/v1/verbs.ts';
import { getProcess } from '../processes/get-process.ts';
import { listProcesses } from '../processes/list-processes.ts';
import { followLog } from '../processes/log/follow-log.ts';
import { openChannel } from '../processes/log/open-channel.ts';
import { readProcessOutput } from '../processes/read-process-output.ts';
import { resizeTerminal } from '../processes/resize-terminal.ts';
import { sendProcessBytes, sendProcessInput } from '../processes/send-process-input.ts';
import { signalProcess } from '../processes/signal-process.ts';
import { startProcess } from '../processes/start-process.ts';
import { type Condemnation, condemnSandbox } from '../sessions/condemn-sandbox.ts';
import type { Route } from '../sessions/sandbox-routes.ts';
import type { Core } from './compose-core.ts';
import type { Reconciling } from './compose-reconciling.ts';

/** The verbs of processes, and what follows one to its end, here or after a hand-over. */
export function composeProcesses(config: Config, core: Core, { losing }: Reconciling) {
  const following = {
    ...losing,
    onRecorded: core.watches.hint,
    graceMs: config.steps.graceSeconds * 1000,
    processesMax: config.sessions.processesMax,
    condemn: (route: Route, because: Condemnation['because']) => condemnSandbox(losing, { route, because }),
  };
  const verbs = {
    startProcess: (input) => startProcess(following, input),
    getProcess: (input) => getProcess(core, input),
    listProcesses: (input) => listProcesses(core, input),
    followProcess: (input) => followLog(following, input),
    readProcessOutput: (input) => readProcessOutput(following, input),
    sendProcessInput: (input) => sendProcessInput(following, input),
    sendProcessBytes: (input) => sendProcessBytes(following, input),
    openChannel: (input) => openChannel(following, input),
    signalProcess: (input) => signalProcess(following, input),
    resizeTerminal: (input) => resizeTerminal(following, input),
  } satisfies Partial<Verbs>;
  return { following, verbs };
}
