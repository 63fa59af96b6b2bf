import { isFunctionDeclaration, isNewExpression, type Node } from 'typescript/unstable/ast';
import { type CallGraph, nodesIn } from './call-graph.ts';
import type { ListedProblems } from './listed-problems.ts';
import { createReach, type Reach, type Thrown } from './reach.ts';
import { type ServedOperation, servedOperations } from './served-operations.ts';

/** The problems that the code of each operation can throw, each with the functions that lead there. */
export type PossibleProblems = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** The session-agent's: every operation but the open ones is behind the check of the token. */
export function problemsOfAgent(graph: CallGraph, reach: Reach = createReach(graph)): PossibleProblems {
  const check = functionIn(graph, '/session-agent/src/http/create-app.ts', 'requireToken');
  return new Map(
    servedOperations(graph, '/session-agent/src/http/').map(({ name, handlers }) => {
      const isOpen = handlers.some((handler) => handler.getSourceFile().fileName.endsWith('/open-operations.ts'));
      return [name, slugsIn(reach.from([...handlers, ...(isOpen ? [] : [check])]))];
    }),
  );
}

type Agent = { listed: ListedProblems; passedOn: ReadonlySet<string> };

/** The public API's, given what the agent's operations list and which of it the data-plane passes on. */
export function problemsOfDataPlane(
  graph: CallGraph,
  agent: Agent,
  reach: Reach = createReach(graph),
): PossibleProblems {
  const readBody = functionIn(graph, '/data-plane/src/http/edge/read-body.ts', 'readBody');
  return new Map(
    servedOperations(graph, '/data-plane/src/http/').map((operation) => {
      const thrown = reach.from(operation.handlers, (code) => code === readBody && !readsBody(operation));
      return [operation.name, new Map([...passedOnBy(thrown, agent), ...translatedIn(thrown), ...slugsIn(thrown)])];
    }),
  );
}

/** The problems below a folder that no operation was found to throw, each as `file: slug`. */
export function unreachedProblems(graph: CallGraph, folder: string, { met }: Reach): string[] {
  const files = graph.files.filter((file) => file.includes(folder));
  return files.flatMap((file) =>
    [...nodesIn(graph.sourceOf(file))]
      .filter((node) => isNewExpression(node) && node.expression.getText() === 'Problem' && !met.has(node))
      .map(
        (node) =>
          `${file.slice(file.indexOf(folder) + 1)}: ${/[a-z-]{2,}/.exec(node.getText().slice('new Problem'.length))}`,
      ),
  );
}

/** `readRequest` does not read the body of these methods, nor one that the operation reads itself. */
const readsBody = ({ name, handlers }: ServedOperation) =>
  !/^(?:get|delete) /.test(name) && !handlers.some((handler) => handler.getText().includes("body: 'streamed'"));

/** Errors that the composition turns into problems for every verb. */
function* translatedIn(thrown: Thrown): Generator<[slug: string, way: string]> {
  const database = thrown.get('error Database');
  const sandbox = thrown.get('error SandboxError');
  if (database) yield ['database-unavailable', describe(database)];
  if (sandbox) yield ['sandbox-unreachable', describe(sandbox)];
}

/** The refusals by agents that come out of the requests which the code makes. */
function* passedOnBy(thrown: Thrown, { listed, passedOn }: Agent): Generator<[slug: string, way: string]> {
  const rest = (prefix: string) =>
    [...thrown].flatMap(([name, way]) => (name.startsWith(prefix) ? [[name.slice(prefix.length), way] as const] : []));
  const joined = rest('agent path ').flatMap(([path, way]) =>
    rest('agent method ').map(([method]) => [`${method} ${path}`, way] as const),
  );
  for (const [request, way] of [...rest('agent '), ...joined]) {
    const [method = '', path = ''] = request.split(' ');
    for (const slug of listed.get(`${method.toLowerCase()} ${path}`) ?? []) {
      if (passedOn.has(slug)) yield [slug, `${describe(way)} > the agent's ${request}`];
    }
  }
}

function slugsIn(thrown: Thrown): Map<string, string> {
  const problems = [...thrown].filter(([name]) => name.startsWith('problem '));
  return new Map(problems.map(([name, way]) => [name.slice('problem '.length), describe(way)]));
}

const describe = (way: readonly Node[]) =>
  way.map((code) => `${code.getSourceFile().fileName.replace(/^.*\/src\//, '')} ${nameOf(code)}`.trim()).join(' > ');

const nameOf = (code: Node) => ((code as Named).name ?? (code.parent as Named).name)?.getText() ?? '';
type Named = Node & { name?: Node };

function functionIn(graph: CallGraph, file: string, name: string): Node {
  const path = graph.files.find((one) => one.endsWith(file));
  const found =
    path && graph.sourceOf(path).statements.find((one) => isFunctionDeclaration(one) && one.name?.text === name);
  if (!found) throw new Error(`there is no function ${name} in ${file}`);
  return found;
}
