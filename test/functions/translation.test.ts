import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import * as z from 'zod/mini';
import { translationSettings } from '../../functions/compose/environment.ts';
import { quotedEngine } from '../../functions/compose/translation.ts';
import { ROOT } from '../../infra/bundle.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { MUCH_WORK_MS } from '../support/much-work.ts';

// Processes take seconds on a busy machine.
vi.setConfig({ testTimeout: MUCH_WORK_MS });

const URL = 'http://127.0.0.1:5000';

describe('the settings of automatic translation', () => {
  it('have the defaults of the platform', () => {
    const nothing = { url: undefined, charactersPerDay: undefined };
    expect(translationSettings('pseudo', {})).toEqual({ engine: 'pseudo', ...nothing });
    expect(translationSettings('amazon', { SEGUE_TRANSLATION_ENGINE: '' })).toEqual({ engine: 'amazon', ...nothing });
  });

  it('are read', () => {
    const env = {
      SEGUE_TRANSLATION_ENGINE: 'apertium',
      SEGUE_TRANSLATION_URL: `${URL}/apy/`,
      SEGUE_TRANSLATION_CHARACTERS_PER_DAY: '2000000',
    };
    const { url, ...others } = translationSettings('pseudo', env);
    expect([url?.href, others]).toEqual([`${URL}/apy/`, { engine: 'apertium', charactersPerDay: 2_000_000 }]);
  });

  it.each([
    [{ SEGUE_TRANSLATION_ENGINE: 'google' }, /must be one of pseudo, libretranslate, deepl, apertium, amazon, none/],
    [{ SEGUE_TRANSLATION_ENGINE: 'apertium' }, /apertium needs SEGUE_TRANSLATION_URL/],
    [{ SEGUE_TRANSLATION_ENGINE: 'libretranslate' }, /libretranslate needs SEGUE_TRANSLATION_URL/],
    [{ SEGUE_TRANSLATION_ENGINE: 'deepl' }, /deepl needs SEGUE_TRANSLATION_KEY or SEGUE_TRANSLATION_SECRET/],
    [{ SEGUE_TRANSLATION_URL: 'http://example.com' }, /SEGUE_TRANSLATION_URL must be an https URL/],
    [{ SEGUE_TRANSLATION_URL: 'https://a:b@example.com' }, /without credentials/],
    [{ SEGUE_TRANSLATION_CHARACTERS_PER_DAY: '-1' }, /whole number of characters/],
    [{ SEGUE_TRANSLATION_KEY: 'a', SEGUE_TRANSLATION_SECRET: 'b' }, /not both/],
  ])('are refused: %j', (env, message) => {
    expect(() => translationSettings('pseudo', env)).toThrow(message);
  });
});

describe('the engine of a quote', () => {
  it('is that of the settings, with its price if there is one', () => {
    const price = { amount: 12.5, currency: 'EUR' };
    const env = { SEGUE_TRANSLATION_PRICE: '12.50 EUR' };
    expect(quotedEngine({ engine: 'deepl' }, env)).toEqual({ name: 'deepl', price });
    expect(quotedEngine({ engine: 'deepl' }, {})).toEqual({ name: 'deepl', price: undefined });
    expect(quotedEngine({ engine: 'none' }, env)).toBeUndefined();
  });

  it.each(['20', '20 €', '-1 EUR', '1,5 EUR', '20  EUR', 'EUR 20'])('has no price %j', (text) => {
    const env = { SEGUE_TRANSLATION_PRICE: text };
    expect(() => quotedEngine({ engine: 'deepl' }, env)).toThrow(/must be an amount and a currency/);
  });
});

const Opened = z.object({ name: z.nullable(z.string()), modules: z.array(z.string()) });

const OPEN = `
  import { registerHooks } from 'node:module';
  const modules = [];
  registerHooks({ load(url, context, nextLoad) { modules.push(url); return nextLoad(url, context); } });
  const { translationEngine } = await import('./functions/compose/translation.ts');
  const engine = await translationEngine();
  process.stdout.write(JSON.stringify({ name: engine?.name ?? null, modules }));`;

/** Opens the engine of npm start in its own process. Returns its name, and the files of engines that were loaded. */
async function open(env: Readonly<Record<string, string>>) {
  const flags = ['--disable-warning=ExperimentalWarning', '--conditions=hosted', '--conditions=local'];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--input-type=module', '--eval', OPEN], {
    cwd: ROOT,
    env: childEnvironment({ AWS_REGION: 'eu-west-1', ...env }),
    maxBuffer: 16_777_216,
  });
  const { name, modules } = Opened.parse(JSON.parse(stdout));
  const engines = modules.flatMap((module) => /(?:engines|lib\/aws)\/(amazon-\w+|[a-z]+)\.ts$/.exec(module)?.[1] ?? []);
  return { name, engines: engines.filter((file) => !['event', 'partitions', 'secrets'].includes(file)).sort() };
}

describe('the engine', () => {
  it.each<[engine: string, env: Readonly<Record<string, string>>, name: string | null, files: readonly string[]]>([
    ['default', {}, 'pseudo', ['pseudo']],
    ['none', { SEGUE_TRANSLATION_ENGINE: 'none' }, null, []],
    ['apertium', { SEGUE_TRANSLATION_ENGINE: 'apertium', SEGUE_TRANSLATION_URL: URL }, 'apertium', ['apertium']],
    [
      'libretranslate',
      { SEGUE_TRANSLATION_ENGINE: 'libretranslate', SEGUE_TRANSLATION_URL: URL },
      'libretranslate',
      ['libretranslate'],
    ],
    ['deepl', { SEGUE_TRANSLATION_ENGINE: 'deepl', SEGUE_TRANSLATION_KEY: 'a-key:fx' }, 'deepl', ['deepl']],
    ['amazon', { SEGUE_TRANSLATION_ENGINE: 'amazon' }, 'amazon', ['amazon-translate']],
  ])('%s loads alone', async (_, env, name, files) => {
    expect(await open(env)).toEqual({ name, engines: files });
  });
});
