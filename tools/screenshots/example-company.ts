import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { OperationStarted } from '../../lib/contract/answers.ts';
import { AdministrationClient } from '../../packages/client/administration.ts';
import { type NewProject, SegueClient } from '../../packages/client/index.ts';
import { addDestination } from '../../test/support/destinations.ts';
import type { StartedGateway } from '../../test/support/gateway.ts';
import { segueHere } from '../../test/support/segue.ts';
import { addSource } from '../../test/support/sources.ts';
import { TEXTS } from './texts.data.ts';

/** The ids of the example data, for the paths of pages. */
export interface ExampleCompany {
  readonly spring: number;
  readonly large: number;
  readonly arabic: number;
  readonly operation: string;
  readonly delivery: string;
  readonly result: string;
}

const DUE = '2027-03-01T17:00:00Z';
const LONG_NAME =
  'Website relaunch: accessibility statement, imprint and privacy notice of all country sites, second round after the legal review';

/** Fills a Segue with projects in several states, events, a webhook source and a destination. */
export async function fillExampleCompany(gateway: StartedGateway, receiver: string): Promise<ExampleCompany> {
  const { url: baseUrl, companyId, apiKey, dataDir } = gateway;
  const client = new SegueClient({ baseUrl, companyId, apiKey });
  const administration = new AdministrationClient({ baseUrl, companyId, apiKey });
  const limits = ['--projects-a-day', '100', '--automatic-characters-a-day', '500000'];
  await succeeds(segueHere(dataDir, 'company', 'limits', companyId, ...limits));
  const operation = await createInBackground(gateway, project('Newsletter of November', 'newsletter-11', ['de-DE']));
  const old = await client.createProject(project('Autumn sale', 'autumn-sale-2026', ['de-DE', 'fr-FR']));
  await client.deleteProject(old.id, 'project');
  const large = await client.createProject({
    ...project('Mobile app 4.2, all strings', 'app-4.2', ['de-DE', 'pl-PL']),
    segments: Array.from({ length: 4_000 }, (_, index) => ({ content: TEXTS[index % TEXTS.length]?.[0] ?? '' })),
  });
  await client.createProject({
    ...project('Help centre articles', 'help-centre', []),
    targetLanguages: ['de-DE', 'nl-NL'].map((code) => ({ targetLanguageCode: code, state: 'InPreparation' })),
  });
  const codes = ['de-DE', 'fr-FR', 'es-ES', 'it-IT', 'nl-NL', 'pl-PL', 'cs-CZ', 'sv-SE', 'fi-FI', 'el-GR', 'hu-HU'];
  await client.createProject({
    ...project(LONG_NAME, 'relaunch/legal/2026-11-24T09:12:44Z/round-2', []),
    targetLanguages: codes.map((code) => ({ targetLanguageCode: code, serviceAutomaticTranslation: code < 'f' })),
  });
  const arabic = await client.createProject({
    ...project('دليل المستخدم لتطبيق الجوال', 'user-guide-ar', ['en-GB']),
    sourceLanguageCode: 'ar',
    segments: TEXTS.flatMap(([, , content]) => (content === undefined ? [] : [{ content }])),
  });
  const spring = await createSpring(client);
  const delivery = await addFailingSource(dataDir, gateway);
  return {
    ...{ spring, large: large.id, arabic: arabic.id, operation, delivery },
    result: await addFailingDestination(gateway, administration, client, receiver),
  };
}

function project(name: string, customId: string, languages: readonly string[]): NewProject {
  return {
    ...{ name, customId, endDateUtc: DUE, sourceLanguageCode: 'en-GB' },
    targetLanguages: languages.map((targetLanguageCode) => ({ targetLanguageCode })),
    segments: TEXTS.map(([content]) => ({ content })),
  };
}

/** A project in work: with teams, tasks, notes, and translations by people and by an engine. */
async function createSpring(client: SegueClient): Promise<number> {
  const member = (id: number, name: string) => ({ id, name, username: `person.${id}@example.com`, isTranslator: true });
  const tasks = ['Home page', 'Product pages', 'Help'];
  const { id } = await client.createProject({
    ...project('Spring catalogue 2027', 'spring-2027', []),
    description:
      'Texts of the web shop for the spring collection. The tone is warm, and speaks to the reader directly.',
    targetLanguages: [
      { targetLanguageCode: 'de-DE', team: [member(1, 'Anna Beispiel'), member(2, 'Jonas Muster')] },
      { targetLanguageCode: 'ar', team: [member(3, 'ليلى مثال')] },
      { targetLanguageCode: 'fr-FR', serviceAutomaticTranslation: true },
    ],
    segments: TEXTS.map(([content], index) => ({
      content,
      customId: `shop.text.${index + 1}`,
      taskId: tasks[Math.floor(index / 4)] ?? null,
      notes: index === 4 ? 'The braces are a placeholder. Keep them.' : null,
    })),
  });
  const { segments } = await client.getSegments(id);
  const translations = segments.flatMap(({ source }, index) => {
    const [, german, arabic] = TEXTS[index] ?? [];
    const segmentId = Number(source?.id);
    return [
      ...(german ? [{ segmentId, languageCode: 'de-DE', content: german, status: statusAt(index) }] : []),
      ...(arabic ? [{ segmentId, languageCode: 'ar', content: arabic, status: statusAt(index) }] : []),
    ];
  });
  await client.writeTranslations(id, translations);
  return id;
}

const STATUSES = ['proofread', 'translated', 'draft'] as const;
const statusAt = (index: number) => STATUSES[index % STATUSES.length] ?? 'draft';

/** Creates a project in the background. @returns the id of the operation */
async function createInBackground({ url, authorization }: StartedGateway, body: NewProject): Promise<string> {
  const startDateUtc = new Date().toISOString();
  const response = await fetch(`${url}/segments/projects`, {
    method: 'POST',
    headers: { Authorization: authorization, 'Content-Type': 'application/json', Prefer: 'respond-async' },
    body: JSON.stringify({ ...body, startDateUtc }),
  });
  return OperationStarted.parse(await response.json()).operationId;
}

/** Adds webhook sources, one of them with a message that could not be processed. @returns the id of its delivery */
async function addFailingSource(dataDir: string, { companyId, url }: StartedGateway): Promise<string> {
  const mapping = '{ "create": $merge([body.page, { "customId": "page-" & body.page.id }]) }';
  const sample = join(dataDir, 'page.json');
  writeFileSync(sample, JSON.stringify({ headers: {}, body: { page: { id: 7, name: '' } } }));
  const scheme = { name: 'standard-webhooks' } as const;
  const create = JSON.stringify({ headers: {}, body: { page: project('A page', 'page', ['de-DE']) } });
  await succeeds(addSource(dataDir, { name: 'website', companyId, scheme, mapping, sample: create }));
  await succeeds(addSource(dataDir, { name: 'product-data', companyId, scheme, mapping, sample: create }));
  const { stdout } = await segueHere(dataDir, 'source', 'send', 'website', '--sample', sample, '--url', url);
  return /^Delivery: (\S+)$/m.exec(stdout)?.[1] ?? '';
}

/** Adds a destination whose receiver refuses every request. @returns the id of a dead letter */
async function addFailingDestination(
  { dataDir, companyId }: StartedGateway,
  administration: AdministrationClient,
  client: SegueClient,
  receiver: string,
): Promise<string> {
  const mapping = `{ "method": "PUT", "url": "http://${receiver}/pages/" & project.customId, "body": segments.translation }`;
  await succeeds(addDestination(dataDir, { name: 'web-shop', companyId, mapping, host: receiver, secret: 'a secret' }));
  await client.createProject({
    ...project('Banner of the week', 'banner-48', []),
    targetLanguages: [{ targetLanguageCode: 'de-DE', serviceAutomaticTranslation: true }],
    segments: [{ content: 'Free delivery this week' }],
  });
  for (;;) {
    const [first] = (await administration.listResults('web-shop')).deliveries;
    if (first?.state === 'dead') return first.id;
    await sleep(200);
  }
}

async function succeeds(command: ReturnType<typeof segueHere>): Promise<void> {
  const { code, stderr } = await command;
  if (code !== 0) throw new Error(stderr);
}
