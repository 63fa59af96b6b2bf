import { type Contexts, createContexts } from '../contexts/contexts.ts';
import { createFiles, type Files } from '../files/files.ts';
import type {
  Fork,
  PausedSession,
  Recover,
  ReportedUsage,
  SessionContext,
  SessionEvent,
  Session as SessionRecord,
  SessionUsage,
  StepEvent,
  UpdateSession,
  Usage,
} from '../generated/api.ts';
import { answerOf, type CallOptions, type Connection } from '../http/create-api.ts';
import { isRefusal } from '../http/holdfast-error.ts';
import { createJobs, type Jobs } from '../jobs/jobs.ts';
import type { ProcessChannel } from '../processes/channel.ts';
import { createPorts, type Ports } from '../processes/ports.ts';
import { createProcesses, type Processes, type TerminalOptions } from '../processes/processes.ts';
import { createSnapshots, type Snapshots } from '../snapshots/snapshots.ts';
import { type Artifacts, createArtifacts } from '../world/artifacts.ts';
import { createProposals, type Proposals } from '../world/proposals.ts';
import {
  type AnswerOptions,
  createOperationAnswers,
  type OperationAnswering,
  type OperationFunction,
} from './answer-operations.ts';
import { type FollowOptions, followSession } from './follow-session.ts';
import { type FinishedStep, type RunOptions, runStep, type StepTarget } from './run-step.ts';
import { createSteps, type Steps } from './steps.ts';
import { streamStep } from './stream-step.ts';

/**
 * A session: live interpreters that keep their state from step to step. `await using` completes one that `create` or `fork` has made, at the
 * end of the block; its history stays readable. Any other was there before, and goes on.
 */
export class Session {
  /** The session as it was when this client last heard of it. */
  record: SessionRecord;
  readonly steps: Steps;
  readonly contexts: Contexts;
  readonly files: Files;
  readonly processes: Processes;
  readonly ports: Ports;
  readonly jobs: Jobs;
  readonly artifacts: Artifacts;
  readonly proposals: Proposals;
  readonly snapshots: Snapshots;
  readonly #target: StepTarget;
  readonly #isNew: boolean;

  constructor(connection: Connection, record: SessionRecord, { isNew = false }: { isNew?: boolean } = {}) {
    const sessionId = record.id;
    this.record = record;
    this.#isNew = isNew;
    this.#target = { connection, sessionId, operations: createOperationAnswers(connection, sessionId) };
    this.steps = createSteps(this.#target);
    this.files = createFiles(connection, sessionId);
    this.contexts = createContexts(connection, sessionId);
    this.processes = createProcesses(connection, sessionId);
    this.ports = createPorts(connection, sessionId);
    this.jobs = createJobs(connection, sessionId);
    this.artifacts = createArtifacts(connection, sessionId);
    this.proposals = createProposals(connection, sessionId);
    this.snapshots = createSnapshots(connection, sessionId);
  }

  /** Names the session in the API: `ses_…`. */
  get id(): string {
    return this.record.id;
  }

  /** The status when this client last heard of the session. */
  get status(): SessionRecord['status'] {
    return this.record.status;
  }

  get #api() {
    return this.#target.connection.api;
  }

  get #params() {
    return { path: { sessionId: this.id } };
  }

  /**
   * Runs code and waits for its end. The answer has the output, the results, and `text`, the main result as text. Code that raises is an answer
   * with the status `failed` and an `error`.
   * @example
   * const { text } = await session.run('x + 1', { timeoutSeconds: 10 });
   */
  async run(code: string, options?: RunOptions): Promise<FinishedStep> {
    return await runStep(this.#target, code, options);
  }

  /**
   * Runs code and gives its events as they happen. The last one is `finished`. Connections that break are taken up again.
   * @example
   * for await (const event of session.stream('for i in range(3): print(i)')) {
   *   if (event.type === 'stdout') console.log(event.text);
   * }
   */
  stream(code: string, options?: RunOptions): AsyncGenerator<StepEvent, void, undefined> {
    return streamStep(this.#target, code, options);
  }

  /** Everything that happens in the session, by all actors. */
  events(options?: FollowOptions): AsyncGenerator<SessionEvent, void, undefined> {
    return followSession(this.#target.connection, this.id, options);
  }

  /**
   * Starts bash, or the command that you name, in a terminal, and connects with it. `await using` kills it at the end of the block.
   * @example
   * await using terminal = await session.terminal({ columns: 120, rows: 40 });
   * await terminal.write('ls\n');
   */
  async terminal(options: TerminalOptions = {}): Promise<ProcessChannel> {
    const process = await this.processes.terminal(options);
    return process.channel({ endsProcess: true, signal: options.signal });
  }

  /**
   * Answers an operation that code calls, until it is stopped or the session has ended. Needs a key with the scope `host`.
   * @example
   * session.onOperation('llm.complete', async ([prompt]) => await model.complete(prompt));
   */
  onOperation(name: string, answer: OperationFunction, options?: AnswerOptions): OperationAnswering {
    return this.#target.operations.on(name, answer, options);
  }

  /** Reads the session as it is now. */
  async refresh({ signal }: CallOptions = {}): Promise<this> {
    const call = this.#api.GET('/v1/sessions/{sessionId}', { params: this.#params, ...(signal && { signal }) });
    return await this.#became(call);
  }

  /** Changes metadata as a merge patch, timeouts, policy, budget or webhooks. */
  async update(changes: UpdateSession, { signal }: CallOptions = {}): Promise<this> {
    const params = this.#params;
    const call = this.#api.PATCH('/v1/sessions/{sessionId}', { params, body: changes, ...(signal && { signal }) });
    return await this.#became(call);
  }

  /** Ends the session; its history stays readable. */
  async complete({ signal }: CallOptions = {}): Promise<this> {
    const call = this.#api.POST('/v1/sessions/{sessionId}/complete', {
      params: this.#params,
      ...(signal && { signal }),
    });
    return await this.#became(call);
  }

  /** Ends the session as one that failed its purpose. */
  async abort({ signal }: CallOptions = {}): Promise<this> {
    const call = this.#api.POST('/v1/sessions/{sessionId}/abort', { params: this.#params, ...(signal && { signal }) });
    return await this.#became(call);
  }

  /** Deletes the session with its history and files. */
  async delete({ signal }: CallOptions = {}): Promise<void> {
    await this.#api.DELETE('/v1/sessions/{sessionId}', { params: this.#params, ...(signal && { signal }) });
  }

  /**
   * Saves files and state and removes the sandbox, until `resume`.
   * @throws HoldfastError `state-not-saved` if something cannot be saved, unless `force` is true
   */
  async pause({ force, signal }: CallOptions & { force?: boolean } = {}): Promise<PausedSession['notSaved']> {
    const body = force ? { force } : {};
    const call = this.#api.POST('/v1/sessions/{sessionId}/pause', {
      params: this.#params,
      body,
      ...(signal && { signal }),
    });
    const { notSaved, ...record } = await answerOf(call);
    this.record = record;
    return notSaved;
  }

  /** Gives a paused session a sandbox with its files and state. */
  async resume({ signal }: CallOptions = {}): Promise<this> {
    const call = this.#api.POST('/v1/sessions/{sessionId}/resume', { params: this.#params, ...(signal && { signal }) });
    return await this.#became(call);
  }

  /** Gives a session that lost its sandbox another one; `lastRecovery` of its record says what came back. */
  async recover({ strategy, signal }: CallOptions & Recover = {}): Promise<this> {
    const body = strategy ? { strategy } : {};
    const call = this.#api.POST('/v1/sessions/{sessionId}/recover', {
      params: this.#params,
      body,
      ...(signal && { signal }),
    });
    return await this.#became(call);
  }

  /** Starts sessions with all contexts and files of this one. */
  async fork({ signal, ...body }: Fork & CallOptions = {}): Promise<Session[]> {
    const call = this.#api.POST('/v1/sessions/{sessionId}/fork', {
      params: this.#params,
      body,
      ...(signal && { signal }),
    });
    return (await answerOf(call)).items.map((record) => new Session(this.#target.connection, record, { isNew: true }));
  }

  /** The history of a context as a notebook, as a script, or as JSON for `fromExport`. */
  async export(
    format: 'ipynb' | 'script' | 'json' = 'ipynb',
    { contextId, signal }: CallOptions & { contextId?: string } = {},
  ): Promise<string> {
    const { data } = await this.#api.GET('/v1/sessions/{sessionId}/export', {
      params: { ...this.#params, query: { format, ...(contextId && { contextId }) } },
      parseAs: 'text',
      ...(signal && { signal }),
    });
    return data as string;
  }

  /** The code of each context so far, and the names that it defined. */
  async context({ signal }: CallOptions = {}): Promise<SessionContext> {
    return await answerOf(
      this.#api.GET('/v1/sessions/{sessionId}/context', { params: this.#params, ...(signal && { signal }) }),
    );
  }

  /** The resources that the session takes. Its budget is in its record. */
  async usage({ signal }: CallOptions = {}): Promise<SessionUsage> {
    return await answerOf(
      this.#api.GET('/v1/sessions/{sessionId}/usage', { params: this.#params, ...(signal && { signal }) }),
    );
  }

  /** Charges the session's budget with tokens and cost of the host's own. Needs a key with the scope `host`. */
  async reportUsage(usage: Usage, { signal }: CallOptions = {}): Promise<ReportedUsage['budgetRemaining']> {
    const params = this.#params;
    const call = this.#api.POST('/v1/sessions/{sessionId}/usage', { params, body: usage, ...(signal && { signal }) });
    return (await answerOf(call)).budgetRemaining;
  }

  async #became(call: Promise<{ data?: SessionRecord }>): Promise<this> {
    this.record = await answerOf(call);
    return this;
  }

  /** Completes the session if this program has made it, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.#isNew) return;
    await this.complete().catch((error) => {
      if (!isRefusal(error, 'session-ended') && !isRefusal(error, 'not-found')) throw error;
    });
  }
}
