import type { Exchange } from '../clients/ledger.ts';
import { markOf, outputFile } from '../clients/step-code.ts';
import { type Evidence, explains, type SessionEvidence, type Tree, type Violation } from './evidence.ts';

/** A file's digest, or null without a file. */
type Content = string | null;

/** Compares the registry's files, the sandbox's files and the files that the client wrote. Pure. */
export function* judgeFiles(evidence: Evidence, found: SessionEvidence): Generator<Violation> {
  if (found.status !== 200) return;
  const violation = (rule: string, path: string, detail: string): Violation => ({
    ...{ rule, sessionId: found.id, path },
    detail: `${path}: ${detail}`,
  });
  for (const path of found.world.keys()) {
    const above = parentsOf(path).find((parent) => found.world.has(parent));
    if (above) yield violation('not a tree', path, `${above} is a file as well`);
  }
  const uncertain = uncertainOutputs(evidence, found);
  if (found.workingCopy && found.session?.status === 'active') {
    for (const path of new Set([...found.world.keys(), ...found.workingCopy.keys()])) {
      const [stored, real] = [contentAt(found.world, path), contentAt(found.workingCopy, path)];
      if (stored !== real && !uncertain.has(path)) {
        yield violation(
          'world and working copy differ',
          path,
          `stored ${brief(stored)}, in the sandbox ${brief(real)}`,
        );
      }
    }
  }
  for (const [path, possible] of possibleContents(evidence, found.id)) {
    const stored = contentAt(found.world, path);
    if (possible.has(stored)) continue;
    const expected = [...possible].map(brief).join(' or ');
    yield violation('not what the client wrote', path, `stored ${brief(stored)}, expected ${expected}`);
  }
  yield* outputsOfSteps(evidence, found, violation);
}

/** The file that a succeeded step wrote is an artifact of that step, and in the world, unless it went with its sandbox and we say so. */
function* outputsOfSteps(
  evidence: Evidence,
  { id, history, artifacts, world }: SessionEvidence,
  violation: (rule: string, path: string, detail: string) => Violation,
): Generator<Violation> {
  const { exchanges } = evidence;
  const written = new Map(
    exchanges.flatMap(({ ask }) =>
      (ask.what === 'step' || ask.what === 'job') && ask.sessionId === id && ask.writes ? [[ask.mark, ask.writes]] : [],
    ),
  );
  for (const { code, status, id: stepId, queuedAt, finishedAt } of history) {
    const mark = markOf(code);
    const sha256 = mark && written.get(mark);
    if (!mark || !sha256 || status !== 'succeeded') continue;
    const path = outputFile(mark);
    const artifact = artifacts.find((one) => one.path === path && one.stepId === stepId);
    const during = { from: Date.parse(queuedAt), until: Date.parse(finishedAt ?? queuedAt) };
    if (artifact?.omission && explains(evidence, { kinds: ['agent-killed'], target: id, ...during })) continue;
    if (artifact?.sha256 !== sha256) {
      yield violation('a lost artifact', path, `step ${stepId} wrote it, recorded ${brief(artifact?.sha256 ?? null)}`);
    }
    if (contentAt(world, path) !== sha256) yield violation('a lost file', path, `step ${stepId} wrote it`);
  }
}

/**
 * Files of steps that did not end by themselves may be anything: written or not, collected or not. So may those of a step without a key
 * that was never answered and has no row, because its replica was killed before it had written one.
 */
function uncertainOutputs({ exchanges }: Evidence, { id, history }: SessionEvidence): Set<string> {
  const recorded = new Set(history.map(({ code }) => markOf(code)));
  const unanswered = exchanges.flatMap(({ ask, answer }) =>
    ask.what === 'step' && ask.sessionId === id && !answer?.status && !recorded.has(ask.mark) ? [ask.mark] : [],
  );
  const cut = history.filter(({ cause }) => cause !== null).map(({ code }) => markOf(code) ?? '');
  return new Set([...cut, ...unanswered].map(outputFile));
}

/**
 * For each path that was not raced for, its possible contents. A request that was answered with an error of the server may have done
 * its work. One without any answer may even do it later, so its paths are not known at all,
 * and neither is a path to which one of them was moved.
 */
function possibleContents({ exchanges }: Evidence, sessionId: string): Map<string, Set<Content>> {
  const possible = new Map<string, Set<Content>>();
  const unknown = new Set<string>();
  const at = (path: string) => possible.get(path) ?? new Set<Content>([null]);
  for (const exchange of exchanges) {
    const { ask } = exchange;
    if (ask.sessionId !== sessionId || !('racing' in ask) || ask.racing) continue;
    const effect = effectOf(exchange);
    if (effect === 'unknown' || (ask.what === 'move' && unknown.has(ask.path)))
      for (const path of pathsOf(ask)) unknown.add(path);
    if (effect === 'unknown' || effect === 'none') continue;
    const change = (path: string, contents: Iterable<Content>) =>
      possible.set(path, new Set(effect === 'done' ? contents : [...at(path), ...contents]));
    if (ask.what === 'put') change(ask.path, [ask.sha256]);
    if (ask.what === 'remove') change(ask.path, [null]);
    if (ask.what !== 'move') continue;
    change(ask.to, [...at(ask.path)]);
    change(ask.path, [null]);
  }
  for (const path of unknown) possible.delete(path);
  return possible;
}

const pathsOf = (ask: { path: string; to?: string }): string[] => [ask.path, ask.to ?? ask.path];

/** A clear refusal says that nothing changed. */
function effectOf({ answer }: Exchange): 'done' | 'none' | 'unclear' | 'unknown' {
  const { status } = answer ?? { status: null };
  if (status === null) return 'unknown';
  if (status >= 500) return 'unclear';
  return status < 300 ? 'done' : 'none';
}

const contentAt = (tree: Tree, path: string): Content => tree.get(path) ?? null;
const brief = (content: Content) => content?.slice(0, 8) ?? 'nothing';
const parentsOf = (path: string): string[] =>
  path
    .split('/')
    .map((_, depth, parts) => parts.slice(0, depth).join('/'))
    .filter((parent) => parent !== '');
