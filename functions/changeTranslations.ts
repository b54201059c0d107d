import { service } from '#service';
import { httpFunction } from '../lib/http/http-function.ts';
import { changeLanguage, changeLanguageByCustomId } from '../lib/http/operations/change-language.ts';
import { writeTranslations, writeTranslationsByCustomId } from '../lib/http/operations/write-translations.ts';

const options = { now: Date.now };

export const handler = httpFunction('changeTranslations', {
  writeTranslations: writeTranslations(service, options),
  writeTranslationsByCustomId: writeTranslationsByCustomId(service, options),
  changeLanguage: changeLanguage(service, options),
  changeLanguageByCustomId: changeLanguageByCustomId(service, options),
});
