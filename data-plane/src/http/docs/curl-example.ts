import type { Route } from './open-api.ts';

/** Shell variables that stand for ids, as `firstCommands` sets them. */
const variables: Record<string, string> = {
  sessionId: '$SESSION',
  stepId: '$STEP',
  contextId: 'python',
  stream: 'stdout',
  path: 'data.csv',
  filename: 'stdout.txt',
};

/** Those that a reader has to fill in, and from where. */
const chosen: Record<string, { name: string; from: string }> = {
  keyId: { name: 'KEY_ID', from: 'an id from the list' },
  artifactId: { name: 'ARTIFACT_ID', from: 'an id from the list' },
  jobId: { name: 'JOB_ID', from: 'the id of a job' },
};

/** A command that calls the route, to be pasted after `firstCommands`. */
export function curlExample({ method, path, operation }: Route): string {
  const content = operation.requestBody?.content ?? {};
  const body = content['application/json']?.example;
  const uploads = Object.keys(content).length > 0 && !content['application/json'];
  const types = Object.keys(Object.values(operation.responses)[0]?.content ?? {});
  const streams = types.includes('application/x-ndjson') && !types.includes('application/json');
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const url = `"$HOLDFAST${path.replaceAll(/\{(\w+)\}/g, (_, name: string) => shellValue(name))}"`;
  const command = [
    ['curl', streams && '-N', method !== 'GET' && `-X ${method}`, url].filter(Boolean).join(' '),
    operation.security.length > 0 && '-H "Authorization: Bearer $KEY"',
    streams && "-H 'Accept: application/x-ndjson'",
    uploads && '--data-binary @file',
    body !== undefined && "-H 'Content-Type: application/json'",
    body !== undefined && `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
  ]
    .filter(Boolean)
    .join(' \\\n  ');
  const toChoose = parameters.flatMap((name) => chosen[name] ?? []);
  return [...toChoose.map(({ name, from }) => `${`${name}=`.padEnd(17)}# ${from}`), command].join('\n');
}

const shellValue = (parameter: string) => variables[parameter] ?? `$${chosen[parameter]?.name ?? parameter}`;

/** Makes a session and a step and keeps their ids, so that the other examples work as they stand. */
export const firstCommands = (origin: string): string => `HOLDFAST=${origin}
KEY=             # your API key; empty where the server needs none
first_id() { sed -n 's/^{"id":"\\([a-z0-9_]*\\)".*/\\1/p'; }

SESSION=$(curl -s -X POST "$HOLDFAST/v1/sessions" -H "Authorization: Bearer $KEY" | first_id)

STEP=$(curl -s "$HOLDFAST/v1/sessions/$SESSION/steps" \\
  -H "Authorization: Bearer $KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"code":"x = 41"}' | first_id)

echo "$SESSION $STEP"`;
