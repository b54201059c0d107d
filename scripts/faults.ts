import { randomInt } from 'node:crypto';
import { awsSettings } from '../test/aws/store.ts';
import { checkBulk } from '../test/faults/bulk/run.ts';
import { checkFuzz } from '../test/faults/hostile/fuzz/run.ts';
import { checkKills } from '../test/faults/kills/run.ts';
import { checkModel } from '../test/faults/model/run.ts';
import { checkParallel } from '../test/faults/parallel.ts';
import { measureRevocation } from '../test/faults/revocation/run.ts';
import { checkRotation } from '../test/faults/rotation/run.ts';
import { checkSimulations, OPERATIONS } from '../test/faults/simulation/check.ts';
import { HOSTED, UPSTREAM } from '../test/faults/simulation/subjects.ts';
import type { Subject } from '../test/faults/simulation/world.ts';
import { checkSoak } from '../test/faults/soak/run.ts';
import { SqliteWorld } from '../test/faults/sqlite-world.ts';
import { checkStrangers } from '../test/faults/strangers/run.ts';
import { checkDeliveries } from '../test/lib/webhooks/many.ts';
import { emulatedAws } from './emulators/environment.ts';
import { startMoto } from './emulators/moto.ts';

interface Check {
  /** How often, or how many seconds, unless said. */
  readonly times: number;
  readonly usage: string;
  /** @returns what was found, in words; throws where something is wrong */
  readonly run: (times: number, seed: number) => Promise<string>;
}

/** The same as the tests of faults, as often as wanted, and what takes too long for a test. */
const CHECKS: Readonly<Record<string, Check>> = {
  model: {
    times: 5_000,
    usage: 'model [sequences]',
    async run(times) {
      const world = new SqliteWorld();
      try {
        await checkModel(world, times);
      } finally {
        world.close();
      }
      return `${times} sequences, no disagreement`;
    },
  },
  kills: {
    times: 200,
    usage: 'kills [kills [seed]]',
    async run(times, seed) {
      const { answered, unanswered, claimed } = await checkKills(times, seed);
      const requests = `${answered} requests answered, ${unanswered} cut off, ${claimed} of these between claim and effect`;
      return `${times} kills with seed ${seed}, ${requests}: nothing lost, nothing back, nothing twice`;
    },
  },
  bulk: {
    times: 10_000,
    usage: 'bulk [lines [seed]]',
    async run(times, seed) {
      const { faults, crashes, faultyLines } = await checkBulk(times, seed);
      const met = `${faults} faults on the way, ${crashes} of them crashes`;
      return `${times} lines with seed ${seed}, ${faultyLines} of them faulty, ${met}: each good line one project, each faulty one told, nothing twice`;
    },
  },
  fuzz: {
    times: 100_000,
    usage: 'fuzz [requests [seed]]',
    async run(times, seed) {
      const { connections, answers, created, deleted, memoryMiB } = await checkFuzz(times, seed);
      const done = `${answers} answers, ${created} projects made and ${deleted} deleted or part of them`;
      return `${times} requests with seed ${seed} on ${connections} connections: ${done}, nothing else; at most ${memoryMiB} MiB`;
    },
  },
  revocation: {
    times: 1,
    usage: 'revocation [times]',
    async run(times) {
      for (let time = 0; time < times; time++) {
        for (const { what, afterMs } of await measureRevocation()) console.log(`${what}: stopped after ${afterMs} ms`);
      }
      return `${times} revocations, none too slow`;
    },
  },
  rotation: {
    times: 180,
    usage: 'rotation [seconds]',
    async run(seconds) {
      const moto = await startMoto();
      try {
        process.env = emulatedAws(process.env, moto.url);
        return await checkRotation(seconds, awsSettings());
      } finally {
        await moto.stop();
      }
    },
  },
  parallel: {
    times: 1_000,
    usage: 'parallel [times]',
    async run(times) {
      const { replayed, inProgress } = await checkParallel(times);
      const others = `the others were ${replayed} replays and ${inProgress} requests in progress`;
      return `${times} times fifty creates with one key at once made ${times} projects; ${others}`;
    },
  },
  simulate: {
    times: 20_000,
    usage: 'simulate [seeds [first seed]]',
    run: (times, seed) => simulateMany(UPSTREAM, times, seed),
  },
  'simulate-hosted': {
    times: 20_000,
    usage: 'simulate-hosted [seeds [first seed]]',
    run: (times, seed) => simulateMany(HOSTED, times, seed),
  },
  deliveries: {
    times: 10_000,
    usage: 'deliveries [deliveries [seed]]',
    async run(times, seed) {
      const { applied, dead, duplicates, faults } = await checkDeliveries(times, seed);
      const came = `${applied} applied once, ${dead} in the dead letters, none lost`;
      return `${times} deliveries with seed ${seed}, ${duplicates} duplicates and ${faults} faulty workers: ${came}`;
    },
  },
  strangers: {
    times: 5,
    usage: 'strangers [seconds]',
    run: (seconds) => checkStrangers(seconds, process.env['SEGUE_BEFORE'], console.log),
  },
  soak: { times: 600, usage: 'soak [seconds [seed]]', run: checkSoak },
};

async function simulateMany(subject: Subject, times: number, seed: number): Promise<string> {
  const results = await checkSimulations(subject, times, seed);
  const counts = Object.entries(results).map(([what, count]) => `${count} ${what}`);
  return `${times} seeds from ${seed} of ${OPERATIONS} operations, nothing wrong: ${counts.sort().join(', ')}`;
}

const [what = 'model', count, seedText = `${randomInt(2 ** 31)}`] = process.argv.slice(2);
const check = Object.hasOwn(CHECKS, what) ? CHECKS[what] : undefined;
const times = Number(count ?? check?.times);
const seed = Number(seedText);
if (!check || !Number.isSafeInteger(times) || times < 1 || !Number.isSafeInteger(seed)) {
  const usages = Object.values(CHECKS).map(({ usage }) => usage);
  console.error(`Usage: node scripts/faults.ts ${usages.join(' | ')}`);
  process.exit(2);
}
const began = performance.now();
const result = await check.run(times, seed);
console.log(`${result}, in ${((performance.now() - began) / 1_000).toFixed(1)} s`);
