import { afterAll, it } from 'vitest';
import { AwsWorld } from '../faults/aws-world.ts';
import { checkModel } from '../faults/model/run.ts';
import { createAws } from './store.ts';

const world = new AwsWorld(await createAws());
afterAll(() => world.close());

// `npm run faults` sends many more sequences to the in-memory store.
it('answers 25 random sequences of commands as the model does', () => checkModel(world, 25), 120_000);
