import { randomInt } from 'node:crypto';
import { checkKills } from '../test/faults/kills/run.ts';
import { checkModel } from '../test/faults/model/run.ts';
import { SqliteWorld } from '../test/faults/sqlite-world.ts';
import { checkFuzz } from '../test/hostile/fuzz/run.ts';

/** The same as the tests of faults, as often as wanted. */
const CHECKS: Readonly<
  Record<string, { readonly times: number; readonly run: (times: number, seed: number) => Promise<string> }>
> = {
  model: {
    times: 5_000,
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
    async run(times, seed) {
      const { answered, unanswered, claimed } = await checkKills(times, seed);
      const requests = `${answered} requests answered, ${unanswered} cut off, ${claimed} of these between claim and effect`;
      return `${times} kills with seed ${seed}, ${requests}: nothing lost, nothing back, nothing twice`;
    },
  },
  fuzz: {
    times: 100_000,
    async run(times, seed) {
      const { connections, answers, created, deleted, memoryMiB } = await checkFuzz(times, seed);
      const done = `${answers} answers, ${created} projects made and ${deleted} deleted or part of them`;
      return `${times} requests with seed ${seed} on ${connections} connections: ${done}, nothing else; at most ${memoryMiB} MiB`;
    },
  },
};

const [what = 'model', count, seedText = `${randomInt(2 ** 31)}`] = process.argv.slice(2);
const check = Object.hasOwn(CHECKS, what) ? CHECKS[what] : undefined;
const times = Number(count ?? check?.times);
const seed = Number(seedText);
if (!check || !Number.isSafeInteger(times) || times < 1 || !Number.isSafeInteger(seed)) {
  console.error('Usage: node scripts/faults.ts model [sequences] | kills [kills [seed]] | fuzz [requests [seed]]');
  process.exit(2);
}
const began = performance.now();
const result = await check.run(times, seed);
console.log(`${result}, in ${((performance.now() - began) / 1_000).toFixed(1)} s`);
