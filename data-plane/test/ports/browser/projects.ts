import { pagesFolder } from './start-browser.ts';

/** A project as a user has it, and the command of its development server. */
export type Project = {
  files: Record<string, string>;
  command(port: number): string | string[];
  env?: Record<string, string>;
};

const program = (path: string) => `${pagesFolder}/node_modules/${path}`;

export const viteProject: Project = {
  files: {
    'index.html': `<!doctype html>
<title>Vite</title>
<link rel="stylesheet" href="/style.css">
<h1 id="text"></h1>
<input id="draft">
<script type="module" src="/main.js"></script>`,
    'main.js': `import { text } from './text.js';
const show = (now) => { document.querySelector('#text').textContent = now; };
show(text);
import.meta.hot.accept('./text.js', (changed) => show(changed.text));`,
    'text.js': `export const text = 'the first text';`,
    'vite.config.js': `export default { server: { allowedHosts: ['.preview.test'] } };`,
    'style.css': 'h1 { color: rgb(0, 0, 200) }',
  },
  command: (port) => [process.execPath, program('vite/bin/vite.js'), '--port', `${port}`, '--strictPort'],
};

export const nextProject: Project = {
  files: {
    'package.json': '{"private": true}',
    'next.config.mjs': `export default { allowedDevOrigins: ['*.preview.test'] };`,
    'app/layout.jsx': `export default ({ children }) => <html lang="en"><body>{children}</body></html>;`,
    'app/page.jsx': `import { Counter } from './counter';
export default () => <><h1 id="text">the first text</h1><Counter /></>;`,
    'app/counter.jsx': `'use client';
import { useState } from 'react';
export function Counter() {
  const [count, setCount] = useState(0);
  return <button id="count" onClick={() => setCount(count + 1)}>{count}</button>;
}`,
    'app/moved/route.js': `import { redirect } from 'next/navigation';
export function GET() { redirect('/?moved'); }`,
  },
  // Turbopack takes no packages from outside the project's folder.
  command: (port) =>
    `cp -a ${pagesFolder}/node_modules . && exec ${process.execPath} node_modules/next/dist/bin/next dev -p ${port} -H 127.0.0.1`,
  env: { NEXT_TELEMETRY_DISABLED: '1' },
};

export const flaskProject: Project = {
  files: {
    'app.py': `
import time
from flask import Flask, Response, jsonify, redirect, request, session, url_for
from werkzeug.middleware.proxy_fix import ProxyFix

app = Flask(__name__)
app.secret_key = 'of this test'
app.wsgi_app = ProxyFix(app.wsgi_app, x_proto=1, x_host=1, x_port=1)

@app.get('/')
def form():
    return '''<!doctype html><title>Flask</title><h1>Flask</h1><form method="post" action="/name">
<input id="name" name="name"><button>Send</button></form>'''

@app.post('/name')
def name():
    session['name'] = request.form['name']
    return redirect(url_for('hello', _external=True))

@app.get('/hello')
def hello():
    answer = Response('<!doctype html><title>Hello</title><h1 id="text">Hello ' + session.get('name', 'stranger') + '</h1>')
    answer.set_cookie('of_domain', session.get('name', ''), domain=request.host.split(':')[0].split('.', 1)[1])
    return answer

@app.get('/seen')
def seen():
    return jsonify(headers=list(request.headers), url=request.url)

@app.get('/events')
def events():
    def stream():
        for number in range(3):
            yield f'data: {number}\\n\\n'
            time.sleep(0.1)
    return Response(stream(), mimetype='text/event-stream')

@app.get('/worker.js')
def worker():
    script = '''self.addEventListener('activate', (event) => event.waitUntil(clients.claim()));
self.addEventListener('fetch', (event) => {
  if (new URL(event.request.url).pathname === '/offline') event.respondWith(new Response('of the worker'));
});'''
    return Response(script, mimetype='text/javascript', headers={'Service-Worker-Allowed': '/'})

@app.get('/offline')
def offline():
    return 'of the server'
`,
  },
  command: (port) => [`${pagesFolder}/python/bin/python`, '-m', 'flask', '--app', 'app', 'run', '--port', `${port}`],
};
