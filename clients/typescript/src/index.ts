/// <reference lib="esnext.disposable" preserve="true" />

export type { Contexts } from './contexts/contexts.ts';
export type { FileContent, Files, WriteOptions } from './files/files.ts';
export type * from './generated/api.ts';
export type { Process as ProcessRecord, Session as SessionRecord } from './generated/api.ts';
export { Holdfast, type HoldfastOptions } from './holdfast.ts';
export type { Api, CallOptions } from './http/create-api.ts';
export { type ErrorCode, HoldfastError } from './http/holdfast-error.ts';
export type { WebSocketConstructor } from './http/open-socket.ts';
export type { JobOptions, Jobs } from './jobs/jobs.ts';
export type { RunJobOptions } from './jobs/run-job.ts';
export type { ProcessChannel } from './processes/channel.ts';
export type { Signal } from './processes/channel-messages.ts';
export type { ChannelOutput } from './processes/channel-queue.ts';
export type { OpenOptions, Ports } from './processes/ports.ts';
export { type ChannelOptions, Process, type ProcessOutput } from './processes/process.ts';
export type { Processes, StartOptions, TerminalOptions } from './processes/processes.ts';
export {
  type AnswerOptions,
  type OperationAnswering,
  type OperationCall,
  OperationError,
  type OperationFunction,
} from './sessions/answer-operations.ts';
export type { FollowOptions } from './sessions/follow-session.ts';
export type { FinishedStep, InputRequest, RunOptions } from './sessions/run-step.ts';
export { Session } from './sessions/session.ts';
export type { CreateOptions, ListOptions, Sessions } from './sessions/sessions.ts';
export type { Steps } from './sessions/steps.ts';
export type { Snapshots } from './snapshots/snapshots.ts';
export type { Artifacts } from './world/artifacts.ts';
export type { DecideOptions, Proposals } from './world/proposals.ts';
