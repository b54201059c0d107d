/** A fault as the API reports it. */
export interface ReportedFault {
  /** The JSON pointer of the value; empty for everything. */
  readonly pointer: string;
  readonly code?: string | undefined;
  readonly detail: string;
}

/** What the console calls the fields of a project. */
const FIELDS: Readonly<Record<string, string>> = {
  name: 'the name',
  customId: 'the custom id',
  description: 'the description',
  startDateUtc: 'the start',
  endDateUtc: 'the due date',
  sourceLanguageCode: 'the source language',
  sourceLanguageId: 'the source language',
  targetLanguages: 'the list of target languages',
  targetLanguageCode: 'the language',
  targetLanguageId: 'the language',
  team: 'the team',
  username: 'the e-mail address',
  segments: 'the list of segments',
  content: 'the text',
  notes: 'the note',
  taskId: 'the task',
  languageSpecificNotes: 'the list of notes',
};

/** What the console calls the entries of a list. */
const ENTRIES: Readonly<Record<string, string>> = {
  segments: 'Segment',
  targetLanguages: 'Language',
  team: 'Person',
  languageSpecificNotes: 'Note',
};

/** What the commonest codes say of a field. Other faults are said by their detail. */
export const SAYINGS: Readonly<Record<string, string>> = {
  required: 'is missing',
  blank: 'is empty',
  empty: 'is empty',
  'too-long': 'is too long',
  'unknown-field': 'is not known here',
  'service-field': 'is set by Segue: leave it out',
  'invalid-date': 'is no date',
  'unknown-language': 'is not one that Segue knows',
  'same-as-source': 'is the source language',
  'duplicate-language': 'stands in the list twice',
  'in-use': 'belongs to another project',
  'invalid-email': 'is no e-mail address',
};

/** Says a fault in a sentence, such as `Segment 1: the text is missing.` */
export function faultInWords({ pointer, code = '', detail }: ReportedFault): string {
  const { place, field } = partsOf(pointer);
  const saying = Object.hasOwn(SAYINGS, code) ? SAYINGS[code] : undefined;
  if (saying === undefined || field === undefined) return place === '' ? detail : `${place}: ${detail}`;
  return place === '' ? `${capital(field)} ${saying}.` : `${place}: ${field} ${saying}.`;
}

/** Returns what would be right, if the sentence of a fault does not say so. */
export function adviceIn(fault: ReportedFault): string {
  return faultInWords(fault).endsWith(fault.detail) ? '' : fault.detail;
}

/** Returns the entry of a list and the field that a pointer names, in words. */
function partsOf(pointer: string): { readonly place: string; readonly field: string | undefined } {
  const entries: string[] = [];
  let field: string | undefined;
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
    const entry = field !== undefined && Object.hasOwn(ENTRIES, field) ? ENTRIES[field] : undefined;
    if (entry !== undefined && /^\d+$/.test(name)) {
      entries.push(`${entry} ${Number(name) + 1}`);
      field = undefined;
    } else field = name;
  }
  return { place: entries.join(', '), field: field === undefined ? undefined : wordsOf(field) };
}

function wordsOf(field: string): string {
  return (Object.hasOwn(FIELDS, field) && FIELDS[field]) || `the field “${field}”`;
}

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);
