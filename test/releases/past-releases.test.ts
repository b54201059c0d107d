import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NOW_MS } from '../lib/support.ts';
import { scenario } from './scenario.ts';
import { type KeptRecord, KeptRelease, Stores } from './stores.ts';

const RECORDS = join(import.meta.dirname, 'records');
const HOUR_MS = 3_600_000;

/** Returns the stores of a release, an hour after its scenario. */
async function storesWith(records: readonly KeptRecord[]): Promise<Stores> {
  const stores = new Stores(NOW_MS + HOUR_MS);
  await stores.load(records);
  return stores;
}

/** Plays the scenario, and returns what it leaves in the stores. */
async function played(): Promise<KeptRecord[]> {
  const stores = new Stores();
  await scenario(stores).play();
  return stores.keep();
}

/** Returns the answers as JSON. */
async function answersOf(stores: Stores): Promise<Record<string, unknown>> {
  return KeptRelease.shape.answers.parse(JSON.parse(JSON.stringify(await scenario(stores).ask())));
}

// With SEGUE_KEEP_RELEASE, the records of this release are kept under this name.
const name = process.env['SEGUE_KEEP_RELEASE'];
if (name !== undefined) {
  const records = await played();
  const kept = { records, answers: await answersOf(await storesWith(records)) };
  writeFileSync(join(RECORDS, `${name}.json`), `${JSON.stringify(kept, undefined, 1)}\n`);
}

const RELEASES = readdirSync(RECORDS).map((file) => ({
  release: file.replace(/\.json$/, ''),
  ...KeptRelease.parse(JSON.parse(readFileSync(join(RECORDS, file), 'utf8'))),
}));

describe.each(RELEASES)('the records of $release', ({ records, answers }) => {
  it('give the answers that they gave then', async () => {
    expect(await answersOf(await storesWith(records))).toMatchObject(answers);
  });

  it('can be changed and deleted', async () => {
    const stores = await storesWith(records);
    await scenario(stores).goOn();
    expect(await scenario(stores).rest()).toEqual({ projects: [], inFront: [], letters: [] });
  });
});

it('the scenario leaves no kind of record that is not kept', async () => {
  const kept = new Set(RELEASES.flatMap(({ records }) => records.map(kindOf)));
  expect((await played()).map(kindOf).filter((kind) => !kept.has(kind))).toEqual([]);
});

/** Returns the store, and the beginnings of the partition and the sort key that are the same for all such records. */
function kindOf({ store, partition, sort }: KeptRecord): string {
  return [store, partition, sort].map((text) => /^[a-z-]*/.exec(text)?.[0]).join(' ');
}
