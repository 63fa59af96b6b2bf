import { connect } from 'node:net';
import process from 'node:process';

/** An operation has failed. `name` says how. */
class OperationError extends Error {
  constructor(message, name = 'OperationError') {
    super(message);
    Object.defineProperty(this, 'name', { value: name, writable: true, configurable: true });
  }
}

/** The policy of the session forbids it. `rule` names the rule. */
export class PolicyViolation extends Error {
  constructor(message, rule) {
    super(message);
    Object.defineProperty(this, 'name', { value: 'PolicyViolation', writable: true, configurable: true });
    this.rule = rule;
  }
}

/** Provides `holdfast` as a global, which code may declare anew. */
export function provideOperations() {
  const holdfast = ownOperations();
  const define = (property) =>
    Object.defineProperty(globalThis, 'holdfast', { enumerable: false, configurable: true, ...property });
  define({ get: () => holdfast, set: (value) => define({ value, writable: true, enumerable: true }) });
}

/** The operations of the session to which this process belongs. */
export function ownOperations() {
  const { HOLDFAST_OPERATIONS: path, HOLDFAST_KERNEL: kernel } = process.env;
  const address = { path, kernel };
  /** Calls an operation with arguments that JSON can hold, and resolves with its value. */
  const call = async (name, ...args) => valueIn(await ask(address, { name, arguments: args }));
  const question = (name) => () => call(`session.${name}`);
  const session = Object.defineProperties(
    {},
    Object.fromEntries(
      Object.entries(questions).map(([key, name]) => [key, { get: question(name), enumerable: true }]),
    ),
  );
  session.budgetRemaining = (kind) => call('session.budget_remaining', kind);
  session.allowed = (operation) => call('session.allowed', operation);
  session.auditLog = (cursor = null) => call('session.audit_log', cursor);
  /** Resolves with the number of those that the host has approved in advance. Otherwise it is asked, and may commit them. */
  session.commitProposals = async () => (await call('session.commit_proposals')) ?? (await call('proposals.commit'));
  session.rollbackProposals = question('rollback_proposals');
  return { call, session, OperationError, PolicyViolation };
}

const questions = {
  id: 'id',
  turnNumber: 'turn_number',
  status: 'status',
  readOnly: 'read_only',
  proposalMode: 'proposal_mode',
  operationsCount: 'operations_count',
  proposals: 'proposals',
};

/** Resolves with the line that answers. */
function ask({ path, kernel }, call) {
  if (!path) throw new OperationError('this process belongs to no session');
  const line = `${JSON.stringify({ kernel, ...call }, exactly)}\n`;
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    let answer = '';
    socket.setEncoding('utf8');
    socket.on('data', (text) => {
      answer += text;
    });
    socket.on('error', (error) => reject(new OperationError(`the session cannot be reached: ${error.message}`)));
    // Not before: an open connection would count as something that may change the state later.
    socket.on('close', () => resolve(answer));
    socket.write(line);
  });
}

/** JSON would have null in the place of a number that is not finite. */
function exactly(_key, value) {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new OperationError(`JSON cannot hold the number ${value}`, 'InvalidArguments');
  if (typeof value !== 'bigint') return value;
  if (Number.isSafeInteger(Number(value))) return Number(value);
  throw new OperationError(`the number ${value} cannot be kept exactly; pass it as a text`, 'InvalidArguments');
}

function valueIn(answer) {
  if (!answer.endsWith('\n')) throw new OperationError('the call got no answer');
  const { value, error } = JSON.parse(answer);
  if (!error) return value;
  if (error.name === 'PolicyViolation') throw new PolicyViolation(error.message, error.rule);
  throw new OperationError(error.message, error.name);
}
