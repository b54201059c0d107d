import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { press, signIn, type } from '../../../test/browser/keyboard.ts';
import { isTooWide, type Page, SCREENS, seriousFindings, startWorld } from '../../../test/browser/world.ts';
import { creation } from '../../../test/lib/webhooks/world.ts';
import type { JsonObject } from '../../../test/support/projects.ts';
import { addCompany, segueHere } from '../../../test/support/segue.ts';
import { senderOf } from '../../../test/support/senders.ts';
import { addSource } from '../../../test/support/sources.ts';
import { SegueClient } from '../../client/index.ts';
import { newProject } from '../../client/test/world.ts';
import { HOSTILE } from './hostile-texts.ts';

const world = await startWorld();
const { gateway } = world;
const { dataDir } = gateway;
const { settings: scheme, secret } = senderOf('github');

/** Adds a source whose mapping is the body of the message, with a comment. */
async function add(name: string, comment = 'no comment', ...more: readonly string[]): Promise<void> {
  const mapping = `/* ${comment} */ body`;
  const sample = JSON.stringify({ headers: {}, body: creation() });
  const options = { name, companyId: gateway.companyId, scheme, secret, mapping, sample };
  const ended = await addSource(dataDir, options, ...more);
  expect(ended).toMatchObject({ code: 0 });
}

/** Sends a message whose mapping gives no valid command, and returns the id of its delivery. */
async function deadLetter(source: string, body: JsonObject): Promise<string> {
  const path = join(dataDir, `${source}.json`);
  writeFileSync(path, JSON.stringify({ headers: {}, body }));
  const { stdout } = await segueHere(dataDir, 'source', 'send', source, '--sample', path, '--url', gateway.url);
  expect(stdout).toContain('"state": "dead"');
  return /^Delivery: (\S+)$/m.exec(stdout)?.[1] ?? '';
}

/** Opens a message of the list with the keyboard alone. */
async function openMessage(page: Page, id: string): Promise<void> {
  await page.locator(`a[href$="/${id}"]`).press('Enter');
}

/** Opens a delivery from the list of the sources, with the keyboard alone. */
async function open(page: Page, source: string, delivery: string): Promise<void> {
  await press(page, 'link', 'Webhook sources');
  await press(page, 'link', source);
  await openMessage(page, delivery);
  await page.getByRole('heading', { name: 'Message not processed' }).waitFor();
  await page.getByText('The project is invalid · ').waitFor();
}

const { create } = creation();
const NAMELESS: JsonObject = { create: { ...create, name: '', customId: 'nameless' } };

await add('cms');
const delivery = await deadLetter('cms', NAMELESS);

it.each(SCREENS)('is usable at $width pixels in $theme', async (screen) => {
  const { page, foreign, errors, picture } = await signIn(world, screen);
  const check = async (name: string) => {
    await picture(`console-${name}`);
    expect(await isTooWide(page), name).toBe(false);
    expect(await seriousFindings(page), name).toEqual([]);
  };
  await press(page, 'link', 'Webhook sources');
  await page.getByRole('list', { name: 'Webhook sources' }).waitFor();
  await check('sources');
  await press(page, 'link', 'cms');
  await page.getByRole('list', { name: 'Messages' }).waitFor();
  await check('source');
  await openMessage(page, delivery);
  await page.getByText('Technical details').click();
  await check('delivery');
  expect({ foreign, errors }).toEqual({ foreign: [], errors: [] });
});

it('says in the list which sources have failures, and opens one by its row', async () => {
  await add('quiet');
  const { page } = await signIn(world);
  await press(page, 'link', 'Webhook sources');
  await page.getByRole('listitem').filter({ hasText: 'cms' }).getByText('1 failed').waitFor();
  const quiet = page.getByRole('listitem').filter({ hasText: 'quiet' });
  await quiet.getByText('No failures').waitFor();
  await quiet.click();
  await page.getByText('No open or failed messages.').waitFor();
});

it('says why a message failed and what to do, and follows it after the correction until it is processed', async () => {
  await add('press');
  const id = await deadLetter('press', NAMELESS);
  const { page } = await signIn(world);
  await press(page, 'link', 'Webhook sources');
  await press(page, 'link', 'press');
  await page.getByRole('link', { name: 'The project is invalid · 1 fault' }).waitFor();
  await openMessage(page, id);
  await page.getByText('Failed', { exact: true }).waitFor();
  expect(await page.getByRole('list', { name: 'Faults' }).first().textContent()).toContain('The name is empty.');
  await page.getByText('It then sends a new message, and this one can stay failed.').waitFor();
  await page.getByText('ask the operator to correct it, then choose Process again.').waitFor();
  await press(page, 'button', 'Process again');
  await page.getByText('It failed again.').waitFor();
  const mapping = join(dataDir, 'corrected.jsonata');
  writeFileSync(mapping, '$merge([body, { "create": $merge([body.create, { "name": "Named later" }]) }])');
  const sample = join(dataDir, 'press.json');
  expect(await segueHere(dataDir, 'source', 'change', 'press', '--mapping', mapping, '--sample', sample)).toMatchObject(
    { code: 0 },
  );
  await press(page, 'button', 'Process again');
  await page.getByText('It succeeded this time.').waitFor();
  await page.getByRole('heading', { name: 'Message processed' }).waitFor();
  expect(await page.locator('dt:text-is("State") + dd').textContent()).toBe('Done');
  expect(await page.getByRole('button', { name: 'Process again' }).count()).toBe(0);
  await press(page, 'link', 'Projects');
  await page.getByRole('link', { name: 'Named later' }).waitFor();
});

it('warns before a redrive that may bring a deleted project back', async () => {
  await add('again');
  const id = await deadLetter('again', { create: { ...create, name: '', customId: 'gone' } });
  const client = new SegueClient({ baseUrl: gateway.url, companyId: gateway.companyId, apiKey: gateway.apiKey });
  const project = await client.createProject({ ...newProject, customId: 'gone' });
  await client.deleteProject(project.id, 'project');
  const { page } = await signIn(world);
  await press(page, 'link', 'Webhook sources');
  await press(page, 'link', 'again');
  await page.getByText('its project has changed since').waitFor();
  await openMessage(page, id);
  await page.getByText('Process again may create it again.').waitFor();
});

it('shows in words what signs, identifies and fetches, and the request of a message without its content', async () => {
  const fetch = ['--fetch', '"https://cdn.example.com/" & body.id', '--fetch-host', 'cdn.example.com'];
  const identity = ['--message-id', 'header:X-GitHub-Delivery', '--scopes', 'create'];
  await add('fetching', 'no comment', ...fetch, ...identity);
  const { page } = await signIn(world);
  const facts = (name: string) => page.locator(`dt:text-is("${name}") + dd`).first().textContent();
  await press(page, 'link', 'Webhook sources');
  const does = page.getByText('Messages may create projects. Segue fetches their entries from cdn.example.com.');
  await does.waitFor();
  await press(page, 'link', 'fetching');
  await page.getByRole('heading', { name: 'Messages' }).waitFor();
  await does.waitFor();
  expect(await facts('Signature format')).toBe('GitHub');
  expect(await facts('Active secrets')).toBe('1');
  expect(await facts('Duplicates recognised by')).toMatch(/^the header x-github-delivery; without it: the body$/i);
  expect(await facts('Entry to fetch')).toContain('https://cdn.example.com/');
  expect(await facts('Secret to fetch')).toBe('None');
  await open(page, 'cms', delivery);
  await page.locator('.facts').first().waitFor();
  expect(await facts('Headers')).toContain('content-type');
  expect(await facts('Headers')).not.toContain('signature');
  expect(await facts('Size')).toMatch(/^\d+ bytes$/);
  expect(await page.locator('main').textContent()).not.toContain('nameless');
});

it('shows hostile mappings and faults as text', async () => {
  const comment = HOSTILE.join(' ').replaceAll('*/', '');
  await add('hostile', comment);
  const fields = Object.fromEntries(HOSTILE.map((text) => [text, 1]));
  const id = await deadLetter('hostile', { create: { ...create, ...fields } });
  const { page, foreign, errors } = await signIn(world);
  await press(page, 'link', 'Webhook sources');
  await press(page, 'link', 'hostile');
  await page.getByText('Mapping', { exact: true }).click();
  expect(await page.locator('pre').textContent()).toContain(comment);
  await openMessage(page, id);
  await page.getByRole('list', { name: 'Faults' }).first().waitFor();
  expect(await page.locator('main').textContent()).toContain('onerror');
  expect(await page.locator('main :is(script, img, svg, iframe, style)').count()).toBe(0);
  expect(await page.evaluate(() => 'harmed' in window)).toBe(false);
  expect({ foreign, errors }).toEqual({ foreign: [], errors: [] });
});

it('says why a key without the scope manage sees no source', async () => {
  const { apiKey } = await addCompany(dataDir, 'readers', '--scopes', 'read');
  const { page } = await world.open('/console');
  await type(page, 'Company id', 'readers');
  await type(page, 'API key', apiKey);
  await page.keyboard.press('Enter');
  await press(page, 'link', 'Webhook sources');
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('alert').textContent()).toContain('manage');
});
