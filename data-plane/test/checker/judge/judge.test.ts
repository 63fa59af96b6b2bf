import type { Artifact, AuditEntry, Session, Step } from '@holdfast/specs/public';
import { describe, expect, test } from 'vitest';
import { type Answer, type Ask, type Exchange, noAnswer } from '../clients/ledger.ts';
import { stepCode } from '../clients/step-code.ts';
import type { FaultKind, FaultRecord } from '../faults/fault.ts';
import type { Evidence, SessionEvidence } from './evidence.ts';
import { judge } from './judge.ts';

const sessionId = 'ses_1';
const at = (seconds: number) => Date.UTC(2026, 0, 1) + seconds * 1000;
const time = (seconds: number) => new Date(at(seconds)).toISOString();
const code = (mark: string) =>
  stepCode({ mark, key: null, ends: 'returns', seconds: 0, writes: false }, { runsFile: '/runs', sessionId });

const session = { id: sessionId, status: 'active', createdAt: time(0), endedAt: null, endReason: null } as Session;
const step = (mark: string, more: object = {}) =>
  ({
    ...{ id: `stp_${mark}`, sessionId, contextId: 'python', number: 1, epoch: 1, contextEpoch: 1, executionCount: 1 },
    ...{ code: code(mark), status: 'succeeded', stdout: `${mark} 1\n`, cause: null, error: null, job: null },
    ...{ artifacts: [], queuedAt: time(10), finishedAt: time(11), ...more },
  }) as unknown as Step;

const exchange = (ask: Partial<Ask>, answer: Partial<Answer> | null = {}, askedAt = at(10)): Exchange => ({
  ...{ client: 'c', askedAt, answeredAt: askedAt + 1000 },
  ask: { sessionId, replica: 0, ...ask } as Ask,
  answer: answer && { ...noAnswer, status: 200, ...answer },
});
const asked = (mark: string, answer: Partial<Answer> | null = {}, ask: object = {}) =>
  exchange({ what: 'step', mark, key: null, ends: 'returns', writes: null, ...ask }, answer);
const answered = (mark: string, ask: object = {}) =>
  asked(mark, { id: `stp_${mark}`, step: step(mark), seqs: [1, 2, 3] }, ask);
const put = (path: string, sha256: string, answer: Partial<Answer> = { status: 201 }) =>
  exchange({ what: 'put', path, sha256, racing: false }, answer);

const fault = (kind: FaultKind, target = sessionId): FaultRecord => ({
  ...{ kind, target, from: at(9), until: at(10), proof: 'seen' },
});
const pods = [{ name: 'ses-1-1', phase: 'Running', agents: 1 }];

/** The log of a session that became active, ran its steps, and then got its present status. */
const auditOf = ({ session, history }: Pick<SessionEvidence, 'session' | 'history'>): AuditEntry[] => [
  entry('session.create', { arguments: { status: 'creating' } }),
  entry('session.status', { arguments: { from: 'creating', status: 'active' } }),
  ...history.map(({ id }) => entry('step.run', { stepId: id })),
  ...(session && session.status !== 'active'
    ? [entry('session.status', { arguments: { from: 'active', status: session.status } })]
    : []),
];
const entry = (operation: string, more: Partial<AuditEntry>) => ({ operation, arguments: null, ...more }) as AuditEntry;

type Case = Partial<Omit<Evidence, 'sessions'>> & { session?: Partial<SessionEvidence> };

/** The rules that the evidence breaks. Without changes it is of one live session in which the step `a` ran. */
function rules({ session: more = {}, ...evidence }: Case = {}): string[] {
  const files = { artifacts: [], world: new Map(), workingCopy: new Map() };
  const own = { id: sessionId, deployment: 'd', status: 200, session, history: [step('a')], pods, ...files, ...more };
  const found = { audit: auditOf(own), ...own };
  const violations = judge({
    ...{ exchanges: [answered('a')], runs: new Map([['a', 1]]), faults: [], unrest: [], leftovers: [] },
    ...{ sessions: [found], ...evidence },
  });
  return [...new Set(violations.map(({ rule }) => rule))];
}

test('finds nothing in a true record', () => {
  expect(rules()).toEqual([]);
});

describe('the audit log', () => {
  const log = auditOf({ session, history: [step('a')] });
  const ended = entry('session.complete', { arguments: { from: 'active', status: 'completed' } });

  test.each([
    ['a missing change of the status', log.toSpliced(1, 1)],
    ['a change that did not happen', [...log, ended]],
    ['a change that is there twice', [...log.slice(0, 2), ...log.slice(1)]],
    ['a step without an entry', log.toSpliced(2, 1)],
    ['a step with two', [...log, entry('step.run', { stepId: 'stp_a' })]],
    ['an entry without a step', [...log, entry('step.run', { stepId: 'stp_b' })]],
    ['a step that was withdrawn and is there', [...log, entry('step.withdraw', { stepId: 'stp_a' })]],
  ])('finds %s', (_, audit) => {
    expect(rules({ session: { audit } })).toEqual(['a change without its audit entry']);
  });

  test('a step that was withdrawn has two entries and no row', () => {
    const audit = [...log, entry('step.run', { stepId: 'stp_b' }), entry('step.withdraw', { stepId: 'stp_b' })];
    expect(rules({ session: { audit } })).toEqual([]);
  });
});

describe('budgets', () => {
  const spent = (iterations: number, timeSeconds: number) =>
    ({ ...session, budget: { used: { iterations, timeSeconds, tokens: 0, cost: '0' } } }) as Session;
  const history = [step('a', { durationMs: 250 })];

  test.each([
    [1, 0.25, true],
    [2, 0.25, false],
    [0, 0, false],
    [1, 0.5, false],
  ])('%i iterations and %d seconds of a step of 0.25 s: %s', (iterations, seconds, isTrue) => {
    const found = rules({ exchanges: [asked('a')], session: { session: spent(iterations, seconds), history } });
    expect(found).toEqual(isTrue ? [] : ['a charge lost or doubled']);
  });

  test('charges nothing for a step that never started', () => {
    const lost = step('a', { status: 'lost', cause: { code: 'never_started' }, durationMs: null, stdout: '' });
    const evidence = { exchanges: [asked('a')], runs: new Map(), faults: [fault('agent-connections-cut')] };
    expect(rules({ ...evidence, session: { session: spent(0, 0), history: [lost] } })).toEqual([]);
    expect(rules({ ...evidence, session: { session: spent(1, 0), history: [lost] } })).toHaveLength(1);
  });
});

const recovered = { contextId: 'python', language: 'python', restored: [], replayed: [], lost: [], stopped: null };

describe('steps', () => {
  const lost = step('a', { status: 'lost', cause: { code: 'sandbox_lost' }, stdout: '' });

  test.each<[rule: string, Case]>([
    ['answered, but not recorded', { session: { history: [] } }],
    [
      'state lost in silence',
      {
        session: {
          session: {
            ...session,
            lastRecovery: { epoch: 2, time: time(12), omitted: 0, contexts: [{ ...recovered, restored: ['count'] }] },
          },
          history: [
            step('a', { stdout: 'a 7\n' }),
            step('b', { number: 2, epoch: 2, contextEpoch: 2, stdout: 'b 7\n' }),
          ],
        },
        exchanges: [asked('a'), asked('b')],
        runs: new Map([
          ['a', 1],
          ['b', 1],
        ]),
      },
    ],
    ['recorded twice', { session: { history: [step('a'), step('a', { id: 'stp_b', number: 2 })] } }],
    ['ran twice', { runs: new Map([['a', 2]]) }],
    ['untrue result', { runs: new Map() }],
    ['untrue result', { exchanges: [answered('a', { ends: 'raises' })] }],
    ['untrue result', { session: { history: [step('a', { stdout: '' })] }, exchanges: [asked('a')] }],
    ['untrue result', { session: { history: [step('a', { status: 'failed' })] }, exchanges: [asked('a')] }],
    ['unfinished step', { session: { history: [step('a', { finishedAt: null, status: 'running' })] } }],
    [
      'the answer differs from the record',
      { exchanges: [asked('a', { step: step('a', { stdout: 'b 1\n' }), id: 'stp_a' })] },
    ],
    ['unknown step', { exchanges: [] }],
    ['one key, several steps', { exchanges: [answered('a'), asked('a', { id: 'stp_b' })] }],
    ['a stream with gaps', { exchanges: [asked('a', { id: 'stp_a', seqs: [1, 3] })] }],
    ['a stream with gaps', { exchanges: [asked('a', { id: 'stp_a', seqs: [1, 4294967295] })] }],
    [
      'a stream with gaps',
      { session: { history: [lost] }, exchanges: [asked('a', { id: 'stp_a', seqs: [1, 3, 4294967295] })] },
    ],
    ['refused, but recorded', { exchanges: [asked('a', { status: 503, code: 'draining' })] }],
    ['no answer', { exchanges: [answered('a'), asked('a', null)] }],
    ['internal error', { exchanges: [answered('a'), exchange({ what: 'read' }, { status: 500 })] }],
  ])('finds: %s', (rule, evidence) => {
    expect(rules(evidence)).toContain(rule);
  });

  test('accepts the end of a lost step behind all of its events', () => {
    const evidence = { session: { history: [lost] }, exchanges: [asked('a', { id: 'stp_a', seqs: [1, 4294967295] })] };
    expect(rules(evidence)).not.toContain('a stream with gaps');
  });

  test('finds two steps with one number, and memory that was reset in silence', () => {
    const history = [step('a'), step('b', { executionCount: 2 })];
    const exchanges = [answered('a'), asked('b')];
    const runs = new Map([...'ab'].map((mark) => [mark, 1]));
    expect(rules({ session: { history }, exchanges, runs })).toEqual(['doubled number', 'memory reset in silence']);
  });

  const ended = (status: string, cause: string) => ({
    session: { history: [step('a', { status, cause: { code: cause }, stdout: '' })] },
    exchanges: [asked('a')],
  });
  test.each<[status: string, cause: string, FaultKind]>([
    ['lost', 'sandbox_exited', 'agent-killed'],
    ['failed', 'kernel_killed', 'kernel-killed'],
    ['lost', 'never_started', 'agent-connections-cut'],
  ])('accepts %s with %s only if its own sandbox had the fault %s', (status, cause, kind) => {
    const without = { ...ended(status, cause), runs: new Map() };
    expect(rules(without)).toContain('no fault explains its end');
    expect(rules({ ...without, faults: [fault(kind, 'ses_2')] })).toContain('no fault explains its end');
    expect(rules({ ...without, faults: [fault(kind)] })).toEqual([]);
  });

  test.each<FaultKind>(['logins-refused', 'statements-refused', 'postgres-frozen', 'disk-full'])(
    'accepts no lost step because of the fault %s',
    (kind) => {
      const evidence = { ...ended('lost', 'never_started'), runs: new Map(), faults: [fault(kind, 'postgres')] };
      expect(rules(evidence)).toContain('no fault explains its end');
    },
  );

  test('accepts a refused step that is recorded as never started', () => {
    const { session } = ended('lost', 'never_started');
    const given = { session, exchanges: [asked('a', { status: 503 })], faults: [fault('replica-killed')] };
    expect(rules({ ...given, runs: new Map() })).toEqual([]);
  });

  test('finds a step that ran and is recorded as never started, even if a fault explains that it is lost', () => {
    const evidence = { ...ended('lost', 'never_started'), faults: [fault('agent-killed')] };
    expect(rules(evidence)).toContain('ran, but is recorded as never started');
  });
});

describe('files', () => {
  const one = new Map([['f', '1']]);
  test.each<[rule: string, Case]>([
    ['not a tree', { session: { world: new Map([...one, ['f/g', '2']]), workingCopy: one } }],
    ['world and working copy differ', { session: { world: one, workingCopy: new Map([['f', '2']]) } }],
    ['world and working copy differ', { session: { workingCopy: one } }],
    ['not what the client wrote', { exchanges: [answered('a'), put('f', '1')] }],
    [
      'not what the client wrote',
      { exchanges: [answered('a'), put('f', '2'), put('f', '3')], session: { world: one } },
    ],
    ['a lost artifact', { exchanges: [answered('a', { writes: '1' })] }],
    ['a lost file', { exchanges: [answered('a', { writes: '1' })] }],
  ])('finds: %s', (rule, evidence) => {
    expect(rules(evidence)).toContain(rule);
  });

  test('accepts both contents after an error of the server, and any after no answer', () => {
    const session = { world: one, workingCopy: one };
    for (const status of [503, null]) {
      const exchanges = [answered('a'), put('f', '1'), put('f', '2', { status })];
      expect(rules({ exchanges, session })).toEqual([]);
    }
    const moved = exchange({ what: 'move', path: 'e', to: 'f', racing: false }, { status: 204 });
    const late = [answered('a'), put('e', '2'), put('e', '1', { status: null }), moved];
    expect(rules({ exchanges: late, session })).toEqual([]);
    const refused = [answered('a'), put('f', '2'), put('f', '1', { status: 409 })];
    expect(rules({ exchanges: refused, session })).toEqual(['not what the client wrote']);
  });

  test('accepts the file that a succeeded step wrote', () => {
    const files = new Map([['out-a.txt', '1']]);
    const artifacts = [{ path: 'out-a.txt', stepId: 'stp_a', sha256: '1' } as Artifact];
    const exchanges = [answered('a', { writes: '1' })];
    expect(rules({ exchanges, session: { world: files, workingCopy: files, artifacts } })).toEqual([]);
  });

  test('accepts a file that the registry does not know only if its step has no row and was never answered', () => {
    const workingCopy = new Map([['out-b.txt', '1']]);
    const given = (answer: Partial<Answer> | null) => [answered('a'), asked('b', answer, { writes: '1' })];
    expect(rules({ exchanges: given({ status: null }), session: { workingCopy } })).toEqual([]);
    const refused = given({ status: 503, code: 'draining' });
    expect(rules({ exchanges: refused, session: { workingCopy } })).toEqual(['world and working copy differ']);
  });

  test('accepts that a file is missing only if its artifact says so and the sandbox was killed', () => {
    const artifacts = [{ path: 'out-a.txt', stepId: 'stp_a', sha256: null, omission: 'unreadable' } as Artifact];
    const exchanges = [answered('a', { writes: '1' })];
    const given = { exchanges, session: { artifacts } };
    expect(rules({ ...given, faults: [fault('agent-killed')] })).toEqual([]);
    expect(rules({ ...given, faults: [fault('agent-killed', 'ses_2')] })).toEqual(['a lost artifact', 'a lost file']);
    const untold = { exchanges, faults: [fault('agent-killed')] };
    expect(rules(untold)).toEqual(['a lost artifact', 'a lost file']);
  });
});

describe('sessions', () => {
  const failed = { ...session, status: 'failed', endedAt: time(12), endReason: 'sandbox_exited' } as Session;
  const deleted = exchange({ what: 'delete' }, { status: 204 });
  test.each<[rule: string, Case]>([
    ['condemned', { session: { session: failed, pods: [] } }],
    [
      'condemned',
      { session: { session: { ...failed, endReason: 'step_overran' }, pods: [] }, faults: [fault('agent-killed')] },
    ],
    ['forgotten session', { session: { status: 404, session: null, pods: [] } }],
    ['forgotten session', { exchanges: [answered('a'), exchange({ what: 'read' }, { status: 404 })] }],
    ['deleted without a request', { session: { status: 410, session: null, pods: [] } }],
    ['deleted, but still there', { exchanges: [answered('a'), deleted] }],
    ['a sandbox without a session', { session: { status: 410, session: null }, exchanges: [deleted] }],
    ['a session without its sandbox', { session: { pods: [] } }],
    ['two agents', { session: { pods: [{ name: 'ses-1-1', phase: 'Running', agents: 2 }] } }],
    ['not at rest', { session: { session: { ...session, status: 'creating' }, pods: [] } }],
    ['not at rest', { unrest: ['step stp_a is still running'] }],
    ['left behind', { leftovers: ['pod ses-1-1'] }],
    [
      'one key, several sessions',
      { exchanges: [answered('a'), ...['ses_1', 'ses_2'].map((id) => exchange({ what: 'create', key: 'k' }, { id }))] },
    ],
  ])('finds: %s', (rule, evidence) => {
    expect(rules(evidence)).toContain(rule);
  });

  test('accepts that a session was aborted only if its client asked to delete it', () => {
    const aborted = { session: { ...session, status: 'aborted', endedAt: time(12) } as Session, pods: [] };
    const refused = exchange({ what: 'delete' }, { status: 503 });
    expect(rules({ session: aborted })).toEqual(['condemned']);
    expect(rules({ session: aborted, exchanges: [answered('a'), refused] })).toEqual([]);
  });

  test('accepts the end of a session whose agent was killed', () => {
    expect(rules({ session: { session: failed, pods: [] }, faults: [fault('agent-killed')] })).toEqual([]);
  });

  test('accepts the end of a session whose only replica was away for most of a lease, and of no other', () => {
    const away = (seconds: number) => ({
      session: { session: { ...failed, endedAt: time(300) }, deployment: 'second', pods: [] },
      faults: [{ ...fault('second-deployment-restarted', 'second0'), from: at(200), until: at(200 + seconds) }],
    });
    expect(rules(away(95))).toEqual([]);
    expect(rules(away(60))).toEqual(['condemned']);
    const { session, faults } = away(95);
    expect(rules({ faults, session: { ...session, deployment: 'first' } })).toEqual(['condemned']);
  });
});
