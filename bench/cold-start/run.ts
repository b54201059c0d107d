import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { isCount, readArguments } from '../../tools/usage.ts';
import { AGAINST, printComparison } from '../support/against.ts';
import { temporaryFolder } from '../support/floor.ts';
import { installPeers } from '../support/install-peers.ts';
import { takeTurns } from '../support/statistics.ts';
import { AUTHORIZER, bundleNothing, JOBS, type Job, PEERS, RECEIVER, SEGUE } from './candidates.ts';
import { makeCompileCache } from './compile-cache.ts';
import { environmentOf } from './environment.ts';
import { authorization, creation, message } from './event.ts';
import { coldStartTable, type Measured, meetsTargets, type Targets } from './report.ts';
import { openStandIns } from './stand-ins.ts';
import { coldStart } from './start.ts';
import { openThrottle } from './throttle.ts';

/** The share of a CPU that a Lambda function with 512 MB has after its initialisation. */
const THROTTLED_SHARE = 0.29;

const TARGETS: Readonly<Record<Job, Targets>> = {
  upstream: { ofEmpty: 2.6, ofBestPeer: 0.6 },
  hosted: { ofEmpty: 2.5, ofBestPeer: 0.6 },
};

/** The targets of the functions that no peer has. */
const OWN_TARGETS: Targets = { ofEmpty: 2.2 };

const USAGE = 'Usage: npm run bench:cold -- [--rounds <count>] [--strict] [--against <commit> [--pairs <count>]]';

function readFlags() {
  const { values } = parseArgs({
    options: { rounds: { type: 'string', default: '20' }, strict: { type: 'boolean', default: false }, ...AGAINST },
  });
  return isCount(values.rounds) && isCount(values.pairs) ? values : undefined;
}

/** Runs `npm run bench:cold`, which docs/benchmarks.md describes. */
async function run(): Promise<void> {
  const { against, ...values } = readArguments(USAGE, readFlags);
  if (against !== undefined) {
    return printComparison('bench:cold', ['--rounds', values.rounds], { ...values, against });
  }
  await installPeers(import.meta.dirname);
  using folder = temporaryFolder();
  using throttle = openThrottle(THROTTLED_SHARE);
  if (!throttle) console.error('This user cannot create a control group, so the throttled starts are left out.');
  await using standIns = await openStandIns();
  const environment = environmentOf(standIns.address);

  const entrant = async (title: string, bundle: (outdir: string) => Promise<void>, event = creation()) => {
    const path = join(folder.path, title);
    await bundle(path);
    const bytes = bytesIn(path);
    const start = () => coldStart({ folder: path, environment, event });
    const startThrottled = throttle && (() => coldStart({ folder: path, environment, event, throttle }));
    return { title, bytes, folder: path, event, start, startThrottled, startCached: undefined };
  };
  /** A function of Segue, which is measured with a compile cache too. */
  const own = async (...args: Parameters<typeof entrant>) => {
    const made = await entrant(...args);
    const cached = await makeCompileCache(join(made.folder, 'index.mjs'), made.event, environment);
    return { ...made, startCached: () => coldStart({ ...made, environment: cached }) };
  };
  const empty = await entrant('empty handler', bundleNothing);
  const races = await Promise.all(
    JOBS.map(async (job) => {
      const name = ({ title }: typeof SEGUE) => `${job} create, ${title}`;
      const segue = await own(name(SEGUE), (outdir) => SEGUE.bundle(job, outdir));
      const peers = PEERS.map((peer) => entrant(name(peer), (outdir) => peer.bundle(job, outdir)));
      return { segue, peers: await Promise.all(peers), targets: TARGETS[job] };
    }),
  );
  for (const [{ title, bundle }, event] of [
    [RECEIVER, message()],
    [AUTHORIZER, authorization()],
  ] as const) {
    races.push({ segue: await own(title, bundle, event), peers: [], targets: OWN_TARGETS });
  }
  const everybody = [empty, ...races.flatMap(({ segue, peers }) => [segue, ...peers])];
  const starts = everybody.flatMap(({ start, startThrottled, startCached }) =>
    [start, startThrottled, startCached].filter((each) => each !== undefined),
  );
  const startsOf = await takeTurns(starts, { rounds: Number(values.rounds), warmUp: 1 });

  const measured = ({ title, bytes, start, startThrottled, startCached }: (typeof everybody)[number]): Measured => ({
    title,
    bytes,
    starts: startsOf(start),
    throttled: startThrottled ? startsOf(startThrottled) : [],
    cached: startCached ? startsOf(startCached) : [],
  });
  const floor = measured(empty);
  const results = races.map(({ segue, peers, targets }) => ({
    segue: measured(segue),
    peers: peers.map(measured),
    targets,
  }));
  console.log(coldStartTable(floor, results));
  if (values.strict && !results.every((race) => meetsTargets(floor, race))) process.exitCode = 1;
}

function bytesIn(folder: string): number {
  return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
}

await run();
