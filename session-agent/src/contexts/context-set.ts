import type { AgentPolicy, RecoverContext, RecoveredContext } from '@holdfast/specs/agent';
import {
  type Cause,
  type ContextLimits,
  isBuiltIn,
  type Language,
  languageSchema,
  Problem,
} from '@holdfast/specs/public';
import type { StepWatch } from '../files/scan/workspace-watch.ts';
import type { StartKernel } from '../kernel-process/kernel.ts';
import { storeArchive } from '../state/store-archive.ts';
import type { ArchiveFile } from '../state/take-archive.ts';
import type { OutputFiles } from '../steps/output-files.ts';
import { Context } from './context.ts';
import { resolveCwd } from './resolve-cwd.ts';
import type { StepLimits } from './run-step.ts';
import { SessionRules } from './session-rules.ts';

const contextsMax = 64;

type ContextRequest = {
  contextId: string;
  language: Language;
  cwd?: string | undefined;
  env?: Record<string, string>;
  limits?: ContextLimits | undefined;
};

/** `by`: the name of the recovery, which its archive has as well. */
type Recovery = ContextRequest & { by: string } & Pick<
    RecoverContext,
    'hasArchive' | 'steps' | 'timeoutMs' | 'lostReason'
  >;

type Dependencies = {
  startKernel: StartKernel;
  /** The installed languages. */
  listLanguages: () => readonly Language[];
  limits: StepLimits;
  files: Pick<OutputFiles, 'begin'>;
  watch: StepWatch;
  workspace: string;
  tmp: string;
  /** Called once no kernel may start. */
  onFenced: () => void;
  /** Called when the policy forbids code to start programs. */
  onConfining: () => void;
};

/** The contexts of the session. The default context of a language has the language's name as its id and is created on first use. */
export class ContextSet {
  /** The variables of each kernel that starts from now on. */
  env: Record<string, string> = {};
  /** The contextEpoch of the first kernel of each context that is created from now on. */
  firstContextEpoch = 1;
  /** Whether contexts that are created from now on get their state back when their kernel is lost. */
  keepsState = false;
  readonly rules: SessionRules;
  /** Whether the state is saved once more after the fence. */
  isToBeSaved = false;
  /** Set once no step and no kernel may start. */
  fenced = false;
  #deps: Dependencies;
  #contexts = new Map<string, Context>();
  #deleted = new Set<string>();
  #archives = new Map<string, { by: string; archive: ArchiveFile }>();
  #hold = { by: '', untilMs: 0 };

  constructor(deps: Dependencies) {
    this.#deps = deps;
    this.rules = new SessionRules(deps);
  }

  list(): Context[] {
    return [...this.#contexts.values()];
  }

  /** @throws Problem `not-found` or `context-deleted` */
  get(contextId: string): Context {
    const context = this.#contexts.get(contextId);
    if (context) return context;
    if (this.#deleted.has(contextId)) throw new Problem('context-deleted', { detail: `${contextId} was deleted` });
    throw new Problem('not-found', { detail: `the context ${contextId} does not exist` });
  }

  /**
   * The context for a step. Creates a default context on first use.
   * @throws Problem as `get` and `create` do, `policy-denied`, and `invalid-request` if the context has another language
   */
  forStep(contextId: string, language: Language | undefined): Context {
    const context = this.#contexts.get(contextId) ?? this.#firstUse(contextId, language);
    this.rules.assertLanguage(context.options.language);
    if (language !== undefined && language !== context.options.language) {
      throw wrongLanguage(contextId, context.options.language);
    }
    return context;
  }

  /**
   * Creates a context and starts its kernel. A repeated request returns the existing context.
   * @throws Problem `invalid-request`, `context-deleted`, `session-ended`, `quota-exceeded` beyond 64 contexts, `policy-denied`, or
   * `unsupported-by-runtime` if no Jupyter kernel has this name
   */
  create({ contextId, language, cwd = '.', env = {}, limits }: ContextRequest): Context {
    this.assertOpen();
    const named = languageSchema.safeParse(contextId).data;
    if (named !== undefined && named !== language) throw wrongLanguage(contextId, named);
    const existing = this.#contexts.get(contextId);
    if (existing || this.#deleted.has(contextId)) return this.forStep(contextId, language);
    if (this.#contexts.size >= contextsMax) throw tooMany();
    this.rules.assertLanguage(language);
    this.#assertInstalled(language);
    const directory = resolveCwd(this.#deps.workspace, cwd);
    const { firstContextEpoch, keepsState } = this;
    const own = { env: { ...this.env, ...env }, limits, firstContextEpoch, keepsState, rules: this.rules };
    const options = { id: contextId, language, ...directory, ...own };
    const context = new Context(this.#deps, options);
    this.#contexts.set(contextId, context);
    context.prestart();
    return context;
  }

  /** Keeps an archive for the recovery of a context that may not exist yet. */
  async putArchive(contextId: string, { by, body }: { by: string; body: AsyncIterable<Uint8Array> }): Promise<void> {
    if (this.#archives.size >= contextsMax && !this.#archives.has(contextId)) throw tooMany();
    const archive = await storeArchive(this.#deps.tmp, body);
    await this.#removeArchive(contextId);
    this.#archives.set(contextId, { by, archive });
  }

  /**
   * Gives a context the state of its archive and of the steps after that. Creates the context if it does not exist.
   * @throws Problem as `create` does, `session-paused` while held, `context-busy` or `sandbox-failed`
   */
  async recover({ by, hasArchive, steps, timeoutMs, lostReason, ...wanted }: Recovery): Promise<RecoveredContext> {
    const { contextId } = wanted;
    this.assertMayRun();
    const archive = hasArchive ? this.#takeArchive(contextId, by) : null;
    try {
      if (archive && archive.language !== wanted.language) {
        throw new Problem('invalid-request', { detail: `the archive has the state of a ${archive.language} context` });
      }
      return await this.create(wanted).recover({ archive, steps, timeoutMs, lostReason });
    } catch (error) {
      if (archive) await this.#returnArchive(contextId, { by, archive });
      throw error;
    }
  }

  /** From then on the archive is this recovery's own: the upload for another one neither removes nor replaces it. */
  #takeArchive(contextId: string, by: string): ArchiveFile {
    const uploaded = this.#archives.get(contextId);
    if (uploaded?.by !== by)
      throw new Problem('context-busy', { detail: 'another recovery of this context has begun' });
    this.#archives.delete(contextId);
    return uploaded.archive;
  }

  /** It was not loaded, and stays for the next try unless another one has come. */
  async #returnArchive(contextId: string, uploaded: { by: string; archive: ArchiveFile }): Promise<void> {
    if (this.fenced || this.#archives.has(contextId)) await uploaded.archive.remove();
    else this.#archives.set(contextId, uploaded);
  }

  /** @throws Problem `not-found` if it never existed */
  async delete(contextId: string): Promise<void> {
    if (this.#deleted.has(contextId)) return;
    const context = this.get(contextId);
    this.#deleted.add(contextId);
    this.#contexts.delete(contextId);
    await Promise.all([context.end({ code: 'context_deleted' }), this.#removeArchive(contextId)]);
  }

  /** Resolves when the policy holds for each kernel that does not run a step; for the others it holds before their next step. */
  async follow(policy: AgentPolicy): Promise<void> {
    this.rules.follow(policy);
    if (this.rules.isConfining) await Promise.all(this.list().map((context) => context.confine()));
  }

  /** From now on nothing starts. Interrupts all steps and resolves when they have ended. May be repeated. */
  async fence(): Promise<void> {
    this.fenced = true;
    this.#deps.onFenced();
    await Promise.all(this.list().map((context) => context.quiesce(sessionEnded)));
  }

  /** Kills all kernels, which ends their steps. */
  async close(): Promise<void> {
    this.fenced = true;
    this.#deps.onFenced();
    const archived = [...this.#archives.keys()].map((contextId) => this.#removeArchive(contextId));
    await Promise.all([...this.list().map((context) => context.end(sessionEnded)), ...archived]);
  }

  /** The languages that a further context can have. */
  languages(): readonly Language[] {
    return this.#deps.listLanguages();
  }

  #firstUse(contextId: string, language: Language | undefined): Context {
    const own = languageSchema.safeParse(contextId).data;
    if (own === undefined || this.#deleted.has(contextId)) return this.get(contextId);
    return this.create({ contextId, language: language ?? own });
  }

  async #removeArchive(contextId: string): Promise<void> {
    const uploaded = this.#archives.get(contextId);
    this.#archives.delete(contextId);
    await uploaded?.archive.remove();
  }

  /** A built-in language that is missing is reported by the step that needs it. */
  #assertInstalled(language: Language): void {
    if (isBuiltIn(language)) return;
    const installed = this.languages();
    if (installed.includes(language)) return;
    const detail = `the sandbox has ${installed.join(', ')}, not ${language}`;
    throw new Problem('unsupported-by-runtime', { detail, errors: [{ pointer: '/language', detail }] });
  }

  /**
   * For a while no step and no job starts and no context gets another state, so that what is saved is the whole state. Ends by itself: the
   * client may be gone.
   * @throws Problem `context-busy` while a step runs or waits, `session-ended`
   */
  hold({ by, seconds }: { by: string; seconds: number }): void {
    this.assertOpen();
    const busy = this.list().find((context) => context.busy);
    if (busy) throw new Problem('context-busy', { detail: `the context ${busy.options.id} runs a step` });
    this.#hold = { by, untilMs: performance.now() + seconds * 1000 };
  }

  /** Ends the hold of this name, or any if there is none. */
  release(by = this.#hold.by): void {
    if (by === this.#hold.by) this.#hold.untilMs = 0;
  }

  /** @throws Problem `session-ended` once fenced */
  assertOpen(): void {
    if (this.fenced) throw new Problem('session-ended', { detail: 'the session has ended in this sandbox' });
  }

  /** @throws Problem `session-ended` once fenced, `session-paused` while held */
  assertMayRun(): void {
    this.assertOpen();
    if (performance.now() < this.#hold.untilMs) {
      throw new Problem('session-paused', { detail: 'the session is being paused' });
    }
  }
}

const tooMany = () => new Problem('quota-exceeded', { detail: `a session has at most ${contextsMax} contexts` });

const sessionEnded: Cause = { code: 'session_ended' };

function wrongLanguage(contextId: string, language: Language): Problem {
  const errors = [{ pointer: '/language', detail: `the context ${contextId} has the language ${language}` }];
  return new Problem('invalid-request', { detail: '1 fault', errors });
}
