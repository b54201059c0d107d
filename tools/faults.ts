import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { inspect, parseArgs } from 'node:util';
import { awsSettings } from '../test/aws/store.ts';
import { checkCompanies, TITLES } from '../test/faults/companies/run.ts';
import { checkFuzz } from '../test/faults/hostile/fuzz/run.ts';
import { checkKills } from '../test/faults/kills/run.ts';
import { checkModel } from '../test/faults/model/run.ts';
import { checkReaders } from '../test/faults/readers/run.ts';
import { checkRotation } from '../test/faults/rotation/run.ts';
import { checkSimulations } from '../test/faults/simulation/run.ts';
import { OFTEN } from '../test/faults/simulation/severity.ts';
import { HOSTED, UPSTREAM } from '../test/faults/simulation/subjects.ts';
import type { Subject } from '../test/faults/simulation/world.ts';
import { checkSoak } from '../test/faults/soak/run.ts';
import { SqliteWorld } from '../test/faults/sqlite-world.ts';
import { checkStrangers } from '../test/faults/strangers/run.ts';
import { checkWork } from '../test/faults/work/run.ts';
import { checkDeliveries } from '../test/lib/webhooks/many.ts';
import { emulatedAws } from './emulators/environment.ts';
import { startMoto } from './emulators/moto.ts';
import { isCount, readArguments } from './usage.ts';

interface Kind {
  /** The unit of the counts, such as requests. */
  readonly unit: string;
  /**
   * The count for the sample that `.ci/run` runs. Absent if `npm run test:long` has a sample of the kind, or if it
   * needs more programs than npm installs.
   */
  readonly sample?: number;
  readonly full: number;
  /** The titles of the parts of which `--only` chooses some; absent if the kind has no parts. */
  readonly parts?: readonly string[];
  /** Runs the check. @returns the figures to print @throws an error if Segue breaks a guarantee */
  readonly run: (count: number, seed: number, options: RunOptions) => Promise<object>;
}

interface RunOptions {
  /** A piece of the titles of the parts to run. Default: all parts. */
  readonly only?: string | undefined;
  /** Called with the figures of each part as soon as they are known. */
  readonly onPart: (figures: string) => void;
}

const KINDS: Readonly<Record<string, Kind>> = {
  model: { unit: 'sequences', full: 5_000, run: model },
  kills: { unit: 'kills', sample: 5, full: 200, run: checkKills },
  fuzz: { unit: 'requests', sample: 2_000, full: 100_000, run: checkFuzz },
  simulate: { unit: 'seeds', full: 20_000, run: (seeds, first) => simulateAll(UPSTREAM, seeds, first) },
  'simulate-hosted': { unit: 'seeds', full: 20_000, run: (seeds, first) => simulateAll(HOSTED, seeds, first) },
  work: { unit: 'seeds', full: 10_000, run: checkWork },
  deliveries: { unit: 'messages', sample: 300, full: 10_000, run: (messages, seed) => checkDeliveries(messages, seed) },
  soak: { unit: 'seconds', sample: 10, full: 600, run: checkSoak },
  strangers: { unit: 'seconds for each attack', sample: 1, full: 5, run: checkStrangers },
  readers: { unit: 'texts', sample: 200, full: 50_000, run: checkReaders },
  companies: {
    unit: 'seconds for each attack',
    sample: 1,
    full: 5,
    parts: TITLES,
    run: (seconds, _, options) => checkCompanies(seconds, options),
  },
  rotation: { unit: 'seconds', full: 180, run: rotation },
};
const USAGE = `Usage: npm run faults -- [--full | <kind> [count [seed]] [--only <part of a title>]] [--report <file>]
Kinds: ${Object.keys(KINDS).join(', ')}`;
const SAMPLE_SEED = 1;
/** The seeds of each simulation in which one thing often goes wrong. */
const SEEDS_OFTEN = 20;

async function model(sequences: number, seed: number): Promise<object> {
  const world = new SqliteWorld();
  try {
    await checkModel(world, sequences, seed);
    return {};
  } finally {
    world.close();
  }
}

async function simulateAll(subject: Subject, seeds: number, first: number): Promise<object> {
  for (const severity of Object.values(OFTEN)) {
    await checkSimulations(subject, Math.min(seeds, SEEDS_OFTEN), first, severity);
  }
  return checkSimulations(subject, seeds, first);
}

async function rotation(seconds: number): Promise<object> {
  const moto = await startMoto();
  try {
    process.env = emulatedAws(process.env, moto.url);
    return await checkRotation(seconds, awsSettings());
  } finally {
    await moto.stop();
  }
}

interface Run extends Kind {
  readonly name: string;
  readonly count: number;
  readonly seed: number;
}

/**
 * Reads the runs from the command line. `npm run faults` runs a fixed sample of each kind that has one.
 * `npm run faults -- --full` runs all kinds with full counts, and `npm run faults -- <kind> [count [seed]]` one kind.
 * With `--only <part of a title>`, a kind runs only the parts with such titles.
 * With `--report <file>`, the results are also written in the form of vitest's JSON reporter.
 */
function readRuns() {
  const options = { full: { type: 'boolean' }, only: { type: 'string' }, report: { type: 'string' } } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const { only, report } = values;
  const [name, count, seed, ...others] = positionals;
  const kinds = Object.entries(KINDS).filter(([kind]) => name === undefined || kind === name);
  const runs = kinds.flatMap(([name, kind]): Run[] => {
    const times = count === undefined && (values.full || kinds.length === 1) ? kind.full : Number(count ?? kind.sample);
    const isSample = kinds.length > 1 && !values.full;
    if (isSample && kind.sample === undefined) return [];
    return [{ name, ...kind, count: times, seed: Number(seed ?? (isSample ? SAMPLE_SEED : randomInt(2 ** 31))) }];
  });
  const areNumbers = runs.every((run) => isCount(run.count) && Number.isSafeInteger(run.seed));
  const hasParts = only === undefined || (name !== undefined && runs[0]?.parts?.some((title) => title.includes(only)));
  const isRight = runs.length > 0 && others.length === 0 && areNumbers && hasParts;
  return isRight ? { runs, only, report } : undefined;
}

/** Runs a check and prints its result. @returns the failure, or `undefined` if the check succeeded */
async function print({ name, unit, count, seed, run }: Run, only: string | undefined): Promise<string | undefined> {
  const began = performance.now();
  const onPart = (figures: string) => console.error(`${name}: ${figures}`);
  const seconds = () => ((performance.now() - began) / 1_000).toFixed(1);
  try {
    const figures = Object.entries(await run(count, seed, { only, onPart })).map(
      ([figure, value]) => `${figure}: ${value}`,
    );
    const isText = figures.some((figure) => figure.includes(', '));
    console.log(`${name}: ${count} ${unit} with seed ${seed}, in ${seconds()} s`);
    if (figures.length > 0) console.log(`    ${figures.join(isText ? '\n    ' : ', ')}`);
    return undefined;
  } catch (error) {
    const failure = inspect(error);
    console.log(`${name}: ${count} ${unit} with seed ${seed} failed after ${seconds()} s\n${failure}`);
    return failure;
  }
}

const { runs, only, report } = readArguments(USAGE, readRuns);
const results = [];
for (const run of runs) {
  const failure = await print(run, only);
  const status = failure === undefined ? 'passed' : 'failed';
  results.push({ fullName: run.name, status, failureMessages: failure === undefined ? [] : [failure] });
}
const failed = results.filter(({ status }) => status === 'failed').length;
process.exitCode = failed === 0 ? 0 : 1;
if (report !== undefined) {
  const testResults = [{ name: 'npm run faults', status: 'passed', message: '', assertionResults: results }];
  const counts = { numPassedTests: results.length - failed, numFailedTests: failed, numFailedTestSuites: 0 };
  writeFileSync(report, JSON.stringify({ ...counts, testResults }));
}
