import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The folder of `install-pages`. */
export const pagesFolder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'holdfast-tests', 'pages');

/** The program of Chromium, null if the tests with a browser are not wanted. */
export const browserProgram: string | null = process.env.HOLDFAST_BROWSER ?? null;

/** As much of Playwright's as the tests use: its package is not one of the workspace's. */
export type Page = {
  setDefaultTimeout(ms: number): void;
  goto(url: string): Promise<unknown>;
  url(): string;
  title(): Promise<string>;
  reload(): Promise<unknown>;
  click(selector: string): Promise<void>;
  fill(selector: string, text: string): Promise<void>;
  textContent(selector: string): Promise<string | null>;
  waitForFunction(expression: string): Promise<unknown>;
  evaluate<T>(expression: string): Promise<T>;
  screenshot(options: { path: string }): Promise<unknown>;
  on(event: 'websocket', listener: (socket: { url(): string }) => void): void;
  on(event: 'pageerror', listener: (error: Error) => void): void;
  on(event: 'load', listener: () => void): void;
  on(event: 'request', listener: (request: { url(): string }) => void): void;
  close(): Promise<void>;
};
type Cookie = { name: string; value: string; domain: string; httpOnly: boolean; secure: boolean; sameSite: string };
type Context = { newPage(): Promise<Page>; cookies(): Promise<Cookie[]>; close(): Promise<void> };
export type Browser = {
  newContext(): Promise<Context>;
  close(): Promise<void>;
};

/** @param args further arguments of Chromium */
export async function startBrowser(args: readonly string[] = []): Promise<Browser> {
  const driver = join(pagesFolder, 'node_modules/playwright-core');
  if (!existsSync(driver)) throw new Error('run data-plane/test/ports/browser/install-pages first');
  const { chromium } = createRequire(import.meta.url)(driver);
  return await chromium.launch({ executablePath: browserProgram, headless: true, args: [...args] });
}
