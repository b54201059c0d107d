import { po } from 'gettext-parser';
import type { TranslationStatus } from '../../../lib/contract/translation-status.ts';
import { type DecodedFile, decodeFile } from '../decode.ts';
import { formNotes, isCategory } from '../plural-rules.ts';
import type { SourceTexts } from '../source-file.ts';
import {
  baseOf,
  type FileEntry,
  type ParsedFile,
  requireCode,
  type TranslationFile,
  tagOf,
} from '../translation-file.ts';
import { type PoBlock, type PoFile, parsePo } from './blocks.ts';
import { withLineBreaksOf } from './line-breaks.ts';
import { type FormName, formNames, neededForms } from './plural-forms.ts';

/** The context of a segment's entry. It keeps segments with equal texts apart. */
const CONTEXT = /^segue:([1-9]\d{0,15})$/;
/** What the comment of a translation's base begins with. */
export const BASE_COMMENT = 'segue-base: ';
/** Matches the last such comment, because notes may contain anything and stand before it. */
const BASE = new RegExp(`(?:^|\\n)${BASE_COMMENT}(\\S+)$`);

/** The statuses as gettext shows them: a fuzzy entry is a draft, and any other is translated. */
export const READS_AS: Readonly<Record<TranslationStatus, TranslationStatus>> = {
  untranslated: 'untranslated',
  draft: 'draft',
  automatic: 'draft',
  pretranslated: 'draft',
  translated: 'translated',
  proofread: 'translated',
};

/** Writes a gettext file. */
export function writeGettext({ project, languageCode, segments }: TranslationFile): string {
  const entries = segments.map(({ id, customId, content, notes, translation: own }) => {
    const translation = own && { ...own, content: withLineBreaksOf(content, own.content) };
    const status = READS_AS[translation?.status ?? 'untranslated'];
    const base = baseOf(translation, status);
    const extracted = [
      ...notes,
      ...(customId === undefined ? [] : [`id: ${oneLine(customId)}`]),
      `${BASE_COMMENT}${base}`,
    ];
    const comments = { extracted: extracted.join('\n'), ...(status === 'draft' && { flag: 'fuzzy' }) };
    const msgctxt = `segue:${id}`;
    return [msgctxt, { [content]: { msgctxt, msgid: content, msgstr: [translation?.content ?? ''], comments } }];
  });
  const table = {
    charset: 'utf-8',
    headers: {
      'Project-Id-Version': oneLine(project.name),
      Language: tagOf(languageCode).replaceAll('-', '_'),
      'MIME-Version': '1.0',
      'Content-Type': 'text/plain; charset=UTF-8',
      'Content-Transfer-Encoding': '8bit',
      'X-Segue-Project': String(project.id),
    },
    translations: Object.fromEntries(entries),
  };
  return new TextDecoder().decode(po.compile(table, { foldLength: 0 }));
}

/** Reads a gettext file. @throws {TranslationFileError} if it is not gettext */
export function readGettext(bytes: Uint8Array | string): ParsedFile {
  const { headers, units } = readUnits(bytes);
  return { projectId: projectIn(headers), entries: units.flatMap(({ entries }) => entries), faults: [] };
}

/**
 * Returns the texts of a gettext file: a plural entry has one for each form that the file or a target language has.
 * @throws {TranslationFileError} if it is not gettext
 */
export function gettextTexts(bytes: Uint8Array, _source?: string, targets: readonly string[] = []): SourceTexts {
  const { headers, blocks } = readPo(bytes);
  const language = headers.get('language') || undefined;
  const plural = headers.get('plural-forms') ?? '';
  const languages = targets.length > 0 || language === undefined ? targets : [language];
  const namesOf = neededForms(plural, language, languages);
  const noteOfCategory = formNotes(languages);
  const noteOf = (name: FormName) => (isCategory(name) ? noteOfCategory(name) : `Plural form ${name} of ${plural}`);
  const texts = blocks.flatMap((block) => {
    const { extracted, line, msgstr } = block;
    return formsOf(block, namesOf(msgstr.length)).flatMap(({ name, customId, content, isAdded }) => {
      const note = isAdded && name !== undefined ? noteOf(name) : undefined;
      const all = [extracted, note].filter(Boolean).join('\n') || undefined;
      return content === '' ? [] : [{ place: { line }, customId, content, notes: all }];
    });
  });
  return { targetLanguageCode: language, texts };
}

/** A text of an entry. */
interface PoText {
  /** Absent for an entry without plural forms. */
  readonly name?: FormName;
  readonly customId: string | undefined;
  readonly content: string;
  /** Whether it is a plural form other than the two of the file, so that it needs a custom id of its own. */
  readonly isAdded: boolean;
}

/** Returns the texts of an entry, by the names of its forms. */
function formsOf({ msgctxt, msgid, msgidPlural }: PoBlock, names: readonly FormName[]): PoText[] {
  if (msgidPlural === undefined) return [{ customId: msgctxt, content: msgid, isAdded: false }];
  return names.map((name) => {
    const isAdded = name !== 'one' && name !== 'other';
    const id = [msgctxt, msgid, name].filter((part) => part !== undefined).join('.');
    return { name, customId: isAdded ? id : msgctxt, content: name === 'one' ? msgid : msgidPlural, isAdded };
  });
}

/** Returns the project that the headers of a file name. */
export function projectIn(headers: PoFile['headers']): number | undefined {
  const project = headers.get('x-segue-project') ?? '';
  return /^[1-9]\d{0,15}$/.test(project) ? Number(project) : undefined;
}

/** An entry of a file with its texts. */
export interface PoUnit {
  readonly block: PoBlock;
  readonly entries: readonly FileEntry[];
}

/** Reads a file. @param languageCode the language of its translations, if it does not say */
export function readUnits(bytes: Uint8Array | string, languageCode?: string) {
  const file = readPo(bytes);
  const named = file.headers.get('language') || languageCode;
  const namesOf = formNames(file.headers.get('plural-forms') ?? '', named);
  const units = file.blocks.map((block): PoUnit => {
    return { block, entries: entriesOf(block, file, namesOf(block.msgstr.length)) };
  });
  return { ...file, units };
}

function readPo(bytes: Uint8Array | string): PoFile & { readonly decoded: DecodedFile } {
  const decoded = decodeFile(bytes, (start) => {
    const charset = /charset=([\w-]+)/i.exec(start)?.[1];
    return charset === 'CHARSET' ? undefined : charset;
  });
  const file = parsePo(decoded.text);
  requireCode(file.headers.get('language'));
  return { ...file, decoded };
}

function entriesOf(block: PoBlock, { headers }: PoFile, names: readonly FormName[]): FileEntry[] {
  const { msgctxt, msgstr, isFuzzy, extracted, line } = block;
  const [, id] = CONTEXT.exec(msgctxt ?? '') ?? [];
  const place = { line };
  return formsOf(block, names).map(({ name, customId, content: source, isAdded }, index) => {
    const content = msgstr[index] ?? '';
    return {
      place,
      ...(id === undefined ? { customIds: customId === undefined ? [] : [customId] } : { segmentId: Number(id) }),
      languageCode: headers.get('language') || undefined,
      source,
      content,
      status: content === '' ? 'untranslated' : isFuzzy ? 'draft' : 'translated',
      base: BASE.exec(extracted)?.[1],
      isAddedForm: isAdded,
      form: name,
    };
  });
}

function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
