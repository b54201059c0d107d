import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, expect, onTestFinished } from 'vitest';
import { type StartedGateway, type StartOptions, startGateway } from '../support/gateway.ts';
import type { JsonObject } from '../support/projects.ts';
import { startBrowser } from './chromium.ts';

export type { Page };

declare global {
  interface Window {
    axe: typeof axe;
  }
}

/** How a reader looks at a page. */
export interface Screen {
  /** The width in CSS pixels. */
  readonly width: 390 | 1280;
  readonly theme: 'light' | 'dark';
}

/** A phone and a desktop, in both themes. */
export const SCREENS: readonly Screen[] = [
  { width: 390, theme: 'light' },
  { width: 390, theme: 'dark' },
  { width: 1280, theme: 'light' },
  { width: 1280, theme: 'dark' },
];

const DESKTOP: Screen = { width: 1280, theme: 'light' };
/** How long a step may take. A test has time for it, so a failed step says which it was. */
const STEP_MS = 20_000;
const HEIGHTS = { 390: 844, 1280: 800 } as const;

/** An open page, until the test ends. */
export interface Visit {
  readonly page: Page;
  /** The URLs of the requests to anything but Segue. */
  readonly foreign: readonly string[];
  /** The errors on the console, exceptions and violations of the content security policy. */
  readonly errors: readonly string[];
  /** Writes a screenshot to the folder `SEGUE_SCREENSHOTS`, if it is set. */
  picture(name: string): Promise<void>;
}

/** A browser, and a Segue with an empty store, until the tests of the file end. */
export interface World {
  readonly gateway: StartedGateway;
  /** Opens a page of Segue in a new profile. @param path the path, with its query and fragment */
  open(path: string, screen?: Screen): Promise<Visit>;
  /** Creates a project over the API. @returns its id */
  create(project: JsonObject): Promise<number>;
}

/** Starts a browser and `npm start` for the tests of a file. */
export async function startWorld(options: StartOptions = {}): Promise<World> {
  const gateway = await startGateway(options);
  afterAll(() => gateway.stop());
  const browser = await startBrowser();
  afterAll(() => browser.close());
  return {
    gateway,
    open: (path, screen = DESKTOP) => visit(browser, gateway.url, path, screen),
    create: (project) => create(gateway, project),
  };
}

async function create({ url, authorization }: StartedGateway, project: JsonObject): Promise<number> {
  const response = await fetch(`${url}/segments/projects`, {
    method: 'POST',
    headers: { Authorization: authorization, 'Content-Type': 'application/json' },
    body: JSON.stringify(project),
  });
  expect(response.status, await response.clone().text()).toBe(201);
  return Number(response.headers.get('location')?.split('/').at(-1));
}

async function visit(browser: Browser, origin: string, path: string, { width, theme }: Screen): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width, height: HEIGHTS[width] },
    colorScheme: theme,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.setDefaultTimeout(STEP_MS);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const foreign: string[] = [];
  const errors: string[] = [];
  context.on('request', (request) => {
    const { protocol, origin: target } = new URL(request.url());
    if (/^(?:https?|wss?):$/.test(protocol) && target !== origin) foreign.push(request.url());
  });
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(`${origin}${path}`);
  return {
    page,
    foreign,
    errors,
    async picture(name) {
      const folder = process.env['SEGUE_SCREENSHOTS'];
      if (folder === undefined) return;
      mkdirSync(folder, { recursive: true });
      await page.screenshot({ path: join(folder, `${name}-${width}-${theme}.png`) });
    },
  };
}

/**
 * Returns the serious and critical findings of axe, each as its rule and the first selector and text.
 * @param exclude selectors of parts to leave out
 */
export async function seriousFindings(page: Page, exclude: readonly string[] = []): Promise<string[]> {
  // A colour of the other theme stays until its transition has ended.
  await page.waitForFunction(() => document.getAnimations().every(({ playState }) => playState !== 'running'));
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate(
    (selectors) => window.axe.run({ exclude: [...selectors] }, { resultTypes: ['violations'] }),
    exclude,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, html, any }) => `${id}: ${target.join(' ')}: ${html.slice(0, 160)} ${any[0]?.message}`),
    );
}

/** Whether the page is wider than its window, so that a reader has to scroll sideways. */
export function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}
