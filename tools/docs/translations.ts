import { TranslationEntry } from '../../lib/contract/translations.ts';
import { fill } from './fill.ts';
import { fields } from './http.ts';

/** Returns the page `docs/translations.md`, which describes how to write translations. */
export function translationsPage(): string {
  return fill('docs/translations.md', { entry: fields(TranslationEntry) });
}
