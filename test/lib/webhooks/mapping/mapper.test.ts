import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { MAPPING_LIMITS } from '../../../../lib/webhooks/mapping/limits.ts';
import { mapper } from '../../../../lib/webhooks/mapping/mapper.ts';
import { expectProblem, NOW_MS, problemOf } from '../../support.ts';

const ours = mapper();
afterAll(() => ours.close());

const input = { headers: { 'x-topic': 'made' }, body: { id: 7, names: ['a', 'b'], code: '1 + 1' } };
const apply = (expression: string) => ours.apply(expression, input, NOW_MS);

describe('a mapping', () => {
  it('gets headers and body, and returns JSON', async () => {
    const expression = '{ "topic": headers."x-topic", "id": body.id, "joined": $join(body.names, "+") }';
    expect(await apply(expression)).toEqual({ topic: 'made', id: 7, joined: 'a+b' });
  });

  it.each([
    ['nothing there', undefined],
    ['null', null],
    ['false', false],
    ['body.names', ['a', 'b']],
    ['"\\ud800"', '\ud800'],
  ])('that is %s gives %j', async (expression, result) => {
    const given = await apply(expression.replace('nothing there', 'body.nothing'));
    expect(given).toEqual(result);
  });

  it('gives the same result at every run: now is the time of receipt, and functions that could differ are missing', async () => {
    expect(await apply('[$now(), $millis()]')).toEqual([new Date(NOW_MS).toISOString(), NOW_MS]);
    for (const call of ['random()', 'shuffle([1, 2])', 'eval("1")', 'base64encode("a")', 'base64decode("YQ==")']) {
      await expectProblem('mapping-failed', () => apply(`$${call}`));
    }
  });

  it('returns any JSON value unchanged', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })), async (object) => {
        const sent: unknown = JSON.parse(JSON.stringify(object));
        expect(await ours.apply('{ "it": [body] }', { headers: {}, body: sent }, NOW_MS)).toEqual({ it: [sent] });
      }),
      { numRuns: 30 },
    );
  });

  it.each([
    'function($x) { $x }',
    '{ "a": $string }',
    '[/a/]',
    '$power(10, 308) * 10',
    '{ "a": [1, function() { 1 }] }',
  ])('fails if its result is %s', (expression) => expectProblem('mapping-failed', () => apply(expression)));

  it('may give as many bytes as a body, and no more', async () => {
    const of = (bytes: number) => apply(`$pad("", ${bytes - 2}, "x")`);
    expect(await of(MAPPING_LIMITS.resultBytes)).toHaveLength(MAPPING_LIMITS.resultBytes - 2);
    expect((await problemOf(() => of(MAPPING_LIMITS.resultBytes + 1))).message).toContain('more than 4194304 bytes');
    expect((await problemOf(() => apply(`$pad("", 2000000, "人")`))).message).toContain('more than 4194304 bytes');
  });

  it('may be as long as the limit, and no longer', async () => {
    const filled = '1'.padStart(MAPPING_LIMITS.expressionCharacters);
    expect(await apply(filled)).toBe(1);
    await expectProblem('mapping-failed', () => apply(` ${filled}`));
  });

  it('is refused by a check if it is not an expression', async () => {
    await expect(ours.check('{ "a": body.id }')).resolves.toBeUndefined();
    await expectProblem('mapping-failed', () => ours.check('{ "a": body.id'));
    expect((await problemOf(() => ours.check('$match(body, /(/)'))).name).toBe('mapping-failed');
  });
});
