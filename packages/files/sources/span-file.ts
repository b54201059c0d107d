import { positionsIn } from '../../../lib/contract/text-position.ts';
import { type DecodedFile, fileError } from '../decode.ts';
import { type Edit, encodeEdits } from '../edits.ts';
import type { FileFault } from '../file-fault.ts';
import { type FilledFile, keepsTranslation, type SkippedUnit, segmentFinder } from '../fill.ts';
import { lossFinder, markupDetail } from '../losses.ts';
import type { SourceCodec } from '../source-file.ts';
import type { FileEntry } from '../translation-file.ts';
import { formsOf, isUnused, type PluralSpan, withForms } from './plural-spans.ts';

/** A text to translate, and the range of the file that holds it. Ranges are indices of the file's text. */
export interface Span extends PluralSpan {
  readonly content: string;
  /** Where its translation goes, if the file has source and translation side by side. */
  readonly target?: { readonly start: number; readonly end: number; readonly content: string } | undefined;
  /** Whether `write` refuses a translation that lacks markup. */
  readonly keepsMarkup?: boolean;
}

/** A file as the spans of its texts. They do not overlap. */
export interface SpanFile {
  readonly file: DecodedFile;
  readonly sourceLanguageCode?: string | undefined;
  readonly spans: readonly Span[];
}

/** The longest custom id that is made of the names around a text, in characters. A segment has shorter ones. */
const MAX_ID_LENGTH = 1_000;

/**
 * Returns the custom id of a text: the names around it.
 * @param index where the text is
 * @throws {TranslationFileError} if the names are too long, because each of many texts would have them
 */
export function idOfNames(names: readonly string[], { text }: DecodedFile, index: number): string {
  const id = names.join('.');
  if (id.length <= MAX_ID_LENGTH) return id;
  const { line, column } = positionsIn(text)(index);
  throw fileError('too-large', `The keys of the text have more than ${MAX_ID_LENGTH} characters.`, line, column);
}

/** The languages whose texts a file is searched for. A file of one language does not need them. */
export interface SpanLanguages {
  readonly source?: string | undefined;
  readonly target?: string | undefined;
}

/**
 * Makes the codec of a format from a function that finds the texts of a file. Translations replace the ranges of their
 * texts, so every other character stays as it is. A translation that equals its text changes nothing.
 */
export function spanCodec(spansIn: (file: Uint8Array, languages: SpanLanguages) => SpanFile): SourceCodec {
  return {
    texts(bytes, source, targets = []) {
      const { file, sourceLanguageCode, ...found } = spansIn(bytes, { source });
      const spans = withForms(found.spans, targets);
      const placeOf = positionsIn(file.text);
      const texts = spans.map(({ start, customId, content, notes }) => {
        return { place: placeOf(start), customId, content, notes };
      });
      return { sourceLanguageCode, texts };
    },
    fill(bytes, translations, rules = {}): FilledFile {
      const { project, languageCode, segments } = translations;
      const languages = { source: project.sourceLanguageCode, target: languageCode };
      const { file, ...found } = spansIn(bytes, languages);
      const spans = withForms(found.spans, [languageCode]);
      const placeOf = positionsIn(file.text);
      const entries = spans.map(({ start, customId, content, target, isAdded }): FileEntry => {
        const customIds = customId === undefined ? [] : [customId];
        // A translation beside its text has no status, so it counts as finished.
        return {
          place: placeOf(start),
          customIds,
          source: content,
          content: target?.content ?? '',
          status: 'translated',
          isAddedForm: isAdded,
        };
      });
      const find = segmentFinder(segments, entries);
      const lossesOf = lossFinder(translations, { isMarkdown: spans.some(({ keepsMarkup }) => keepsMarkup) });
      const skipped: SkippedUnit[] = [];
      const warnings: FileFault[] = [];
      const edits: Edit[] = [];
      const needed = formsOf([languageCode]);
      let untranslated = 0;
      for (const [index, entry] of entries.entries()) {
        const span = spans[index];
        if (!span) continue;
        const segment = find(entry);
        const { place } = entry;
        if (typeof segment === 'string') {
          skipped.push({ place, reason: segment });
          continue;
        }
        if (!segment.translation) {
          untranslated += isUnused(span, needed) ? 0 : 1;
          continue;
        }
        const { content } = segment.translation;
        const { start, end, content: present } = span.target ?? span;
        const losses = lossesOf({ segment, content, place });
        if (span.isAdded || content !== present) {
          if (keepsTranslation(entry, segment.translation, rules)) {
            skipped.push({ place, reason: 'lower-status' });
            continue;
          }
          const text = span.write(content);
          if (typeof text !== 'string') {
            skipped.push({ place, reason: 'codes', ...text, detail: markupDetail(losses, segment) });
            continue;
          }
          edits.push({ start, end, text });
        }
        warnings.push(...losses.filter(({ code }) => !(span.keepsMarkup && code === 'markup-lost')));
      }
      return { file: encodeEdits(file, edits), filled: edits.length, untranslated, skipped, warnings };
    },
  };
}
