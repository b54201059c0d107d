import * as z from 'zod/mini';
import { companySuspended } from '../../../lib/contract/failures.ts';
import type { AttemptResult } from '../../../lib/deliveries/due-worker.ts';
import { resultOpener } from '../../../lib/destinations/deliveries.ts';
import {
  type DestinationAdmin,
  type DestinationSecret,
  destinationAdmin,
  type NewDestination,
} from '../../../lib/destinations/destination-admin.ts';
import { type DestinationTestDeps, destinationTests } from '../../../lib/destinations/destination-tests.ts';
import { type Destination, readDestination } from '../../../lib/destinations/destinations.ts';
import { type ResultSenderDeps, resultSender } from '../../../lib/destinations/result-sender.ts';
import { type Results, resultsIn } from '../../../lib/destinations/results.ts';
import { outboxMover } from '../../../lib/events/feed-positions.ts';
import { readProjectNames } from '../../../lib/hosted/project-names.ts';
import type { Outgoing, Sent } from '../../../lib/service/http-client/public-transport.ts';
import type { ListedStore } from '../../../lib/storage/port.ts';
import type { GetEntries } from '../../../lib/webhooks/fetch-entry.ts';
import { answered } from '../../support/answered.ts';
import { MemoryStorage } from '../../support/memory-storage.ts';
import type { JsonObject } from '../../support/projects.ts';
import { WorkWorld } from '../hosted/work/world.ts';
import { callContext } from '../support.ts';
import { memorySecrets } from '../webhooks/world.ts';

/** The input of a mapping. */
const Input = z.object({
  event: z.object({ id: z.string(), type: z.string() }),
  project: z.object({ id: z.int(), customId: z.nullable(z.string()), name: z.nullable(z.string()) }),
  language: z.nullable(z.object({ languageId: z.int(), languageCode: z.string() })),
  segments: z.array(
    z.object({ customId: z.nullable(z.string()), translation: z.nullable(z.string()), changed: z.boolean() }),
  ),
});
export type MappingInput = z.infer<typeof Input>;

/** Makes one request from an input: its segments by custom id, with a star after those that have changed. */
export function put({ project, language, segments }: MappingInput): unknown {
  const body = Object.fromEntries(
    segments.map(({ customId, translation, changed }) => [customId ?? '', `${translation}${changed ? '*' : ''}`]),
  );
  return { method: 'PUT', url: `https://cms.example/${project.id}/${language?.languageCode ?? ''}`, body };
}

/** A hosted service with a destination, whose deliveries are in a store of their own. */
export class DestinationWorld extends WorkWorld {
  /** The store of the deliveries. */
  readonly deliveries: ListedStore;
  readonly secrets = memorySecrets();
  readonly sent: Outgoing[] = [];
  readonly inputs: MappingInput[] = [];
  readonly attempts: AttemptResult[] = [];
  readonly results: Results;
  readonly suspended = new Set<string>();
  /** The mapping of every destination. */
  map: (input: MappingInput) => unknown = put;
  /** Reads the pages of a fetch. */
  getEntries: GetEntries = async () => 'null';
  /** The end of sending a request. */
  answer: (request: Outgoing) => Sent | Promise<Sent> = () => answered(200);
  readonly admin: DestinationAdmin;

  constructor(deliveries: ListedStore = new MemoryStorage()) {
    super();
    this.deliveries = deliveries;
    this.results = resultsIn(deliveries, this.now);
    const { secretStore } = this.secrets;
    const isCompany = async () => true;
    this.admin = destinationAdmin({ store: this.storage, deliveries, secretStore, isCompany, now: this.now });
  }

  /** Returns the items of the deliveries, if their store is in memory. */
  kept() {
    return this.deliveries instanceof MemoryStorage ? this.deliveries.all() : [];
  }

  /** Returns what is remembered of delivered translations. */
  remembered() {
    return this.kept().filter(({ partition }) => partition.startsWith('result-delivered/'));
  }

  async add(fields: Partial<NewDestination> = {}, secret?: DestinationSecret): Promise<Destination> {
    const on = ['language.completed'];
    const hosts = ['cms.example'];
    await this.admin.add({ name: 'cms', companyId: 'acme', mapping: 'null', on, hosts, ...fields }, secret);
    return this.admin.get(fields.name ?? 'cms');
  }

  /** What the sender and the tests of destinations have in common. */
  private outside(): DestinationTestDeps {
    const { segments } = this.service;
    return {
      store: this.storage,
      deliveries: this.deliveries,
      reads: { segments, project: (companyId, id) => readProjectNames(this.storage, companyId, id) },
      mapper: {
        applyToJson: async (_, json) => {
          const input = Input.parse(JSON.parse(json));
          this.inputs.push(input);
          return this.map(input);
        },
      },
      openGetEntries: async () => this.getEntries,
      secretOf: ({ name }) => this.admin.get(name).then((destination) => this.admin.secret(destination)),
      send: async (request) => {
        this.sent.push(request);
        return this.answer(request);
      },
      now: this.now,
    };
  }

  /** Creates the tests of destinations. */
  tests(options: Partial<DestinationTestDeps> = {}) {
    return destinationTests({ ...this.outside(), ...options });
  }

  sender(options: Partial<ResultSenderDeps> = {}) {
    return resultSender({
      ...this.outside(),
      store: this.deliveries,
      findDestination: (name) => readDestination(this.storage, name),
      requireCompany: async (companyId) => {
        if (this.suspended.has(companyId)) throw companySuspended();
        return undefined;
      },
      random: () => 0,
      onAttempt: (_, { durationMs: _ms, ...attempt }) => void this.attempts.push(attempt),
      ...options,
    });
  }

  /** Moves the events of a company, which opens deliveries. */
  move(companyId = 'acme', store: ListedStore = this.storage) {
    const openResult = resultOpener(this.deliveries, this.now);
    return outboxMover({ store, now: this.now, openResult })(companyId, { remainingMs: () => 20_000 });
  }

  /** Sends what is due now. */
  run(options: Partial<ResultSenderDeps> = {}) {
    return this.sender(options).workOnDue(this.deadline());
  }

  /** Translates what is open, moves the events and sends what is due. */
  async deliver(): Promise<void> {
    await this.workUntilDone();
    await this.move();
    await this.run();
  }

  /** Creates a project with automatic translation whose segments have these contents, by their custom ids. */
  page(contents: Readonly<Record<string, string>>, fields: JsonObject = {}, companyId = 'acme'): Promise<number> {
    const segments = Object.entries(contents).map(([customId, content]) => ({ customId, content }));
    const targetLanguages = [{ targetLanguageCode: 'de-DE', serviceAutomaticTranslation: true }];
    return this.create({ targetLanguages, segments, ...fields }, callContext(companyId));
  }

  /** Returns the bodies of what was sent. */
  bodies(): unknown[] {
    return this.sent.map(({ body }) => JSON.parse(body ?? 'null'));
  }

  letters() {
    return Array.fromAsync(this.results.list({}));
  }

  open() {
    return Array.fromAsync(this.results.listOpen({}));
  }
}
