import { expect, it } from 'vitest';
import { cursorAfter } from '../../../lib/contract/parameters.ts';
import { nextPage } from '../../../lib/upstream/upstream-project.ts';

it.each([
  ['quoted', `<https://service.example/p?limit=2&cursor=${cursorAfter(8)}>; rel="next"`],
  ['bare', `</segments/projects?cursor=${cursorAfter(8)}>;rel=next`],
  [
    'among others',
    `<https://a.example/?a,b;c>; rel="prev"; title="x", <?cursor=${cursorAfter(8)}>; title="n"; rel="last next"`,
  ],
])('the next page is where the link says: %s', (_, link) => {
  expect(nextPage(link, undefined)).toBe(8);
});

it.each([
  ['there is no link', undefined],
  ['the link is to another page', `<?cursor=${cursorAfter(8)}>; rel="prev"`],
  ['the link only sounds like it', `<?cursor=${cursorAfter(8)}>; rel="nextish"; title="next"`],
])('it is the last page where %s', (_, link) => {
  expect(nextPage(link, undefined)).toBeUndefined();
});

it.each([
  ['no cursor', '<?page=2>; rel="next"'],
  ['two cursors', '<?cursor=c8&cursor=c7>; rel="next"'],
  ['a cursor of another make', '<?cursor=MjAyNg%3D%3D>; rel="next"'],
  ['a cursor that leads back', `<?cursor=${cursorAfter(20)}>; rel="next"`],
])('a link that cannot be followed is not taken for the end: %s', (_, link) => {
  expect(() => nextPage(link, 20)).toThrow(expect.objectContaining({ name: 'upstream-invalid' }));
});
