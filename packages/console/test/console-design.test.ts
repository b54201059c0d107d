import { describe, expect, it } from 'vitest';
import { press, signIn } from '../../../test/browser/keyboard.ts';
import { lighthouse } from '../../../test/browser/lighthouse.ts';
import { isTooWide, type Page, SCREENS, seriousFindings, startWorld } from '../../../test/browser/world.ts';
import { SegueClient } from '../../client/index.ts';
import { newProject } from '../../client/test/world.ts';

const world = await startWorld({ env: { SEGUE_TRANSLATION_ENGINE: 'none' } });
const { gateway } = world;
const client = new SegueClient({ baseUrl: gateway.url, companyId: gateway.companyId, apiKey: gateway.apiKey });
const LONG = 'A text of many words, which needs more than one line on a phone. '.repeat(4);
const { id } = await client.createProject({
  ...newProject,
  name: 'كتالوج الربيع',
  customId: 'long',
  targetLanguages: [{ targetLanguageCode: 'ar' }, { targetLanguageCode: 'de-DE', state: 'InPreparation' }],
  segments: [{ content: LONG }, { content: 'Short' }, { content: LONG }],
});

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

describe('the page of all parts', () => {
  it.each(SCREENS)('is usable at $width pixels in $theme', async (screen) => {
    const { page, foreign, errors, picture } = await world.open('/console#/design', screen);
    await page.getByRole('heading', { name: 'Design' }).waitFor();
    await picture('console-design');
    expect(await isTooWide(page)).toBe(false);
    expect(await seriousFindings(page)).toEqual([]);
    await press(page, 'button', 'Open a dialog');
    await page.getByRole('dialog', { name: 'A dialog' }).waitFor();
    await picture('console-dialog');
    expect(await seriousFindings(page)).toEqual([]);
    expect({ foreign, errors }).toEqual({ foreign: [], errors: [] });
  });

  it('passes the rules of Lighthouse', async () => {
    const { accessibility, bestPractices, failed } = await lighthouse(`${gateway.url}/console#/design`);
    expect(Math.min(accessibility, bestPractices), failed.join()).toBeGreaterThan(95);
  });

  it('has a dialog that keeps the focus, and returns it at Escape', async () => {
    const { page } = await world.open('/console#/design');
    await press(page, 'button', 'Open a dialog');
    const dialog = page.getByRole('dialog', { name: 'A dialog' });
    await dialog.waitFor();
    for (let step = 0; step < 3; step += 1) {
      expect(await dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true);
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await focused(page)).toBe('Open a dialog');
  });

  it('has tabs that the arrow keys change, and fields with hints and faults', async () => {
    const { page } = await world.open('/console#/design');
    await page.getByRole('radio', { name: 'All' }).focus();
    await page.keyboard.press('ArrowRight');
    expect(await page.getByRole('radio', { name: 'Open', exact: true }).isChecked()).toBe(true);
    const field = page.getByLabel('Field with a fault');
    expect(await field.getAttribute('aria-invalid')).toBe('true');
    const described = await field.getAttribute('aria-describedby');
    expect(await page.locator(`[id="${described}"]`).textContent()).toBe('Enter a number from 1 to 1,000.');
  });
});

/** Returns the space between the start edge of a page from right to left and its heading, in whole pixels. */
function gapBeforeHeading(): number {
  const [main, heading] = ['main', 'h1'].map((name) => document.querySelector(name));
  if (!main || !heading) throw new Error('The page has no heading');
  const text = document.createRange();
  text.selectNodeContents(heading);
  const edge = main.getBoundingClientRect().right - Number.parseFloat(getComputedStyle(main).paddingInlineStart);
  return Math.round(edge - text.getBoundingClientRect().right);
}

it.each(SCREENS)('can be turned from right to left at $width pixels in $theme', async (screen) => {
  const { page, picture } = await signIn(world, screen);
  await page.evaluate(() => document.documentElement.setAttribute('dir', 'rtl'));
  const project = ['', '?view=texts', '?view=files', '?view=people'].map((view) => `#/projects/${id}${view}`);
  for (const fragment of ['#/projects', ...project, '#/events', '#/create', '#/limits', '#/design']) {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, fragment);
    await page.waitForLoadState('networkidle');
    await page.getByText('Loading…').waitFor({ state: 'detached' });
    await picture(`console-rtl${fragment.replaceAll(/\W+/g, '-')}`);
    expect([fragment, await isTooWide(page)]).toEqual([fragment, false]);
    expect([fragment, await seriousFindings(page)]).toEqual([fragment, []]);
    expect([fragment, await page.evaluate(gapBeforeHeading)]).toEqual([fragment, 0]);
  }
  expect(
    await page
      .locator('code')
      .first()
      .evaluate((code) => getComputedStyle(code).direction),
  ).toBe('ltr');
  const brand = await page.locator('.brand').boundingBox();
  expect(brand && brand.x + brand.width).toBeGreaterThan(screen.width / 2);
});

/** Returns the badges of a page that a button or a link overlaps, by their texts. */
function overlaps(): string[] {
  const boxOf = (element: Element) => element.getBoundingClientRect();
  const actions = [...document.querySelectorAll('main :is(a, button)')];
  return [...document.querySelectorAll('main .badge')].flatMap((badge) => {
    const { left, right, top, bottom } = boxOf(badge);
    const over = actions.filter((action) => {
      const box = boxOf(action);
      return box.left < right && box.right > left && box.top < bottom && box.bottom > top;
    });
    return over.map((action) => `${badge.textContent} and ${action.textContent}`);
  });
}

it.each([
  [390, 'ltr'],
  [390, 'rtl'],
  [1280, 'ltr'],
  [1280, 'rtl'],
] as const)('keeps badges apart from buttons and links at %i pixels, %s', async (width, dir) => {
  const { page } = await signIn(world, { width, theme: 'light' });
  await page.evaluate(
    ([fragment, direction]) => {
      document.documentElement.dir = direction;
      location.hash = fragment;
    },
    [`#/projects/${id}`, dir] as const,
  );
  await page.getByRole('button', { name: 'Start this language' }).waitFor();
  expect(await page.locator('main .badge').count()).toBe(2);
  expect(await page.evaluate(overlaps)).toEqual([]);
});

it('has a header of one row on a phone, whose menu closes at Escape and when a page opens', async () => {
  const { page } = await signIn(world, { width: 390, theme: 'light' });
  const header = await page.locator('.header').boundingBox();
  expect(header?.height).toBeLessThanOrEqual(48);
  const menu = page.getByRole('button', { name: 'Menu' });
  const links = page.getByRole('navigation', { name: 'Pages' });
  expect(await links.isVisible()).toBe(false);
  await press(page, 'button', 'Menu');
  await links.waitFor();
  await page.keyboard.press('Escape');
  await links.waitFor({ state: 'hidden' });
  expect(await focused(page)).toBe('Menu');
  await press(page, 'link', 'Limits');
  await page.getByRole('heading', { name: 'Limits' }).waitFor();
  expect(await menu.getAttribute('aria-expanded')).toBe('false');
});

it('offers the theme of the system, a light and a dark one, and shows which is chosen', async () => {
  const { page } = await world.open('/console', { width: 1280, theme: 'dark' });
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const theme = page.getByLabel('Theme');
  expect(await theme.inputValue()).toBe('auto');
  const dark = await ground();
  await theme.selectOption('light');
  await expect.poll(ground).not.toBe(dark);
  await page.emulateMedia({ colorScheme: 'light' });
  await theme.selectOption('dark');
  await expect.poll(ground).toBe(dark);
  await page.reload();
  expect(await theme.inputValue()).toBe('dark');
  expect(await ground()).toBe(dark);
});

it('shows rows as tall as their texts, and opens their details in a dialog with a name', async () => {
  const { page } = await signIn(world);
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `#/projects/${id}?view=texts`);
  await page.getByText('3 segments').waitFor();
  const [long = 0, short = 0] = await page
    .locator('.list li')
    .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
  expect(long).toBeGreaterThan(short);
  const cut = await page
    .locator('.segment .text')
    .evaluateAll((texts) => texts.filter((text) => text.scrollHeight > text.clientHeight + 1).length);
  expect(cut).toBe(0);
  await press(page, 'button', 'Edit segment 2');
  await page.getByRole('dialog', { name: 'Segment' }).getByText('Short').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.evaluate(() => document.activeElement?.ariaLabel)).toBe('Edit segment 2');
});

it('keeps a row in its place while rows above it turn out to be taller', async () => {
  const { id: long } = await client.createProject({
    ...newProject,
    customId: 'rows',
    segments: Array.from({ length: 2_000 }, (_, index) => ({ content: 'word '.repeat(1 + (index % 90)) })),
  });
  const { page } = await signIn(world);
  await page.evaluate((hash) => {
    location.hash = hash;
  }, `#/projects/${long}?view=texts`);
  await page.getByText('2,000 segments').waitFor();
  await page.evaluate(() => scrollTo(0, 60_000));
  for (let step = 0; step < 12; step += 1) {
    const found = await page.waitForFunction(() => document.elementFromPoint(600, 500)?.closest('li')?.ariaPosInSet);
    const row = await found.jsonValue();
    const item = page.locator(`.list li[aria-posinset="${row}"]`);
    const top = () => item.evaluate((element) => element.getBoundingClientRect().top);
    const before = await top();
    await page.evaluate(() => scrollBy(0, -250));
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
    expect(Math.abs((await top()) - before - 250)).toBeLessThan(2);
  }
});

it('says of a project that its deadline has passed', async () => {
  await client.createProject({ ...newProject, customId: 'due', name: 'Due later' });
  const { page } = await signIn(world);
  await page.clock.setFixedTime(Date.UTC(2200, 0, 1));
  await press(page, 'link', 'Limits');
  await press(page, 'link', 'Projects');
  const row = page.getByRole('listitem').filter({ hasText: 'Due later' });
  await row.getByText('Overdue').waitFor();
});

it('shows what to do if a project does not exist', async () => {
  const { page } = await signIn(world);
  await page.evaluate(() => {
    location.hash = '#/projects/1';
  });
  await page.getByRole('heading', { name: 'Project not found' }).waitFor();
  await page.getByRole('link', { name: 'All projects' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Projects' }).waitFor();
});
