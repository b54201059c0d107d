import { describe, expect, it } from 'vitest';
import { press, signIn, type } from '../../../test/browser/keyboard.ts';
import { isTooWide, type Page, SCREENS, seriousFindings, startWorld } from '../../../test/browser/world.ts';
import { type JsonObject, segment, smallProject, target } from '../../../test/support/projects.ts';
import { SegueClient } from '../../client/index.ts';
import { requestOf } from '../project-request.ts';
import { HOSTILE } from './hostile-texts.ts';

const world = await startWorld();
const { gateway } = world;
const client = new SegueClient({ baseUrl: gateway.url, companyId: gateway.companyId, apiKey: gateway.apiKey });

const create = (fields: JsonObject = {}) => world.create(smallProject({ customId: crypto.randomUUID(), ...fields }));

/** Opens a view of a project. */
async function openProject(id: number, query = '?view=texts', screen?: (typeof SCREENS)[number]) {
  const visit = await signIn(world, screen);
  await visit.page.evaluate((hash) => {
    location.hash = hash;
  }, `#/projects/${id}${query}`);
  await visit.page.getByRole('navigation', { name: 'Project' }).waitFor();
  return visit;
}

const TEXTS = ['Hello, world', 'Good bye', 'Crème brûlée'];
const withTexts = (fields: JsonObject = {}) =>
  create({ segments: TEXTS.map((content, n) => segment({ content, customId: `text-${n}` })), ...fields });

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Segment' });
const field = (page: Page) => dialog(page).getByLabel('Translation into');
const rows = (page: Page) => page.locator('.list .segment');
/** Opens a segment, whose field then has the focus. */
async function open(page: Page, row = 0): Promise<void> {
  await rows(page).nth(row).getByRole('button').press('Enter');
  await hasFocus(page);
}

/** Closes the open segment. Until its dialog is gone, keys belong to it. */
async function close(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
}

/** Waits until the field of the translation has the focus. */
const hasFocus = (page: Page) => page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');

const title = (page: Page, number: number) =>
  page.getByRole('dialog', { name: `Segment ${number} of 3 · German (Germany)` });

const standing = (page: Page, text: RegExp) => dialog(page).getByRole('status').filter({ hasText: text }).waitFor();

/** Presses the button of the open segment with a name. */
const pressIn = (page: Page, name: string) => dialog(page).getByRole('button', { name, exact: true }).press('Enter');

/** Holds the next request that saves, until its answer is let through. @param status of the answer: 200 or 403 */
async function heldSave(page: Page, status = 200) {
  const asked = Promise.withResolvers<void>();
  const { promise, resolve: answer } = Promise.withResolvers<void>();
  await page.route(
    '**/translations',
    async (route) => {
      asked.resolve();
      await promise;
      await (status === 200 ? route.continue() : route.fulfill(REFUSAL));
    },
    { times: 1 },
  );
  return { asked: asked.promise, answer };
}

/** An answer that refuses a request. */
const REFUSAL = {
  status: 403,
  contentType: 'application/problem+json',
  body: JSON.stringify({
    ...{ type: `${gateway.url}/problems/scope-missing`, title: 'No', status: 403, detail: 'No scope.' },
    ...{ instance: 'r', retryable: false, outcome: 'not-applied', errors: [] },
  }),
};

async function translationOf(id: number, content: string) {
  const { segments } = await client.getSegments(id);
  const found = segments.find(({ source }) => source?.content === content);
  return { segmentId: Number(found?.source?.id), ...found?.translations?.[0] };
}

describe('a translation', () => {
  it('is saved with the keyboard alone, and the next segment opens', async () => {
    const id = await withTexts();
    const { page, errors } = await openProject(id);
    await open(page);
    await page.keyboard.type('Hallo, Welt');
    await page.keyboard.press('Control+Enter');
    await dialog(page).getByText('Good bye').waitFor();
    await hasFocus(page);
    await page.keyboard.type('Tschüss');
    await page.keyboard.press('Control+s');
    await standing(page, /Version 1 Saved/);
    expect(await field(page).evaluate((element) => element === document.activeElement)).toBe(true);
    expect(await translationOf(id, 'Hello, world')).toMatchObject({ content: 'Hallo, Welt', status: 'translated' });
    expect(await translationOf(id, 'Good bye')).toMatchObject({ content: 'Tschüss', version: 1 });
    await page.keyboard.press('Alt+ArrowUp');
    await dialog(page).getByText('Hello, world').waitFor();
    expect(await field(page).inputValue()).toBe('Hallo, Welt');
    expect(errors).toEqual([]);
  });

  it('has a field in its direction', async () => {
    const id = await withTexts({ targetLanguages: [target(), { targetLanguageCode: 'ar' }] });
    const { page } = await openProject(id, '?language=ar');
    await open(page);
    expect(await field(page).getAttribute('dir')).toBe('rtl');
    expect(await field(page).getAttribute('lang')).toBe('ar');
  });

  it.each([
    ['Keep the other translation', 'Ihr Text', 1],
    ['Save mine over it', 'Mein Text', 2],
  ])('that somebody changed meanwhile: %s', async (choice, content, version) => {
    const id = await withTexts();
    const { page, errors } = await openProject(id);
    await open(page);
    await field(page).fill('Mein Text');
    const { segmentId } = await translationOf(id, 'Hello, world');
    await client.writeTranslations(id, [
      { segmentId, languageCode: 'de-DE', content: 'Ihr Text', status: 'translated' },
    ]);
    await pressIn(page, 'Save');
    const conflict = dialog(page).getByRole('alert');
    await conflict.getByText('Ihr Text').waitFor();
    expect(await field(page).inputValue()).toBe('Mein Text');
    expect(await seriousFindings(page)).toEqual([]);
    await pressIn(page, choice);
    await conflict.waitFor({ state: 'detached' });
    await standing(page, new RegExp(`Version ${version}`));
    expect(await field(page).inputValue()).toBe(content);
    expect(await translationOf(id, 'Hello, world')).toMatchObject({ content, version });
    expect(errors.filter((text) => !/status of 409/.test(text))).toEqual([]);
  });

  it('is not lost when the user leaves the page, and the browser asks before it is', async () => {
    const id = await withTexts();
    const { page } = await openProject(id);
    await open(page);
    await field(page).fill('Nicht gespeichert');
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'hidden' });
    await rows(page).first().getByText('Not saved').waitFor();
    await page.evaluate(() => {
      location.hash = '#/events';
    });
    await page.getByRole('heading', { name: 'Events' }).waitFor();
    await page.goBack();
    await open(page);
    expect(await field(page).inputValue()).toBe('Nicht gespeichert');
    const asked = page.waitForEvent('dialog');
    await page.evaluate(() => setTimeout(() => location.reload()));
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.dismiss();
    await pressIn(page, 'Discard my changes');
    expect(await field(page).inputValue()).toBe('');
    expect(await field(page).evaluate((element) => element === document.activeElement)).toBe(true);
  });

  it('stays in the field if Segue refuses it, and a second attempt is the same request', async () => {
    const id = await withTexts();
    const { page } = await openProject(id);
    const keys: (string | undefined)[] = [];
    await page.route('**/translations', (route) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (keys.length > 1) return route.continue();
      return route.fulfill(REFUSAL);
    });
    await open(page);
    await field(page).fill('Hallo');
    await pressIn(page, 'Save');
    await dialog(page).getByText('No scope.').waitFor();
    expect(await field(page).inputValue()).toBe('Hallo');
    await pressIn(page, 'Save');
    await standing(page, /Saved$/);
    expect(keys).toHaveLength(2);
    expect(keys[0]).toBe(keys[1]);
  });

  it('says which tags and placeholders it lacks or adds, and is saved all the same', async () => {
    const content = 'Hello <b>{name}</b>, %d of {n, plural, one {day} other {days}}';
    const id = await create({ segments: [segment({ content })], targetLanguages: [{ targetLanguageCode: 'ar' }] });
    const { page, errors } = await openProject(id);
    await open(page);
    expect(await dialog(page).locator('p.text bdi[dir="ltr"]').allTextContents()).toEqual([
      '<b>',
      '{name}',
      '</b>',
      '%d',
      '{n, plural, one {',
      '} other {',
      '}}',
    ]);
    await standing(page, /Not translated yet $/);
    await field(page).fill('مرحبا <b>{nom}</b> {n} %d');
    await standing(page, /\{name\} is missing\.\{nom\} is not in the source\.$/);
    expect(
      await dialog(page)
        .getByRole('status')
        .locator('bdi')
        .evaluateAll((tags) => tags.map((tag) => tag.getAttribute('dir'))),
    ).toEqual(['ltr', 'ltr']);
    expect(await seriousFindings(page)).toEqual([]);
    await page.keyboard.press('Control+s');
    await standing(page, /Saved\{name\} is missing/);
    expect(await translationOf(id, content)).toMatchObject({ content: 'مرحبا <b>{nom}</b> {n} %d' });
    await field(page).fill('مرحبا <b>{name}</b> {n} %d');
    await standing(page, /Not saved$/);
    await field(page).fill(`${'<i>'.repeat(9)}{a} {b} {c} {d} {e} {f}`);
    await standing(page, /<b> \{name\} <\/b> %d \{n\} are missing\.<i> \{a\} \{b\} \{c\} \{d\} and 2 more are not/);
    expect(errors).toEqual([]);
  });

  it('keeps what the user types while it is saved', async () => {
    const id = await withTexts();
    const { page } = await openProject(id);
    const { answer, asked } = await heldSave(page);
    await open(page);
    await page.keyboard.type('Hallo');
    await page.keyboard.press('Control+s');
    await asked;
    await page.keyboard.type(', Welt');
    answer();
    await standing(page, /Version 1 Not saved$/);
    expect(await field(page).inputValue()).toBe('Hallo, Welt');
    await page.keyboard.press('Control+s');
    await standing(page, /Version 2 Saved$/);
    expect(await translationOf(id, 'Hello, world')).toMatchObject({ content: 'Hallo, Welt' });
  });

  it.each([
    ['is refused', 403, 'Save'],
    ['succeeds', 200, 'Save and next'],
  ])('leaves nothing for who signs in next if it %s after the sign-out', async (_, status, button) => {
    const id = await withTexts();
    const { page } = await openProject(id);
    const { answer, asked } = await heldSave(page, status);
    await open(page);
    await page.keyboard.type('Hallo');
    await pressIn(page, button);
    await asked;
    await close(page);
    page.once('dialog', (question) => void question.accept());
    await page.getByRole('button', { name: 'Account of' }).click();
    await press(page, 'button', 'Sign out');
    await type(page, 'Company id', gateway.companyId);
    await type(page, 'API key', gateway.apiKey);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Projects' }).waitFor();
    const hash = `#/projects/${id}?view=texts`;
    await page.evaluate((fragment) => {
      location.hash = fragment;
    }, hash);
    await rows(page).nth(2).waitFor();
    const answered = page.waitForResponse('**/translations');
    answer();
    await answered;
    // The answers arrive in order.
    const loaded = page.waitForResponse('**/segments?*');
    await press(page, 'button', 'Load again');
    await loaded;
    await page.getByText('3 segments', { exact: true }).waitFor();
    expect(new URL(page.url()).hash).toBe(hash);
    expect(await page.getByText('Not saved').count()).toBe(0);
  });

  it('is opened again only if the user says so', async () => {
    const id = await withTexts();
    const { segmentId } = await translationOf(id, 'Hello, world');
    await client.writeTranslations(id, [{ segmentId, languageCode: 'de-DE', content: 'Hallo', status: 'proofread' }]);
    const { page } = await openProject(id);
    await open(page);
    expect(await dialog(page).getByLabel('Status').inputValue()).toBe('proofread');
    await dialog(page).getByLabel('Status').selectOption('draft');
    await dialog(page).getByText('Saving opens it again').waitFor();
    await pressIn(page, 'Save');
    await standing(page, /Version 2 Saved/);
  });
});

describe('the list of segments', () => {
  it('shows tags from left to right in Arabic, and a missing translation below the end of its head', async () => {
    const id = await withTexts({ targetLanguages: [{ targetLanguageCode: 'ar' }] });
    const { segmentId } = await translationOf(id, 'Hello, world');
    const content = '<b>مرحبا</b> {name}';
    await client.writeTranslations(id, [{ segmentId, languageCode: 'ar', content, status: 'draft' }]);
    const { page } = await openProject(id);
    const tags = rows(page).first().locator('bdi[dir="ltr"]');
    await tags.first().waitFor();
    expect(await tags.allTextContents()).toEqual(['<b>', '</b>', '{name}']);
    expect(await rows(page).nth(1).textContent()).toContain('Not translated');
    const edges = await page.evaluate(() =>
      ['.columns-head > :nth-child(3)', 'li:nth-child(2) .segment > :nth-child(3)'].map((selector) => {
        const text = document.createRange();
        text.selectNodeContents(document.querySelector(selector) ?? document);
        return Math.round(text.getBoundingClientRect().right);
      }),
    );
    expect(Math.abs((edges[0] ?? 0) - (edges[1] ?? Number.NaN))).toBeLessThanOrEqual(1);
  });

  it('finds source texts, translations and custom ids, and keeps the search in the address', async () => {
    const id = await withTexts();
    const { segmentId } = await translationOf(id, 'Good bye');
    await client.writeTranslations(id, [{ segmentId, languageCode: 'de-DE', content: 'Servus', status: 'draft' }]);
    const { page } = await openProject(id);
    const search = page.getByRole('searchbox', { name: 'Text or custom id' });
    const status = page.getByRole('status');
    for (const [text, expected] of [
      ['HELLO', 'Hello, world'],
      ['servus', 'Good bye'],
      ['creme\u0300', ''],
      ['cre\u0300me bru\u0302', 'Crème brûlée'],
      ['text-1', 'Good bye'],
    ] as const) {
      await search.fill(text);
      await status.getByText(`${expected ? 1 : 0} of 3 segments`, { exact: true }).waitFor();
      expect((await rows(page).locator('.source').allTextContents()).join()).toBe(expected);
    }
    await search.fill('');
    await page.getByRole('search').getByLabel('Status').selectOption('draft');
    await status.getByText('1 of 3 segments', { exact: true }).waitFor();
    await page.reload();
    await status.getByText('1 of 3 segments', { exact: true }).waitFor();
    expect(await page.getByRole('search').getByLabel('Status').inputValue()).toBe('draft');
  });

  it('shows every segment with its number in the project, also in a search', async () => {
    const id = await withTexts();
    const { page } = await openProject(id, '?view=texts&search=br&status=untranslated');
    await page.getByText('1 of 3 segments').waitFor();
    expect(await rows(page).locator('.number').allTextContents()).toEqual(['3']);
    await press(page, 'button', 'Edit segment 3');
    await title(page, 3).waitFor();
    await field(page).fill('Gebrannte Creme');
    await pressIn(page, 'Save');
    await page.getByText('No segment fits').waitFor();
    await title(page, 3).waitFor();
  });

  it('goes through what is not translated, not checked or outdated, by a button and by a key', async () => {
    const id = await withTexts({ targetLanguages: [target({ serviceAutomaticTranslation: true })] });
    const entry = { languageCode: 'de-DE', status: 'translated' } as const;
    const { segmentId } = await translationOf(id, 'Good bye');
    await client.writeTranslations(id, [{ ...entry, segmentId, content: 'Tschüss' }]);
    await expect.poll(async () => (await translationOf(id, 'Crème brûlée')).status).toBe('automatic');
    const { page, errors } = await openProject(id);
    await rows(page).nth(2).waitFor();
    await press(page, 'button', 'Next to do');
    await title(page, 1).waitFor();
    await pressIn(page, 'Save');
    await standing(page, /Saved$/);
    await close(page);
    await page.keyboard.press('n');
    await title(page, 3).waitFor();
    await hasFocus(page);
    await page.keyboard.press('Control+s');
    await standing(page, /Saved$/);
    await close(page);
    expect(await page.getByRole('button', { name: 'Next to do' }).isDisabled()).toBe(true);
    expect(await translationOf(id, 'Crème brûlée')).toMatchObject({ status: 'translated' });
    await page.keyboard.press('?');
    await page.getByText('Open the next segment that nobody has translated or checked').waitFor();
    expect(errors).toEqual([]);
  });

  it('shows what is left to do, and keeps this filter in the address', async () => {
    const id = await withTexts();
    const { segmentId } = await translationOf(id, 'Hello, world');
    await client.writeTranslations(id, [{ segmentId, languageCode: 'de-DE', content: 'Hallo', status: 'proofread' }]);
    const { page } = await openProject(id);
    await page.getByRole('search').getByLabel('Status').selectOption('To do or to check');
    await page.getByText('2 of 3 segments').waitFor();
    expect(await rows(page).locator('.number').allTextContents()).toEqual(['2', '3']);
    await page.reload();
    await page.getByText('2 of 3 segments').waitFor();
  });

  it('opens a segment by a click anywhere on its row', async () => {
    const id = await withTexts();
    const { page } = await openProject(id);
    await rows(page)
      .nth(1)
      .click({ position: { x: 4, y: 4 } });
    await dialog(page).getByText('Good bye').waitFor();
  });

  it('opens the segment of the address', async () => {
    const id = await withTexts();
    const { segmentId } = await translationOf(id, 'Crème brûlée');
    const { page } = await openProject(id, `?segment=${segmentId}`);
    await dialog(page).getByText('Crème brûlée').waitFor();
    await page.reload();
    await dialog(page).getByText('Crème brûlée').waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => !url.hash.includes('segment='));
  });

  it('moves with single keys outside of fields, unless they are switched off', async () => {
    const id = await withTexts();
    const { page } = await openProject(id);
    await rows(page).nth(2).waitFor();
    const focused = () => page.evaluate(() => document.activeElement?.closest('li')?.ariaPosInSet);
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await focused()).toBe('2');
    await page.keyboard.press('k');
    expect(await focused()).toBe('1');
    await page.keyboard.press('/');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('type'))).toBe('search');
    await page.keyboard.type('p?');
    expect(await page.getByRole('searchbox', { name: 'Text or custom id' }).inputValue()).toBe('p?');
    await page.keyboard.press('Tab');
    await page.locator('h1').click();
    await page.keyboard.press('?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await help.waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    await help.getByLabel('Single keys do something').uncheck();
    await page.keyboard.press('Escape');
    await page.locator('h1').click();
    await page.keyboard.press('p');
    await page.keyboard.press('?');
    expect(page.url()).toContain(`#/projects/${id}`);
    expect(await help.count()).toBe(0);
  });
});

it.each(SCREENS)('is usable at $width pixels in $theme', async (screen) => {
  const id = await withTexts();
  const { page, errors, foreign, picture } = await openProject(id, '?view=overview', screen);
  const check = async (name: string) => {
    await picture(`manager-${name}`);
    expect(await isTooWide(page), name).toBe(false);
    expect(await seriousFindings(page), name).toEqual([]);
  };
  await check('project');
  await press(page, 'link', 'Files');
  await page.getByRole('heading', { name: 'Download translations' }).waitFor();
  await check('files');
  await press(page, 'link', 'Translate');
  await rows(page).nth(2).waitFor();
  await check('texts');
  await open(page);
  await field(page).fill('Hallo');
  await check('editor');
  await page.keyboard.press('Escape');
  await press(page, 'link', 'People');
  await press(page, 'button', 'Add a person');
  await page.getByRole('group', { name: 'New person' }).waitFor();
  await check('people');
  await page.locator('h1').focus();
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  await check('shortcuts');
  expect({ foreign, errors }).toEqual({ foreign: [], errors: [] });
});

it('saves hostile texts as they are', async () => {
  const id = await create({ segments: HOSTILE.slice(0, 8).map((content) => segment({ content })) });
  const { page, errors } = await openProject(id);
  await open(page);
  for (const text of HOSTILE.slice(0, 8)) {
    await field(page).fill(text);
    await page.keyboard.press('Control+s');
    await standing(page, /Saved$/);
    expect(await field(page).inputValue()).toBe(text);
    await page.keyboard.press('Alt+ArrowDown');
  }
  expect(await page.evaluate(() => 'harmed' in window)).toBe(false);
  expect(errors).toEqual([]);
});

describe('the filters of projects', () => {
  it('survive a reload, and Back undoes them', async () => {
    await create({ customId: 'winter-1', name: 'Winter catalogue' });
    const { page } = await signIn(world);
    await type(page, 'Name or custom id', 'winter cat');
    await page.getByLabel('Progress').selectOption('false');
    await page.getByRole('list', { name: 'Projects' }).getByText('Winter catalogue').waitFor();
    expect(new URL(page.url()).hash).toBe('#/projects?search=winter+cat&done=false');
    await page.reload();
    await page.getByRole('list', { name: 'Projects' }).getByText('Winter catalogue').waitFor();
    expect(await page.getByLabel('Name or custom id').inputValue()).toBe('winter cat');
    expect(await page.getByLabel('Progress').inputValue()).toBe('false');
    expect(await page.getByRole('list', { name: 'Projects' }).getByRole('link').count()).toBe(1);
    await page.goBack();
    await expect.poll(() => page.getByLabel('Progress').inputValue()).toBe('');
    expect(await page.getByLabel('Name or custom id').inputValue()).toBe('winter cat');
  });

  it('do not count if they mean nothing', async () => {
    const { page, errors } = await signIn(world);
    await page.evaluate(() => {
      location.hash = '#/projects?state=%3Cscript%3E&done=maybe&due=2026-99';
    });
    await page.getByRole('list', { name: 'Projects' }).waitFor();
    expect(errors).toEqual([]);
  });
});

describe('progress', () => {
  it('moves by itself in the list', async () => {
    const name = `Moving ${crypto.randomUUID()}`;
    const id = await create({ name });
    const { page } = await signIn(world);
    const project = page.getByRole('listitem').filter({ has: page.getByRole('link', { name }) });
    await project.getByText('0%').waitFor();
    const { segmentId } = await translationOf(id, 'Hello, world');
    await client.writeTranslations(id, [{ segmentId, languageCode: 'de-DE', content: 'Fertig', status: 'translated' }]);
    await project.getByText('100%').waitFor();
  });

  it('says in the list in how many languages an engine has failed', async () => {
    const name = `Failing ${crypto.randomUUID()}`;
    await create({ name, targetLanguages: ['de-DE', 'fr-FR', 'nl-NL'].map((code) => ({ targetLanguageCode: code })) });
    const { page } = await signIn(world);
    const automaticTranslation = { state: 'failed', problem: 'engine-unavailable: <b>' };
    await page.route('**/segments/projects?*', async (route) => {
      const text = await (await route.fetch()).text();
      const failing = text.replace(/"targetLanguageCode":"(?:fr-FR|nl-NL)"/g, (code) => {
        return `${code},"automaticTranslation":${JSON.stringify(automaticTranslation)}`;
      });
      await route.fulfill({ body: failing, contentType: 'application/json' });
    });
    await page.reload();
    const project = page.getByRole('listitem').filter({ has: page.getByRole('link', { name }) });
    await project.getByText('Automatic translation failed in 2 languages').waitFor();
    await project.getByText('Automatic translation: engine-unavailable: <b>').first().waitFor();
    expect(await page.getByText('Automatic translation failed').count()).toBe(1);
  });

  it('is not requested while nobody sees the page', async () => {
    const id = await create();
    const { page } = await openProject(id);
    await page.clock.install();
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { value: true, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    let requests = 0;
    page.on('request', (request) => {
      if (request.url().endsWith('/progress')) requests++;
    });
    await page.clock.runFor(600_000);
    expect(requests).toBe(0);
    const seen = page.waitForRequest((request) => request.url().endsWith('/progress'));
    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { value: false, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    });
    await seen;
  });
});

describe('the people of a language', () => {
  it('are changed by a put whose plan is shown first', async () => {
    const id = await withTexts();
    const { page, errors, picture } = await openProject(id, '?view=people');
    const save = page.getByRole('button', { name: 'Save…' });
    await page.getByRole('heading', { name: /^People of / }).waitFor();
    await page.getByText('Example Person').waitFor();
    expect(await save.count()).toBe(0);
    await press(page, 'button', 'Add a person');
    await page.keyboard.type('Zoë <b>');
    const person = page.getByRole('group', { name: 'Zoë <b>' });
    await person.getByLabel('E-mail').fill('zoe@example.com');
    await person.getByLabel('Proofreader').check();
    await person.getByRole('button', { name: 'Done' }).press('Enter');
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Add a person');
    await page.getByRole('button', { name: 'Remove Zoë <b>' }).waitFor();
    await save.press('Enter');
    const plan = page.getByRole('dialog', { name: 'Save the people' }).getByLabel('Plan');
    await plan.waitFor();
    expect(await plan.textContent()).toBe('German (Germany)Added: Zoë <b> (Proofreader)');
    expect(await page.getByRole('dialog').textContent()).not.toMatch(/segment/i);
    await picture('manager-people-plan');
    expect(await seriousFindings(page)).toEqual([]);
    await press(page, 'button', 'Save the people');
    await page.getByText('Zoë <b>: proofreader').waitFor();
    const { targetLanguages } = await client.getProject(id);
    expect(targetLanguages).toMatchObject([
      {
        team: [
          { name: 'Example Person', isTranslator: true },
          { name: 'Zoë <b>', isProofreader: true },
        ],
      },
    ]);
    expect(errors).toEqual([]);
  });

  it('are not lost when the user leaves the view, and the browser asks before they are', async () => {
    const id = await create({ targetLanguages: [target(), { targetLanguageCode: 'ar' }] });
    const { page } = await openProject(id, '?view=people');
    const view = page.getByRole('link', { name: /^People/ });
    await press(page, 'button', 'Remove Example Person');
    await page.getByText('Nobody works on this language yet.').nth(1).waitFor();
    expect(await view.textContent()).toBe('PeopleNot saved');
    for (const leave of ['Files', 'Projects'] as const) {
      await press(page, 'link', leave);
      await page.getByRole('heading', { name: leave === 'Files' ? 'Download translations' : 'Projects' }).waitFor();
      await page.goBack();
      if (leave === 'Files') await page.getByText('Nobody works on this language yet.').nth(1).waitFor();
    }
    const asked = page.waitForEvent('dialog');
    await page.evaluate(() => setTimeout(() => location.reload()));
    const question = await asked;
    expect(question.type()).toBe('beforeunload');
    await question.dismiss();
    await view.press('Enter');
    // What somebody else has changed meanwhile in another language stays.
    const { targetLanguages, ...project } = requestOf(await client.getProject(id));
    const team = [{ id: 5, name: 'Meanwhile', username: 'meanwhile@example.com', isTranslator: true }];
    const [german, arabic] = targetLanguages;
    await client.putProject(id, { ...project, targetLanguages: [{ ...german }, { ...arabic, team }] });
    await press(page, 'button', 'Save…');
    const plan = page.getByRole('dialog').getByLabel('Plan');
    await plan.waitFor();
    expect(await plan.textContent()).toBe('German (Germany)Removed: Example Person');
    await press(page, 'button', 'Save the people');
    await page.getByText('Meanwhile: translator').waitFor();
    expect(await view.textContent()).toBe('People');
    const teams = requestOf(await client.getProject(id)).targetLanguages.map(({ team: members }) => members);
    expect(teams).toMatchObject([[], [{ name: 'Meanwhile' }]]);
    await page.reload();
    await view.waitFor();
  });

  it('are as before when the user discards the changes', async () => {
    const id = await create();
    const { page } = await openProject(id, '?view=people');
    const choice = page.getByLabel('People proofread');
    await choice.check();
    await page.getByRole('button', { name: 'Save…' }).waitFor();
    await choice.uncheck();
    await page.getByRole('button', { name: 'Save…' }).waitFor({ state: 'detached' });
    await press(page, 'button', 'Remove Example Person');
    await press(page, 'button', 'Discard my changes');
    await page.getByRole('button', { name: 'Edit Example Person' }).waitFor();
    expect(await page.getByRole('button', { name: 'Save…' }).count()).toBe(0);
  });

  it('show their tasks, and the work on a language is stopped and started', async () => {
    const id = await create({ targetLanguages: [target({ managedProject: true, serviceTranslation: true })] });
    const { page } = await openProject(id, '');
    await page.getByRole('list', { name: 'Tasks in German (Germany)' }).getByText('translates').waitFor();
    await page.getByRole('link', { name: 'segments without a task' }).waitFor();
    page.once('dialog', (dialog) => void dialog.accept());
    await press(page, 'button', 'Stop this language: German (Germany)');
    await page.getByRole('button', { name: 'Start this language: German (Germany)' }).waitFor();
    expect((await client.getProject(id)).targetLanguages).toMatchObject([{ state: 'InPreparation' }]);
    await press(page, 'button', 'Start this language: German (Germany)');
    await page.getByRole('button', { name: 'Stop this language: German (Germany)' }).waitFor();
  });

  it('have links from their tasks to the texts that are left', async () => {
    const id = await create({
      targetLanguages: [target({ managedProject: true, serviceTranslation: true }), { targetLanguageCode: 'fr-FR' }],
      segments: ['Home', 'Menu', 'Help'].map((taskId) => segment({ content: `On the page ${taskId}`, taskId })),
    });
    const { segmentId } = await translationOf(id, 'On the page Menu');
    const entry = { segmentId, content: 'Menu', status: 'translated' } as const;
    await client.writeTranslations(id, [
      { ...entry, languageCode: 'de-DE' },
      { ...entry, languageCode: 'fr-FR' },
    ]);
    const { page } = await openProject(id, '');
    const address = (query: string) => page.waitForURL((url) => url.hash === `#/projects/${id}?view=texts&${query}`);
    const task = (list: string, name: string) => page.getByRole('list', { name: list }).getByRole('link', { name });
    await task('Tasks in German (Germany)', 'Home').press('Enter');
    await address('language=de-DE&task=Home&status=todo');
    await page.getByText('1 of 3 segments').waitFor();
    await rows(page).getByText('On the page Home').waitFor();
    await page.reload();
    await page.getByText('1 of 3 segments').waitFor();
    await press(page, 'button', 'All tasks');
    await page.getByText('2 of 3 segments').waitFor();
    await press(page, 'link', 'Overview');
    await page.getByRole('list', { name: 'Tasks', exact: true }).getByRole('link', { name: 'Menu' }).press('Enter');
    await address('language=de-DE&task=Menu');
    await rows(page).getByText('On the page Menu').waitFor();
  });

  it('cannot stop the work on a language that is done', async () => {
    const id = await create();
    const { segmentId } = await translationOf(id, 'Hello, world');
    await client.writeTranslations(id, [{ segmentId, languageCode: 'de-DE', content: 'Fertig', status: 'translated' }]);
    const { page } = await openProject(id, '');
    const language = page.getByRole('list', { name: 'Target languages' }).getByRole('listitem').first();
    await language.getByText('Done').waitFor();
    expect(await language.getByRole('button').count()).toBe(0);
    await press(page, 'link', 'German (Germany)');
    await page.waitForURL(/view=texts&language=de-DE$/);
    await rows(page).getByText('Fertig').waitFor();
  });
});
