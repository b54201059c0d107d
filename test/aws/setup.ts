import { startDynamoDbLocal } from '../../tools/emulators/dynamodb-local.ts';
import type { Emulator } from '../../tools/emulators/emulator.ts';
import { emulatedAws } from '../../tools/emulators/environment.ts';
import { startMoto } from '../../tools/emulators/moto.ts';

/** Starts the emulators that the tests of the AWS adapters use. @returns what stops them */
export default async function setup(): Promise<() => Promise<void>> {
  await using stack = new AsyncDisposableStack();
  const stop = (emulator: Emulator) => emulator.stop();
  const moto = stack.adopt(await startMoto(), stop);
  const dynamoDb = stack.adopt(await startDynamoDbLocal(), stop);
  process.env = emulatedAws(process.env, moto.url, { AWS_ENDPOINT_URL_DYNAMODB: dynamoDb.url });
  const emulators = stack.move();
  return () => emulators.disposeAsync();
}
