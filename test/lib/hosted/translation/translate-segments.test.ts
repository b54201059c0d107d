import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { pseudoEngine } from '../../../../lib/hosted/translation/engines/pseudo.ts';
import {
  ENGINE_FAILURES,
  EngineFailure,
  type EngineFailureCode,
  type TextResult,
} from '../../../../lib/service/translation-engine.ts';
import { asObjects, realProject } from '../../../support/projects.ts';
import { fakeEngine, mappingEngine, shown, translate, translateOne } from './world.ts';

const translated = (text: string): TextResult => ({ kind: 'translated', text });
const upper = ({ texts }: { readonly texts: readonly string[] }) => texts.map((text) => translated(text.toUpperCase()));
const CODES = Object.keys(ENGINE_FAILURES).filter((code): code is EngineFailureCode => code in ENGINE_FAILURES);

describe('the calls', () => {
  it('stay within the limits, and together have every text once', async () => {
    const limits = fc.record({
      texts: fc.integer({ min: 1, max: 5 }),
      batchBytes: fc.integer({ min: 20, max: 60 }),
      concurrentCalls: fc.integer({ min: 1, max: 3 }),
      textBytes: fc.constant({ plain: 20, html: 50 }),
    });
    const texts = fc.uniqueArray(fc.stringMatching(/^[a-zé]{1,30}( %s [a-z]+)?$/), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(limits, texts, async (limits, texts) => {
        let running = 0;
        const engine = fakeEngine(
          async (batch) => {
            running += 1;
            expect(running).toBeLessThanOrEqual(limits.concurrentCalls);
            await Promise.resolve();
            running -= 1;
            return batch.texts.map((text) => translated(text));
          },
          { limits },
        );
        const { results } = await translate(engine, texts);
        for (const { format, texts: sent } of engine.received) {
          const bytes = sent.map((text) => Buffer.byteLength(text));
          expect(Math.max(...bytes)).toBeLessThanOrEqual(limits.textBytes[format]);
          expect(bytes.reduce((sum, length) => sum + length, 0)).toBeLessThanOrEqual(limits.batchBytes);
          expect(sent.length).toBeLessThanOrEqual(limits.texts);
        }
        expect(
          results
            .map(shown)
            .filter((text) => text !== 'too-long')
            .sort(),
        ).toEqual(texts.filter((_, index) => shown(results[index]) !== 'too-long').sort());
        expect(new Set(engine.received.flatMap((batch) => batch.texts)).size).toBe(
          engine.received.flatMap((batch) => batch.texts).length,
        );
      }),
      { numRuns: 200 },
    );
  });

  it('are never made for a sentence that is too long, also if it is a megabyte', async () => {
    const engine = mappingEngine((text) => text.toUpperCase(), {
      limits: { textBytes: { plain: 10_000, html: 100_000 } },
    });
    const long = 'x'.repeat(1_048_576);
    const { results } = await translate(engine, [long, 'short', `<b>ok</b> %s ${long}`]);
    expect(results.map(shown)).toEqual(['too-long', 'SHORT', 'too-long']);
    expect(engine.received).toHaveLength(1);
  });

  it('have the parts of a sentence that is too long, divided at full stops', async () => {
    const engine = mappingEngine((text) => text, { limits: { textBytes: { plain: 30, html: 60 } } });
    const contents = [
      'One two three.  Four five (six!) Seven eight?” Nine',
      'こんにちは世界。さようなら。',
      `One <b>two. three</b> four. Five %s six. Seven ${'x'.repeat(20)}.`,
      `${'a. '.repeat(500)}end`,
      '1. 2. 3. 4. 5. 6. 7. 8. 9. a',
    ];
    const { results } = await translate(engine, contents);
    expect(results.map(shown)).toEqual(contents);
    const sent = engine.received.flatMap(({ texts }) => texts);
    expect(sent).toContain('Four five (six!)');
    expect(sent).toContain('さようなら。');
    expect(sent).toContain('One <b id="1">two. three</b> four. Five <x id="5"/> six.');
  });

  it('count the characters that the engine receives, as code points', async () => {
    const { usedCharacters } = await translate(
      mappingEngine((text) => text),
      ['<p>a😀é</p>', 'a %s'],
    );
    expect(usedCharacters).toBe(3 + 'a <x id="1"/>'.length);
  });
});

/** The failures after which a batch is divided. */
const DIVIDING: readonly EngineFailureCode[] = ['rejected', 'invalid-answer', 'limited'];

describe('a failure of the engine', () => {
  it.each(CODES.filter((code) => !DIVIDING.includes(code)))(
    '%s ends the calls, and keeps what is translated',
    async (code) => {
      const engine = fakeEngine(
        (batch) => {
          if (batch.texts.includes('c')) throw new EngineFailure(code, 7_000);
          return upper(batch);
        },
        { limits: { texts: 2 } },
      );
      const { results, failure } = await translate(engine, ['a', 'b', 'c', 'd', 'e', '%s']);
      expect(results.map(shown)).toEqual(['A', 'B', 'pending', 'pending', 'pending', '%s']);
      expect(failure?.code).toBe(code);
      expect(failure?.retryAfterMs).toBe(ENGINE_FAILURES[code].isRetryable ? 7_000 : undefined);
      expect(engine.received).toHaveLength(2);
    },
  );

  it('does not count characters that the engine refused', async () => {
    const refusing = fakeEngine(() => Promise.reject(new EngineFailure('busy')));
    expect((await translate(refusing, ['abc'])).usedCharacters).toBe(0);
    const silent = fakeEngine(() => Promise.reject(new EngineFailure('unreachable')));
    expect((await translate(silent, ['abc'])).usedCharacters).toBe(3);
  });

  it('that it throws as another error is a failure without that error', async () => {
    const engine = fakeEngine(() => Promise.reject(new TypeError('a message with content')));
    const { failure } = await translate(engine, ['abc']);
    expect([failure?.code, JSON.stringify(failure), failure?.message]).not.toContain('content');
    expect(failure?.code).toBe('failed');
  });

  it('lets calls that are running end', async () => {
    const first = Promise.withResolvers<readonly TextResult[]>();
    const engine = fakeEngine(
      async (batch) => {
        if (batch.texts[0] === 'a') return first.promise;
        setImmediate(() => first.resolve([translated('A')]));
        throw new EngineFailure('busy');
      },
      { limits: { texts: 1, concurrentCalls: 2 } },
    );
    const { results, failure } = await translate(engine, ['a', 'b', 'c']);
    expect([...results.map(shown), failure?.code]).toEqual(['A', 'pending', 'pending', 'busy']);
  });
});

describe('an answer that does not fit', () => {
  const answers: readonly (readonly [string, unknown])[] = [
    ['too many results', [translated('x'), translated('y')]],
    ['no results', []],
    ['no list', { 0: translated('x') }],
    ['nothing', undefined],
    ['text in place of results', ['x']],
    ['a result without text', [{ kind: 'translated' }]],
    ['a result with a number', [{ kind: 'translated', text: 1 }]],
    ['an unknown reason', [{ kind: 'failed', reason: 'mood' }]],
  ];

  it.each(answers)('is a failure if no text has a valid answer: %s', async (_, answer) => {
    const engine = fakeEngine(() => JSON.parse(JSON.stringify(answer ?? null)), { limits: { texts: 1 } });
    const texts = Array.from({ length: 20 }, (_, index) => `text${'x'.repeat(index)}`);
    const { results, failure } = await translate(engine, texts);
    expect(new Set(results.map(shown))).toEqual(new Set(['pending']));
    expect([failure?.code, failure?.retryAfterMs]).toEqual(['invalid-answer', 5_000]);
    expect(engine.received.length).toBeLessThanOrEqual(5);
  });

  it.each<[string, () => readonly TextResult[]]>([
    ['an invalid answer', () => []],
    [
      'a refusal',
      () => {
        throw new EngineFailure('rejected');
      },
    ],
  ])('to one text is found, and costs only this text: %s', async (_, act) => {
    const engine = fakeEngine((batch) => (batch.texts.includes('poison') ? act() : upper(batch)));
    const texts = Array.from({ length: 40 }, (_, index) => `a${'b'.repeat(index)}`);
    const { results, failure } = await translate(engine, [...texts, 'poison']);
    expect(results.map(shown)).toEqual([...texts.map((text) => text.toUpperCase()), 'rejected']);
    expect(failure).toBeUndefined();
    expect(engine.received.length).toBeLessThan(15);
  });

  it('is looked for with a bounded number of calls, and the rest is left for later', async () => {
    const engine = fakeEngine((batch) =>
      batch.texts.some((text) => text.startsWith('poison'))
        ? Promise.reject(new EngineFailure('rejected'))
        : upper(batch),
    );
    const texts = Array.from({ length: 50 }, (_, index) => (index % 2 === 1 ? `poison${index}` : `a${index}`));
    const { results, failure } = await translate(engine, texts);
    expect(
      new Set(
        results
          .filter((_, index) => index % 2 === 0)
          .map(shown)
          .filter((text) => !text.startsWith('A')),
      ),
    ).toEqual(new Set(['pending']));
    expect(results.map(shown).filter((text) => text === 'rejected').length).toBeGreaterThan(5);
    expect([failure?.code, failure?.retryAfterMs]).toEqual(['invalid-answer', 5_000]);
    expect(engine.received.length).toBeLessThanOrEqual(45);
  });

  it.each([
    ['is that of a few texts', 4, 'rejected', undefined],
    ['is that of the engine', 5, 'pending', 'rejected'],
  ])('to all texts %s, if there are %i', async (_, count, shownAs, code) => {
    const engine = fakeEngine(() => Promise.reject(new EngineFailure('rejected')));
    const { results, failure } = await translate(
      engine,
      Array.from({ length: count }, (_, index) => `text ${index}`),
    );
    expect(new Set(results.map(shown))).toEqual(new Set([shownAs]));
    expect(failure?.code).toBe(code);
  });

  it('keeps the reason of an engine for a text', async () => {
    const engine = fakeEngine(({ texts }) =>
      texts.map((text) => (text === 'bad' ? { kind: 'failed', reason: 'unsupported-pair' } : translated(text))),
    );
    expect((await translate(engine, ['good', 'bad'])).results.map(shown)).toEqual(['good', 'unsupported-pair']);
  });
});

describe('an engine that never answers', () => {
  const never = () => new Promise<never>(() => {});

  it('is given up at the time limit of a call, and its call is aborted', async () => {
    const engine = fakeEngine(never, { limits: { callMs: 20_000 } });
    const waits: number[] = [];
    const timer = async (ms: number) => void waits.push(ms);
    const { results, failure } = await translate(engine, ['a'], { timer });
    expect([results.map(shown), failure?.code, waits]).toEqual([['pending'], 'timed-out', [20_000]]);
  });

  it('is given up at the deadline', async () => {
    const waits: number[] = [];
    const timer = async (ms: number) => void waits.push(ms);
    const { failure } = await translate(fakeEngine(never), ['a'], { timer, deadline: { remainingMs: () => 300 } });
    expect([failure?.code, waits]).toEqual(['timed-out', [300]]);
  });

  it('is not called after the deadline', async () => {
    const engine = fakeEngine(upper);
    const { results, failure } = await translate(engine, ['a', '%s'], { deadline: { remainingMs: () => 0 } });
    expect([results.map(shown), failure?.code, engine.received]).toEqual([['pending', '%s'], 'timed-out', []]);
  });

  it('is given up if the caller aborts', async () => {
    const aborting = new AbortController();
    const engine = fakeEngine(() => {
      setImmediate(() => aborting.abort());
      return never();
    });
    const { results, failure } = await translate(engine, ['a'], { signal: aborting.signal });
    expect([results.map(shown), failure?.code]).toEqual([['pending'], 'aborted']);
    expect((await translate(engine, ['a'], { signal: aborting.signal })).failure?.code).toBe('aborted');
  });

  it('gets its signal after every call, so that nothing of it goes on', async () => {
    const aborted = vi.fn();
    const engine = fakeEngine(upper);
    const watching = {
      ...engine,
      translate: (batch: Parameters<typeof engine.translate>[0], call: Parameters<typeof engine.translate>[1]) => {
        call.signal.addEventListener('abort', aborted);
        return engine.translate(batch, call);
      },
    };
    await translate(watching, ['a']);
    expect(aborted).toHaveBeenCalledOnce();
  });
});

describe('hostile content', () => {
  it.each([
    ['a million start tags', '<b>'.repeat(349_525)],
    ['nested elements', `${'<div>'.repeat(90_000)}x${'</div>'.repeat(90_000)}`],
    ['nested inline elements', `a${'<b>'.repeat(140_000)}x${'</b>'.repeat(140_000)}c`],
    ['code without an end', '<code>'.repeat(170_000)],
    ['brackets', '{'.repeat(1_048_576)],
    ['a choice that never ends', '{n, plural, one {'.repeat(60_000)],
    ['ampersands', '<b>a</b>&'.repeat(100_000)],
    ['tags without an end', '<a x="'.repeat(170_000)],
    ['comments without an end', '<!--'.repeat(260_000)],
    ['percent signs', '%'.repeat(1_048_576)],
    ['control characters', '\u0000a'.repeat(500_000)],
    ['overrides of direction', '\u202ea\u202c'.repeat(200_000)],
    ['white space in plain text', `a %s${' '.repeat(1_000_000)}b`],
    ['white space in HTML', `a <b>c</b>${'\t'.repeat(1_000_000)}b`],
    ['full stops', `a %s${'. '.repeat(500_000)}`],
    ['full stops and white space', `a. %s${' .'.repeat(10)}${' '.repeat(900_000)}b`],
    ['apostrophes in a message', `{n, plural, other {x}}${"'{".repeat(400_000)}`],
  ])('neither hangs nor changes: %s', async (_, content) => {
    const result = await translateOne(
      mappingEngine((text) => text),
      content,
    );
    expect([content, 'message-unreadable', 'placeholder-lost', 'too-complex', 'too-long']).toContain(result);
  });
});

describe('the pseudo engine', () => {
  it.each(['ui-strings', 'udhr-html', 'cldr-large'] as const)('translates every segment of %s', async (name) => {
    const contents = asObjects(realProject(name)['segments']).map(({ content }) => String(content));
    const { results, failure } = await translate(pseudoEngine, contents);
    expect(failure).toBeUndefined();
    expect(results.filter(({ kind }) => kind !== 'translated')).toEqual([]);
    expect((await translate(pseudoEngine, contents)).results).toEqual(results);
    // A content without words is its own translation.
    const same = contents.filter((content, index) => shown(results[index]) === content);
    expect(same.filter((content) => /[A-Za-z]/.test(content.replaceAll(/%\{\w+\}|<[^>]+>/g, '')))).toEqual([]);
  });

  it.each([
    ['Hello', '[Ĥéļļö…]'],
    ['<p>Hello <b>you</b> &amp; %{name}</p>', '<p>[Ĥéļļö <b>ýöû</b> &amp; %{name}…]</p>'],
    ['{n, plural, one {# file} other {# files}}', '{n, plural, one {[# ƒîļé…]} other {[# ƒîļéš…]}}'],
  ])('writes %j as %j', async (content, translation) => {
    expect(await translateOne(pseudoEngine, content)).toBe(translation);
  });
});
