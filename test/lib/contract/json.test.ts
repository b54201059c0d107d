import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../lib/contract/json.ts';
import { outlineOf } from '../../../lib/contract/json-outline.ts';
import { LIMITS } from '../../../lib/contract/limits.ts';
import { Problem } from '../../../lib/contract/problem.ts';
import { problemOf } from '../support.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

const inside = (value: unknown): unknown[] => (typeof value === 'object' && value ? Object.values(value) : []);
const valuesIn = (value: unknown): number => inside(value).reduce((sum: number, one) => sum + valuesIn(one), 1);
const depthOf = (value: unknown): number =>
  typeof value === 'object' && value ? 1 + Math.max(0, ...inside(value).map(depthOf)) : 0;
const namesIn = (value: unknown): Set<string> =>
  new Set([
    ...(typeof value === 'object' && value && !Array.isArray(value) ? Object.keys(value) : []),
    ...inside(value).flatMap((one) => [...namesIn(one)]),
  ]);

/** Returns the faults of a body as `pointer code`. */
async function faultsOf(body: string | Uint8Array): Promise<string[]> {
  const problem = await problemOf(() => parseJson(typeof body === 'string' ? bytesOf(body) : body));
  expect(problem.name).toBe('malformed-json');
  return (problem.occurrence.errors ?? []).map(({ pointer, code }) => `${pointer} ${code}`);
}

describe('strict JSON', () => {
  it.each<[string, string, string | Uint8Array]>([
    ['17 levels', ' too-deep', nested(17)],
    ['17 levels of objects and arrays', ' too-deep', `${'{"a":'.repeat(16)}[]${'}'.repeat(16)}`],
    ['half a million levels', ' too-deep', '['.repeat(500_000)],
  ])('refuses %s', async (_, fault, body) => {
    expect(await faultsOf(body)).toEqual([fault]);
  });

  it('never quotes the body', async () => {
    const problem = await problemOf(() => parseJson(bytesOf('{"secret":"canary" oops}')));
    expect(JSON.stringify(problem.body('', '')) + String(problem.cause)).not.toMatch(/canary|oops|secret/);
  });
});

describe('a wrong byte', () => {
  it.each<[string, number[], string]>([
    ['first', [0xff], 'byte 0 (line 1, column 1)'],
    ['after other lines and characters', [...bytesOf('{\n"é😀":"'), 0xc0, 0x80], 'byte 12 (line 2, column 7)'],
    ['after replacement characters', [...bytesOf('"\ufffd\n\ufffd'), 0xe4, 0xba], 'byte 8 (line 2, column 2)'],
  ])('has its position: %s', async (_, bytes, place) => {
    const { occurrence } = await problemOf(() => parseJson(Uint8Array.from(bytes)));
    expect(occurrence.detail).toBe(`The body is not UTF-8 at ${place}.`);
  });
});

it('a syntax error has its position', async () => {
  const { occurrence } = await problemOf(() => parseJson(bytesOf('{\n  "a": 1,\n}')));
  const detail =
    'The body is not valid JSON at line 3, column 1: expected a key in double quotes; JSON allows no comma before a closing bracket.';
  expect(occurrence).toMatchObject({ detail, errors: [{ pointer: '', code: 'syntax', detail }] });
});

describe('a repeated key', () => {
  it.each<[string, string, string[]]>([
    ['at the top', '{"a":1,"a":1}', ['/a']],
    ['as an escape', '{"a":1,"\\u0061":2}', ['/a']],
    ['deep down', '{"s":[{},{"n":[{"x":{},"y":1,"x":[]}]}]}', ['/s/1/n/0/x']],
    ['three times', '{"a":1,"a":2,"a":3}', ['/a', '/a']],
    ['in several objects', '[{"a":1,"a":2},{"b/":{"~":0,"~":0},"b/":1}]', ['/0/a', '/1/b~1/~0', '/1/b~1']],
    ['as __proto__', '{"__proto__":1,"__proto__":2}', ['/__proto__']],
    ['empty', '{"":1,"":2}', ['/']],
    ['with a name too long for a pointer', `{"a":{"${'x'.repeat(129)}":1,"${'x'.repeat(129)}":1}}`, ['/a']],
  ])('is refused %s', async (_, text, pointers) => {
    expect(await faultsOf(text)).toEqual(pointers.map((pointer) => `${pointer} duplicate-key`));
  });

  it('is reported at most a hundred times', async () => {
    expect(await faultsOf(`{${Array.from({ length: 500 }, () => '"a":1').join(',')}}`)).toHaveLength(LIMITS.faults);
  });

  it('may be in two objects, or be a value', () => {
    expect(parseJson(bytesOf('[{"a":"a"},{"a":["a","a"]}]'))).toEqual([{ a: 'a' }, { a: ['a', 'a'] }]);
  });
});

const list = (values: number, value: string) => `[${Array.from({ length: values - 1 }, () => value).join(',')}]`;

describe('the number of values', () => {
  it.each(['0', '""', '{ }', '[\t]', 'null', '"\\"[,"'])('may be 500,000 and no more: %s', async (value) => {
    expect(parseJson(bytesOf(list(LIMITS.jsonValues, value)))).toHaveLength(LIMITS.jsonValues - 1);
    expect(await faultsOf(list(LIMITS.jsonValues + 1, value))).toEqual([' too-many']);
  });

  it.each([
    ['values', `${'0,'.repeat(LIMITS.jsonValues)}`],
    ['values in lists', `${'[[0],'.repeat(3)}${'[0],'.repeat(LIMITS.jsonValues)}`],
    ['values of one name', `{${'"":0,'.repeat(LIMITS.jsonValues)}`],
  ])('is counted before the text is parsed: endless %s', async (_, text) => {
    expect(await faultsOf(text)).toEqual([' too-many']);
  });
});

describe('the number of different names', () => {
  /** Returns a body with more fields than the limit, with `names` different names. */
  const fields = (names: number) =>
    `[${Array.from({ length: 50_001 }, (_, n) => `{"${n % names}" :"\\":"}`).join(',')}]`;

  it('may be 1,000 in a body of many fields', async () => {
    expect(parseJson(bytesOf(fields(LIMITS.jsonNames)))).toHaveLength(50_001);
    expect(await faultsOf(fields(LIMITS.jsonNames + 1))).toEqual([' too-many']);
  });

  it('has no limit in a body of 50,000 fields, and texts are not names', () => {
    for (const [names, texts] of [
      [50_000, 0],
      [1, 60_000],
    ] as const) {
      const [name, text] = [(n: number) => `{"${n}":0}`, (n: number) => `"${n}"`];
      const body = `[${[...Array.from({ length: names }, (_, n) => name(n)), ...Array.from({ length: texts }, (_, n) => text(n))].join(',')}]`;
      expect(parseJson(bytesOf(body))).toHaveLength(names + texts);
    }
    const same = `[${Array.from({ length: 60_000 }, (_, n) => `{"a":"${n}"}`).join(',')}]`;
    expect(parseJson(bytesOf(same))).toHaveLength(60_000);
  });

  it('is counted in linear time, also if the text is no JSON', async () => {
    const half = 1_000_000;
    expect(await faultsOf(`{"${'a'.repeat(half)}"${':'.repeat(half)}`)).toEqual([' syntax']);
  });

  it('is counted before the text is parsed', async () => {
    expect(await faultsOf(`${fields(LIMITS.jsonNames + 1).slice(0, -1)},`)).toEqual([' too-many']);
  });
});

describe('any input', () => {
  it('has as many values and names as were counted before parsing', () => {
    const value = fc.jsonValue({ maxDepth: 6, stringUnit: 'binary' }).map((json) => JSON.parse(JSON.stringify(json)));
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 2, '\t'), fc.nat(40), (json: unknown, space, most) => {
        const text = JSON.stringify(json, null, space);
        const { values, names, depth } = outlineOf(text, { maxNames: Infinity });
        expect({ values, names, depth }).toEqual({
          values: valuesIn(json),
          names: namesIn(json).size,
          depth: depthOf(json),
        });
        const bounded = outlineOf(text, { maxValues: most, maxLevels: most });
        expect(bounded.values > most || bounded.depth > most).toBe(values > most || depth > most);
        expect(outlineOf(text, { maxNames: most, manyMembers: 0 }).names).toBe(Math.min(names, most + 1));
      }),
      { numRuns: 150 },
    );
  });

  it('is read as by JSON.parse if it is JSON', () => {
    const value = fc
      .jsonValue({ maxDepth: 8, stringUnit: 'binary' })
      .filter((json) => JSON.stringify(json).isWellFormed());
    fc.assert(
      fc.property(value, fc.constantFrom(undefined, 2), (json, space) => {
        const text = JSON.stringify(json, null, space);
        expect(parseJson(bytesOf(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it('is read or refused as malformed-json', () => {
    const fragment = fc.constantFrom('{', '}', '[', ']', '"', ':', ',', '\\', '"a"', '1', 'null', ' ', '\\u00', 'é');
    const jsonLike = fc.array(fragment).map((parts) => bytesOf(parts.join('')));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array(), jsonLike), (bytes) => {
        try {
          const value = parseJson(bytes);
          expect(value).toEqual(JSON.parse(new TextDecoder().decode(bytes)));
        } catch (error) {
          expect(error).toBeInstanceOf(Problem);
          expect(error).toMatchObject({ name: 'malformed-json' });
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('the answer to repeated keys', () => {
  it('does not grow with the names around them', async () => {
    const body = `{"${'n'.repeat(1_000_000)}":{${Array.from({ length: 150 }, () => '"a":1').join(',')}}}`;
    const problem = await problemOf(() => parseJson(bytesOf(body)));
    expect(problem.occurrence.errors).toHaveLength(LIMITS.faults);
    expect(JSON.stringify(problem.body('', '')).length).toBeLessThan(20_000);
  });
});
