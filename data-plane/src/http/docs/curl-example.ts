import type { Endpoint } from './open-api.ts';

/** The values of path parameters. `firstCommands` sets the shell variables among them. */
const variables: Record<string, string> = {
  sessionId: '$SESSION',
  stepId: '$STEP',
  contextId: 'python',
  stream: 'stdout',
  path: 'data.csv',
  filename: 'stdout.txt',
};

/** Path parameters that the reader fills in, each with a hint where to find a value. */
const chosen: Record<string, { name: string; from: string }> = {
  keyId: { name: 'KEY_ID', from: 'an id from the list' },
  artifactId: { name: 'ARTIFACT_ID', from: 'an id from the list' },
  jobId: { name: 'JOB_ID', from: 'the id of a job' },
};

/** A command that calls the endpoint. The reader pastes it after `firstCommands`. */
export function curlExample({ method, path, operation }: Endpoint): string {
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

/** Creates a session and a step and sets variables to their ids, so the other examples work as they are. */
export const firstCommands = (origin: string): string => `HOLDFAST=${origin}
KEY=             # your API key; leave it empty if the server needs none
first_id() { sed -n 's/^{"id":"\\([a-z0-9_]*\\)".*/\\1/p'; }

SESSION=$(curl -s -X POST "$HOLDFAST/v1/sessions" -H "Authorization: Bearer $KEY" | first_id)

STEP=$(curl -s "$HOLDFAST/v1/sessions/$SESSION/steps" \\
  -H "Authorization: Bearer $KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"code":"x = 41"}' | first_id)

echo "$SESSION $STEP"`;
