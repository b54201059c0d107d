import type { SourceFormat } from '../files/source-file.ts';
import type { TextsProjectOptions } from '../files/texts-project.ts';
import { adviceIn, faultInWords } from './fault-words.ts';
import type { PlacedFault } from './project-file.ts';
import { day } from './values.ts';

/** The formats whose files can name the language of their texts, and that of their translations. */
export const NAMED_IN: Readonly<Record<'source' | 'targets', readonly SourceFormat[]>> = {
  source: ['xliff', 'xliff2', 'html'],
  targets: ['xliff', 'xliff2', 'gettext'],
};

/** Returns the first day on which a project can be due: its end in UTC has not passed. */
export const firstDay = () => new Date().toISOString().slice(0, 10);

/** The fields of the form of a project, in its order: the name, what it sets in the project, and what it needs. */
const FIELDS: readonly (readonly [name: string, sets: string, need?: () => string])[] = [
  ['name', 'name', () => 'Enter a name.'],
  ['source', 'sourceLanguageCode', () => 'Choose the language of the texts.'],
  ['targets', 'targetLanguages', () => 'Choose at least one language.'],
  // Without a zone, this is a time of the reader, so that the day stays the same.
  ['due', 'endDateUtc', () => `Choose ${day(`${firstDay()}T00:00`)} or a later day.`],
  ['customId', 'customId'],
];

/** The codes of faults of a field that has no value, or a day that has passed. */
const NEEDED: readonly (string | undefined)[] = ['required', 'blank', 'empty', 'too-few', 'end-not-after-start'];

/** What is wrong in the fields of a form, by their names, in the order of the form. */
export type FieldFaults = Readonly<Record<string, string>>;

/** Returns what a user must still fill in before a file of a format can be checked. */
export function missingIn(options: TextsProjectOptions, format: SourceFormat): FieldFaults {
  const { name, targetLanguage, sourceLanguage, due = '' } = options;
  const isMissing: Readonly<Record<string, boolean>> = {
    name: name === undefined,
    targets: targetLanguage === undefined && !NAMED_IN.targets.includes(format),
    source: sourceLanguage === undefined && !NAMED_IN.source.includes(format),
    due: due < firstDay(),
  };
  return Object.fromEntries(FIELDS.flatMap(([field, , need]) => (need && isMissing[field] ? [[field, need()]] : [])));
}

/** Divides the faults of a project into those of a field of the form, and those of the file. */
export function dividedFaults(faults: readonly PlacedFault[]): {
  readonly ofFields: FieldFaults;
  readonly ofFile: readonly PlacedFault[];
} {
  const ofFile = new Set(faults);
  const ofFields = FIELDS.flatMap(([field, sets, need]) => {
    const own = faults.filter(({ pointer }) => pointer.split('/')[1] === sets);
    for (const fault of own) ofFile.delete(fault);
    const words = own.map((fault) =>
      need && NEEDED.includes(fault.code) ? need() : `${faultInWords(fault)} ${adviceIn(fault)}`,
    );
    return own.length === 0 ? [] : [[field, [...new Set(words)].join(' ').trim()]];
  });
  return { ofFields: Object.fromEntries(ofFields), ofFile: [...ofFile] };
}
