import { join } from 'node:path';
import { startBrowser } from '../../test/browser/chromium.ts';
import type { Page } from '../../test/browser/world.ts';
import { resultReceiver } from '../../test/support/destinations.ts';
import { type StartedGateway, startGateway } from '../../test/support/gateway.ts';
import { fillExampleCompany } from './example-company.ts';
import { consolePages, PUBLIC_PAGES, type Shot } from './pages.ts';

/** How a reader looks at a page. */
interface Screen {
  readonly width: number;
  readonly height: number;
  readonly theme: 'light' | 'dark';
  /** Whether the console is turned around, as in a language that is written from right to left. */
  readonly isMirrored?: boolean;
}

const [PHONE, DESKTOP] = [
  { width: 390, height: 844 },
  { width: 1280, height: 800 },
] as const;
const SCREENS: readonly Screen[] = [
  { ...PHONE, theme: 'light' },
  { ...PHONE, theme: 'dark' },
  { ...DESKTOP, theme: 'light' },
  { ...DESKTOP, theme: 'dark' },
  { ...PHONE, theme: 'light', isMirrored: true },
  { ...DESKTOP, theme: 'dark', isMirrored: true },
];

/**
 * Takes pictures of every page.
 * @param folder where they are written
 * @param names the beginnings of the pages' names; none for all pages
 * @returns the number of pictures
 */
export async function takeScreenshots(folder: string, names: readonly string[]): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const receiver = stack.use(await resultReceiver((response) => response.writeHead(400).end()));
  const gateway = await startGateway({ args: ['--allow-loopback-events'] });
  stack.defer(async () => void (await gateway.stop()));
  const ids = await fillExampleCompany(gateway, receiver.address);
  const browser = await startBrowser();
  stack.defer(() => browser.close());
  const isWanted = ({ name }: Shot) => names.length === 0 || names.some((start) => name.startsWith(start));
  let pictures = 0;
  for (const screen of SCREENS) {
    const page = await openPage(browser, screen);
    const take = async (shot: Shot) => {
      await takePicture(page, shot, screen, folder);
      pictures += 1;
    };
    for (const shot of screen.isMirrored ? [] : PUBLIC_PAGES.filter(isWanted)) {
      await page.goto(gateway.url + shot.path);
      await take(shot);
    }
    await signIn(page, gateway);
    if (screen.isMirrored) await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'));
    for (const shot of consolePages(ids).filter(isWanted)) {
      await openFragment(page, shot.path);
      await take(shot);
    }
    await page.context().close();
  }
  return pictures;
}

async function openPage(
  browser: Awaited<ReturnType<typeof startBrowser>>,
  { width, height, theme }: Screen,
): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  page.on('pageerror', (error) => console.error(page.url(), error));
  return page;
}

async function signIn(page: Page, { url, companyId, apiKey }: StartedGateway): Promise<void> {
  await page.goto(`${url}/console`);
  await page.getByLabel('Company id').fill(companyId);
  await page.getByLabel('API key').fill(apiKey);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Projects' }).waitFor();
}

/** Opens a page of the console. Another page is opened in between, because the same one would stay as it is. */
async function openFragment(page: Page, fragment: string): Promise<void> {
  for (const [hash, title] of [
    ['#/create', 'Create a project'],
    [fragment, ''],
  ] as const) {
    await page.evaluate((target) => {
      location.hash = target;
    }, hash);
    await page.locator('h1', { hasText: title }).waitFor();
  }
}

async function takePicture(page: Page, shot: Shot, screen: Screen, folder: string): Promise<void> {
  await page.waitForLoadState('networkidle');
  await shot.act?.(page);
  await page.waitForLoadState('networkidle');
  await page.getByText('Loading…').waitFor({ state: 'detached' });
  // A style that has just changed may still be on its way to its last value.
  await page.evaluate(async () => {
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
  });
  const { width, theme, isMirrored } = screen;
  const path = join(folder, `${shot.name}-${width}-${theme}${isMirrored ? '-rtl' : ''}.png`);
  await page.screenshot({ path });
}
