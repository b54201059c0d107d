import { afterAll, it } from 'vitest';
import { checkModel } from './model/run.ts';
import { SqliteWorld } from './sqlite-world.ts';

const world = new SqliteWorld();
afterAll(() => world.close());

it('every answer to any sequence of commands is the truth: 200 sequences', () => checkModel(world, 200));
