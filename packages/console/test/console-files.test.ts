import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { press, signIn } from '../../../test/browser/keyboard.ts';
import { isTooWide, type Page, SCREENS, seriousFindings, startWorld, type Visit } from '../../../test/browser/world.ts';
import { type JsonObject, nowUtc, segment, smallProject } from '../../../test/support/projects.ts';
import { SegueClient } from '../../client/index.ts';
import { readableName } from '../values.ts';
import { HOSTILE } from './hostile-texts.ts';

const world = await startWorld();
const { gateway } = world;
const client = new SegueClient({ baseUrl: gateway.url, companyId: gateway.companyId, apiKey: gateway.apiKey });
const DUE = nowUtc(30 * 86_400_000).slice(0, 10);

const create = (fields: JsonObject) => world.create(smallProject({ customId: crypto.randomUUID(), ...fields }));

/** Chooses a file on the page. */
async function choose(page: Page, name: string, content: string | Buffer): Promise<void> {
  const file = { name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) };
  await page.getByLabel('Project file').setInputFiles(file);
}

/** Opens the page `Create`, and chooses a file. */
async function createWith(name: string, content: string | Buffer, screen?: (typeof SCREENS)[number]): Promise<Visit> {
  const visit = await signIn(world, screen);
  await visit.page.evaluate(() => {
    location.hash = '#/create';
  });
  await visit.page.getByRole('heading', { name: 'Create a project' }).waitFor();
  await choose(visit.page, name, content);
  return visit;
}

interface Answers {
  readonly source?: string;
  readonly targets?: readonly string[];
}

const targetLanguages = (page: Page) => page.getByRole('combobox', { name: 'Target languages' });

async function fillIn(page: Page, { source = 'en-US', targets = ['de-DE', 'fr-FR'] }: Answers = {}): Promise<void> {
  await page.getByLabel('Source language').selectOption(source);
  for (const target of targets) await targetLanguages(page).selectOption(target);
  await page.getByLabel('Due on').fill(DUE);
  await page.getByRole('button', { name: 'Check the project' }).press('Enter');
}

type Locator = ReturnType<Page['locator']>;

/** Returns what describes a field as wrong. */
async function faultOf(field: Locator): Promise<string | null> {
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  const described = (await field.getAttribute('aria-describedby')) ?? '';
  return field
    .page()
    .locator(`[id="${described.split(' ').at(-1)}"]`)
    .textContent();
}

const isFocused = (field: Locator) => field.evaluate((element) => element === document.activeElement);

const XLIFF = `<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file original="a" datatype="plaintext"
 source-language="en-US" target-language="de-DE"><body><trans-unit id="hello"><source>Hello</source></trans-unit>
</body></file></xliff>`;
const FILES = [
  ['texts.xlf', XLIFF, 'Hello'],
  ['texts.po', 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "Hello"\nmsgstr ""\n', 'Hello'],
  ['texts.csv', 'key,en-US,de-DE\nhello,Hello,\n', 'Hello'],
  ['texts.json', '{ "home": { "title": "Hello" } }', 'Hello'],
  ['strings.xml', '<resources><string name="hello">Hello</string></resources>', 'Hello'],
  ['Localizable.strings', '"hello" = "Hello";\n', 'Hello'],
  [
    'Localizable.stringsdict',
    '<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>n</key><dict><key>NSStringLocalizedFormatKey</key><string>%#@v@</string><key>v</key><dict><key>NSStringFormatSpecTypeKey</key><string>NSStringPluralRuleType</string><key>NSStringFormatValueTypeKey</key><string>d</string><key>one</key><string>One file</string><key>other</key><string>%d files</string></dict></dict></dict></plist>',
    'One file',
  ],
  ['page.html', '<!doctype html><title>Hello</title><p>Good <b>bye</b></p>', 'Hello'],
  ['page.md', '# Hello\n\nGood *bye*.\n', 'Hello'],
] as const;

describe('a file of texts', () => {
  it.each(FILES)('%s becomes a project', async (name, content, text) => {
    const { page, errors, foreign } = await createWith(name, content);
    await fillIn(page);
    await page.getByText('The project is valid.').waitFor();
    await press(page, 'button', 'Create the project');
    await page.waitForURL(/#\/projects\/\d+$/);
    await page.getByRole('heading', { name: readableName(name) }).waitFor();
    const { segments } = await client.getSegments(Number(page.url().split('/').at(-1)));
    expect(segments.map(({ source }) => source?.content)).toContain(text);
    expect({ errors, foreign }).toEqual({ errors: [], foreign: [] });
  });

  it('becomes the project that the command line makes, and no second one', async () => {
    const { page } = await createWith('only-once.json', '{ "once": "Only once" }');
    await fillIn(page);
    const button = page.getByRole('button', { name: 'Create the project' });
    await button.dblclick();
    await page.getByRole('heading', { name: 'Only once' }).waitFor();
    const { projects } = await client.listProjects();
    expect(projects.filter((project) => project['name'] === 'Only once')).toHaveLength(1);
  });

  it('becomes another project if the reader asks for it after a deletion', async () => {
    const make = async () => {
      const { page } = await createWith('again.json', '{ "again": "Once more" }');
      await fillIn(page);
      await press(page, 'button', 'Create the project');
      return page;
    };
    const idIn = (page: Page) => Number(page.url().split('/').at(-1));
    const first = await make();
    await first.waitForURL(/#\/projects\/\d+$/);
    await client.deleteProject(idIn(first), 'project');
    const second = await make();
    await press(second, 'button', 'Create it again');
    await second.waitForURL(/#\/projects\/\d+$/);
    expect((await client.getProject(idIn(second)))['name']).toBe('Again');
  });

  it.each([
    ['broken.xlf', XLIFF.replace('</source>', ''), /^Line 2, column/],
    ['broken.json', '{ "a": "b", }', /^Line 1, column 13$/],
    ['broken.strings', '"a" = "b"', /^Line 1, column 1$/],
    ['broken.po', Buffer.from([0x6d, 0x73, 0x67, 0xff]), /^Line 1/],
  ])('shows the line of the fault in %s', async (name, content, place) => {
    const { page } = await createWith(name, content);
    if (!name.endsWith('.json')) await fillIn(page);
    await page.getByRole('list', { name: 'Faults' }).getByText(place).waitFor();
    expect(await page.getByRole('button', { name: 'Create the project' }).count()).toBe(0);
  });

  it('shows what Segue refuses at the line of its text, and a wrong answer at its field', async () => {
    const long = 'x'.repeat(1_100_000);
    const { page, errors } = await createWith('long.strings', `"a" = "b";\n"c" = "${long}";\n`);
    await fillIn(page, { targets: ['de-DE', 'en-US'] });
    await page.getByText('Language 2: the language is the source language.').waitFor();
    expect(await faultOf(targetLanguages(page))).toContain('Language 2: the language is the source language.');
    expect(await isFocused(targetLanguages(page))).toBe(true);
    await page.getByRole('list', { name: 'Faults' }).getByText('Line 2').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(errors.filter((text) => !/status of 400/.test(text))).toEqual([]);
  });

  it('is not checked before what the file cannot say is chosen', async () => {
    const { page } = await createWith('texts.json', '{ "title": "Hello" }');
    const check = page.getByRole('button', { name: 'Check the project' });
    let requests = 0;
    page.on('request', (request) => {
      if (request.method() === 'POST') requests += 1;
    });
    await page.getByLabel('Name').fill(' ');
    await check.press('Enter');
    expect(await isFocused(page.getByLabel('Name'))).toBe(true);
    expect(await faultOf(page.getByLabel('Name'))).toBe('Enter a name.');
    expect(await faultOf(targetLanguages(page))).toBe('Choose at least one language.');
    expect(await faultOf(page.getByLabel('Source language'))).toBe('Choose the language of the texts.');
    expect(await faultOf(page.getByLabel('Due on'))).toMatch(/^Choose .+ or a later day\.$/);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByLabel('Name').fill('Hello');
    expect(await page.getByLabel('Name').getAttribute('aria-invalid')).toBe('false');
    expect(await page.getByLabel('Due on').getAttribute('aria-invalid')).toBe('true');
    expect(requests).toBe(0);
    await fillIn(page);
    await page.getByText('The project is valid.').waitFor();
    await page.getByText('Not asked for').waitFor();
  });

  it('that could name its languages is checked, and the form asks for what is missing', async () => {
    const nameless = XLIFF.replace(' target-language="de-DE"', '');
    const { page } = await createWith('texts.xlf', nameless);
    await fillIn(page, { source: '', targets: [] });
    await page.getByText('Choose at least one language.').waitFor();
    expect(await isFocused(targetLanguages(page))).toBe(true);
    expect(await page.getByRole('list', { name: 'Faults' }).count()).toBe(0);
    await targetLanguages(page).selectOption('fr-FR');
    await press(page, 'button', 'Check the project');
    await page.getByText('The project is valid.').waitFor();
  });

  it('cannot be due on a day that has ended', async () => {
    const { page } = await createWith('texts.json', '{ "title": "Hello" }');
    const due = page.getByLabel('Due on');
    // At this moment, the service has the 30th of June, whatever the zone of the reader has.
    await page.clock.setFixedTime(Date.UTC(2199, 5, 30, 23, 30));
    await page.getByLabel('Name').fill('Hello');
    await targetLanguages(page).selectOption('de-DE');
    expect(await due.getAttribute('min')).toBe('2199-06-30');
    await page.getByLabel('Source language').selectOption('en-US');
    await due.fill('2199-06-29');
    await press(page, 'button', 'Check the project');
    expect(await faultOf(due)).toMatch(/^Choose .*30.* or a later day\.$/);
    expect(await isFocused(due)).toBe(true);
  });

  it('says that the engine of this machine writes no real translations', async () => {
    const { page, picture } = await createWith('texts.json', '{ "title": "Hello" }');
    const automatic = page.getByLabel('Translate automatically');
    await automatic.check();
    await fillIn(page);
    await page.getByText('10 characters with a test engine').waitFor();
    await page.getByText('It translates nothing: it only adds accents').waitFor();
    await picture('manager-texts-engine');
  });

  it.each([
    ['Segue has no engine of its own, and knows no price.', null],
    ['2,000 characters, 0.04 EUR.', { engine: 'deepl', characters: 2_000, cost: { amount: 0.04, currency: 'EUR' } }],
    ['2,000 characters. No price is set.', { engine: 'deepl', characters: 2_000, cost: null }],
    ['Nothing to translate now, so it costs nothing.', { engine: 'deepl', characters: 0, cost: null }],
  ])('says what automatic translation costs: %s', async (words, automaticTranslation) => {
    const { page } = await createWith('texts.json', '{ "title": "Hello" }');
    await page.route('**/segments/projects?validateOnly=true', async (route) => {
      const response = await route.fetch();
      const { quote, ...valid } = await response.json();
      return route.fulfill({ response, json: { ...valid, quote: { ...quote, automaticTranslation } } });
    });
    await page.getByLabel('Translate automatically').check();
    await fillIn(page);
    await page.getByText(words, { exact: true }).waitFor();
  });

  it('with hostile texts is shown as text', async () => {
    const texts = Object.fromEntries(HOSTILE.slice(0, 8).map((text, n) => [`${n} ${text}`, text]));
    const { page, errors } = await createWith('<img src=x onerror=alert(1)>.json', JSON.stringify(texts));
    await fillIn(page);
    await page.getByText(/^8 segments,/).waitFor();
    expect(await page.evaluate(() => 'harmed' in window)).toBe(false);
    expect(await page.locator('main :is(script, img, svg, iframe, style)').count()).toBe(0);
    expect(errors).toEqual([]);
  });

  it('with an unknown name is read as the format that the user chooses', async () => {
    const { page } = await createWith('texts.unknown', '"hello" = "Hello";\n');
    await page.getByLabel('Format').selectOption('Apple .strings');
    await fillIn(page);
    await page.getByText(/^1 segment,/).waitFor();
  });

  it.each(SCREENS)('is asked about at $width pixels in $theme', async (screen) => {
    const { page, picture } = await createWith('texts.strings', '"hello" = "Hello";\n', screen);
    await targetLanguages(page).selectOption('de-DE');
    await targetLanguages(page).selectOption('fr-FR');
    await press(page, 'button', 'Remove French');
    const chosen = page.getByRole('list', { name: 'Chosen: Target languages' });
    expect(await chosen.getByRole('listitem').count()).toBe(1);
    await chosen.getByText('de-DE').waitFor();
    await picture('manager-texts');
    expect(await isTooWide(page)).toBe(false);
    expect(await seriousFindings(page)).toEqual([]);
    await page.getByLabel('Name').fill('');
    await press(page, 'button', 'Check the project');
    await page.getByText('Enter a name.').waitFor();
    await picture('manager-texts-faults');
    expect(await isTooWide(page)).toBe(false);
    expect(await seriousFindings(page)).toEqual([]);
  });

  it('can be pasted, and is checked again after a fault', async () => {
    const { page } = await signIn(world);
    await page.evaluate(() => {
      location.hash = '#/create';
    });
    await page.getByText('Or paste the texts').click();
    await page.getByLabel('Content of a file').fill('{ "a": "b", }');
    await press(page, 'button', 'Use these texts');
    await page.getByText('The file has a fault. Nothing was created.').waitFor();
    await press(page, 'button', 'Check again');
    await page.getByText('The file has a fault. Nothing was created.').waitFor();
  });

  it('updates the texts of a project, and nothing else', async () => {
    const id = await create({
      description: 'Stays',
      segments: [segment({ customId: 'a', content: 'One' }), segment({ customId: 'b', content: 'Two' })],
    });
    const { page } = await signIn(world);
    await page.evaluate((hash) => {
      location.hash = hash;
    }, `#/projects/${id}`);
    await press(page, 'button', 'Update from a file…');
    await choose(page, 'new.strings', '"a" = "One";\n"b" = "Two and a half";\n"c" = "Three";\n');
    const plan = page.getByLabel('Plan');
    await plan.waitFor();
    expect(await plan.textContent()).toContain('Segments1 kept, 1 changed, 1 added, 0 removed');
    await press(page, 'button', 'Update the project');
    await page.getByText('3 segments', { exact: true }).waitFor();
    expect(await client.getProject(id)).toMatchObject({
      description: 'Stays',
      targetLanguages: [{ targetLanguageCode: 'de-DE', team: [{ name: 'Example Person' }] }],
      segments: [{ content: 'One' }, { content: 'Two and a half' }, { content: 'Three' }],
    });
  });
});

describe('the translations', () => {
  async function translated() {
    const id = await create({ segments: [segment({ customId: 'hello', content: 'Hello' })] });
    const [source] = await client.getSegments(id).then(({ segments }) => segments);
    await client.writeTranslations(id, [
      { segmentId: Number(source?.source?.id), languageCode: 'de-DE', content: 'Grüß <b>Gott', status: 'translated' },
    ]);
    const visit = await signIn(world);
    await visit.page.evaluate((hash) => {
      location.hash = hash;
    }, `#/projects/${id}?view=files`);
    await visit.page.getByRole('heading', { name: 'Download translations' }).waitFor();
    return { id, ...visit };
  }

  it.each([
    ['XLIFF 1.2', 'xlf', 'Grüß <ph id="1">&lt;b&gt;</ph>Gott'],
    ['XLIFF 2.1', 'xlf', 'Grüß <ph id="1" dataRef="d1"/>Gott'],
    ['gettext (PO)', 'po', 'msgstr "Grüß <b>Gott"'],
    ['CSV', 'csv', 'Grüß <b>Gott'],
    ['JSON', 'json', '"Grüß <b>Gott"'],
  ])('are downloaded as %s', async (format, extension, text) => {
    const { id, page, errors } = await translated();
    await page.getByLabel('Format').selectOption(format);
    const download = page.waitForEvent('download');
    await press(page, 'button', 'Download');
    const file = await download;
    expect(file.suggestedFilename()).toBe(`project-${id}.de-DE.${extension}`);
    expect(await readFile(await file.path(), 'utf8')).toContain(text);
    await page.getByText('Your browser saves').waitFor();
    expect(errors).toEqual([]);
  });

  it('are filled into the file of the project', async () => {
    const { page } = await translated();
    const download = page.waitForEvent('download');
    await page.getByLabel('File from which the project was made').setInputFiles({
      ...{ name: 'Localizable.strings', mimeType: 'text/plain' },
      buffer: Buffer.from('/* Greeting */\n"hello" = "Hello";\n'),
    });
    const file = await download;
    expect(file.suggestedFilename()).toBe('Localizable.de-DE.strings');
    expect(await readFile(await file.path(), 'utf8')).toBe('/* Greeting */\n"hello" = "Grüß <b>Gott";\n');
    await page.getByText('1 filled in, 0 left out, 0 untranslated').waitFor();
  });

  it('come back in a file of a translator, and others are not overwritten before the user says so', async () => {
    const { id, page, errors } = await translated();
    const file = (content: string) => ({
      ...{ name: 'back.csv', mimeType: 'text/csv' },
      buffer: Buffer.from(`id,source,target,status\n${content}`),
    });
    const [found] = await client.getSegments(id).then(({ segments }) => segments);
    const field = page.getByLabel('File with translations');
    const language = page.getByRole('region', { name: 'Upload translations' }).getByLabel('Language');
    await language.selectOption('de-DE');
    await field.setInputFiles(file(`${found?.source?.id},Hello,Servus,translated\n`));
    await page.getByText('0 translations to write, 0 unchanged, 0 without a translation, 1 held back.').waitFor();
    await press(page, 'button', 'Replace them, too');
    await press(page, 'button', 'Write 1 translation');
    await page.getByText(/^1 translation written/).waitFor();
    await press(page, 'link', 'Texts');
    await page.getByRole('list', { name: 'Segments' }).getByText('Servus').waitFor();
    await press(page, 'link', 'Files');
    await language.selectOption('de-DE');
    await field.setInputFiles(file(`1,Something else,Servus,translated\n`));
    await page.getByRole('list', { name: 'Faults' }).getByText('Line 2').waitFor();
    expect(await seriousFindings(page)).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('are not filled into a file that cannot be read, and the page says why', async () => {
    const { page } = await translated();
    await page.getByLabel('File from which the project was made').setInputFiles({
      ...{ name: 'x.strings', mimeType: 'text/plain' },
      buffer: Buffer.from('nothing'),
    });
    await page.getByRole('alert').getByText('Here must be an entry of the form').waitFor();
  });
});
