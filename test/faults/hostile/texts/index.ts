import { ENCODINGS } from './encodings.ts';
import { KEYS } from './keys.ts';
import { NESTING } from './nesting.ts';
import { NUMBERS } from './numbers.ts';
import { STRINGS } from './strings.ts';
import { STRUCTURE } from './structure.ts';
import { type JsonText, textsOf } from './text.ts';

/** JSON texts, and what must become of each. */
export const TEXTS: readonly JsonText[] = [STRUCTURE, NUMBERS, STRINGS, KEYS, ENCODINGS, NESTING].flatMap(textsOf);
