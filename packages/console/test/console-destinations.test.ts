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

/** The name of the project with a custom id. */
const nameOf = (customId: string) => `Texts of ${customId}`;

function create(customId: string, fields: JsonObject = {}) {
  const targetLanguages = [{ targetLanguageCode: 'de-DE', serviceAutomaticTranslation: true }];
  const segments = [{ content: 'Hello' }, { content: 'Winter catalogue' }];
  return client.createProject({
    ...newProject,
    name: nameOf(customId),
    customId,
    targetLanguages,
    segments,
    ...fields,
  });
}

/** Opens a page of a destination with the keyboard alone. */
async function open(page: Page, name: string): Promise<void> {
  await press(page, 'link', 'Destinations');
  // The page before may have a link with the name too, such as that of a project.
  await page.getByRole('heading', { name: 'Destinations' }).waitFor();
  await page.getByRole('link', { name, exact: true }).press('Enter');
  await page.getByRole('heading', { name: 'Deliveries' }).waitFor();
}

/** Opens a delivery of the list with the keyboard alone. */
async function openDelivery(page: Page, id: string): Promise<void> {
  await page.locator(`a[href$="/${id}"]`).press('Enter');
}

/** Chooses the project of a test. */
async function choose(page: Page, name: string, project: string): Promise<void> {
  await open(page, name);
  await press(page, 'link', 'Test');
  await press(page, 'link', nameOf(project));
  await page.getByLabel('Target language').waitFor();
}

/** Asks for the requests of a test. */
async function show(page: Page, name: string, project: string): Promise<void> {
  await choose(page, name, project);
  await press(page, 'button', 'Show the requests');
}

/** Sends the requests that are shown. */
async function confirm(page: Page): Promise<void> {
  await press(page, 'button', 'Send to ');
  await press(page, 'button', 'Send once');
}

/** Returns the row of a list with a link. */
const rowOf = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) });

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
await add('quiet', 'segments.translation', 'translation.failed');

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
  await page.getByText('Technical details').click();
  await check('result');
  await open(page, 'cms');
  await press(page, 'link', 'Test');
  await page.getByRole('list', { name: 'Projects' }).waitFor();
  await check('test-search');
  await show(page, 'cms', 'page');
  await page.getByText('1 request. Nothing was sent yet.').waitFor();
  await page.getByText('Headers').click();
  await check('test');
  await press(page, 'button', 'Send to ');
  await check('test-send');
  await press(page, 'button', 'Send once');
  await page.getByText(/^Sent. Answer: status 200/).waitFor();
  await check('test-sent');
  expect({ foreign, errors }).toEqual({ foreign: [], errors: [] });
});

it('says in the list which destinations have failures, and opens one by its row', async () => {
  const { page } = await signIn(world);
  await press(page, 'link', 'Destinations');
  await rowOf(page, 'refused')
    .getByText(/^\d+ failed$/)
    .waitFor();
  const quiet = rowOf(page, 'quiet');
  await quiet.getByText('No failures').waitFor();
  await quiet.getByText(`Sends to ${receiver.address} when a translation fails.`).waitFor();
  await quiet.click();
  await page.getByText('No open or failed deliveries.').waitFor();
});

it('shows a destination and its dead letter in words, with the next step and without the secret', async () => {
  const { page } = await signIn(world);
  await open(page, 'refused');
  await page.getByText(`Sends to ${receiver.address} when a language is completed.`).waitFor();
  expect(await facts(page, 'Secret')).toBe('In the header X-Token');
  const title = `${nameOf('page')} · German (Germany)`;
  const row = rowOf(page, title);
  await row.getByText('Failed', { exact: true }).waitFor();
  await row.getByText('The receiver refused the request (400)').waitFor();
  await row.getByText('1 attempt').waitFor();
  expect(await row.textContent()).not.toContain('Language completed');
  await openDelivery(page, letter);
  await page.getByRole('heading', { name: title }).waitFor();
  await page.getByText('Look into the log of the receiver.').waitFor();
  await page.getByText('Send again sends the translations and the mapping as they are now.').waitFor();
  expect(await facts(page, 'Last request')).toBe('1 of 1, PUT');
  expect(await facts(page, 'Headers')).toContain('x-kind');
  expect(await facts(page, 'Answer')).toBe('Status 400');
  expect(await facts(page, 'Size of the answer')).toBe('13 bytes');
  expect(await page.locator('main').textContent()).not.toContain('CANARY');
});

it('sends a dead letter once with the corrected mapping, and follows it until it is sent', async () => {
  await add('refused-once');
  await create('once');
  const id = await deadLetter('refused-once');
  const { page } = await signIn(world);
  const outdated = (await signIn(world)).page;
  for (const each of [page, outdated]) {
    await open(each, 'refused-once');
    await openDelivery(each, id);
    await each.getByRole('button', { name: 'Send again' }).waitFor();
  }
  const mapping = join(dataDir, 'corrected.jsonata');
  writeFileSync(mapping, `{ "method": "PUT", "url": "http://${receiver.address}/corrected" }`);
  const change = ['destination', 'change', 'refused-once', '--mapping', mapping];
  expect(await segueHere(dataDir, ...change)).toMatchObject({ code: 0 });
  const gate = Promise.withResolvers<void>();
  await page.route('**/redrive', async (route) => {
    await gate.promise;
    await route.continue();
  });
  await page.evaluate(() => {
    const look = () => {
      if (document.body.textContent?.includes('It failed again.')) document.body.dataset['failed'] = 'yes';
    };
    new MutationObserver(look).observe(document.body, { childList: true, subtree: true, characterData: true });
  });
  await press(page, 'button', 'Send again');
  await page.locator('button[aria-busy="true"]:disabled', { hasText: 'Send again' }).waitFor();
  gate.resolve();
  await page.getByText('It succeeded this time.').waitFor();
  expect(await page.locator('body').getAttribute('data-failed')).toBe(null);
  expect(await facts(page, 'State')).toBe('Done');
  expect(await facts(page, 'Result')).toBe('All requests were sent');
  expect(await page.getByRole('button', { name: 'Send again' }).count()).toBe(0);
  await press(outdated, 'button', 'Send again');
  await outdated.getByText('Nothing was sent: the delivery no longer counts as failed.').waitFor();
  expect(receiver.received.filter(({ path }) => path === '/corrected')).toHaveLength(1);
});

it('sends a test only after a confirmation, and shows the status of the answer', async () => {
  const { page } = await signIn(world);
  const before = receiver.received.length;
  await show(page, 'cms', 'page');
  const requests = page.getByRole('list', { name: 'Requests' });
  await requests.getByText(`PUT http://${receiver.address}/cms/page`).waitFor();
  expect(await facts(page, 'x-token')).toBe('The secret, which is not shown');
  await press(page, 'button', 'Send to ');
  await page.getByRole('dialog').getByText('with the stored secret').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.locator('main').textContent()).not.toContain(SECRET);
  expect(receiver.received).toHaveLength(before);
  await confirm(page);
  await page.getByText('Sent. Answer: status 200, 13 bytes').waitFor();
  expect(receiver.received).toHaveLength(before + 1);
  expect(receiver.received.at(-1)?.headers['x-token']).toBe(SECRET);
  expect(await page.getByRole('button', { name: 'Send to ' }).count()).toBe(0);
  expect(await page.locator('main').textContent()).not.toContain('CANARY');
});

it('tests with the project and the language of a delivery', async () => {
  const { page } = await signIn(world);
  await open(page, 'refused');
  await openDelivery(page, letter);
  await press(page, 'link', 'Test');
  await page.getByLabel('Target language').waitFor();
  expect(await page.getByLabel('Target language').inputValue()).toBe('de-DE');
  expect(await page.locator('main .main').textContent()).toBe('Show the requests');
  await press(page, 'button', 'Show the requests');
  await page.getByText('1 request. Nothing was sent yet.').waitFor();
  expect(await page.locator('main .main').textContent()).toBe(`Send to ${receiver.address}`);
});

it('finds the project of a test by its name, and asks for one of several languages', async () => {
  const targetLanguages = ['fr-FR', 'it-IT'].map((targetLanguageCode) => ({ targetLanguageCode }));
  const { id } = await create('several', { targetLanguages });
  const { page } = await signIn(world);
  await open(page, 'cms');
  await press(page, 'link', 'Test');
  await type(page, 'Name or custom id', 'OF SEV');
  await page.keyboard.press('Enter');
  await page.getByText(/^Searched in \d+ projects\.$/).waitFor();
  expect(await page.getByRole('list', { name: 'Projects' }).getByRole('listitem').count()).toBe(1);
  await press(page, 'link', nameOf('several'));
  const language = page.getByLabel('Target language');
  await language.waitFor();
  expect(await language.inputValue()).toBe('');
  await page.goto(new URL(`#/destinations/cms/test?project=${id}&language=it-IT`, page.url()).href);
  await page.reload();
  await language.waitFor();
  expect(await language.inputValue()).toBe('it-IT');
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
  await page.getByRole('button', { name: 'Send to ' }).waitFor();
  expect(receiver.received).toHaveLength(before);
});

it('says what to do if the project of a test is deleted meanwhile', async () => {
  const { id } = await create('deleted');
  const { page } = await signIn(world);
  await choose(page, 'cms', 'deleted');
  await client.deleteProject(id, 'project');
  await press(page, 'button', 'Show the requests');
  await page.getByRole('alert').getByText('The project was deleted. Choose another one.').waitFor();
  expect(await page.getByRole('button', { name: 'Send to ' }).count()).toBe(0);
  await press(page, 'link', 'Choose another');
  await page.getByRole('link', { name: nameOf('page') }).waitFor();
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
