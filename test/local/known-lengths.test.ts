import { expect, it } from 'vitest';
import { KnownLengths } from '../../local/known-lengths.ts';

it('knows the lengths of a company until one of its puts begins', () => {
  const lengths = new KnownLengths();
  for (const company of ['a', 'b']) lengths.of(company).set('/1', 5);
  expect([lengths.of('a').get('/1'), lengths.of('a').get('/2')]).toEqual([5, undefined]);
  lengths.beginPut('a');
  expect([lengths.of('a').get('/1'), lengths.of('b').get('/1')]).toEqual([undefined, 5]);
  lengths.endPut('a');
  expect(lengths.of('a').get('/1')).toBeUndefined();
  lengths.of('a').set('/1', 7);
  expect(lengths.of('a').get('/1')).toBe(7);
});

it('remembers nothing that a response of before or during a put says', () => {
  const lengths = new KnownLengths();
  const before = lengths.of('a');
  lengths.beginPut('a');
  lengths.beginPut('a');
  const during = lengths.of('a');
  for (const each of [before, during]) each.set('/1', 5);
  lengths.endPut('a');
  const between = lengths.of('a');
  lengths.endPut('a');
  for (const each of [before, during, between]) {
    each.set('/1', 5);
    expect(each.get('/1')).toBeUndefined();
  }
  expect(lengths.of('a').get('/1')).toBeUndefined();
});
