import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { checkProject } from '../../lib/contract/check-project.ts';
import { utc } from '../../lib/contract/date.ts';
import { allLanguages } from '../../lib/contract/languages.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { companiesIn } from '../../lib/credentials/companies.ts';
import { requireActiveCompany } from '../../lib/credentials/company-record.ts';
import { hashOf } from '../../lib/records/keys.ts';
import { dynamoDbItems } from '../../lib/storage/dynamodb/items.ts';
import { attemptDelivery, type DeliveryDeps } from '../../lib/webhooks/attempt-delivery.ts';
import { inboxOn } from '../../lib/webhooks/inbox.ts';
import { MAX_MAPPING_BYTES } from '../../lib/webhooks/source-admin.ts';
import { sourcesIn } from '../../lib/webhooks/sources.ts';
import { rememberUnknown } from '../../lib/webhooks/unknown-sources.ts';
import { LISTS, MESSAGES } from '../../tools/docs/load-costs.ts';
import { CLOCK, callContext, heldNow, NOW_MS } from '../lib/support.ts';
import { identity, noFetch, sourceFor, sourceWorld } from '../lib/webhooks/world.ts';
import { type JsonObject, member, realProject, segment, smallProject, target } from '../support/projects.ts';
import { senderOf } from '../support/senders.ts';
import { hosted } from '../support/world.ts';
import { MeteredStore } from './metered-store.ts';

const COMPANY = 'acme';
/** Dates that are the same in every run, so that the stored bytes are the same. */
const DATES = { startDateUtc: utc(NOW_MS), endDateUtc: utc(NOW_MS + 30 * 86_400_000) };

/** Returns a text that looks random, and is the same in every run. */
const textOf = (seed: string) => hashOf(seed).slice(0, 20);

/** Returns a project with many target languages, and different people for each. */
function withTeams(languages: number, people: number): JsonObject {
  const codes = allLanguages()
    .map(({ langCode }) => langCode)
    .filter((code) => code !== 'en-US');
  const personOf = (code: string, n: number) =>
    member({ name: textOf(`name ${code} ${n}`), username: `${textOf(`mail ${code} ${n}`)}@example.com` }, n);
  return smallProject({
    targetLanguages: codes.slice(0, languages).map((targetLanguageCode) =>
      target({
        targetLanguageId: null,
        targetLanguageCode,
        team: Array.from({ length: people }, (_, n) => personOf(targetLanguageCode, n)),
      }),
    ),
  });
}

/** The projects of `LISTS`, by their names. */
const LISTED: Readonly<Record<string, () => JsonObject>> = {
  small: () => smallProject(),
  'largest small': () => {
    const content = Array.from({ length: 225 }, (_, n) => textOf(`content ${n}`)).join('');
    return smallProject({ segments: [segment({ content })] });
  },
  'ui-strings': () => realProject('ui-strings'),
  'udhr-html': () => realProject('udhr-html'),
  teams: () => withTeams(20, 5),
  'large teams': () => withTeams(150, 6),
};

it.each(Object.entries(LISTS))(
  'a list of 100 projects has the read units of docs/cost.md: %s',
  async (name, costed) => {
    const metered = new MeteredStore();
    const { storage } = metered;
    const service = hosted({ storage });
    const project = checkProject({ ...LISTED[name]?.(), customId: null, ...DATES }, CLOCK);
    for (let n = 0; n < 100; n++) await service.create(project, { ...callContext(COMPANY), requestId: randomUUID() });
    metered.taken();
    const { projects } = await service.list({ limit: LIMITS.listMax }, callContext(COMPANY));
    const { readUnits, objectGets } = metered.taken();
    expect(costed).toMatchObject({ projects: projects.length, objectGets });
    // Builds of zlib compress a little differently.
    expect(readUnits / costed.readUnits).toBeCloseTo(1, 1);
  },
);

/** Returns a message of a content system, as JSON. */
function messageWith(blocks: number): Buffer {
  const block = (n: number) => ({
    key: textOf(`key ${n}`),
    html: `<p>Paragraph ${n} says what ${textOf(`${n}`)} is.</p>`,
  });
  const page = { id: 7, title: 'A page', blocks: Array.from({ length: blocks }, (_, n) => block(n)) };
  return Buffer.from(JSON.stringify({ event: 'published', page }));
}

describe('webhook messages have the capacity of docs/cost.md', async () => {
  const metered = new MeteredStore();
  const items = dynamoDbItems('segue', metered.client);
  const sender = senderOf('github');
  const requireCompany = requireActiveCompany(() => items);
  const directory = sourcesIn(items);
  const { find } = rememberUnknown(directory, heldNow);
  await companiesIn(items, heldNow).register(COMPANY);
  // The mapping is as large as a mapping may be, and gives no command.
  const mapping = `null ${' '.repeat(MAX_MAPPING_BYTES - 5)}`;
  await sourceWorld(items).sources.add({ ...sourceFor(sender), companyId: COMPANY, mapping }, sender.secret);

  /** Receives and processes a message. */
  async function accept(body: Buffer): Promise<void> {
    const id = hashOf(body.toString());
    await find('cms');
    await requireCompany(COMPANY);
    const inbox = inboxOn(items, { now: heldNow });
    await inbox.accept({ id, source: 'cms', companyId: COMPANY, receivedAtMs: NOW_MS, headers: {}, body });
    const deps: DeliveryDeps = {
      store: items,
      service: hosted({ storage: metered.storage }),
      mapper: { ...identity, apply: async () => undefined },
      findSource: directory.findWithMapping,
      openFetch: noFetch,
      requireCompany,
      now: heldNow,
      random: () => 0,
    };
    const attempted = await attemptDelivery(deps, { source: 'cms', id }, { remainingMs: () => 20_000 });
    expect(attempted).toMatchObject({ end: 'done' });
  }

  const sent: Readonly<Record<string, () => Promise<unknown>>> = {
    accepted: () => accept(messageWith(18)),
    large: () => accept(messageWith(1_040)),
    forged: () => find('cms'),
    unknown: () => find('unknown'),
    again: () => find('unknown'),
  };

  it.each(Object.entries(MESSAGES))('%s', async (name, { writeUnits, readUnits }) => {
    metered.taken();
    await sent[name]?.();
    const taken = metered.taken();
    // Builds of zlib compress a little differently.
    expect(taken.writeUnits).toBeCloseTo(writeUnits, writeUnits < 100 ? 0 : -1);
    expect(taken.readUnits).toBeCloseTo(readUnits, 0);
  });

  it('which are JSON of about the size that it says', () => {
    expect([messageWith(18), messageWith(1_040)].map(({ length }) => Math.round(length / 1_000))).toEqual([2, 100]);
  });
});
