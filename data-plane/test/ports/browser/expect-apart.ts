import { expect } from 'vitest';
import { shows } from './serve-pages.ts';
import type { Page } from './start-browser.ts';

type Apart = { one: { origin: string; host: string }; other: { origin: string }; first: Page; second: Page };

/**
 * Expects the pages of two sessions in one browser to share nothing, and neither to reach the server of the other with its visitor's cookie.
 * Both are those of `flaskProject`.
 */
export async function expectApart({ one, other, first, second }: Apart): Promise<void> {
  await first.fill('#name', 'Ada');
  await first.click('button');
  await shows(first, '#text', 'Hello Ada');
  await first.evaluate(`(async () => {
    document.cookie = 'by_script=1; Path=/';
    localStorage.setItem('kept', '1');
    sessionStorage.setItem('kept', '1');
    await (await caches.open('kept')).put('/cached', new Response('1'));
    await new Promise((resolve) => { indexedDB.open('kept').onsuccess = resolve; });
    await navigator.serviceWorker.register('/worker.js', { scope: '/' });
    await navigator.serviceWorker.ready;
    new BroadcastChannel('kept').onmessage = () => { globalThis.heard = true; };
  })()`);
  await first.waitForFunction('navigator.serviceWorker.controller !== null');
  const offline = `fetch('/offline').then((answer) => answer.text())`;
  expect(await first.evaluate(offline)).toBe('of the worker');

  await second.goto(`${other.origin}/hello`);
  expect(await second.textContent('#text')).toBe('Hello stranger');
  const found = await second.evaluate(`(async () => {
    new BroadcastChannel('kept').postMessage('');
    return {
      cookie: document.cookie.includes('by_script'),
      stored: [localStorage.length, sessionStorage.length],
      cached: await caches.keys(),
      databases: await indexedDB.databases(),
      workers: (await navigator.serviceWorker.getRegistrations()).length,
    };
  })()`);
  expect(found).toEqual({ cookie: false, stored: [0, 0], cached: [], databases: [], workers: 0 });
  expect(await second.evaluate(offline)).toBe('of the server');
  expect(await first.evaluate('globalThis.heard ?? false')).toBe(false);

  const attempts = await second.evaluate(`(async () => {
    const outcome = (work) => Promise.race([
      new Promise((resolve) => setTimeout(resolve, 10_000, 'nothing')),
      new Promise(work).then(() => 'succeeded', () => 'failed'),
    ]);
    const element = (name, url) => outcome((resolve, reject) => {
      const made = Object.assign(document.createElement(name), { onload: resolve, onerror: reject, src: url });
      document.body.append(made);
    });
    return {
      worker: await outcome((resolve, reject) => navigator.serviceWorker.register('${one.origin}/worker.js').then(resolve, reject)),
      read: await outcome((resolve, reject) => fetch('${one.origin}/seen', { credentials: 'include' }).then(resolve, reject)),
      socket: await outcome((resolve, reject) => Object.assign(new WebSocket('${one.origin.replace('http', 'ws')}/'), { onopen: resolve, onerror: reject })),
      script: await element('script', '${one.origin}/worker.js'),
      unreadScript: await (async () => {
        const script = Object.assign(document.createElement('script'), { referrerPolicy: 'no-referrer', src: '${one.origin}/worker.js' });
        return outcome((resolve, reject) => document.body.append(Object.assign(script, { onload: resolve, onerror: reject })));
      })(),
    };
  })()`);
  expect(attempts).toEqual({
    worker: 'failed',
    read: 'failed',
    socket: 'failed',
    script: 'failed',
    unreadScript: 'failed',
  });
}
