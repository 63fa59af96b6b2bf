/** Serves a page from the sandbox, and gives it a web address that anyone with the link can open. */
import { Holdfast } from '@holdfast/sdk';

const port = Number(process.env.PORT ?? 8765);
const page = '<h1>Served from a sandbox</h1>';

await using session = await new Holdfast().sessions.create({ files: { 'site/index.html': page } });
const command = ['python3', '-u', '-m', 'http.server', '--bind', '127.0.0.1', '--directory', 'site', String(port)];
const server = await session.processes.start(command);

const { url } = await session.ports.open(port, { access: 'link', expiresSeconds: 600, waitSeconds: 30 });
console.log(`open ${url}`);

for await (const { text } of server.output()) {
  if (!text.includes('GET / ')) continue;
  console.log('somebody has seen the page');
  break;
}
