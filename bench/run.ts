import { parseArgs } from 'node:util';
import { isCount, readArguments } from '../tools/usage.ts';
import { bulk } from './bulk.ts';
import { bundles } from './bundles.ts';
import { cli } from './cli.ts';
import { create } from './create.ts';
import { dearest } from './dearest.ts';
import { deletion } from './delete.ts';
import { deliveries } from './deliveries.ts';
import { guards } from './guards.ts';
import { inFront } from './in-front.ts';
import { projectCycle } from './project-cycle.ts';
import { put } from './put.ts';
import { read } from './read.ts';
import { results } from './results.ts';
import { smallCreates } from './small-creates.ts';
import { AGAINST, printComparison } from './support/against.ts';
import { fsyncMs } from './support/fsync.ts';
import { hosted, type StartSegue, upstream } from './support/segue.ts';
import { meetsTarget, type Row, ratioTable } from './support/table.ts';
import { translation } from './translation.ts';

/** The benchmarks of requests, by their names for `--only`. */
const REQUESTS: Readonly<Record<string, (startSegue: StartSegue) => Promise<Row[]>>> = {
  create,
  put,
  read,
  delete: deletion,
  small: smallCreates,
  cycle: projectCycle,
  deliveries,
};

/** The other benchmarks with rows in the table of ratios. */
const OTHERS: Readonly<Record<string, () => Promise<Row[]>>> = { results, translation, bulk, 'in-front': inFront, cli };

/** The benchmarks with tables of their own. */
const TABLES: Readonly<Record<string, (profile?: string) => Promise<Table>>> = {
  guards,
  dearest: async (profile) => ({ table: await dearest(profile) }),
  bundles: async () => ({ table: await bundles() }),
};

interface Table {
  readonly table: string;
  /** Absent without a target. */
  readonly meetsTarget?: boolean;
}

const NAMES = [REQUESTS, OTHERS, TABLES].flatMap(Object.keys);
/** The benchmark that runs only by its name. */
const BY_NAME = 'dearest';

const USAGE = `Usage: npm run bench -- [--only ${NAMES.join('|')}]... [--upstream] [--strict] [--profile <folder>] [--against <commit> [--pairs <count>]]`;

function readFlags() {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', multiple: true, default: NAMES.filter((name) => name !== BY_NAME) },
      upstream: { type: 'boolean', default: false },
      strict: { type: 'boolean', default: false },
      profile: { type: 'string' },
      ...AGAINST,
    },
  });
  return isCount(values.pairs) && values.only.every((name) => NAMES.includes(name)) ? values : undefined;
}

/** Runs `npm run bench`, which docs/benchmarks.md describes. */
async function run(): Promise<void> {
  const { against, ...flags } = readArguments(USAGE, readFlags);
  const { only, profile } = flags;
  if (against !== undefined) {
    const args = [...only.flatMap((name) => ['--only', name]), ...(flags.upstream ? ['--upstream'] : [])];
    return printComparison('bench', args, { ...flags, against });
  }
  const wanted = <T>(benchmarks: Readonly<Record<string, T>>): T[] =>
    Object.entries(benchmarks).flatMap(([name, benchmark]) => (only.includes(name) ? [benchmark] : []));
  const requests = async (startSegue: StartSegue) => {
    const rows: Row[] = [];
    for (const benchmark of wanted(REQUESTS)) rows.push(...(await benchmark(startSegue)));
    return rows;
  };
  const rows = await requests(hosted(profile));
  for (const benchmark of wanted(OTHERS)) rows.push(...(await benchmark()));
  if (rows.length > 0) console.log(`${ratioTable(rows)}\nAn fsync takes ${fsyncMs().toFixed(2)} ms in the median.\n`);
  if (flags.upstream) {
    const information = await requests(upstream(profile));
    console.log(`Segue in front of Segue, as information:\n\n${ratioTable(information.map(withoutTarget))}`);
  }
  let hasMet = rows.every(meetsTarget);
  for (const benchmark of wanted(TABLES)) {
    const { table, meetsTarget = true } = await benchmark(profile);
    console.log(table);
    hasMet &&= meetsTarget;
  }
  if (flags.strict && !hasMet) process.exitCode = 1;
}

function withoutTarget({ target: _, ...row }: Row): Row {
  return row;
}

await run();
