import { expect, test } from 'vitest';
import type { ProjectHead } from '../../lib/contract/answer.ts';
import { cursorAfter } from '../../lib/contract/parameters.ts';
import { pageFrom } from '../../lib/upstream/pages.ts';
import { answered, checked } from './world.ts';

const { segments: _, ...example } = answered(checked());
const heads = (...ids: readonly number[]): ProjectHead[] => ids.map((id) => ({ ...example, id }));

test.each([
  ['quoted', `<https://service.example/p?limit=2&cursor=${cursorAfter(8)}>; rel="next"`],
  ['bare', `</segments/projects?cursor=${cursorAfter(8)}>;rel=next`],
  [
    'among others',
    `<https://a.example/?a,b;c>; rel="prev"; title="x", <?cursor=${cursorAfter(8)}>; title="n"; rel="last next"`,
  ],
])('the next page is where the link says: %s', (_, link) => {
  expect(pageFrom(heads(9, 8), link, { limit: 2 })).toMatchObject({ next: 8 });
});

test.each([
  ['there is no link', undefined],
  ['the link is to another page', `<?cursor=${cursorAfter(8)}>; rel="prev"`],
  ['the link only sounds like it', `<?cursor=${cursorAfter(8)}>; rel="nextish"; title="next"`],
])('it is the last page where %s', (_, link) => {
  expect(pageFrom(heads(9, 8), link, { limit: 2 })).toEqual({ projects: heads(9, 8) });
});

test.each([
  ['no cursor', '<?page=2>; rel="next"'],
  ['two cursors', '<?cursor=c8&cursor=c7>; rel="next"'],
  ['a cursor of another make', '<?cursor=MjAyNg%3D%3D>; rel="next"'],
  ['a cursor that leads back', `<?cursor=${cursorAfter(20)}>; rel="next"`],
])('a link that cannot be followed is not taken for the end: %s', (_, link) => {
  expect(pageFrom(heads(9, 8), link, { limit: 2, after: 20 })).toBeUndefined();
});

test('a service without pages is cut into pages, newest first, and each project comes once', () => {
  const all = heads(3, 9, 5, 7, 1);
  const seen: number[] = [];
  let after: number | undefined;
  do {
    const page = pageFrom(all, undefined, { limit: 2, after });
    seen.push(...(page?.projects ?? []).map(({ id }) => id));
    after = page?.next;
  } while (after !== undefined);
  expect(seen).toEqual([9, 7, 5, 3, 1]);
});
