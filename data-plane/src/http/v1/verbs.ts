import type { Readiness } from '@holdfast/specs/public';
import type { createApiKey } from '../../access/create-api-key.ts';
import type { listApiKeys } from '../../access/list-api-keys.ts';
import type { revokeApiKey } from '../../access/revoke-api-key.ts';
import type { getArtifact } from '../../artifacts/get-artifact.ts';
import type { listArtifacts } from '../../artifacts/list-artifacts.ts';
import type { openArtifact } from '../../artifacts/open-artifact.ts';
import type { completeCode, inspectCode, parseCode } from '../../contexts/code-help.ts';
import type { createContext } from '../../contexts/create-context.ts';
import type { deleteContext } from '../../contexts/delete-context.ts';
import type { getSessionContext } from '../../contexts/get-session-context.ts';
import type { listBackground } from '../../contexts/list-background.ts';
import type { listContexts } from '../../contexts/list-contexts.ts';
import type { restartContext } from '../../contexts/restart-context.ts';
import type { exportContext } from '../../export/export-context.ts';
import type { deleteFile } from '../../files/delete-file.ts';
import type { createFileLink, openFileLink } from '../../files/file-links.ts';
import type { listFiles } from '../../files/list-files.ts';
import type { makeDirectory } from '../../files/make-directory.ts';
import type { moveFile } from '../../files/move-file.ts';
import type { putArchive } from '../../files/put-archive.ts';
import type { putFile } from '../../files/put-file.ts';
import type { readArchive } from '../../files/read-archive.ts';
import type { readFile } from '../../files/read-file.ts';
import type { statFile } from '../../files/stat-file.ts';
import type { watchFiles } from '../../files/watch-files.ts';
import type { openJobFile } from '../../jobs/open-job-file.ts';
import type { runJob } from '../../jobs/run-job.ts';
import type { signJobUrls } from '../../jobs/sign-job-urls.ts';
import type { listProfileLanguages } from '../../languages/list-profile-languages.ts';
import type { listSessionLanguages } from '../../languages/list-session-languages.ts';
import type { cancelCall, listCancelledCalls } from '../../mcp-sessions/cancel-call.ts';
import type { chooseSession } from '../../mcp-sessions/choose-session.ts';
import type { closeMcpSession } from '../../mcp-sessions/close-mcp-session.ts';
import type { openMcpSession } from '../../mcp-sessions/open-mcp-session.ts';
import type { useMcpSession } from '../../mcp-sessions/use-mcp-session.ts';
import type { answerOperation } from '../../policy/operations/answer-operation.ts';
import type { listOperations } from '../../policy/operations/list-operations.ts';
import type { listPorts } from '../../ports/list-ports.ts';
import type { openPort } from '../../ports/open-port.ts';
import type { revokePort } from '../../ports/revoke-port.ts';
import type { getProcess } from '../../processes/get-process.ts';
import type { listProcesses } from '../../processes/list-processes.ts';
import type { followLog } from '../../processes/log/follow-log.ts';
import type { openChannel } from '../../processes/log/open-channel.ts';
import type { readProcessOutput } from '../../processes/read-process-output.ts';
import type { resizeTerminal } from '../../processes/resize-terminal.ts';
import type { sendProcessBytes, sendProcessInput } from '../../processes/send-process-input.ts';
import type { signalProcess } from '../../processes/signal-process.ts';
import type { startProcess } from '../../processes/start-process.ts';
import type { listAudit, listTenantAudit, readAuditStatistics } from '../../sessions/audit/list-audit.ts';
import type { createSession } from '../../sessions/create/create-session.ts';
import type { deleteSession } from '../../sessions/delete-session.ts';
import type { endSession } from '../../sessions/end-session.ts';
import type { forkSession } from '../../sessions/fork/fork-session.ts';
import type { getSession } from '../../sessions/get-session.ts';
import type { listSessions } from '../../sessions/list-sessions.ts';
import type { moveSession } from '../../sessions/pause/move-session.ts';
import type { pauseSession } from '../../sessions/pause/pause-session.ts';
import type { resumePausedSession } from '../../sessions/pause/resume-paused-session.ts';
import type { updateSession } from '../../sessions/policy/update-session.ts';
import type { recoverSession } from '../../sessions/recover/recover-session.ts';
import type { readUsage } from '../../sessions/usage/read-usage.ts';
import type { reportUsage } from '../../sessions/usage/report-usage.ts';
import type { createShare } from '../../sharing/create-share.ts';
import type { followSession } from '../../sharing/follow-session.ts';
import type { listShares } from '../../sharing/list-shares.ts';
import type { revokeShare } from '../../sharing/revoke-share.ts';
import type { createSnapshot } from '../../snapshots/create-snapshot.ts';
import type { deleteSnapshot } from '../../snapshots/delete-snapshot.ts';
import type { listSnapshots } from '../../snapshots/list-snapshots.ts';
import type { deleteNamedSnapshot } from '../../snapshots/named/delete-named-snapshot.ts';
import type { getNamedSnapshot } from '../../snapshots/named/find-named-snapshot.ts';
import type { listNamedSnapshots } from '../../snapshots/named/list-named-snapshots.ts';
import type { nameSnapshot } from '../../snapshots/named/name-snapshot.ts';
import type { restoreSnapshot } from '../../snapshots/restore-snapshot.ts';
import type { getNamedTransfer, getTransfer } from '../../snapshots/transfer/get-transfer.ts';
import type { putTransfer } from '../../snapshots/transfer/put-transfer.ts';
import type { followStep } from '../../steps/follow-step.ts';
import type { findWaitingStep, getStep } from '../../steps/get-step.ts';
import type { interruptStep } from '../../steps/interrupt-step.ts';
import type { listSteps } from '../../steps/list-steps.ts';
import type { readOutput } from '../../steps/read-output.ts';
import type { runStep } from '../../steps/run-step.ts';
import type { sendComm } from '../../steps/send-comm.ts';
import type { sendStdin } from '../../steps/send-stdin.ts';
import type { listDeliveries } from '../../webhooks/list-deliveries.ts';
import type { commitProposal } from '../../world/proposals/commit-proposal.ts';
import type { getProposal, listProposals } from '../../world/proposals/list-proposals.ts';
import type { rejectProposal } from '../../world/proposals/reject-changes.ts';
import type { Edge } from '../edge/edge.ts';

/** A function of the domain whose dependencies are given: `fn(deps, input)` becomes `fn(input)`. */
type Verb<Fn extends (deps: never, input: never) => unknown> = (input: Parameters<Fn>[1]) => ReturnType<Fn>;

/** The verbs of the product, as its HTTP surfaces call them. They refuse by throwing a `Problem`. */
export type Verbs = {
  authenticate: Edge['authenticate'];

  createSession: Verb<typeof createSession>;
  getSession: Verb<typeof getSession>;
  listSessions: Verb<typeof listSessions>;
  updateSession: Verb<typeof updateSession>;
  reportUsage: Verb<typeof reportUsage>;
  endSession: Verb<typeof endSession>;
  deleteSession: Verb<typeof deleteSession>;
  exportContext: Verb<typeof exportContext>;
  forkSession: Verb<typeof forkSession>;
  recoverSession: Verb<typeof recoverSession>;
  moveSession: Verb<typeof moveSession>;
  pauseSession: Verb<typeof pauseSession>;
  resumeSession: Verb<typeof resumePausedSession>;
  createSnapshot: Verb<typeof createSnapshot>;
  listSnapshots: Verb<typeof listSnapshots>;
  deleteSnapshot: Verb<typeof deleteSnapshot>;
  nameSnapshot: Verb<typeof nameSnapshot>;
  getNamedSnapshot: Verb<typeof getNamedSnapshot>;
  listNamedSnapshots: Verb<typeof listNamedSnapshots>;
  deleteNamedSnapshot: Verb<typeof deleteNamedSnapshot>;
  getTransfer: Verb<typeof getTransfer>;
  getNamedTransfer: Verb<typeof getNamedTransfer>;
  putTransfer: Verb<typeof putTransfer>;
  restoreSnapshot: Verb<typeof restoreSnapshot>;
  getSessionContext: Verb<typeof getSessionContext>;

  runStep: Verb<typeof runStep>;
  getStep: Verb<typeof getStep>;
  listSteps: Verb<typeof listSteps>;
  followStep: Verb<typeof followStep>;
  followSession: Verb<typeof followSession>;
  interruptStep: Verb<typeof interruptStep>;
  findWaitingStep: Verb<typeof findWaitingStep>;
  sendComm: Verb<typeof sendComm>;
  sendStdin: Verb<typeof sendStdin>;
  readOutput: Verb<typeof readOutput>;

  listOperations: Verb<typeof listOperations>;
  answerOperation: Verb<typeof answerOperation>;

  runJob: Verb<typeof runJob>;
  signJobUrls: Verb<typeof signJobUrls>;
  openJobFile: Verb<typeof openJobFile>;

  listDeliveries: Verb<typeof listDeliveries>;
  readUsage: Verb<typeof readUsage>;
  startProcess: Verb<typeof startProcess>;
  getProcess: Verb<typeof getProcess>;
  listProcesses: Verb<typeof listProcesses>;
  followProcess: Verb<typeof followLog>;
  readProcessOutput: Verb<typeof readProcessOutput>;
  sendProcessInput: Verb<typeof sendProcessInput>;
  sendProcessBytes: Verb<typeof sendProcessBytes>;
  openChannel: Verb<typeof openChannel>;
  signalProcess: Verb<typeof signalProcess>;
  resizeTerminal: Verb<typeof resizeTerminal>;

  listFiles: Verb<typeof listFiles>;
  readFile: Verb<typeof readFile>;
  statFile: Verb<typeof statFile>;
  watchFiles: Verb<typeof watchFiles>;
  putFile: Verb<typeof putFile>;
  deleteFile: Verb<typeof deleteFile>;
  moveFile: Verb<typeof moveFile>;
  makeDirectory: Verb<typeof makeDirectory>;
  createFileLink: Verb<typeof createFileLink>;
  openFileLink: Verb<typeof openFileLink>;
  readArchive: Verb<typeof readArchive>;
  putArchive: Verb<typeof putArchive>;

  listArtifacts: Verb<typeof listArtifacts>;
  getArtifact: Verb<typeof getArtifact>;
  openArtifact: Verb<typeof openArtifact>;

  listProposals: Verb<typeof listProposals>;
  getProposal: Verb<typeof getProposal>;
  commitProposal: Verb<typeof commitProposal>;
  rejectProposal: Verb<typeof rejectProposal>;

  createContext: Verb<typeof createContext>;
  listContexts: Verb<typeof listContexts>;
  deleteContext: Verb<typeof deleteContext>;
  restartContext: Verb<typeof restartContext>;
  completeCode: Verb<typeof completeCode>;
  inspectCode: Verb<typeof inspectCode>;
  parseCode: Verb<typeof parseCode>;
  listBackground: Verb<typeof listBackground>;

  listProfileLanguages: Verb<typeof listProfileLanguages>;
  listSessionLanguages: Verb<typeof listSessionLanguages>;

  listAudit: Verb<typeof listAudit>;
  listTenantAudit: Verb<typeof listTenantAudit>;
  readAuditStatistics: Verb<typeof readAuditStatistics>;

  createApiKey: Verb<typeof createApiKey>;
  listApiKeys: Verb<typeof listApiKeys>;
  revokeApiKey: Verb<typeof revokeApiKey>;

  openPort: Verb<typeof openPort>;
  listPorts: Verb<typeof listPorts>;
  revokePort: Verb<typeof revokePort>;

  createShare: Verb<typeof createShare>;
  listShares: Verb<typeof listShares>;
  revokeShare: Verb<typeof revokeShare>;

  openMcpSession: Verb<typeof openMcpSession>;
  useMcpSession: Verb<typeof useMcpSession>;
  chooseSession: Verb<typeof chooseSession>;
  cancelCall: Verb<typeof cancelCall>;
  listCancelledCalls: Verb<typeof listCancelledCalls>;
  closeMcpSession: Verb<typeof closeMcpSession>;

  readiness(): Promise<Readiness>;
};

/** Everything that the operations of this surface need. */
export type V1 = Edge & { verbs: Verbs };
