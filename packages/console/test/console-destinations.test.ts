import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { press, signIn, type } from '../../../test/browser/keyboard.ts';
import { isTooWide, type Page, SCREENS, seriousFindings, startWorld } from '../../../test/browser/world.ts';
import { addDestination, resultReceiver } from '../../../test/support/destinations.ts';
import { EVENTUALLY } from '../../../test/support/eventually.ts';
import type { JsonObject } from '../../../test/support/projects.ts';
import { addCompany, segueHere } from '../../../test/support/segue.ts';
import { AdministrationClient } from '../../client/administration.ts';
import { SegueClient } from '../../client/index.ts';
import { newProject } from '../../client/test/world.ts';
import { HOSTILE } from './hostile-texts.ts';

const world = await startWorld({ args: ['--allow-loopback-events'] });
const { gateway } = world;
const { dataDir, companyId } = gateway;
const account = { baseUrl: gateway.url, companyId, apiKey: gateway.apiKey };
const client = new SegueClient(account);
const administration = new AdministrationClient(account);

/** A receiver that refuses the paths that begin with `/refused`. */
const receiver = await resultReceiver((response, { path }) => {
  response.writeHead(path.startsWith('/refused') ? 400 : 200).end('CANARY answer');
});
afterAll(() => receiver[Symbol.asyncDispose]());

const SECRET = 'CANARY secret';

/** Adds a destination whose requests go to a path of the receiver. */
async function add(name: string, body = 'segments.translation', on?: string): Promise<void> {
  const url = `"http://${receiver.address}/${name}/" & project.customId`;
  const mapping = `{ "method": "PUT", "url": ${url}, "headers": { "X-Kind": "page" }, "body": ${body} }`;
  const options = { name, companyId, mapping, host: receiver.address, secret: SECRET, ...(on && { on }) };
  expect(await addDestination(dataDir, options)).toMatchObject({ code: 0 });
}

function create(customId: string, fields: JsonObject = {}) {
  const targetLanguages = [{ targetLanguageCode: 'de-DE', serviceAutomaticTranslation: true }];
  const segments = [{ content: 'Hello' }, { content: 'Winter catalogue' }];
  return client.createProject({ ...newProject, customId, targetLanguages, segments, ...fields });
}

/** Opens a page of a destination with the keyboard alone. */
async function open(page: Page, name: string): Promise<void> {
  await press(page, 'link', 'Destinations');
  // The page before may have a link with the name too, such as that of a project.
  await page.getByRole('heading', { name: 'Destinations' }).waitFor();
  await press(page, 'link', name);
  await page.getByRole('heading', { name }).waitFor();
  await page.locator('.facts').waitFor();
}

/** Opens a delivery of the list with the keyboard alone. */
async function openDelivery(page: Page, id: string): Promise<void> {
  await page.locator(`a[href$="/${id}"]`).press('Enter');
}

/** Asks for the requests of a test. */
async function show(page: Page, name: string, project: string, language = 'de-DE'): Promise<void> {
  await open(page, name);
  await press(page, 'link', 'Test the destination');
  await page.getByLabel('Project id or custom id').waitFor();
  await type(page, 'Project id or custom id', project);
  await type(page, 'Target language', language);
  await page.keyboard.press('Enter');
}

/** Sends the requests that are shown. */
async function confirm(page: Page): Promise<void> {
  await page.getByRole('checkbox').focus();
  await page.keyboard.press('Space');
  await press(page, 'button', 'Send once');
}

/** Waits for the dead letter of a destination. @returns its id */
function deadLetter(name: string): Promise<string> {
  return vi.waitFor(async () => {
    const [first] = (await administration.listResults(name)).deliveries;
    if (first?.state !== 'dead') throw new Error('There is no dead letter yet');
    return first.id;
  }, EVENTUALLY);
}

const facts = (page: Page, name: string) => page.locator(`dt:text-is("${name}") + dd`).first().textContent();

await add('refused');
await create('page');
const letter = await deadLetter('refused');
await add('cms', 'segments.translation', 'project.created');

it.each(SCREENS)('is usable at $width pixels in $theme', async (screen) => {
  const { page, foreign, errors, picture } = await signIn(world, screen);
  const check = async (name: string) => {
    await picture(`console-${name}`);
    expect(await isTooWide(page), name).toBe(false);
    expect(await seriousFindings(page), name).toEqual([]);
  };
  await press(page, 'link', 'Destinations');
  await page.getByRole('list', { name: 'Destinations' }).waitFor();
  await check('destinations');
  await open(page, 'refused');
  await check('destination');
  await openDelivery(page, letter);
  await page.getByRole('button', { name: 'Send again' }).waitFor();
  await check('result');
  await show(page, 'cms', 'page');
  await page.getByText('1 request. Nothing was sent yet.').waitFor();
  await page.getByText(/^Body, /).click();
  await check('test');
  await confirm(page);
  await page.getByText(/^Sent. Answer: status 200/).waitFor();
  await check('test-sent');
  await show(page, 'cms', 'none');
  await page.getByRole('alert').waitFor();
  await check('test-refused');
  expect({ foreign, errors }).toEqual({ foreign: [], errors: [] });
});

it('shows a destination and its dead letter in words, with the next step and without the secret', async () => {
  const { page } = await signIn(world);
  await open(page, 'refused');
  expect(await facts(page, 'Sends after')).toBe('Language completed');
  expect(await facts(page, 'Sends only to')).toBe(receiver.address);
  expect(await facts(page, 'Secret')).toBe('In the header X-Token');
  await page.getByText('Failed', { exact: true }).waitFor();
  await page.getByText('The receiver refused the request (400)').waitFor();
  await openDelivery(page, letter);
  await page.getByText('Look into the log of the receiver.').waitFor();
  expect(await facts(page, 'Request')).toBe('1 of 1, PUT');
  expect(await facts(page, 'Headers')).toContain('x-kind');
  expect(await facts(page, 'Answer')).toBe('Status 400');
  expect(await facts(page, 'Size of the answer')).toBe('13 bytes');
  expect(await page.locator('main').textContent()).not.toContain('CANARY');
});

it('redrives a dead letter with the corrected mapping', async () => {
  await add('refused-once');
  await create('once');
  const id = await deadLetter('refused-once');
  const { page } = await signIn(world);
  await open(page, 'refused-once');
  await openDelivery(page, id);
  await page.getByRole('button', { name: 'Send again' }).waitFor();
  const mapping = join(dataDir, 'corrected.jsonata');
  writeFileSync(mapping, `{ "method": "PUT", "url": "http://${receiver.address}/corrected" }`);
  const change = ['destination', 'change', 'refused-once', '--mapping', mapping];
  expect(await segueHere(dataDir, ...change)).toMatchObject({ code: 0 });
  await press(page, 'button', 'Send again');
  await page.getByText('It was sent again.').waitFor();
  await expect
    .poll(
      async () => {
        await press(page, 'button', 'Refresh');
        return await facts(page, 'State');
      },
      { timeout: 20_000 },
    )
    .toBe('Done');
  expect(await facts(page, 'Result')).toBe('All requests were sent');
  expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0);
});

it('sends a test only after a confirmation, and shows the status of the answer', async () => {
  const { page } = await signIn(world);
  const before = receiver.received.length;
  await show(page, 'cms', 'page');
  const requests = page.getByRole('list', { name: 'Requests' });
  await requests.getByText(`PUT http://${receiver.address}/cms/page`).waitFor();
  await requests.getByText('the secret, which is not shown').waitFor();
  expect(await page.getByRole('button', { name: 'Send once' }).isDisabled()).toBe(true);
  expect(await page.locator('main').textContent()).not.toContain(SECRET);
  expect(receiver.received).toHaveLength(before);
  await confirm(page);
  await page.getByText('Sent. Answer: status 200, 13 bytes').waitFor();
  expect(receiver.received).toHaveLength(before + 1);
  expect(receiver.received.at(-1)?.headers['x-token']).toBe(SECRET);
  expect(await page.getByRole('button', { name: 'Send once' }).count()).toBe(0);
  expect(await page.locator('main').textContent()).not.toContain('CANARY');
});

it('sends nothing if the requests have changed since they were shown, and shows the new ones', async () => {
  await add('changing', '"first"', 'project.created');
  const { page } = await signIn(world);
  await show(page, 'changing', 'page');
  await page.getByText('1 request. Nothing was sent yet.').waitFor();
  expect(await segueHere(dataDir, 'destination', 'remove', 'changing')).toMatchObject({ code: 0 });
  await add('changing', '"second"', 'project.created');
  const before = receiver.received.length;
  await confirm(page);
  await page.getByText('Nothing was sent. Check what would be sent now.').waitFor();
  expect(await page.locator('pre').textContent()).toContain('second');
  expect(await page.getByRole('button', { name: 'Send once' }).isDisabled()).toBe(true);
  expect(receiver.received).toHaveLength(before);
});

it.each([
  ['none', 'de-DE', 'The company has no project with this id or custom id.'],
  ['page', 'fr-FR', 'The project does not have this target language.'],
  ['page', 'tlh', 'This is no code of a language.'],
])('says what to do for the project %s and the language %s', async (project, language, words) => {
  const { page } = await signIn(world);
  await show(page, 'cms', project, language);
  await page.getByRole('alert').getByText(words).waitFor();
  expect(await page.getByRole('button', { name: 'Send once' }).count()).toBe(0);
});

it('shows the faults of a mapping, and hostile texts as text', async () => {
  await add('hostile', JSON.stringify(HOSTILE), 'project.created');
  await add('faulty', '$assert(false, "never")', 'project.created');
  const { page, foreign, errors } = await signIn(world);
  await show(page, 'faulty', 'page');
  await page.getByRole('alert').getByText('The mapping makes no valid requests').waitFor();
  await show(page, 'hostile', 'page');
  await page.getByText(/^Body, /).click();
  expect(await page.locator('pre').textContent()).toContain('onerror');
  expect(await page.locator('main :is(script, img, svg, iframe, style)').count()).toBe(0);
  expect(await page.evaluate(() => 'harmed' in window)).toBe(false);
  expect({ foreign, errors }).toEqual({ foreign: [], errors: [] });
});

it('says how to add a destination if there is none, and which scope is missing', async () => {
  const enter = async (id: string, ...scopes: string[]) => {
    const { apiKey } = await addCompany(dataDir, id, ...scopes);
    const { page } = await world.open('/console');
    await type(page, 'Company id', id);
    await type(page, 'API key', apiKey);
    await page.keyboard.press('Enter');
    await press(page, 'link', 'Destinations');
    return page;
  };
  const owner = await enter('owners', '--scopes', 'read,manage');
  await owner.getByText('For operators').click();
  await owner.getByText('segue destination add').waitFor();
  const reader = await enter('readers', '--scopes', 'read');
  await reader.getByRole('alert').getByText('manage').waitFor();
});
