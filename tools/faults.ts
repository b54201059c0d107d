import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { inspect, parseArgs } from 'node:util';
import { checkCompanies, TITLES } from '../test/faults/companies/run.ts';
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
  /**
   * Loads the check, which takes up to seconds, and runs it.
   * @returns the figures to print
   * @throws an error if Segue breaks a guarantee
   */
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
  kills: { unit: 'kills', sample: 5, full: 200, run: kills },
  fuzz: { unit: 'requests', sample: 2_000, full: 100_000, run: fuzz },
  simulate: { unit: 'seeds', full: 20_000, run: (seeds, first) => simulateAll('UPSTREAM', seeds, first) },
  'simulate-hosted': { unit: 'seeds', full: 20_000, run: (seeds, first) => simulateAll('HOSTED', seeds, first) },
  work: { unit: 'seeds', full: 10_000, run: work },
  deliveries: { unit: 'messages', sample: 300, full: 10_000, run: deliveries },
  soak: { unit: 'seconds', sample: 10, full: 600, run: soak },
  strangers: { unit: 'seconds for each attack', sample: 1, full: 5, run: strangers },
  readers: { unit: 'texts', sample: 100, full: 50_000, run: readers },
  signatures: { unit: 'messages', full: 100_000, run: signatures },
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
  const { SqliteWorld } = await import('../test/faults/sqlite-world.ts');
  const { checkModel } = await import('../test/faults/model/run.ts');
  const world = new SqliteWorld();
  try {
    await checkModel(world, sequences, seed);
    return {};
  } finally {
    world.close();
  }
}

async function kills(count: number, seed: number): Promise<object> {
  return (await import('../test/faults/kills/run.ts')).checkKills(count, seed);
}

async function fuzz(requests: number, seed: number): Promise<object> {
  return (await import('../test/faults/hostile/fuzz/run.ts')).checkFuzz(requests, seed);
}

async function work(seeds: number, first: number): Promise<object> {
  return (await import('../test/faults/work/run.ts')).checkWork(seeds, first);
}

async function deliveries(messages: number, seed: number): Promise<object> {
  return (await import('../test/lib/webhooks/many.ts')).checkDeliveries(messages, seed);
}

async function soak(seconds: number, seed: number): Promise<object> {
  return (await import('../test/faults/soak/run.ts')).checkSoak(seconds, seed);
}

async function strangers(seconds: number): Promise<object> {
  return (await import('../test/faults/strangers/run.ts')).checkStrangers(seconds);
}

async function readers(texts: number, seed: number): Promise<object> {
  return (await import('../test/faults/readers/run.ts')).checkReaders(texts, seed);
}

async function signatures(messages: number, seed: number): Promise<object> {
  return (await import('../test/lib/signatures/mutations.ts')).checkSignatures(messages, seed);
}

async function simulateAll(name: 'HOSTED' | 'UPSTREAM', seeds: number, first: number): Promise<object> {
  const { checkSimulations } = await import('../test/faults/simulation/run.ts');
  const { OFTEN } = await import('../test/faults/simulation/severity.ts');
  const { [name]: subject } = await import('../test/faults/simulation/subjects.ts');
  for (const severity of Object.values(OFTEN)) {
    await checkSimulations(subject, Math.min(seeds, SEEDS_OFTEN), first, severity);
  }
  return checkSimulations(subject, seeds, first);
}

async function rotation(seconds: number): Promise<object> {
  const { awsSettings } = await import('../test/aws/store.ts');
  const { checkRotation } = await import('../test/faults/rotation/run.ts');
  const { emulatedAws } = await import('./emulators/environment.ts');
  const { startMoto } = await import('./emulators/moto.ts');
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
