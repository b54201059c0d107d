import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { type Random, randomFrom } from '../../packages/simulator/random.ts';
import { connectAsDocumented } from '../content-systems/connect.ts';
import { type ContentSystem, SYSTEMS, type SystemName, type Texts } from '../content-systems/systems.ts';
import { translationOf } from '../content-systems/translations.ts';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { type StartedGateway, startGateway } from '../support/gateway.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { ask } from './asking.ts';

const LATE_CLOCK = join(import.meta.dirname, '../support/late-clock.cjs');
/** Longer than every pause and lease after a few failures, in milliseconds. */
const LATE_MS = 3_600_000;

const PAGES = ['hours', 'prices', 'contact', 'about'];
const FIELDS = ['title', 'body'];
const KILLS = 3;
const ACTIONS_A_KILL = 12;
const FAULT_SHARE = 0.2;
const SEED = 1;

/** A page as its editors know it. */
interface Page {
  readonly name: string;
  readonly texts: Record<string, string>;
  isPublished: boolean;
}

/** The editors of a content system. Every text that they write has its own number, later ones higher ones. */
class Editors {
  readonly pages: readonly Page[] = PAGES.map((name) => ({ name, texts: {}, isPublished: false }));
  readonly #system: ContentSystem;
  readonly #random: Random;
  #number = 0;

  constructor(system: ContentSystem, random: Random) {
    this.#system = system;
    this.#random = random;
  }

  /** Publishes a page with one changed text, or unpublishes it. */
  act(): void {
    const page = this.#random.pick(this.pages);
    if (page.isPublished && this.#random.chance(0.2)) {
      page.isPublished = false;
      this.#system.unpublish(page.name);
      return;
    }
    const isNew = Object.keys(page.texts).length === 0;
    this.#publish(page, isNew ? FIELDS : [this.#random.pick(FIELDS)]);
  }

  /** Repeats what was last done to each page, as editors do if a message is lost. */
  repeat(): void {
    for (const page of this.pages) {
      if (Object.keys(page.texts).length === 0) continue;
      const { isPublished } = page;
      this.#publish(page, []);
      if (isPublished) continue;
      page.isPublished = false;
      this.#system.unpublish(page.name);
    }
  }

  #publish(page: Page, changed: readonly string[]): void {
    for (const field of changed) page.texts[field] = `The ${field} of ${page.name} has number ${++this.#number}`;
    page.isPublished = true;
    this.#system.publish(page.name, page.texts);
  }
}

/** Segue on one data folder, which is killed again and again. */
class KilledSegue {
  readonly #folder = temporaryFolder();
  gateway: StartedGateway | undefined;

  async start(env: Readonly<Record<string, string>> = {}): Promise<StartedGateway> {
    const started = await startGateway({
      args: ['--allow-loopback-events'],
      env: { SEGUE_DATA_DIR: this.#folder, ...env },
    });
    this.gateway = started;
    return started;
  }

  async kill(): Promise<void> {
    this.gateway?.process.kill('SIGKILL');
    await this.stop();
  }

  async stop(): Promise<void> {
    const { gateway } = this;
    this.gateway = undefined;
    await gateway?.stop();
  }
}

async function translated(texts: Texts): Promise<Texts> {
  const entries = Object.entries(texts).map(async ([field, text]) => [field, await translationOf(text)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** Expects that each page has the translations of its last texts, and that an unpublished page has no project. */
async function expectAllRight(system: ContentSystem, gateway: StartedGateway, pages: readonly Page[]): Promise<void> {
  for (const { name, texts, isPublished } of pages) {
    const path = `/segments/projects/custom/${encodeURIComponent(system.customIdOf(name))}`;
    expect((await ask(gateway, { method: 'GET', path })).status, name).toBe(isPublished ? 200 : 404);
    if (!isPublished) continue;
    for (const language of system.languages) expect(system.texts(name, language)).toEqual(await translated(texts));
  }
}

/** Expects that requests wrote texts, and that none wrote an older text of a field and language after a newer one. */
function expectOrder({ received }: ContentSystem): void {
  const newest = new Map<string, number>();
  for (const { method, path, query, body, status } of received) {
    if (method === 'GET' || status !== 200) continue;
    for (const [place, field = '', number] of writtenIn(body)) {
      const key = `${path} ${query.get('locale') ?? place} ${field}`;
      expect(number, key).toBeGreaterThanOrEqual(newest.get(key) ?? 0);
      newest.set(key, number);
    }
  }
  expect(newest.size).toBeGreaterThan(FIELDS.length);
}

/** Returns the place, the field and the number of each written text. */
function writtenIn(body: string): [place: string, field: string | undefined, number: number][] {
  return [...body.matchAll(/"(?:path":"([^"]*)","value|(\w+))":"\[([^"]*?) (\d+)…\]"/g)].map(
    ([, place = '', field, words, number]) => [place, field ?? words, Number(number)],
  );
}

it.each(['contentful', 'strapi'] satisfies SystemName[])(
  '%s ends right in spite of faults on every hop and kills of Segue',
  { timeout: MUCH_WORK_MS },
  async (name) => {
    const random = randomFrom(SEED);
    const system = await SYSTEMS[name]({ random, retries: 99 });
    const segue = new KilledSegue();
    onTestFinished(() => segue.stop());
    const editors = new Editors(system, random);
    await connectAsDocumented(system, await segue.start());
    system.faults.share = FAULT_SHARE;
    for (let kill = 0; kill < KILLS; kill++) {
      const before = system.received.length;
      for (let action = 0; action < ACTIONS_A_KILL; action++) editors.act();
      const requests = before + random.below(6);
      const isAtWork = () => expect(system.received.length).toBeGreaterThan(requests);
      await vi.waitFor(isAtWork, { timeout: MUCH_WORK_MS, interval: 20 });
      for (let turn = random.below(30); turn > 0; turn--) await setImmediate();
      await segue.kill();
      system.connect((await segue.start()).url);
    }
    await system.webhooks.idle();
    if (system.webhooks.lost.length > 0) {
      system.faults.share = 0;
      editors.repeat();
      await system.webhooks.idle();
      system.faults.share = FAULT_SHARE;
    }
    await segue.stop();
    const last = await segue.start({ NODE_OPTIONS: `-r ${LATE_CLOCK}`, LATE_MS: String(LATE_MS) });
    await vi.waitFor(() => expectAllRight(system, last, editors.pages), { timeout: MUCH_WORK_MS, interval: 500 });
    expectOrder(system);
    expect(system.received.filter(({ status }) => status === undefined)).not.toEqual([]);
  },
);
