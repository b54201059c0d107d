import { expect, it } from 'vitest';
import { parseJson } from '../../../../lib/service/http-client/response-body.ts';

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const list = (entries: number, entry: string) => `[${`${entry},`.repeat(entries - 1)}${entry}]`;
const read = (text: string) => parseJson(Buffer.from(text));

it.each([
  ['what is nested as no project is', nested(100)],
  ['brackets in texts', JSON.stringify(['[{'.repeat(1_000), `\\"${'[,'.repeat(1_000)}`])],
  ['a million of objects', list(1_000_000, '{}')],
])('is read: %s', (_, text) => {
  expect(JSON.stringify(read(text)) === text).toBe(true);
});

it.each([
  ['what is nested too deep to be written again', nested(20_000)],
  ['what takes all the memory for being nested', `${'['.repeat(5_000_000)}${']'.repeat(5_000_000)}`],
  ['what takes many times the memory of its text', list(4_000_001, '{}')],
])('has no body: %s', (_, text) => {
  expect(read(text)).toBeUndefined();
});
