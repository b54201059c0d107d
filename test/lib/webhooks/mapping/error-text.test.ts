import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { ERROR_TEXTS } from '../../../../lib/webhooks/mapping/error-texts.data.ts';
import { errorText, mapper } from '../../../../lib/webhooks/mapping/mapper.ts';
import { NOW_MS, problemOf } from '../../support.ts';

const strict = mapper();
const quoting = mapper({ quotes: true });
afterAll(() => {
  strict.close();
  quoting.close();
});

const input = { headers: {}, body: { title: 'canary', names: ['canary'] } };
const failure = async (expression: string, by = strict) =>
  (await problemOf(() => by.apply(expression, input, NOW_MS))).message;

/** Every error code that the installed JSONata can throw or has a message for. */
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
      ['{\n  "create": {\n    "name": $sum(\n}', 'line 4, column 1: a value was expected in place of this symbol'],
      ['body.page page', 'line 1, column 11: an operator, or the end of the expression, was expected here'],
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
    expect(await failure('body.page page', quoting)).toMatch(/was expected here, near `page`\.$/);
    expect(await failure('$sum(body.names)', quoting)).toMatch(/an array of one type, near `sum`\.$/);
    for (const code of ['$number(body.title)', 'body.title + 1', '{ body.names: 1 }', '$error(body.title)']) {
      expect(await failure(code, quoting)).not.toContain('canary');
      expect(await failure(code)).not.toContain('canary');
    }
  });

  it('quotes no control characters', async () => {
    const text = await failure('1 "\u001b]0;PWNED\u0007\u202e"', quoting);
    expect(text).toBe(
      'The mapping fails at line 1, column 3: an operator, or the end of the expression, was expected here.',
    );
  });
});
