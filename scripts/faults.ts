import { checkModel } from '../test/faults/model/run.ts';
import { World } from '../test/faults/world.ts';

/** `node scripts/faults.ts model [sequences]`: the same as the tests of faults, as often as wanted; 5,000 unless said. */
const [what = 'model', count = '5000'] = process.argv.slice(2);
const times = Number(count);
if (what !== 'model' || !Number.isSafeInteger(times) || times < 1) {
  console.error('Usage: node scripts/faults.ts model [sequences]');
  process.exit(2);
}

const world = new World();
const began = performance.now();
try {
  await checkModel(world, times);
  console.log(`${times} sequences in ${((performance.now() - began) / 1_000).toFixed(1)} s, no disagreement`);
} finally {
  world.close();
}
