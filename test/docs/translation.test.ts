import { describe, expect, it } from 'vitest';
import { amazonTranslateEngine } from '../../lib/aws/amazon-translate.ts';
import { apertiumEngine } from '../../lib/hosted/translation/engines/apertium.ts';
import { deepLEngine } from '../../lib/hosted/translation/engines/deepl.ts';
import { libreTranslateEngine } from '../../lib/hosted/translation/engines/libretranslate.ts';
import { pseudoEngine } from '../../lib/hosted/translation/engines/pseudo.ts';
import { ENGINE_FAILURES, TEXT_FAILURE_REASONS } from '../../lib/service/translation-engine.ts';
import { CHARACTERS } from '../../tools/docs/cost.ts';
import { translate, translateOne } from '../lib/hosted/translation/world.ts';
import { asObjects, type RealProject, realProject } from '../support/projects.ts';
import { read } from './world.ts';

const PAGE = read('docs/translation.md');

/** Returns the cells of the rows of a section's tables, without the backticks around a whole cell. */
function rowsOf(section: string): string[][] {
  const text = PAGE.split(/^## /m).find((part) => part.startsWith(section)) ?? '';
  const rows = [...text.matchAll(/^\| (.*) \|$/gm)].map(([, row = '']) => row.split(' | '));
  return rows.map((row) => row.map((cell) => cell.replace(/^`(.*)`$/, '$1')));
}

const never = () => Promise.reject(new Error('Nothing is sent'));
const options = { transport: never, now: Date.now, key: never };
const ENGINES = [
  apertiumEngine(options),
  libreTranslateEngine(options),
  deepLEngine(options),
  amazonTranslateEngine({ send: never }),
];

describe('docs/translation.md', () => {
  it('shows what the pseudo engine does', async () => {
    const [, ...rows] = rowsOf('What the pseudo engine does');
    expect(rows.length).toBeGreaterThan(1);
    for (const [text = '', translation] of rows) expect(await translateOne(pseudoEngine, text)).toBe(translation);
  });

  it('lists every reason and every failure', () => {
    const [, ...reasons] = rowsOf('When a segment has no translation');
    expect(reasons.map(([reason]) => reason)).toEqual([...TEXT_FAILURE_REASONS]);
    const [, ...failures] = rowsOf('When the engine fails');
    expect(
      failures.map(([code, again, alert]) => [code, { isRetryable: again === 'yes', needsOperator: alert === 'yes' }]),
    ).toEqual(Object.entries(ENGINE_FAILURES));
  });

  it('has the limits of the engines', () => {
    const [, ...rows] = rowsOf('Limits');
    const numbers = (text = '') => [...text.replaceAll(',', '').matchAll(/\d+/g)].map(([digits]) => Number(digits));
    const shown = rows.map(([name, sentence, call, atOnce]) => [
      name,
      numbers(sentence),
      numbers(call),
      numbers(atOnce),
    ]);
    expect(shown).toEqual(
      ENGINES.map(({ name, limits: { textBytes, texts, batchBytes, callMs, concurrentCalls } }) => [
        name,
        [...new Set([textBytes.plain, textBytes.html])],
        texts === 1 ? [1, callMs / 1_000] : [texts, batchBytes, callMs / 1_000],
        [concurrentCalls],
      ]),
    );
  });

  it.each<RealProject>(['ui-strings', 'udhr-html', 'cldr-large'])('counts the characters of %s', async (name) => {
    const [, ...costs] = rowsOf('Choose an engine').filter(([first]) =>
      /^(?:project|`|cldr|ui|udhr)/.test(first ?? ''),
    );
    const row = costs.find(([first = '']) => first.includes(name)) ?? [];
    const contents = asObjects(realProject(name)['segments']).map(({ content }) => String(content));
    const used = async (placeholderElement: 'empty' | 'no-translate') => {
      let sum = 0;
      for (let start = 0; start < contents.length; start += 500) {
        const part = contents.slice(start, start + 500);
        sum += (await translate({ ...pseudoEngine, placeholderElement }, part)).usedCharacters;
      }
      return sum;
    };
    const expected = [contents.join('').length, await used('empty'), await used('no-translate')];
    expect(row.slice(1)).toEqual(expected.map((count) => count.toLocaleString('en')));
    if (name !== 'ui-strings') expect(Object.values(CHARACTERS[name])).toEqual(expected.slice(1));
  });
});
