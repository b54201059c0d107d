import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
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

/** Returns the answers from the records, as JSON. */
async function answersFrom(records: readonly KeptRecord[]): Promise<Record<string, unknown>> {
  const answers = await scenario(await storesWith(records)).ask();
  return KeptRelease.shape.answers.parse(JSON.parse(JSON.stringify(answers)));
}

/** Plays the scenario. @returns what it leaves in the stores, and the answers from it, as the text of a file */
async function keptNow(): Promise<string> {
  const stores = new Stores();
  await scenario(stores).play();
  const records = await stores.keep();
  return `${JSON.stringify({ records, answers: await answersFrom(records) }, undefined, 1)}\n`;
}

const text = await keptNow();
const current = KeptRelease.parse(JSON.parse(text));

// With SEGUE_KEEP_RELEASE, the records of this release are kept under this name.
const name = process.env['SEGUE_KEEP_RELEASE'];
if (name !== undefined) {
  mkdirSync(RECORDS, { recursive: true });
  writeFileSync(join(RECORDS, `${name}.json`), text);
}

const past = globSync('*.json', { cwd: RECORDS }).map((file) => ({
  release: file.replace(/\.json$/, ''),
  ...KeptRelease.parse(JSON.parse(readFileSync(join(RECORDS, file), 'utf8'))),
}));

describe.each([...past, { release: 'this release', ...current }])('the records of $release', ({ records, answers }) => {
  it('give the answers that they gave then', async () => {
    expect(await answersFrom(records)).toMatchObject(answers);
  });

  it('can be changed and deleted', async () => {
    const stores = await storesWith(records);
    await scenario(stores).goOn();
    expect(await scenario(stores).rest()).toEqual({ projects: [], inFront: [], letters: [] });
  });
});

describe('a release that would misread records is found:', () => {
  it.each([
    ['a field of the projects has another name', 'hosted', '"segments":', '"segmentCount":'],
    ['a custom id is stored otherwise', 'hosted', '"createdAtMs":', '"createdMs":'],
    ['the ledger has other ids', 'ledger', '"projectId":', '"project":'],
    ['a dead letter has another state', 'deliveries', '"kind":"dead"', '"kind":"given-up"'],
  ])('%s', async (_, store, from, to) => {
    const changed = current.records.map((record) =>
      record.store === store ? { ...record, text: record.text.replaceAll(from, to) } : record,
    );
    expect(changed).not.toEqual(current.records);
    const answers = await answersFrom(changed).catch((error: unknown) => ({ error }));
    expect(answers).not.toMatchObject(current.answers);
  });
});
