import { createApiKey } from '../../lib/credentials/api-key.ts';
import { companiesIn } from '../../lib/credentials/companies.ts';
import { storedKeys } from '../../lib/credentials/key-directory.ts';
import { eventDeliveryOpener, failedEventsIn } from '../../lib/events/deliveries.ts';
import { eventFeed } from '../../lib/events/feed.ts';
import { outboxMover } from '../../lib/events/feed-positions.ts';
import { jobWorker } from '../../lib/hosted/work/job-worker.ts';
import { hashOf } from '../../lib/records/keys.ts';
import { type CallContext, operationIdOf, type ProjectService } from '../../lib/service/port.ts';
import { sourceReader } from '../../lib/webhooks/source-admin.ts';
import { USE } from '../lib/credentials/world.ts';
import { prefixing } from '../lib/hosted/work/world.ts';
import { callContext, checked } from '../lib/support.ts';
import { every, lost, straight } from '../lib/upstream/world.ts';
import { creation, DeliveryWorld, putSource } from '../lib/webhooks/world.ts';
import { segment, target } from '../support/projects.ts';
import { hosted, textOf } from '../support/world.ts';
import type { Stores } from './stores.ts';

/** The ids of the API keys. The keys themselves are random, and nobody keeps them. */
const KEY_IDS = { first: 'kept00000001', second: 'kept00000002', closed: 'kept00000003' };
const keyWith = (keyId: string) => ({ keyId, apiKey: createApiKey().apiKey });
const ENOUGH = { remainingMs: () => 20_000 };
const WHOLE = { kind: 'project' } as const;

const LIVE = {
  customId: 'kept',
  eventUrl: 'https://receiver.example/events',
  targetLanguages: [target({ serviceAutomaticTranslation: true, team: null })],
  segments: [segment({ content: 'Hello' }), segment({ content: 'Bye', taskId: 'task' })],
};

/** A project whose tasks do not fit into its own item. */
const MANY_TASKS = {
  customId: 'many-tasks',
  segments: Array.from({ length: 80 }, (_, n) => segment({ content: `${n}`, taskId: hashOf(`task ${n}`) })),
};
/** A project whose languages are compressed in the record of the work. */
const MANY_LANGUAGES = {
  customId: 'many-languages',
  targetLanguages: ['de', 'fr', 'it', 'es', 'pl', 'pt', 'nl', 'sv', 'da', 'fi'].map((targetLanguageCode) =>
    target({ targetLanguageId: null, targetLanguageCode }),
  ),
};

/** The actions and questions of the scenario, on the stores of a release. */
export function scenario(stores: Stores) {
  const { hosted: store, now, upstream } = stores;
  const { world } = upstream;
  let ids = 0;
  const newEventId = () => `event-${stores.nowMs}-${++ids}`;
  const service = hosted({ storage: store, now, newEventId });
  const front = upstream.segue({ newEventId });
  const deliveries = new DeliveryWorld(stores.deliveries);
  const companies = companiesIn(store, now);
  const move = outboxMover({ store, now, openDelivery: eventDeliveryOpener(store, now) });
  const feed = eventFeed({ store, now, move });
  const call = (key?: string): CallContext => ({
    ...callContext(),
    ...(key !== undefined && { idempotency: { key, replayed: () => {} } }),
  });

  async function work(): Promise<void> {
    const deps = { storage: store, now, sleep: async () => {}, translate: prefixing, newEventId };
    await jobWorker({ ...deps, onAttempt: () => {} }).workOnDue(ENOUGH);
  }

  /** Writes records of every kind. */
  async function play(): Promise<void> {
    await companies.add('acme', keyWith(KEY_IDS.first));
    await companies.add('closed', keyWith(KEY_IDS.closed));
    await companies.setState('closed', 'suspended');
    const { id } = await service.create(checked(LIVE), call('create'));
    await work();
    const gone = await service.create(checked({ customId: 'gone' }), call());
    await service.delete({ id: gone.id }, WHOLE, call('delete'));
    await service.changeLanguage({ id }, 'de-DE', { state: 'InPreparation' }, call('pause'));
    for (const project of [MANY_TASKS, MANY_LANGUAGES]) await service.create(checked(project), call());
    await move('acme', ENOUGH);
    await front.create(world.checked({ customId: 'in-front' }), world.once('create'));
    world.settle();
    upstream.way = every(lost);
    await front.create(world.checked({ customId: 'lost' }), world.hurried('lost')).catch(() => {});
    upstream.way = straight;
    await putSource(stores.deliveries, { name: 'cms', companyId: 'acme', mapping: 'body' });
    for (const body of [creation({ customId: 'page' }), { create: { name: '' } }]) {
      await deliveries.inbox.accept(deliveries.message(body));
    }
    await deliveries.run({ service });
  }

  /** Asks for everything that the records contain. */
  async function ask(): Promise<Record<string, unknown>> {
    const { projects } = await service.list({ limit: 100 }, call());
    const letters = await Array.fromAsync(deliveries.letters.list({}));
    return {
      companies: await Array.fromAsync(companies.list()),
      key: await storedKeys(store).findActiveKey('acme', KEY_IDS.first, USE),
      projects,
      ofProjects: await Promise.all(projects.map(({ id }) => partsOf(service, id))),
      custom: (await service.get({ customId: 'kept' }, undefined, call())).id,
      again: (await service.create(checked(LIVE), call('create'))).id,
      deleted: await service.operation(operationIdOf('delete'), call()),
      events: await feed.page({ after: undefined, limit: 100 }, { companyId: 'acme', deadline: ENOUGH }),
      failedEvents: await Array.fromAsync(failedEventsIn(store, now).list()),
      inFront: (await front.list({ limit: 100 }, world.call())).projects,
      operationsInFront: await Promise.all(
        ['create', 'lost'].map(async (key) => (await front.operation(operationIdOf(key), world.call())).kind),
      ),
      sources: await Array.fromAsync(sourceReader(stores.deliveries).list()),
      letters,
    };
  }

  async function partsOf(of: ProjectService, id: number) {
    const page = await of.segments({ id }, { maxBytes: 1_000_000, isGzip: false }, call());
    const whole = await of.get({ id }, undefined, call());
    return {
      parts: [page, whole].map((part): unknown => JSON.parse(textOf(part))),
      progress: await of.progress({ id }, undefined, call()),
    };
  }

  /** Changes what the records describe, as the next requests do. */
  async function goOn(): Promise<void> {
    const { projects } = await service.list({ limit: 100 }, call());
    for (const { id } of projects) await service.delete({ id }, WHOLE, call(`delete ${id}`));
    await move('acme', ENOUGH);
    await front.reconcile(() => true);
    for (const { id } of (await front.list({ limit: 100 }, world.call())).projects) {
      await front.delete({ id }, WHOLE, world.once(`delete ${id}`));
    }
    for await (const letter of deliveries.letters.list({})) await deliveries.letters.drop(letter);
    await companies.setState('closed', 'active');
    await companies.rotate('acme', keyWith(KEY_IDS.second));
  }

  /** Returns what is left of projects and dead letters. */
  async function rest() {
    return {
      projects: (await service.list({ limit: 100 }, call())).projects,
      inFront: (await front.list({ limit: 100 }, world.call())).projects,
      letters: await Array.fromAsync(deliveries.letters.list({})),
    };
  }

  return { play, ask, goOn, rest };
}
