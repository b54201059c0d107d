import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cursorAfter } from '../../../lib/contract/parameters.ts';
import type { TransportResponse } from '../../../lib/service/http-client/exchange.ts';
import { requireOk } from '../../../lib/upstream/failures.ts';
import {
  nextPage as readNextPage,
  readUpstreamProject,
  readUpstreamProjects,
} from '../../../lib/upstream/upstream-project.ts';
import { member, segment, target } from '../../support/projects.ts';
import { answer } from './virtual-client.ts';
import { answered, checked } from './world.ts';

const project = answered(
  checked({ customId: 'a', targetLanguages: [target({ team: [member()] })], segments: [segment()] }),
);
const read = (fields: object) => readUpstreamProject(answer(200, { ...project, ...fields }));
const body = (json: string): TransportResponse => ({ ...answer(200), body: Buffer.from(json) });

describe('a project', () => {
  it.each<[string, TransportResponse]>([
    ['under another content type', answer(200, project, { 'content-type': 'text/plain' })],
    ['after a byte order mark', body(`\ufeff${JSON.stringify(project)}`)],
    ['with white space', body(`\r\n ${JSON.stringify(project, null, 2)} \n`)],
  ])('is read %s', (_, given) => {
    expect(readUpstreamProject(given)).toEqual(project);
  });

  it.each<[what: string, fields: object]>([
    ['nulls', { description: null, segments: [{ ...segment(), notes: null, hash: null }] }],
    ['no segments', { segments: undefined }],
    ['other types', { customId: 1, targetLanguages: {}, segments: [null, 'text', 5, [], { id: 'a GUID' }] }],
  ])('keeps %s', (_, fields) => {
    expect(read(fields)).toEqual(JSON.parse(JSON.stringify({ ...project, ...fields })));
  });

  it('keeps unknown fields, the order of fields and the digits of numbers', () => {
    const json = '{"b":1,"id":"7","a":{"z":1,"y":12345678901234567890.10},"__proto__":{"c":3}}';
    expect(JSON.stringify(readUpstreamProject(body(json)))).toBe(json.replace('"7"', '7'));
    const extra = fc.dictionary(
      fc.string({ minLength: 1 }).filter((name) => name !== 'id'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(extra, extra, (fields, inner) => {
        const richer = { ...project, ...fields, segments: [{ ...inner, ...project.segments[0] }] };
        const sent = JSON.stringify(JSON.parse(JSON.stringify(richer)));
        expect(JSON.stringify(readUpstreamProject(body(sent)))).toBe(sent);
      }),
    );
  });

  it.each(['1', `${Number.MAX_SAFE_INTEGER}`])('may have the id %s in a string', (id) => {
    expect(read({ id })).toEqual({ ...project, id: Number(id) });
  });

  it.each<[unknown]>([
    ...[1.5, 0, -1, 2 ** 53, undefined, null, [1]].map((id): [unknown] => [id]),
    ...['', '+1', '01', ' 1', '1.0', '1e3', '0x1', `${2 ** 53}`, '7c9e6679-7425-40de'].map((id): [unknown] => [id]),
  ])('has no usable id if the id is %j', (id) => {
    expect(read({ id })).toBeUndefined();
  });

  it.each(['null', '1', '"1"', '[{"id":1}]', '{}'])('is not read from %s', (json) => {
    expect(readUpstreamProject(body(json))).toBeUndefined();
  });
});

it('a list leaves out segments and unreadable entries', () => {
  const { segments: _, ...head } = project;
  const odd = { id: '5', name: null };
  const given = answer(200, [null, project, { ...project, id: 'x' }, 'text', [project], odd]);
  expect(readUpstreamProjects(given)).toEqual([head, { ...odd, id: 5 }]);
  expect(readUpstreamProjects(answer(200, { projects: [project] }))).toBeUndefined();
});

describe('the next page', () => {
  const nextPage = (...header: Parameters<typeof readNextPage>) => requireOk(readNextPage(...header)).next;
  const cursor = cursorAfter(8);
  const title = '<https://a.example/?a,b;c>; rel="prev"; title="x"';
  it.each([
    ['quoted', `<https://service.example/p?limit=2&cursor=${cursor}>; rel="next"`, 8],
    ['bare', `</segments/projects?cursor=${cursor}>;rel=next`, 8],
    ['among others', `${title}, <?cursor=${cursor}>; title="n"; rel="last next"`, 8],
    ['absent', undefined, undefined],
    ['to another page', `<?cursor=${cursor}>; rel="prev"`, undefined],
    ['with a similar relation', `<?cursor=${cursor}>; rel="nextish"; title="next"`, undefined],
  ])('starts where the link points: %s', (_, link, after) => {
    expect(nextPage(link)).toBe(after);
  });

  it.each([
    ['no cursor', '<?page=2>; rel="next"'],
    ['two cursors', '<?cursor=c8&cursor=c7>; rel="next"'],
    ['a foreign cursor', '<?cursor=MjAyNg%3D%3D>; rel="next"'],
    ['a cursor that leads back', `<?cursor=${cursorAfter(20)}>; rel="next"`],
  ])('cannot be followed with %s', (_, link) => {
    expect(() => nextPage(link, 20)).toThrow(expect.objectContaining({ name: 'upstream-invalid' }));
  });
});
