import {
  isAsExpression,
  isBindingElement,
  isCallExpression,
  isFunctionDeclaration,
  isIdentifier,
  isIfStatement,
  isNewExpression,
  isNoSubstitutionTemplateLiteral,
  isParameterDeclaration,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isStringLiteral,
  isTemplateExpression,
  isThrowStatement,
  isTryStatement,
  isTypeNode,
  isVariableDeclaration,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import { type CallGraph, calleeName, countsAtItsName, isFunction, nodesIn } from './call-graph.ts';

/**
 * The errors that may be thrown out of a piece of code, with the functions that lead there: `problem <slug>`, `error <name>`, and the
 * refusal of a request to an agent as `agent <METHOD> <path>`, or as `agent path …` and `agent method …` if the two stand in different
 * functions.
 */
export type Thrown = ReadonlyMap<string, readonly Node[]>;

/** The code and calls of one function; `agent` is false if no refusal of an agent gets out of them. */
type Part = { node: Node; agent: boolean };
type Facts = { thrown: Map<string, { agent: boolean }>; called: Part[] };

/** Follows every call from pieces of code. */
export type Reach = {
  /** The errors that may be thrown out of `starts`; functions for which `isLeftOut` holds are not followed. */
  from(starts: readonly Node[], isLeftOut?: (code: Node) => boolean): Thrown;
  /** Every `new Problem(…)` that was come across so far. */
  met: ReadonlySet<Node>;
};

export function createReach(graph: CallGraph): Reach {
  const known = new Map<Node, Facts>();
  const met = new Set<Node>();
  const factsOf = (code: Node): Facts => {
    const facts = known.get(code) ?? readFacts(graph, code, met);
    known.set(code, facts);
    return facts;
  };

  function from(starts: readonly Node[], isLeftOut: (code: Node) => boolean = () => false): Thrown {
    const thrown = new Map<string, readonly Node[]>();
    const ways = new Map<Node, { way: readonly Node[]; agent: boolean }>();
    const queue = starts.map((node) => ({ node, way: [] as readonly Node[], agent: true }));
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { node, agent } = next;
      if (isLeftOut(node) || (ways.has(node) && (ways.get(node)?.agent || !agent))) continue;
      ways.set(node, { way: next.way, agent });
      const way = [...next.way, node];
      const facts = factsOf(node);
      for (const [error, one] of facts.thrown) {
        if (!thrown.has(error) && (!error.startsWith('agent ') || (agent && one.agent))) thrown.set(error, way);
      }
      for (const call of facts.called) queue.push({ node: call.node, way, agent: agent && call.agent });
    }
    return thrown;
  }

  return { from, met };
}

function readFacts(graph: CallGraph, code: Node, met: Set<Node>): Facts {
  const facts: Facts = { thrown: new Map(), called: [] };
  const add = (error: string, agent: boolean) => {
    facts.thrown.set(error, { agent: agent || (facts.thrown.get(error)?.agent ?? false) });
  };
  const visit = ({ node, agent }: Part): void => {
    if (isTypeNode(node)) return;
    for (const part of partsOf(node, code)) visit({ node: part.node, agent: agent && part.agent });
    if (isNewExpression(node)) met.add(node);
    for (const error of errorsOf(node)) add(error, agent);
    if (!isIdentifier(node) && node.kind !== SyntaxKind.PrivateIdentifier) return;
    for (const target of graph.targetsOf(node)) {
      if (/\/data-plane\/src\/registry\//.test(target.getSourceFile().fileName)) add('error Database', agent);
      facts.called.push({ node: target, agent });
    }
  };
  visit({ node: code, agent: true });
  return { ...facts, thrown: withPairs(facts.thrown) };
}

/** Joins the paths and the methods of requests that stand in one function. */
function withPairs(thrown: Facts['thrown']): Facts['thrown'] {
  const paths = [...thrown].filter(([name]) => name.startsWith('agent path '));
  const methods = [...thrown].filter(([name]) => name.startsWith('agent method '));
  if (paths.length === 0 || methods.length === 0) return thrown;
  const rest = [...thrown].filter(([name]) => !name.startsWith('agent '));
  const pairs = paths.flatMap(([path, one]) =>
    methods.map(
      ([method]) => [`agent ${method.slice('agent method '.length)} ${path.slice('agent path '.length)}`, one] as const,
    ),
  );
  return new Map([...rest, ...pairs]);
}

/** Dependencies that only start work, whose errors do not come back to the caller. */
const startsOnly = new Set(['background', 'hint']);

/** The parts of a node that run with it and whose errors leave it. A function with a name counts when the name is used. */
function partsOf(node: Node, code: Node): Part[] {
  if (isBindingElement(node) || isParameterDeclaration(node)) return all(node.initializer ? [node.initializer] : []);
  if (node !== code && isFunctionDeclaration(node)) return [];
  if (isPropertyAssignment(node)) return all([node.initializer]);
  if (isVariableDeclaration(node))
    return all(node.initializer && !countsAtItsName(node.initializer) ? [node.initializer] : []);
  if (isTryStatement(node) && node.catchClause) {
    const { tryBlock, catchClause, finallyBlock } = node;
    const leaving = leavingOf(catchClause.block, catchClause.variableDeclaration?.name.getText());
    return [...through(tryBlock, leaving), ...all([catchClause.block]), ...all(finallyBlock ? [finallyBlock] : [])];
  }
  if (isCallExpression(node)) {
    const { expression: callee, arguments: given } = node;
    if (startsOnly.has(calleeName(callee))) return [];
    if (isPropertyAccessExpression(callee)) {
      const method = callee.name.text;
      if (method === 'add' && calleeName(callee.expression) === 'background') return [];
      const onError = method === 'catch' ? given[0] : method === 'then' ? given[1] : undefined;
      if (onError && isFunction(onError)) return [...through(callee, leavingOfHandler(onError)), ...all([...given])];
    }
  }
  const parts: Node[] = [];
  node.forEachChild((child) => {
    parts.push(child);
    return undefined;
  });
  return all(parts);
}

const all = (nodes: readonly Node[]): Part[] => nodes.map((node) => ({ node, agent: true }));

/** Which of the caught errors get out of a `catch`. */
type Leaving = 'all' | 'all but refusals of agents' | 'none';

const through = (node: Node, leaving: Leaving): Part[] =>
  leaving === 'none' ? [] : [{ node, agent: leaving === 'all' }];

function leavingOfHandler(handler: Node): Leaving {
  const { parameters, body } = handler as unknown as { parameters: readonly { name: Node }[]; body: Node };
  return leavingOf(body, parameters[0]?.name.getText());
}

/** Functions that reject the promise on which the caller waits. */
const rejects = new Set(['reject', 'settle', 'fail']);

/** A caught error gets out if it is thrown again, as it is or translated, or if the caller's promise is rejected with it. */
function leavingOf(block: Node, caught: string | undefined): Leaving {
  if (!caught) return 'none';
  const exits = [...nodesIn(block)].filter((node) => {
    if (isThrowStatement(node)) return !isNewExpression(node.expression) && mentions(node.expression, caught);
    return isCallExpression(node) && rejects.has(calleeName(node.expression)) && mentions(node, caught);
  });
  if (exits.length === 0) return 'none';
  return exits.every((exit) => isNoAgentError(exit.parent) || isNoAgentError(exit.parent.parent))
    ? 'all but refusals of agents'
    : 'all';
}

const mentions = (node: Node, name: string) => [...nodesIn(node)].some((one) => isIdentifier(one) && one.text === name);

/** `if (!(error instanceof AgentError)) …` */
const isNoAgentError = (node: Node) =>
  isIfStatement(node) && /^!\(\w+ instanceof AgentError\)$/.test(node.expression.getText());

function errorsOf(node: Node): string[] {
  if (isNewExpression(node) && isIdentifier(node.expression)) {
    const { text } = node.expression;
    if (text === 'SandboxError') return ['error SandboxError'];
    const slugs = text === 'Problem' && node.arguments?.[0] ? nodesIn(node.arguments[0]) : [];
    return [...slugs].filter(isStringLiteral).map((slug) => `problem ${slug.text}`);
  }
  const request = requestOf(node);
  return request ? [request] : [];
}

/** The path or the method of a request to an agent, in the parts of the data-plane that send some. */
function requestOf(node: Node): string | null {
  if (isPropertyAssignment(node) && node.name.getText() === 'method') {
    const method = isAsExpression(node.initializer) ? node.initializer.expression : node.initializer;
    if (isStringLiteral(method)) return sendsToAgents(node) ? `agent method ${method.text}` : null;
  }
  const text = textOf(node);
  return text?.startsWith('/v1/') && sendsToAgents(node) ? `agent path ${text.split('?')[0]}` : null;
}

const sendsToAgents = (node: Node) => /\/data-plane\/src\/(?!http\/|runtimes\/)/.test(node.getSourceFile().fileName);

function textOf(node: Node): string | null {
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (!isTemplateExpression(node)) return null;
  return node.head.text + node.templateSpans.map(({ literal }) => `{}${literal.text}`).join('');
}
