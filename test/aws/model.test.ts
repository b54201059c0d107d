import { afterAll, it } from 'vitest';
import { AwsWorld } from '../faults/aws-world.ts';
import { checkModel } from '../faults/model/run.ts';
import { createAws } from './store.ts';

const world = new AwsWorld(await createAws());
afterAll(() => world.close());

it('answers 100 random sequences of commands as the model does', () => checkModel(world, 100));
