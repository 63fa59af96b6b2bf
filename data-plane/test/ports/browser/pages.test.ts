import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { expectApart } from './expect-apart.ts';
import { flaskProject, nextProject, viteProject } from './projects.ts';
import { type Domain, type Pages, servePages, shows } from './serve-pages.ts';
import { browserProgram, type Page, pagesFolder } from './start-browser.ts';

const title = 'pages in a browser (HOLDFAST_BROWSER and test/ports/browser/install-pages)';

describe.skipIf(!browserProgram)(title, () => {
  describe.each(['localhost', 'preview.test'] as const)('below %s', (domain: Domain) => {
    let pages: Pages;
    beforeAll(async () => {
      pages = await servePages(domain);
    }, 120_000);
    afterAll(() => pages?.[Symbol.asyncDispose]());

    const newProfile = async () => {
      const profile = await pages.newProfile();
      onTestFinished(profile.close);
      return profile;
    };

    test('a page of Vite shows a changed module without being loaded again', async () => {
      const { url, origin, host, put } = await pages.serve(viteProject);
      const { page, seen } = await (await newProfile()).newPage();
      await page.goto(url);
      expect(page.url()).toBe(`${origin}/`);
      await shows(page, '#text', 'the first text');
      await page.fill('#draft', 'typed');
      expect((await put('text.js', `export const text = 'the second text';`)).status).toBe(200);
      await shows(page, '#text', 'the second text');
      expect((await put('style.css', 'h1 { color: rgb(200, 0, 0) }')).status).toBe(200);
      await page.waitForFunction(`getComputedStyle(document.querySelector('#text')).color === 'rgb(200, 0, 0)'`);
      expect(await page.evaluate(`document.querySelector('#draft').value`)).toBe('typed');
      await shoot(page, `vite-${domain}`);
      expect(seen).toMatchObject({ loads: 1, errors: [] });
      expect(seen.sockets).toEqual([expect.stringContaining(`//${host}/`)]);
    }, 120_000);

    test('a page of Next.js shows a changed component while it keeps its state', async () => {
      const { url, origin, host, put } = await pages.serve(nextProject);
      const { page, seen } = await (await newProfile()).newPage();
      await page.goto(url);
      await shows(page, '#text', 'the first text');
      // The page is there before its scripts have run.
      await page.waitForFunction(
        `document.querySelector('#count').textContent !== '0' || void document.querySelector('#count').click()`,
      );
      const count = (await page.textContent('#count')) ?? '';
      const changed = nextProject.files['app/page.jsx']?.replace('the first', 'the second') ?? '';
      expect((await put('app/page.jsx', changed)).status).toBe(200);
      await shows(page, '#text', 'the second text');
      expect(await page.textContent('#count')).toBe(count);
      await shoot(page, `next-${domain}`);
      expect(seen).toMatchObject({ loads: 1, errors: [] });
      expect(seen.sockets).toEqual([expect.stringContaining(`//${host}/`)]);
      await page.goto(`${origin}/moved`);
      expect(page.url()).toBe(`${origin}/?moved`);
    }, 180_000);

    test('a page of Flask keeps its session over forms, redirects and events', async () => {
      const { url, origin } = await pages.serve(flaskProject);
      const { page } = await (await newProfile()).newPage();
      await page.goto(url);
      await page.fill('#name', 'Ada');
      await page.click('button');
      await shows(page, '#text', 'Hello Ada');
      expect(page.url()).toBe(`${origin}/hello`);
      await shoot(page, `flask-${domain}`);
      const events = await page.evaluate(`new Promise((resolve) => {
        const seen = [];
        const source = new EventSource('/events');
        source.onmessage = ({ data }) => seen.push(data);
        source.onerror = () => (source.close(), resolve(seen));
      })`);
      expect(events).toEqual(['0', '1', '2']);
    }, 120_000);

    test('the token of a link leaves the address at once, and neither the page nor its server sees it', async () => {
      const { url, origin, token, hostname } = await pages.serve(flaskProject);
      const profile = await newProfile();
      const { page, seen } = await profile.newPage();
      await page.goto(url.replace('/?', '/seen?a=1&'));
      expect(page.url()).toBe(`${origin}/seen?a=1`);
      expect(await page.textContent('body')).not.toContain(token);
      expect(await page.evaluate('[document.cookie, document.referrer, history.length].join()')).toBe(',,2');
      const cookie = { value: token, domain: hostname, httpOnly: true, sameSite: 'Lax' };
      const isSecure = domain !== 'localhost';
      const name = isSecure ? '__Host-holdfast-port' : 'holdfast-port';
      expect(await profile.cookies()).toEqual([expect.objectContaining({ ...cookie, name, secure: isSecure })]);
      await page.reload();
      expect(seen.requests.filter((asked) => asked.includes(token))).toHaveLength(1);
    }, 120_000);

    test('cookies, storage and service workers of two sessions never meet', async () => {
      const [one, other] = [await pages.serve(flaskProject), await pages.serve(flaskProject)];
      const profile = await newProfile();
      const [first, second] = [await profile.newPage(), await profile.newPage()];
      await first.page.goto(one.url);
      await second.page.goto(other.url);
      await expectApart({ one, other, first: first.page, second: second.page });
      expect((await profile.cookies()).map((cookie) => cookie.domain)).not.toContain(`.${domain}`);
    }, 120_000);
  });
});

/** Kept beside the packages, for people. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = join(pagesFolder, 'screenshots');
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}
