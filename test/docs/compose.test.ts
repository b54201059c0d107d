import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

it('compose.yaml has the emulators that npm run test:aws has', () => {
  const [, moto] = /'moto\[server\]==([\d.]+)'/.exec(read('scripts/emulators/moto.ts')) ?? [];
  const [, dynamoDb] = /VERSION = '([\d.]+)'/.exec(read('scripts/emulators/dynamodb-local.ts')) ?? [];
  const images = [...read('compose.yaml').matchAll(/^ {4}image: (.*)$/gm)].map(([, image]) => image);
  expect(images).toEqual([`motoserver/moto:${moto}`, `amazon/dynamodb-local:${dynamoDb}`]);
});
