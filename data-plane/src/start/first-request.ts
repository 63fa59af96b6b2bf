/**
 * The commands that a developer can paste once the server is up. Pure.
 * @param needsKey whether requests need an API key; the commands then take it from `HOLDFAST_API_KEY`
 */
export function firstRequest(url: string, { needsKey }: { needsKey: boolean }): string {
  const key = needsKey ? ` -H "X-API-Key: $HOLDFAST_API_KEY"` : '';
  const setKey = needsKey
    ? '    export HOLDFAST_API_KEY=...   # your API key, for example HOLDFAST_BOOTSTRAP_API_KEY\n'
    : '';
  const json = `${key} -H 'Content-Type: application/json'`;
  return `Holdfast is ready on ${url} (reference: ${url}/docs)

  Paste into another terminal:

${setKey}    SESSION=$(curl -s ${url}/v1/sessions${json} -d '{"language":"python"}' | python3 -c 'import json,sys; print(json.load(sys.stdin)["id"])')
    curl -s ${url}/v1/sessions/$SESSION/steps${json} -d '{"code":"x = 41"}'
    curl -s ${url}/v1/sessions/$SESSION/steps${json} -d '{"code":"x + 1"}'
`;
}
