import { afterAll, it } from 'vitest';
import { AwsWorld } from '../faults/aws-world.ts';
import { checkModel } from '../faults/model/run.ts';
import { createAws } from './store.ts';

const world = new AwsWorld(await createAws());
afterAll(() => world.close());

it('every answer to any sequence of commands is the truth: 100 sequences', () => checkModel(world, 100));
