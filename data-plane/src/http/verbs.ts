import type {
  Actor,
  ApiKey,
  Artifact,
  ArtifactRole,
  BackgroundPage,
  CodeAtCursor,
  Completions,
  Context,
  CreateApiKey,
  CreateContext,
  CreatedApiKey,
  CreateSession,
  Inspection,
  Job,
  Page,
  Readiness,
  RunJob,
  RunStep,
  Scope,
  Session,
  SessionContext,
  SessionStatus,
  Stdin,
  Step,
  UpdateSession,
} from '@holdfast/specs';
import type { FileVerbs } from './file-verbs.ts';

/** Who calls. `keyId` is null where no key was needed. */
export type Caller = { tenant: string; scopes: ReadonlySet<Scope>; keyId: string | null };

type OfCaller = { caller: Caller };
type OfSession = OfCaller & { sessionId: string };
type OfStep = OfSession & { stepId: string };
type OfContext = OfSession & { contextId: string };
type Once = { idempotencyKey?: string };
type OfArtifact = { sessionId: string; artifactId: string };
type JobFile = { sessionId: string; jobId: string; path: string; role?: ArtifactRole | undefined };
/** URLs are to be signed for so long. */
type Signed = { signedSeconds?: number | undefined };
type Paged = { limit: number; cursor?: string };

/** Who wants to read: a caller, or whoever has a signed URL, of which `expires` is in seconds since 1970. */
export type Access =
  | { caller: Caller }
  | { signature: { expires?: number | undefined; signature?: string | undefined } };

/** What the product does, as its routes call it. Refusals are thrown as `Problem`. */
export type Verbs = FileVerbs & {
  /** Null where no key was sent. */
  authenticate(key: string | null): Promise<Caller>;

  createSession(input: OfCaller & Once & { request: CreateSession }): Promise<Session>;
  getSession(input: OfCaller & { id: string }): Promise<Session>;
  listSessions(
    input: OfCaller & Paged & { statuses?: SessionStatus[]; metadata?: Record<string, string> },
  ): Promise<Page<Session>>;
  updateSession(input: OfCaller & { id: string; patch: UpdateSession }): Promise<Session>;
  endSession(input: OfCaller & { id: string; to: 'completed' | 'aborted' }): Promise<Session>;
  /** `ending` while the sandbox is not yet confirmed gone. */
  deleteSession(input: OfCaller & { id: string }): Promise<'gone' | 'ending'>;
  getSessionContext(input: OfSession): Promise<SessionContext>;

  runStep(input: OfSession & Once & { request: RunStep }): Promise<LiveStep>;
  /** In the session that the request names, or in one of the job's own. */
  runJob(input: OfCaller & Once & { request: RunJob }): Promise<LiveStep>;
  /** Of one that has ended; `signedSeconds` is for how long its URLs need no key. */
  viewJob(input: { step: Step; inline: boolean; signedSeconds?: number | undefined }): Promise<Job>;
  getStep(input: OfStep): Promise<Step>;
  listSteps(input: OfSession & Paged): Promise<Page<Step>>;
  /** Also of finished steps. */
  followStep(input: OfStep): Promise<LiveStep>;
  interruptStep(input: OfStep): Promise<Step>;
  /** The step as it is where it waits for something now, else null. */
  stepInNeed(live: LiveStep): Promise<Step | null>;
  sendStdin(input: OfStep & { input: Stdin }): Promise<void>;
  /** Resolves once all was given to `onChunk`; where that returns a promise, the rest waits for it. */
  readOutput(input: OfStep & { stream: 'stdout' | 'stderr' } & ByteSink): Promise<void>;

  listArtifacts(input: OfSession & Paged & Signed & { stepId?: string | undefined }): Promise<Page<Artifact>>;
  getArtifact(input: OfArtifact & OfCaller & Signed): Promise<Artifact>;
  openArtifact(input: OfArtifact & { access: Access }): Promise<OpenArtifact>;
  openJobFile(input: JobFile & { access: Access }): Promise<OpenArtifact>;

  createContext(input: OfSession & Once & { request: CreateContext }): Promise<Context>;
  listContexts(input: OfSession): Promise<Page<Context>>;
  deleteContext(input: OfContext): Promise<void>;
  restartContext(input: OfContext): Promise<Context>;
  completeCode(input: OfContext & { at: CodeAtCursor }): Promise<Completions>;
  inspectCode(input: OfContext & { at: CodeAtCursor }): Promise<Inspection>;
  listBackground(input: OfContext & { after: number }): Promise<BackgroundPage>;

  createApiKey(input: OfCaller & Once & { request: CreateApiKey }): Promise<CreatedApiKey>;
  listApiKeys(input: OfCaller & Paged): Promise<Page<ApiKey>>;
  revokeApiKey(input: OfCaller & { id: string }): Promise<void>;

  readiness(): Promise<Readiness>;
};

/** A content as it was kept; `path` is relative to the workspace. */
export type OpenArtifact = {
  path: string;
  mimeType: string;
  /** Hex. */
  sha256: string;
  size: number;
  /** The bytes from `start` to before `end`. */
  read(range: { start: number; end: number }): AsyncIterable<Uint8Array>;
};

/** Where bytes go to, until `signal` says that nobody wants them any more. */
export type ByteSink = {
  /** Comes first; what is not whole is the beginning of it. */
  onStart(file: { isWhole: boolean }): void;
  onChunk(chunk: Uint8Array): undefined | Promise<unknown>;
  signal: AbortSignal;
};

/** A step that runs or has run, seen as a log of frames. */
export type LiveStep = {
  readonly id: string;
  readonly sessionId: string;
  readonly contextId: string | null;
  readonly actor: Actor;
  readonly queuedAt: Date;
  /** Whole frames that may be shown, in order; `done` is not among them. */
  readonly frames: readonly Buffer[];
  /** The step once its end is recorded, until then null. Set once, after the last frame. */
  readonly finished: Step | null;
  /** The last frame that asked for input, whether or not it was answered. */
  readonly inputRequest: Buffer | null;
  /** Calls back after frames were added or `finished` was set; gives back the end of the subscription. */
  subscribe(onChange: () => void): () => void;
  /** The client went away. */
  disconnected(): void;
  /** The client got its answer before the end. */
  answered(): void;
};
