import { createHash } from 'node:crypto';
import { languageByCode } from '../../lib/contract/languages.ts';
import { TRANSLATION_STATUSES, type TranslationStatus } from '../../lib/contract/translation-status.ts';
import { fileError } from './decode.ts';
import type { FileFault, Place } from './file-fault.ts';

/** The formats of translation files: XLIFF 1.2, XLIFF 2.1, gettext, CSV and JSON. */
export const FILE_FORMATS = ['xliff', 'xliff2', 'gettext', 'csv', 'json'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];

/** The detail of a status that Segue does not know. */
export const STATUS_EXPECTED = `The status must be one of ${TRANSLATION_STATUSES.join(', ')}.`;

/** The translations of one project into one language, as a file holds them. */
export interface TranslationFile {
  readonly project: {
    readonly id: number;
    readonly name: string;
    readonly sourceLanguageCode: string;
  };
  readonly languageCode: string;
  /** The segments in the order of the project. */
  readonly segments: readonly FileSegment[];
}

/** A segment in a file, with its translation into the language of the file. */
export interface FileSegment {
  readonly id: number;
  readonly customId?: string | undefined;
  readonly taskId?: string | undefined;
  readonly content: string;
  /** The notes for translators. */
  readonly notes: readonly string[];
  readonly translation?: FileTranslation | undefined;
}

/** A translation of a segment. A segment without one is untranslated. */
export interface FileTranslation {
  readonly content: string;
  readonly status: Exclude<TranslationStatus, 'untranslated'>;
  /** The number of the translation's version, if the service counts versions. */
  readonly version?: number | undefined;
}

/** An entry of a file that was read: a translation, or a place for one. */
export interface FileEntry {
  readonly place: Place;
  readonly segmentId?: number | undefined;
  /** The segment's custom id, or several texts of a file of other origin that may be it. */
  readonly customIds?: readonly string[] | undefined;
  /** Whether a spreadsheet has rounded the id of the segment, so that it is lost. */
  readonly isRounded?: boolean | undefined;
  /** Whether it is a plural form that the source language lacks. Its source text is that of another form. */
  readonly isAddedForm?: boolean | undefined;
  /** The name of the plural form that it is, if the file says so. */
  readonly form?: string | undefined;
  readonly languageCode?: string | undefined;
  /** The source text in the file, if it has one. */
  readonly source?: string | undefined;
  /** The translation. An empty text means that there is none. */
  readonly content: string;
  /** The status in the file; absent if the file does not say. */
  readonly status?: TranslationStatus | undefined;
  /** The text that `baseOf` returned for the translation when the file was written. */
  readonly base?: string | undefined;
}

/** A file that was read. If it has faults, its entries may be incomplete. */
export interface ParsedFile {
  readonly projectId?: number | undefined;
  readonly entries: readonly FileEntry[];
  readonly faults: readonly FileFault[];
  /** What the file has wrong although it can be read. */
  readonly warnings?: readonly FileFault[];
}

/**
 * Whether two codes name the same language. Codes of languages that the catalogue does not have are compared as texts,
 * without regard to case.
 */
export function isSameLanguage(one: string, other: string): boolean {
  return languageKey(one) === languageKey(other);
}

/** Returns a text that all codes of a language share. */
export function languageKey(code: string): string {
  return tagOf(code).toLowerCase();
}

/** Whether a code in a file may mean a language: it is the same, or one of both leaves out the region, like `de`. */
export function mayMean(code: string, language: string): boolean {
  const [one, other] = [languageKey(code), languageKey(language)];
  return one === other || one.startsWith(`${other}-`) || other.startsWith(`${one}-`);
}

/** Returns the code of a language in the form that files use: that of the catalogue, or the code with hyphens. */
export function tagOf(code: string): string {
  return languageByCode(code)?.langCode ?? code.replaceAll('_', '-');
}

/** The longest code of a language in a file, in characters. No code of the catalogue is as long. */
const MAX_CODE_LENGTH = 100;

/**
 * Returns the code that a file gives for the language of many texts.
 * @throws {TranslationFileError} if it is too long to be one
 */
export function requireCode(code: string | undefined): string | undefined {
  if (code === undefined || code.length <= MAX_CODE_LENGTH) return code;
  throw fileError('wrong-language', `The code of the language has more than ${MAX_CODE_LENGTH} characters.`);
}

/** Matches a base: the version and the status of a translation, and the digest of its text. */
const BASE = /^v(\d{1,15})\.([a-z]+)\.([\da-f]{8})$/;

/**
 * Returns a short text that a file carries for a translation. From it, an import reads whether somebody has changed the
 * translation since, in the file or in the project.
 * @param status the status that a reader of the file will see
 */
export function baseOf(
  translation: Pick<FileTranslation, 'content' | 'version'> | undefined,
  status: TranslationStatus,
): string {
  const { content, version = 0 } = translation ?? { content: '' };
  return `v${version}.${status}.${digestOf(content)}`;
}

/** A translation as it was when a file was written. */
export interface Base {
  readonly version: number;
  readonly status: string;
  /** The digest of the text. */
  readonly digest: string;
}

/** Reads a base. @returns `undefined` if the text is not one */
export function readBase(text: string | undefined): Base | undefined {
  const [, version, status, digest] = BASE.exec(text ?? '') ?? [];
  if (version === undefined || status === undefined || digest === undefined) return undefined;
  return { version: Number(version), status, digest };
}

/** Returns the digest of a text in a file. Tools change the ends of lines, so these do not count. */
export function digestOf(content: string): string {
  return createHash('sha256').update(content.replace(/\r\n?/g, '\n')).digest('hex').slice(0, 8);
}
