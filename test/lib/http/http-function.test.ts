import { expect, it } from 'vitest';
import { httpFunction } from '../../../lib/http/http-function.ts';
import type { HttpHandler } from '../../../lib/http/operation.ts';
import { contextOf, eventOf } from './fixture.ts';

const called: string[] = [];
const handlerOf =
  (id: string): HttpHandler =>
  async () => {
    called.push(id);
    return { statusCode: 200, headers: {}, body: '', isBase64Encoded: false };
  };

const handler = httpFunction('readProjects', {
  listProjects: handlerOf('listProjects'),
  getProject: handlerOf('getProject'),
  getProjectByCustomId: handlerOf('getProjectByCustomId'),
  getOperation: handlerOf('getOperation'),
});

/** The operations that an event calls; the event may have another method than its operation. */
async function callsOf(event: object): Promise<string[]> {
  called.length = 0;
  await handler(event, contextOf());
  return [...called];
}

it.each(['listProjects', 'getProject', 'getProjectByCustomId', 'getOperation'] as const)(
  'calls %s for its method and resource, and for HEAD',
  async (id) => {
    expect(await callsOf(eventOf(id))).toEqual([id]);
    expect(await callsOf({ ...eventOf(id), httpMethod: 'HEAD' })).toEqual([id]);
  },
);

it.each([
  ['an operation of another function', eventOf('deleteProject')],
  ['a method in lower case', { ...eventOf('getProject'), httpMethod: 'get' }],
  ['a path in place of its resource', { ...eventOf('getProject'), resource: '/segments/projects/5' }],
  ['no method', { ...eventOf('getProject'), httpMethod: undefined }],
])('throws for an event with %s, and calls nothing', async (_, event) => {
  await expect(callsOf(event)).rejects.toThrow();
  expect(called).toEqual([]);
});
