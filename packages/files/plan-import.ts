import { rankOf, WRITABLE_STATUSES, type WritableStatus } from '../../lib/contract/translation-status.ts';
import { type FileFault, type FileFaultCode, inFileOrder, type Place } from './file-fault.ts';
import { type FindSegment, segmentFinder } from './fill.ts';
import { lossFinder } from './losses.ts';
import {
  digestOf,
  type FileEntry,
  type FileTranslation,
  languageKey,
  mayMean,
  type ParsedFile,
  readBase,
  type TranslationFile,
} from './translation-file.ts';

/** The options of an import. */
export interface PlanOptions {
  /** The language of the translations, for a file that does not name one. */
  readonly languageCode?: string | undefined;
  /** The status of every translation, instead of those in the file. */
  readonly status?: WritableStatus | undefined;
  /** Whether to replace translations that somebody else has changed. */
  readonly overwrite?: boolean | undefined;
  /** Whether a translation may get a lower status than it has. */
  readonly reopen?: boolean | undefined;
  /** Whether to write only translations whose text the translator has changed. */
  readonly changedTextsOnly?: boolean | undefined;
  /** Whether to leave out entries whose segment the project does not have, or has with another text. */
  readonly skipUnknown?: boolean | undefined;
}

/** A translation that an import writes. */
export interface PlannedChange {
  readonly place: Place;
  readonly segmentId: number;
  readonly customId?: string | undefined;
  readonly languageCode: string;
  readonly content: string;
  readonly status: WritableStatus;
  /** The translation that the project has now. */
  readonly present?: FileTranslation | undefined;
  /** Whether the status becomes lower. */
  readonly reopen: boolean;
}

/** A translation that an import does not write, because it would undo the work of others. */
export interface HeldChange extends PlannedChange {
  /**
   * `changed`: somebody has changed the translation since the export. `no-base`: the file does not say what it was
   * exported from, and the translation is of a person. `lower-status`: its status would be lower.
   */
  readonly reason: 'changed' | 'no-base' | 'lower-status';
}

/** What an import does. It writes nothing at all if there are faults. */
export interface ImportPlan {
  readonly changes: readonly PlannedChange[];
  readonly held: readonly HeldChange[];
  /** How many translations the project already has, or the translator did not touch. */
  readonly unchanged: number;
  /** How many entries have no translation. */
  readonly untranslated: number;
  /** How many entries were left out, because the project does not have their segment, or has it with another text. */
  readonly unknown: number;
  readonly faults: readonly FileFault[];
  /** What is wrong with entries that are imported all the same. */
  readonly warnings: readonly FileFault[];
}

/** Returns the languages of a file's translations. Codes that the file gives in several forms are returned once. */
export function languagesIn({ entries }: ParsedFile, languageCode?: string): string[] {
  if (languageCode !== undefined) return [languageCode];
  const codes = new Map<string, string>();
  for (const code of new Set(entries.map((entry) => entry.languageCode))) {
    if (code !== undefined && !codes.has(languageKey(code))) codes.set(languageKey(code), code);
  }
  return [...codes.values()];
}

/** An entry with what it belongs to. */
interface Resolved {
  readonly entry: FileEntry;
  readonly languageCode: string;
  readonly segment: Exclude<ReturnType<FindSegment>, string>;
  readonly lossesOf: ReturnType<typeof lossFinder>;
}

/**
 * Compares a file with the project, and returns what an import of the file does.
 * @param present the project with the translations that it has now, once for each language of the file
 * @param options also the target languages of the project, for faults
 */
export function planImport(
  { entries, faults: fileFaults, warnings: fileWarnings = [] }: ParsedFile,
  present: readonly TranslationFile[],
  options: PlanOptions & { readonly targetLanguageCodes?: readonly string[] } = {},
): ImportPlan {
  const faults = [...fileFaults];
  const warnings = [...fileWarnings];
  const counts = { unchanged: 0, untranslated: 0, unknown: 0 };
  const changes: PlannedChange[] = [];
  const held: HeldChange[] = [];
  const resolve = resolver(entries, present, options);
  const isRepeated = repetitions();
  const seen = new Map<string, string>();
  for (const entry of entries) {
    if (entry.content === '') {
      counts.untranslated++;
      continue;
    }
    const resolved = resolve(entry);
    if (typeof resolved === 'string') {
      // Projects that were made without the plural forms of the language have no segments for them.
      const isOutdated = resolved === 'unknown-segment' || resolved === 'source-differs';
      const isLeftOut = (isOutdated && options.skipUnknown) || (resolved === 'unknown-segment' && entry.isAddedForm);
      if (isLeftOut) counts.unknown++;
      else if (!isRepeated(resolved, entry)) faults.push(faultOf(resolved, entry, options));
      continue;
    }
    const key = `${resolved.segment.id} ${resolved.languageCode}`;
    const earlier = seen.get(key);
    if (earlier !== undefined && earlier !== entry.content) faults.push(faultOf('repeated-segment', entry, options));
    seen.set(key, entry.content);
    if (!entry.content.isWellFormed()) faults.push(faultOf('ill-formed-unicode', entry, options));
    const change = earlier === undefined ? changeOf(resolved, options) : undefined;
    if (!change) counts.unchanged++;
    else if (change.reason) held.push({ ...change, reason: change.reason });
    else {
      changes.push(change);
      const { content, place, form } = entry;
      warnings.push(...resolved.lossesOf({ segment: resolved.segment, content, place, form }));
    }
  }
  return { changes, held, ...counts, faults: inFileOrder(faults), warnings: inFileOrder(warnings) };
}

/** Returns a function that says whether an entry has the same fault of its language as one before it. */
function repetitions(): (code: FileFaultCode, entry: FileEntry) => boolean {
  const known = new Set<string>();
  return (code, { languageCode = '' }) => {
    if (code !== 'missing-language' && code !== 'wrong-language') return false;
    const count = known.size;
    return known.add(`${code} ${languageKey(languageCode)}`).size === count;
  };
}

function resolver(
  entries: readonly FileEntry[],
  present: readonly TranslationFile[],
  options: PlanOptions,
): (entry: FileEntry) => Resolved | FileFaultCode {
  const finders = new Map(
    present.map((file) => {
      const { languageCode, segments } = file;
      const lossesOf = lossFinder(file, { isMarkdown: true });
      return [languageKey(languageCode), { languageCode, find: segmentFinder(segments, entries), lossesOf }];
    }),
  );
  return (entry) => {
    const code = options.languageCode ?? entry.languageCode;
    if (code === undefined) return 'missing-language';
    if (entry.languageCode !== undefined && !mayMean(entry.languageCode, code)) return 'wrong-language';
    const finder = finders.get(languageKey(code));
    if (!finder) return 'wrong-language';
    const segment = finder.find(entry);
    if (segment === 'source-differs') return segment;
    if (typeof segment === 'string') return entry.isRounded ? 'missing-segment' : 'unknown-segment';
    const { languageCode, lossesOf } = finder;
    return { entry, languageCode, segment, lossesOf };
  };
}

/** Returns the change that an entry makes, and the reason if it is held back. @returns `undefined` for no change */
function changeOf(
  { entry, languageCode, segment }: Resolved,
  options: PlanOptions,
): (PlannedChange & { readonly reason?: HeldChange['reason'] }) | undefined {
  const present = segment.translation;
  const base = readBase(entry.base);
  const isSame = entry.content === present?.content;
  // In gettext, the translation of an engine is a draft.
  const isLeft = base?.status === entry.status && !isOfPerson(present);
  const given = options.status ?? WRITABLE_STATUSES.find((status) => status === entry.status && !isLeft);
  const hasText = base?.digest === digestOf(entry.content);
  const isUntouched = hasText && base.status === (entry.status ?? base.status) && options.status === undefined;
  if (isUntouched || (hasText && options.changedTextsOnly) || (isSame && given === undefined)) return undefined;
  // A text that a person has changed is translated, even if the tool left the status of the engine's translation.
  const status = given ?? 'translated';
  const isLower = present !== undefined && rankOf(status) < rankOf(present.status);
  if (isSame && (status === present.status || (isLower && !options.reopen))) return undefined;
  const { id: segmentId, customId } = segment;
  const { place, content } = entry;
  const change = { place, segmentId, customId, languageCode, content, status, present, reopen: isLower };
  // Without a base, nobody knows which translation the translator saw.
  const hasChanged = base ? base.version !== (present?.version ?? 0) : isOfPerson(present);
  if (hasChanged && !isSame && !options.overwrite) return { ...change, reason: base ? 'changed' : 'no-base' };
  return isLower && !options.reopen ? { ...change, reason: 'lower-status' } : change;
}

function isOfPerson(present: FileTranslation | undefined): boolean {
  return WRITABLE_STATUSES.some((status) => status === present?.status);
}

/** Says that a project lacks a target language, and which ones it has. */
export function noSuchLanguage(code: string, known: readonly string[]): string {
  return `The project has no target language ${code}. Its target languages are: ${known.join(', ') || 'none'}.`;
}

/** Says the same of the language of a file, and which target language it may mean. */
function languageUnknown(code: string, known: readonly string[]): string {
  const meant = known.find((each) => mayMean(each, code));
  return `${noSuchLanguage(code, known)}${meant === undefined ? '' : ` If it means ${meant}, give ${meant} as the language.`}`;
}

function faultOf(
  code: FileFaultCode,
  { place, languageCode = '' }: FileEntry,
  { languageCode: given, targetLanguageCodes = [] }: Parameters<typeof planImport>[2] = {},
): FileFault {
  const details: Partial<Record<FileFaultCode, string>> = {
    'missing-language': 'The file does not name the language of its translations. Give it yourself.',
    'wrong-language':
      given === undefined
        ? languageUnknown(languageCode, targetLanguageCodes)
        : `The file has translations into ${languageCode}, not into ${given}. Leave out the language: the file names its own.`,
    'missing-segment':
      'A spreadsheet has rounded the id of the segment, and neither its customId nor its source text tells it. Export the file again.',
    'unknown-segment': 'The project has no such segment, or several with this source text.',
    'source-differs': 'The source text is not the text of the segment. Export the file again.',
    'repeated-segment': 'The file has another translation of the same segment before.',
    'ill-formed-unicode': 'The translation contains an unpaired surrogate.',
  };
  return { place, code, detail: details[code] ?? '' };
}
