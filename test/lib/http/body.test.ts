import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { createProject } from '../../../lib/http/operations/create-project.ts';
import { project } from '../support.ts';
import { contextOf, documentWith, eventOf, fakeService, keptLog, readAnswer } from './fixture.ts';

const good = JSON.stringify(project());
const gzip = gzipSync(good);
const { options } = keptLog();
const create = createProject(fakeService({ create: () => documentWith(5) }), options);

it.each<[string, string, Uint8Array | string, Record<string, string>]>([
  ['accepts gzip that the gateway has unpacked already', '201', good, { 'Content-Encoding': 'gzip' }],
  [
    'refuses two media types',
    'unsupported-media-type',
    good,
    { 'Content-Type': 'text/plain', 'content-type': 'application/json' },
  ],
  [
    'refuses a charset but UTF-8',
    'unsupported-media-type',
    good,
    { 'Content-Type': 'application/json; charset=latin1' },
  ],
  ['refuses gzip in gzip', 'malformed-json', gzipSync(gzip), {}],
  ['refuses bytes after the gzip stream', 'malformed-json', Buffer.concat([gzip, Buffer.from('{}')]), {}],
  ['refuses a gzip stream without data', 'malformed-json', Uint8Array.of(0x1f, 0x8b), {}],
  ['refuses an empty body', 'malformed-json', '', { 'Content-Type': 'application/json' }],
])('%s', async (_, outcome, body, headers) => {
  const { status, text } = readAnswer(await create(eventOf('createProject', { body, headers }), contextOf()));
  expect(status === 201 ? '201' : /problems\/([a-z-]+)"/.exec(text)?.[1]).toBe(outcome);
});
