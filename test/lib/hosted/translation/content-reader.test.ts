import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  type ContentReader,
  contentReader,
  type Prepared,
  type SentenceRules,
} from '../../../../lib/hosted/translation/content-reader.ts';
import { type ThreadLimits, threadedReader } from '../../../../lib/hosted/translation/threaded-reader.ts';
import { childEnvironment } from '../../../support/child-environment.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const RULES: SentenceRules = {
  placeholderElement: 'empty',
  limits: { textBytes: { plain: 1_048_576, html: 2_097_152 }, batchBytes: 4_194_304 },
};
const TOO_COMPLEX = { kind: 'failed', reason: 'too-complex' };

/** Reads contents, and translates each sentence by itself. Returns the results, or why there are none. */
async function roundTrip(reader: ContentReader, contents: readonly string[]): Promise<unknown[]> {
  const prepared = await reader.prepare(contents, RULES);
  const open = contents.flatMap((content, index) => {
    const one = prepared[index];
    return one?.kind === 'open' ? [{ content, translations: one.sentences.map(({ text }) => text) }] : [];
  });
  const assembled = (await reader.assemble(open, RULES)).values();
  return prepared.map((one) => (one.kind === 'open' ? assembled.next().value : one)).map(shown);
}

function shown(result: Prepared | undefined): string {
  if (result?.kind === 'failed') return result.reason;
  return result?.kind === 'translated' ? result.text : 'nothing';
}

const sentencesIn = (prepared: readonly Prepared[]) =>
  prepared.map((one) => (one.kind === 'open' ? one.sentences.map(({ format, text }) => `${format}: ${text}`) : one));

describe.each([
  ['in this thread', () => contentReader()],
  ['in a thread of its own', () => threadedReader()],
] as const)('a reader %s', (_, open) => {
  const reader = open();

  it('finds the sentences of each content, in its order', async () => {
    const contents = ['Hello', '<p>One <b>two</b></p>', ' ', 'three %s', 'Hello', `${'x'.repeat(2_000)}`, 'a\nb'];
    expect(sentencesIn(await reader.prepare(contents, RULES))).toEqual([
      ['plain: Hello'],
      ['html: One <b id="1">two</b>'],
      { kind: 'translated', text: ' ' },
      ['html: three <x id="1"/>'],
      ['plain: Hello'],
      [`plain: ${'x'.repeat(2_000)}`],
      ['plain: a', 'plain: b'],
    ]);
  });

  it('follows the rules of an engine, also if they change', async () => {
    const limits = { ...RULES.limits, textBytes: { plain: 10, html: 10 } };
    const rules: SentenceRules = { placeholderElement: 'code', limits };
    const contents = ['a %s', 'One two. Three.'];
    const prepared = await reader.prepare(contents, rules);
    expect(sentencesIn(prepared)).toEqual([['html: a <code id="1">%s</code>'], ['plain: One two.', 'plain: Three.']]);
    expect(prepared.flatMap((one) => (one.kind === 'open' ? one.sentences.map(({ isLong }) => isLong) : []))).toEqual([
      true,
      false,
      false,
    ]);
    expect(sentencesIn(await reader.prepare(contents, RULES))).toEqual([
      ['html: a <x id="1"/>'],
      ['plain: One two. Three.'],
    ]);
  });

  it('puts contents together, and tells which it could not', async () => {
    const contents = [
      { content: 'Hello', translations: ['Hallo'] },
      { content: '<p>One <b>two</b></p>', translations: ['<b id="1">zwei</b> eins'] },
      { content: 'three %s', translations: ['drei'] },
    ];
    expect(await reader.assemble(contents, RULES)).toEqual([
      { kind: 'translated', text: 'Hallo' },
      { kind: 'translated', text: '<p><b>zwei</b> eins</p>' },
      { kind: 'failed', reason: 'placeholder-lost', lost: '%s' },
    ]);
  });
});

describe('a content', () => {
  const reader = contentReader();
  const most = (text: string, count = 20_000) => [text.repeat(count), text.repeat(count + 1)] as const;
  it.each<[string, readonly string[]]>([
    ['lines', most('a\n')],
    ['placeholders', most('%s a ')],
    ['tags', most('<b>a')],
    ['blocks', most('<p>a')],
    ['character references', most('&amp;a')],
    ['brackets', most('<', 19_999).map((text) => `a<br>${text}`)],
    ['branches', most('{n, select, a {x}}', 10_000)],
    ['quoted parts of a message', most("'{'x", 19_998).map((text) => `${text}{n, select, a {x}}`)],
  ])('has at most 20,000 %s', async (_, [within = '', over = '']) => {
    expect(await roundTrip(reader, [within, 'Hello', over])).toEqual([within, 'Hello', 'too-complex']);
  });
});

it('a thread has its own limit of memory, whatever the options of the process are', async () => {
  const script = `
    const { threadedReader } = await import('./lib/hosted/translation/threaded-reader.ts');
    const program = new URL('./test/lib/hosted/translation/limits-program.ts', import.meta.url);
    const reader = threadedReader({ heapMiB: 32, timeMs: 60_000, deaths: 1 }, program);
    const alive = setInterval(() => {}, 1_000);
    const [result] = await reader.prepare(['%s'.padEnd(600)], ${JSON.stringify(RULES)});
    process.stdout.write(result.text);
    clearInterval(alive);`;
  const options = ['--max-old-space-size=256', '--initial-old-space-size=128', '--max-semi-space-size=16'];
  const args = [...options, '--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env: childEnvironment({}) });
  expect(Number(stdout)).toBeGreaterThanOrEqual(32);
  expect(Number(stdout)).toBeLessThan(64);
});

describe('a thread that dies', () => {
  const PROGRAM = new URL('./dying-program.ts', import.meta.url);
  const LIMITS: ThreadLimits = { heapMiB: 16, timeMs: 60_000, deaths: 12 };
  /** Returns a content that is too long to be read without the thread. */
  const long = (text: string) => `${text} ${'b '.repeat(300)}b`;
  const dying = (limits = LIMITS) => threadedReader(limits, PROGRAM);

  it.each([
    ['%memory', 2],
    ['%error', 4],
    ['%time', 1],
  ])('fails only the content of which it dies: %s', async (poison, count) => {
    const reader = dying(poison === '%time' ? { ...LIMITS, timeMs: 1_000 } : LIMITS);
    const contents = [...Array.from({ length: count }, (_, n) => long(`%s others ${n}`)), long(`a ${poison}`), 'Hello'];
    const prepared = await reader.prepare(contents, RULES);
    expect(prepared.filter(({ kind }) => kind === 'open')).toHaveLength(count + 1);
    expect(prepared[count]).toEqual(TOO_COMPLEX);
    expect(sentencesIn(await reader.prepare([long('%s')], RULES))).toEqual([[`html: ${long('<x id="0"/>')}`]]);
  });

  it('again and again fails the call, but no later one', async () => {
    const reader = dying({ ...LIMITS, deaths: 2 });
    const poison = ['%error 1', '%error 2', '%error 3'].map(long);
    await expect(reader.prepare(poison, RULES)).rejects.toThrow('again and again');
    expect(await reader.prepare(['%s', '%error'].map(long), RULES)).toMatchObject([{ kind: 'open' }, TOO_COMPLEX]);
  });

  it('at its start fails the call, and no content', async () => {
    const reader = threadedReader(LIMITS, new URL('./no-program.ts', import.meta.url));
    await expect(reader.prepare([long('%s')], RULES)).rejects.toThrow('does not start');
    expect(sentencesIn(await reader.prepare(['Hello'], RULES))).toEqual([['plain: Hello']]);
  });
});
