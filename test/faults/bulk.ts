import assert from 'node:assert/strict';
import { runEntries } from '../../cli/bulk/run-locally.ts';
import { Problem } from '../../lib/contract/problem.ts';
import { bulkLineTask, type LineResult } from '../../lib/workflow/bulk/run-line.ts';
import { entriesOf } from '../../lib/workflow/bulk/scan-manifest.ts';
import { TaskFailure } from '../../lib/workflow/task.ts';
import { type Random, randomFrom } from '../../local/simulator/random.ts';
import { creation } from '../cli/world.ts';
import { contextOf } from '../lib/http/fixture.ts';
import { fileOf } from '../lib/workflow/world.ts';
import { type Faulty, faulty, WAYS } from './faulty.ts';
import { SqliteWorld } from './sqlite-world.ts';

/** A line of a manifest, and what has to become of it. */
interface Line {
  readonly text: string;
  /** The name of the project that it makes. */
  readonly makes?: string;
  /** Its faults as `pointer code`, where it has any. */
  readonly faults?: readonly string[];
}

/** Of so many lines one is faulty. */
const FAULTY_SHARE = 0.03;
/** Of so many one has the content of others: it is a project of its own all the same. */
const TWIN_SHARE = 0.1;
const TWIN = 'a twin';

const FAULTY: readonly Line[] = [
  { text: '{"create":', faults: [' syntax'] },
  { text: '{"delete":{"scope":"all","id":5}}', faults: ['/delete/scope not-allowed', '/delete/id unknown-field'] },
  { text: JSON.stringify(creation({ name: 5, bogus: 1 })), faults: ['/name wrong-type', '/bogus unknown-field'] },
  {
    text: JSON.stringify(creation({ segments: [{ content: '' }, { content: 5 }] })),
    faults: ['/segments/0/content empty', '/segments/1/content wrong-type'],
  },
];

/** Lines as somebody may send them. */
function drawLines(count: number, random: Random): Line[] {
  return Array.from({ length: count }, (_, index) => {
    if (random.chance(FAULTY_SHARE)) return random.pick(FAULTY);
    const name = random.chance(TWIN_SHARE) ? TWIN : `line ${index + 1}`;
    return { text: JSON.stringify(creation({ name })), makes: name };
  });
}

/** Of so many attempts one meets a fault, at one of its first calls of the store. */
const FAULT_SHARE = 0.25;
const FIRST_CALLS = 6;
const CONCURRENCY = 8;
const COMPANY = 'acme';

/** What was seen besides. */
interface Counts {
  /** Attempts that met a fault, and those of them of which nobody heard again. */
  faults: number;
  crashes: number;
  faultyLines: number;
}

/**
 * Runs a manifest while attempts fail, break off and die: each good line makes one project, and each faulty one is
 * reported with its line and every fault. Run again, the manifest makes nothing new; corrected and reordered, only what
 * was refused.
 */
export async function checkBulk(count: number, seed: number): Promise<Counts> {
  const random = randomFrom(seed);
  const lines = drawLines(count, random);
  const world = new SqliteWorld();
  const counts: Counts = { faults: 0, crashes: 0, faultyLines: lines.filter(({ faults }) => faults).length };
  try {
    const first = await run(world, lines, random, () => faultsOf(random, counts));
    requireResults(lines, first, () => undefined);
    const made = await namesIn(world);
    assert.deepEqual(made, lines.flatMap(({ makes }) => makes ?? []).sort());
    const undisturbed = () => faulty(() => undefined, world.failure);
    const again = await run(world, lines, random, undisturbed);
    requireResults(lines, again, () => true);
    assert.deepEqual(await namesIn(world), made);
    const { corrected, isNew } = correct(lines, random);
    const rest = await run(world, corrected, random, undisturbed);
    requireResults(corrected, rest, (line) => !isNew(line));
    assert.deepEqual(await namesIn(world), corrected.flatMap(({ makes }) => makes ?? []).sort());
    return counts;
  } finally {
    world.close();
  }
}

/** What an attempt meets: mostly nothing. */
function faultsOf(random: Random, counts: Counts): Faulty {
  const at = random.chance(FAULT_SHARE) ? 1 + random.below(FIRST_CALLS) : 0;
  const way = random.pick(WAYS);
  const wayOf = (call: number) => {
    if (call !== at) return undefined;
    counts.faults++;
    if (way.startsWith('stops')) counts.crashes++;
    return way;
  };
  return faulty(wayOf, (isBefore) => new Problem(isBefore ? 'unavailable' : 'outcome-unknown', { detail: 'Planted.' }));
}

/** @param meeting what an attempt meets */
async function run(
  world: SqliteWorld,
  lines: readonly Line[],
  random: Random,
  meeting: () => Faulty,
): Promise<LineResult[]> {
  const file = fileOf(lines.map(({ text }) => text).join('\n'), 65_536);
  const results: LineResult[] = [];
  const end = await runEntries(entriesOf(file), {
    runLine(entry) {
      const { through, stopped } = meeting();
      const { service } = world.process(through);
      const task = bulkLineTask(service, () => file, { now: world.now, log: () => {}, requireCompany: async () => {} });
      const died = stopped.then(() => {
        throw new TaskFailure(new Problem('outcome-unknown', { detail: 'The process died.' }), 'none');
      });
      return Promise.race([task({ companyId: COMPANY, run: 'manifest.jsonl', entry }, contextOf(15_000)), died]);
    },
    onResult: (result) => results.push(result),
    concurrency: CONCURRENCY,
    maxFailed: Number.POSITIVE_INFINITY,
    stop: new AbortController().signal,
    sleep: async (ms) => {
      world.nowMs += Math.ceil(ms);
    },
    random: random.next,
  });
  assert.equal(end, 'all-done');
  return results;
}

/** The faulty lines corrected, and all of them in another order. */
function correct(lines: readonly Line[], random: Random) {
  const isNew = (line: Line) => line.makes?.startsWith('corrected') === true;
  const corrected = lines.map((line, index): Line => {
    if (!line.faults) return line;
    // some of them become equal to each other
    const makes = `corrected ${index % 3}`;
    return { text: JSON.stringify(creation({ name: makes })), makes };
  });
  for (let index = corrected.length; index > 1; ) {
    const other = random.below(index--);
    const [one, swapped] = [corrected[index], corrected[other]];
    if (one && swapped) [corrected[index], corrected[other]] = [swapped, one];
  }
  return { corrected, isNew };
}

/** @param isReplayed whether a line was done before, if that is known */
function requireResults(
  lines: readonly Line[],
  results: readonly LineResult[],
  isReplayed: (line: Line) => boolean | undefined,
): void {
  const byLine = new Map(results.map((result) => [result.line, result]));
  assert.equal(results.length, lines.length);
  assert.equal(byLine.size, lines.length);
  for (const [index, line] of lines.entries()) {
    const { faults } = line;
    const result = byLine.get(index + 1);
    assert.ok(result);
    assert.equal(result.entry, index + 1);
    if (result.outcome !== 'failed') {
      assert.deepEqual([faults, result.outcome], [undefined, 'created'], `line ${index + 1}`);
      assert.equal(result.replayed, isReplayed(line) ?? result.replayed);
      continue;
    }
    assert.ok(faults, `line ${index + 1} has no faults and ended with ${result.failure}`);
    const found = JSON.parse(result.cause).errors?.map((fault: { pointer: string; code: string }) => {
      return `${fault.pointer} ${fault.code}`;
    });
    assert.deepEqual(found, faults, `line ${index + 1}`);
  }
}

async function namesIn(world: SqliteWorld): Promise<string[]> {
  const service = world.service();
  const names: string[] = [];
  for (let after: number | undefined; ; ) {
    const page = await service.list({ limit: 100, after }, world.call(COMPANY));
    names.push(...page.projects.map(({ name }) => String(name)));
    if (page.next === undefined) return names.sort();
    after = page.next;
  }
}
