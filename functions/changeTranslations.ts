import { openService } from '#service';
import { httpFunction } from '../lib/http/http-function.ts';
import { changeLanguage } from '../lib/operations/change-language.ts';
import { writeTranslations } from '../lib/operations/write-translations.ts';

const service = await openService();
const options = { now: Date.now };

export const handler = httpFunction([...writeTranslations(service, options), ...changeLanguage(service, options)]);
