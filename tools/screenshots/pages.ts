import type { Page } from '../../test/browser/world.ts';
import type { ExampleCompany } from './example-company.ts';

/** A page to take a screenshot of. */
export interface Shot {
  readonly name: string;
  /** The path of the page; of the console, the fragment. */
  readonly path: string;
  /** What a reader does on the page first. */
  readonly act?: (page: Page) => Promise<void>;
}

/** The pages that anybody may see. */
export const PUBLIC_PAGES: readonly Shot[] = [
  { name: 'problems', path: '/problems' },
  { name: 'problem', path: '/problems/invalid-project' },
  { name: 'reference', path: '/docs', act: (page) => page.locator('#reference h1').waitFor() },
  { name: 'sign-in', path: '/console' },
];

/** A project without a name, with a segment that has a text in place of a content. */
const FAULTY = `{
  "endDateUtc": "2027-03-01T17:00:00Z",
  "sourceLanguageCode": "en-GB",
  "targetLanguages": [{ "targetLanguageCode": "de-DE" }],
  "segments": [{ "text": "Hello" }]
}`;
const VALID = FAULTY.replace('{', '{\n  "name": "Gift cards",').replace('"text"', '"content"');

/** Returns the pages of the console. */
export function consolePages(ids: ExampleCompany): readonly Shot[] {
  const project = `#/projects/${ids.spring}`;
  const texts = `${project}?view=texts`;
  return [
    { name: 'projects', path: '#/projects' },
    { name: 'projects-none', path: '#/projects', act: filterByNothing },
    { name: 'project', path: project },
    { name: 'project-end', path: project, act: (page) => scrollTo(page, 'Delete') },
    { name: 'project-from-arabic', path: `#/projects/${ids.arabic}` },
    { name: 'segments', path: texts },
    { name: 'segments-task', path: `${texts}&task=Help&status=todo` },
    { name: 'segments-arabic', path: `${texts}&language=ar` },
    { name: 'segments-from-arabic', path: `#/projects/${ids.arabic}?view=texts` },
    { name: 'segments-large', path: `#/projects/${ids.large}?view=texts`, act: scrollDown },
    { name: 'segment', path: texts, act: openSegment },
    { name: 'segment-tags', path: `${texts}&language=ar`, act: changeTags },
    { name: 'segment-arabic', path: `${texts}&language=ar`, act: openSegment },
    { name: 'delete', path: project, act: (page) => press(page, 'Delete the project…') },
    { name: 'update', path: project, act: (page) => press(page, 'Update from a file…') },
    { name: 'people', path: `${project}?view=people` },
    { name: 'files', path: `${project}?view=files` },
    { name: 'files-upload', path: `${project}?view=files&part=upload` },
    // The new person stays unsaved, which the later pages of the project would show.
    { name: 'people-new', path: `${project}?view=people`, act: (page) => press(page, 'Add a person') },
    { name: 'create', path: '#/create' },
    { name: 'create-faulty', path: '#/create', act: dropFaulty },
    { name: 'create-texts', path: '#/create', act: dropTexts },
    { name: 'create-valid', path: '#/create', act: dropValid },
    { name: 'not-found', path: '#/projects/1' },
    { name: 'operations', path: '#/operations' },
    { name: 'operation', path: `#/operations/${ids.operation}` },
    { name: 'events', path: '#/events' },
    { name: 'limits', path: '#/limits' },
    { name: 'sources', path: '#/sources' },
    { name: 'source', path: '#/sources/website' },
    { name: 'source-empty', path: '#/sources/product-data' },
    { name: 'delivery', path: `#/sources/website/${ids.delivery}` },
    { name: 'destinations', path: '#/destinations' },
    { name: 'destination', path: '#/destinations/web-shop' },
    { name: 'result', path: `#/destinations/web-shop/deliveries/${ids.result}` },
    { name: 'test-search', path: '#/destinations/web-shop/test' },
    { name: 'test', path: '#/destinations/web-shop/test', act: showTest },
    { name: 'test-send', path: '#/destinations/web-shop/test', act: openSending },
    { name: 'design', path: '#/design' },
    { name: 'design-dialog', path: '#/design', act: (page) => press(page, 'Open a dialog') },
    { name: 'menu', path: '#/limits', act: openMenu },
  ];
}

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name }).first().click();
}

async function scrollTo(page: Page, heading: string): Promise<void> {
  await page.getByRole('heading', { name: heading }).evaluate((element) => element.scrollIntoView());
}

async function openSegment(page: Page): Promise<void> {
  await press(page, 'Edit segment 3');
}

/** Opens a segment, and leaves out a tag of its translation. */
async function changeTags(page: Page): Promise<void> {
  await press(page, 'Edit segment 7');
  await page.getByLabel('Translation into').fill('<p>يُغسل عند {degrees}</p>');
}

async function filterByNothing(page: Page): Promise<void> {
  await page.getByLabel('Name or custom id').fill('summer');
}

async function scrollDown(page: Page): Promise<void> {
  await page.getByText('4,000 segments').waitFor();
  await page.evaluate(() => window.scrollTo(0, 90_000));
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
}

async function dropTexts(page: Page): Promise<void> {
  await drop(page, JSON.stringify({ 'home.title': 'Hello', 'home.text': 'Free delivery this week' }));
  await page.getByLabel('Custom id').waitFor();
}

async function dropFaulty(page: Page): Promise<void> {
  await drop(page, FAULTY);
  await page.getByRole('list', { name: 'Faults' }).waitFor();
}

async function dropValid(page: Page): Promise<void> {
  await drop(page, VALID);
  const button = page.getByRole('button', { name: 'Create the project' });
  await button.waitFor();
  await button.evaluate((element) => element.scrollIntoView({ block: 'end' }));
}

async function drop(page: Page, text: string): Promise<void> {
  const file = { name: 'gift-cards.json', mimeType: 'application/json', buffer: Buffer.from(text) };
  await page.getByLabel('Project file').setInputFiles(file);
}

async function showTest(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Banner of the week' }).click();
  await press(page, 'Show the requests');
  await page.getByText(/^Body, /).waitFor();
}

async function openSending(page: Page): Promise<void> {
  await showTest(page);
  await press(page, 'Send to ');
}

/** Opens the menu of a phone, or that of the account on a desktop. */
async function openMenu(page: Page): Promise<void> {
  const button = page.getByRole('button', { name: 'Menu' });
  await ((await button.isVisible()) ? button : page.getByRole('button', { name: 'Account of' })).click();
}
