import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { ERROR_TEXTS } from '../../../../lib/webhooks/mapping/error-texts.data.ts';
import { MAPPING_LIMITS } from '../../../../lib/webhooks/mapping/limits.ts';
import { errorText, mapper } from '../../../../lib/webhooks/mapping/mapper.ts';
import { expectProblem, NOW_MS, problemOf } from '../../support.ts';

const ours = mapper();
const quoting = mapper({ quotes: true });
afterAll(() => {
  ours.close();
  quoting.close();
});

const input = { headers: { 'x-topic': 'made' }, body: { title: 'canary', names: ['canary'] } };
const apply = (expression: string, by = ours) => by.apply(expression, input, NOW_MS);
const failure = async (expression: string, by = ours) => (await problemOf(() => apply(expression, by))).message;

describe('a mapping', () => {
  it('gets headers and body, and returns JSON', async () => {
    const expression = '{ "topic": headers."x-topic", "names": body.names, "no": false, "half": "\\ud800" }';
    expect(await apply(expression)).toEqual({ topic: 'made', names: ['canary'], no: false, half: '\ud800' });
    expect([await apply('body.nothing'), await apply('null')]).toEqual([undefined, null]);
  });

  it('gives the same result at every run: now is the time of receipt, and functions that could differ are missing', async () => {
    expect(await apply('[$now(), $millis()]')).toEqual([new Date(NOW_MS).toISOString(), NOW_MS]);
    const missing = ['random', 'shuffle', 'eval', 'base64encode', 'base64decode'];
    expect(await apply(`[${missing.map((name) => `$exists($${name})`).join(', ')}]`)).toEqual(missing.map(() => false));
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

  it('may return as many bytes as a body, and no more', async () => {
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

/** Returns every error code that the installed JSONata can throw or has a message for. */
function codesOfJsonata(): string[] {
  const source = readFileSync(new URL(import.meta.resolve('jsonata')), 'utf8');
  return [...new Set([...source.matchAll(/["']([STD]\d{4})["']/g)].map(([, code = '']) => code))].sort();
}

describe('an error of a mapping', () => {
  it('has a text for every code of JSONata', () => {
    expect(codesOfJsonata().length).toBeGreaterThan(80);
    expect(Object.keys(ERROR_TEXTS).sort()).toEqual(codesOfJsonata());
  });

  it('has a text for an unknown code', () => {
    const error = { kind: 'failed', code: 'T9999', position: 3, token: '+' } as const;
    expect(errorText('1 + 2', error, { quotes: false })).toBe('line 1, column 3: the expression fails here');
  });

  it('has its place and a text', async () => {
    const rows: [string, string][] = [
      ['{ "create": body.page', 'line 1, column 22: expected `}`'],
      ['{\n  "create": {\n    "name": $sum(\n}', 'line 4, column 1: expected a value in place of this symbol'],
      ['body.page page', 'line 1, column 11: expected an operator or the end of the expression'],
      ['1 +', 'line 1, column 4: the expression ends too early: a value is missing'],
      ['%', 'line 1, column 1: `%` has no parent here'],
      ['"a" &\r\n  $number(body.title)', 'line 2, column 3: the value cannot become a number'],
      ['body.title + 1', 'line 1, column 12: the left side of the operator must be a number'],
      ['$sum(body.names)', 'line 1, column 1: argument 1 of the function must be an array of one type'],
      ['{ "a": $nothing(1) }', 'line 1, column 8: this is not a function'],
      ['body.id + $error("SECRET " & body.title)', 'line 1, column 11: the expression called `$error`'],
    ];
    const failures = await Promise.all(rows.map(async ([expression]) => [expression, await failure(expression)]));
    expect(failures).toEqual(rows.map(([expression, words]) => [expression, `The mapping fails at ${words}.`]));
  });

  it('quotes the expression for its author only, and never a value', async () => {
    expect(await failure('body.page page', quoting)).toMatch(
      /expected an operator or the end of the expression, near `page`\.$/,
    );
    expect(await failure('$sum(body.names)', quoting)).toMatch(/an array of one type, near `sum`\.$/);
    for (const code of ['$number(body.title)', 'body.title + 1', '{ body.names: 1 }', '$error(body.title)']) {
      expect(await failure(code, quoting)).not.toContain('canary');
    }
  });

  it('quotes no control characters', async () => {
    const text = await failure('1 "\u001b]0;PWNED\u0007\u202e"', quoting);
    expect(text).toBe('The mapping fails at line 1, column 3: expected an operator or the end of the expression.');
  });
});
