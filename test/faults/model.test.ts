import { it } from 'vitest';
import { MUCH_WORK_MS } from '../support/much-work.ts';
import { AwsWorld, awsInMemory } from './aws-world.ts';
import { checkModel } from './model/run.ts';
import { SqliteWorld } from './sqlite-world.ts';

it.each([
  ['SQLite', 200, () => new SqliteWorld()],
  ['DynamoDB and S3 in memory', 60, () => new AwsWorld(awsInMemory())],
])(
  'every answer to a sequence of commands equals the model’s on %s: %i sequences',
  async (_, sequences, open) => {
    const world = open();
    try {
      await checkModel(world, sequences);
    } finally {
      world.close();
    }
  },
  MUCH_WORK_MS,
);
