import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isTooLong } from '../../../lib/contract/fields.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { UPSTREAM_MARK } from '../../../lib/contract/settings.ts';
import { operationIdOf } from '../../../lib/service/port.ts';
import {
  type CallerCustomId,
  companyOfUpstreamId,
  DEFAULT_CUSTOM_ID_PREFIX,
  upstreamCustomId,
} from '../../../lib/upstream/custom-ids.ts';
import { customId } from '../../support/arbitraries.ts';

const mark = fc.stringMatching(/^[A-Za-z0-9_-]{1,32}$/);
const companyId = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
  // Short ids, so that companies and custom ids run into each other.
  fc.stringMatching(/^[a-n]{1,2}$/),
);
const longCustomId = fc
  .tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), fc.integer({ min: 150, max: 255 }), customId())
  .map(([filling, length, end]) => [...`${filling.repeat(length)}${end}`].slice(-length).join(''));
/** Custom ids that look like those that Segue chooses. */
const likeAName = fc
  .tuple(fc.constantFrom('', 'segue.', 'a.', 'a.n.', 'segue.a.n.', 'segue.a.h.', 'n.', 'g.'), customId())
  .map((parts) => parts.join(''));
const anyCustomId = fc.option(fc.oneof(customId(), longCustomId, likeAName), { nil: undefined });
const named = fc
  .record({ companyId, customId: anyCustomId, key: fc.stringMatching(/^[ -~]{1,9}$/) })
  .map(({ key, ...rest }): CallerCustomId => ({ ...rest, isOwnAccount: false, operationId: operationIdOf(key) }));

/** Returns the identity of a project within an account. */
const identityOf = ({ companyId: company, customId: id, operationId }: CallerCustomId) =>
  JSON.stringify(id === undefined ? [company, null, operationId] : [company, id]);

describe('the custom id at the service', () => {
  it('is never shared by two companies or two custom ids', () => {
    fc.assert(
      fc.property(fc.array(named, { minLength: 2, maxLength: 30 }), (all) => {
        const names = new Map(all.map((one) => [identityOf(one), upstreamCustomId(DEFAULT_CUSTOM_ID_PREFIX, one)]));
        expect(new Set(names.values()).size).toBe(names.size);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is valid by the contract, and shows the owner of the project', () => {
    fc.assert(
      fc.property(mark, named, (word, one) => {
        const name = upstreamCustomId(word, one);
        expect(isTooLong(name, LIMITS.customIdCharacters)).toBe(false);
        expect(name.isWellFormed()).toBe(true);
        expect(companyOfUpstreamId(word, name)).toBe(one.companyId);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['a', 255 - 'segue.acme.n.'.length, 'n'],
    ['a', 256 - 'segue.acme.n.'.length, 'h'],
    // The limit counts code points, not UTF-16 units.
    ['😀', 255 - 'segue.acme.n.'.length, 'n'],
    ['😀', 256 - 'segue.acme.n.'.length, 'h'],
    ['a', 255, 'h'],
  ])('has a hash if it would be too long: "%s" %i times is ".%s."', (character, length, kind) => {
    const one = { companyId: 'acme', isOwnAccount: false, customId: character.repeat(length), operationId: 'o' };
    expect(upstreamCustomId(DEFAULT_CUSTOM_ID_PREFIX, one)).toMatch(new RegExp(`^segue\\.acme\\.${kind}\\.`));
  });

  it('is the caller’s for a company with an account of its own, or one that Segue chose if there is none', () => {
    fc.assert(
      fc.property(named, (one) => {
        const name = upstreamCustomId(DEFAULT_CUSTOM_ID_PREFIX, { ...one, isOwnAccount: true });
        expect(name).toBe(one.customId ?? `segue.${one.companyId}.g.${one.operationId}`);
      }),
    );
  });
});

it('a prefix is short and has no dot', () => {
  const words = ['segue', 'Acme_1-x', '', 'a.b', 'a b', 'x'.repeat(33)];
  expect(words.filter((word) => UPSTREAM_MARK.parse(word))).toEqual(['segue', 'Acme_1-x']);
});

it('a custom id that Segue did not make has no company', () => {
  const names = ['', 'c', 'segue', 'segue.acme', 'segue.acme.x.c', 'Segue.acme.n.c', 'xsegue.acme.n.c', 'segue..n.c'];
  expect(names.map((name) => companyOfUpstreamId('segue', name))).toEqual(names.map(() => undefined));
});
