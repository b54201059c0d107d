import { expect, it } from 'vitest';
import { read } from './world.ts';

it('examples/emulators/compose.yaml has the emulators that npm run test:aws has', () => {
  const [, moto] = /'moto\[server\]==([\d.]+)'/.exec(read('tools/emulators/moto.ts')) ?? [];
  const [, dynamoDb] = /VERSION = '([\d.]+)'/.exec(read('tools/emulators/dynamodb-local.ts')) ?? [];
  const images = [...read('examples/emulators/compose.yaml').matchAll(/^ {4}image: (.*)$/gm)].map(([, image]) => image);
  expect(images).toEqual([`motoserver/moto:${moto}`, `amazon/dynamodb-local:${dynamoDb}`]);
});
