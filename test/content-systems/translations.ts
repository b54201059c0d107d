import { pseudoEngine } from '../../lib/hosted/translation/engines/pseudo.ts';
import { CALL } from '../lib/hosted/translation/world.ts';

/** Returns what the engine of `npm start` makes of one sentence without markup. */
export async function translationOf(sentence: string): Promise<string> {
  const batch = { source: 'en', target: 'de', format: 'plain', texts: [sentence] } as const;
  const [result] = await pseudoEngine.translate(batch, CALL);
  if (result?.kind !== 'translated') throw new RangeError('The engine has no translation');
  return result.text;
}
