import { mock } from 'node:test';
import { openDatabase } from '../../../lib/storage/sqlite/database.ts';
import { Sweeper } from '../../../lib/storage/sqlite/sweeper.ts';
import { at, throughSteps } from './steps.ts';

/** `child.ts <folder> <time> <step> <before|after>`: sweeps a store, and is killed at a step. */
const [folder = '', time, step, when] = process.argv.slice(2);
mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
const moment = { step: Number(step), when: when === 'before' ? 'before' : 'after' } as const;
const database = throughSteps(
  openDatabase(folder),
  at(moment, () => process.kill(process.pid, 'SIGKILL')),
);
new Sweeper(database, () => Number(time));
for (let tick = 0; tick < 100; tick++) mock.timers.tick(10);
