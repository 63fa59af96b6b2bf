/** What a developer can paste once the server is up. Pure. */
export function firstRequest(url: string): string {
  return `Holdfast is ready on ${url} (reference: ${url}/docs)

  Paste into another terminal:

    SESSION=$(curl -s ${url}/v1/sessions -H 'Content-Type: application/json' -d '{"language":"python"}' | python3 -c 'import json,sys; print(json.load(sys.stdin)["id"])')
    curl -s ${url}/v1/sessions/$SESSION/steps -H 'Content-Type: application/json' -d '{"code":"x = 41"}'
    curl -s ${url}/v1/sessions/$SESSION/steps -H 'Content-Type: application/json' -d '{"code":"x + 1"}'
`;
}
