import { expect, it, vi } from 'vitest';
import { press, type } from '../../../test/browser/keyboard.ts';
import {
  isTooWide,
  type Page,
  SCREENS,
  type Screen,
  seriousFindings,
  startWorld,
  type Visit,
} from '../../../test/browser/world.ts';
import { EVENTUALLY } from '../../../test/support/eventually.ts';
import { type JsonObject, smallProject } from '../../../test/support/projects.ts';
import { addCompany, segueHere } from '../../../test/support/segue.ts';
import { SegueClient } from '../../client/index.ts';
import { newProject } from '../../client/test/world.ts';

const world = await startWorld();
const { gateway } = world;
const { dataDir } = gateway;

interface Company {
  readonly companyId: string;
  readonly apiKey: string;
  readonly client: SegueClient;
}

/** Adds a company, and gives it limits with the options of `segue company limits`. */
async function company(companyId: string, ...limits: string[]): Promise<Company> {
  const { apiKey } = await addCompany(dataDir, companyId);
  if (limits.length > 0) {
    expect(await segueHere(dataDir, 'company', 'limits', companyId, ...limits)).toMatchObject({ code: 0 });
  }
  return { companyId, apiKey, client: new SegueClient({ baseUrl: gateway.url, companyId, apiKey }) };
}

async function signIn({ companyId, apiKey }: Company, screen?: Screen): Promise<Visit> {
  const visit = await world.open('/console', screen);
  const { page } = visit;
  await type(page, 'Company id', companyId);
  await type(page, 'API key', apiKey);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Projects' }).waitFor();
  return visit;
}

async function openLimits(page: Page): Promise<string | null> {
  await press(page, 'link', 'Limits');
  await page.locator('.facts').waitFor();
  return page.locator('.facts').textContent();
}

const automatic: JsonObject = {
  customId: 'waiting',
  name: 'Waiting project',
  targetLanguages: [{ targetLanguageCode: 'de', serviceAutomaticTranslation: true }],
  segments: [{ content: 'Hello' }, { content: 'World' }],
};
/** The beginning of a day in UTC, as the title of a moment has it. */
const MIDNIGHT = /(?:00:00|12:00\sAM) UTC$/;
const momentIn = (place: ReturnType<Page['locator']>) => place.locator('time').first().getAttribute('title');

/** A company that has used up both limits. */
const full = await company('full', '--projects-a-day', '1', '--automatic-characters-a-day', '5');
const waiting = await full.client.createProject({ ...newProject, ...automatic });
await vi.waitFor(
  async () => expect(JSON.stringify(await full.client.getProject(waiting.id))).toContain('quota-exceeded'),
  EVENTUALLY,
);

/** Chooses the file of a small project, and tries to create the project. */
async function createFrom(page: Page, name: string): Promise<void> {
  await press(page, 'link', 'Projects');
  await page.getByRole('heading', { name: 'Projects' }).waitFor();
  await press(page, 'link', 'Create a project');
  const buffer = Buffer.from(JSON.stringify({ ...smallProject({ name }), startDateUtc: undefined }));
  await page.getByLabel('Project file').setInputFiles({ name: 'a.json', mimeType: 'application/json', buffer });
  await page.getByText(/^The project is valid/).waitFor();
  await press(page, 'button', 'Create the project');
}

it.each(SCREENS)('is usable at $width pixels in $theme', async (screen) => {
  const { page, foreign, errors, picture } = await signIn(full, screen);
  const check = async (name: string) => {
    await picture(`console-limits-${name}`);
    expect(await isTooWide(page), name).toBe(false);
    expect(await seriousFindings(page), name).toEqual([]);
  };
  await page.getByText('Waits for the next day').first().waitFor();
  await check('projects');
  await press(page, 'link', 'Waiting project');
  await page.getByText('2 segments').first().waitFor();
  await check('project');
  await openLimits(page);
  await check('page');
  await createFrom(page, 'One too many');
  await page.getByRole('alert').waitFor();
  await check('refused');
  // A browser reports each refusal as an error.
  expect({ foreign, errors: errors.filter((text) => !/status of 429/.test(text)) }).toEqual({
    foreign: [],
    errors: [],
  });
});

it('shows limits that are used up, and the command that changes them', async () => {
  const { page } = await signIn(full);
  const facts = await openLimits(page);
  expect(facts).toContain('1 of 1 today');
  expect(facts).toContain('5 of 5 characters today');
  expect(await momentIn(page.locator('.facts'))).toMatch(MIDNIGHT);
  await page.getByText('Segue creates no more projects for the company until the next day.').waitFor();
  await page.getByText('For operators').click();
  await page.getByText('segue company limits full --projects-a-day 100').waitFor();
  expect(await page.getByRole('button', { name: /limit/i }).count()).toBe(0);
});

it('says until when creations are refused, and what to do', async () => {
  const { page } = await signIn(full);
  await createFrom(page, 'Refused');
  const alert = page.getByRole('alert');
  await alert.waitFor();
  expect(await alert.textContent()).toContain('You can create projects again from');
  expect(await momentIn(alert)).toMatch(MIDNIGHT);
  await alert.getByRole('link', { name: 'Limits' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Limits' }).waitFor();
  expect((await full.client.listProjects()).projects).toHaveLength(1);
});

it('says that a language waits for the next day, in the list and on the page of its project', async () => {
  const { page } = await signIn(full);
  const words = 'Waits for the next day: the company has used up its automatic translation for today.';
  await page.getByRole('list', { name: 'Projects' }).getByText(words).first().waitFor();
  await press(page, 'link', 'Waiting project');
  await page.getByRole('list', { name: 'Target languages' }).getByText(words).waitFor();
});

it('shows that a company has no limits', async () => {
  const free = await company('free');
  await free.client.createProject(newProject);
  const { page } = await signIn(free);
  expect((await openLimits(page))?.match(/No limit/g)).toHaveLength(2);
  expect(await page.getByText('until the next day').count()).toBe(0);
});
