import type { Fault } from './faults.ts';
import { LIMITS } from './limits.ts';
import type { SegmentRequest, TargetLanguageRequest } from './project.ts';

/** The elements that end a sentence. The texts before and after their tags are translated separately. */
const BLOCKS: ReadonlySet<string> = new Set(
  `address article aside blockquote body br button caption center col colgroup dd details dialog dir div dl dt fieldset
  figcaption figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li link main menu meta nav
  ol optgroup option p pre section select summary table tbody td textarea tfoot th thead title tr ul video audio iframe`.split(
    /\s+/,
  ),
);

/** Whether the tags of an element end a sentence. @param name in lower case */
export function isBlock(name: string): boolean {
  return BLOCKS.has(name);
}

/** The hashes of the names of blocks, because a text for each tag would make the count ten times as slow. */
const BLOCK_HASHES: ReadonlySet<number> = new Set(
  Array.from(BLOCKS, (name) => Array.from(name).reduce((hash, letter) => withLetter(hash, letter.charCodeAt(0)), 0)),
);

/** @param code the code of a letter in lower case, or of a digit */
function withLetter(hash: number, code: number): number {
  return (Math.imul(hash, 31) + code) | 0;
}

const CHOICE = /\{\s*[\w.-]{1,200}\s*,\s*(?:plural|select|selectordinal)\s*,/;

/** Whether a content looks like an ICU message with choices. */
export function hasChoices(content: string): boolean {
  return CHOICE.test(content);
}

const [LESS_THAN, GREATER_THAN, SLASH, SPACE, LINE_FEED, RETURN] = [0x3c, 0x3e, 0x2f, 0x20, 0x0a, 0x0d];
const [TAB, FORM_FEED, OPENING_BRACE] = [0x09, 0x0c, 0x7b];

/**
 * Counts the sentences of a content, without deciding whether it is HTML: texts with a visible character that end at a
 * line break, at a tag of a block such as `<p>`, `<li>` or `<br>`, or at the end of the content. In an ICU message with
 * choices, each opening brace is one more, because it may begin a branch. An engine never gets more, unless it needs long
 * sentences divided.
 */
export function sentenceCount(content: string): number {
  const brace = hasChoices(content) ? OPENING_BRACE : Number.NaN;
  let count = 0;
  let hasText = false;
  let isInTag = false;
  // The characters of a tag are text if it turns out to have no end.
  let hasTextInTag = false;
  let isBlockTag = false;
  for (let at = 0; at < content.length; at++) {
    const code = content.charCodeAt(at);
    if (code > GREATER_THAN) {
      if (code === brace) count += 1;
      hasText ||= !isInTag;
      continue;
    }
    const isLineBreak = code === LINE_FEED || code === RETURN;
    if (code === LESS_THAN || isLineBreak) {
      hasText ||= hasTextInTag;
      isInTag = hasTextInTag = false;
    }
    if (code === LESS_THAN) {
      let end = content.charCodeAt(at + 1) === SLASH ? at + 2 : at + 1;
      isInTag = hasTextInTag = isLetterCode(content.charCodeAt(end));
      // In HTML, `</ p>` is a tag too. In other contents it is text.
      if (!isInTag) while (isSpaceCode(content.charCodeAt(end))) end += 1;
      const nameAt = end;
      let hash = 0;
      for (let next = content.charCodeAt(end); isNameCode(next); next = content.charCodeAt(++end)) {
        hash = withLetter(hash, next | 0x20);
      }
      if (end > nameAt) {
        hasText ||= !isInTag;
        isBlockTag ||= BLOCK_HASHES.has(hash);
      }
      at = end - 1;
    } else if (isLineBreak || code === GREATER_THAN) {
      if (hasText && (isLineBreak || isBlockTag)) {
        count += 1;
        hasText = false;
      }
      isInTag = hasTextInTag = isBlockTag = false;
    } else if (code > SPACE && !isInTag) hasText = true;
  }
  return hasText || hasTextInTag ? count + 1 : count;
}

/** Whether a code is that of a Latin letter or of a digit, which `| 0x20` leaves as it is. */
function isNameCode(code: number): boolean {
  return isLetterCode(code) || (code >= 0x30 && code <= 0x39);
}

function isLetterCode(code: number): boolean {
  const lower = code | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}

/** Whether a code is that of white space that ends no line. */
function isSpaceCode(code: number): boolean {
  return code === SPACE || code === TAB || code === FORM_FEED;
}

/** Yields a fault if a project has too many sentences that an engine has to translate, over all languages. */
export function* sentenceFaults(
  targetLanguages: readonly TargetLanguageRequest[],
  segments: readonly SegmentRequest[],
): Generator<Fault> {
  const languages = targetLanguages.filter((entry) => entry.serviceAutomaticTranslation === true).length;
  if (languages === 0) return;
  // A sentence and its end need two characters, so that most projects need not be counted.
  const atMost = segments.reduce((sum, { content }) => sum + Math.ceil(content.length / 2), 0);
  if (languages * atMost <= LIMITS.automaticSentences) return;
  const sentences = segments.reduce((sum, { content }) => sum + sentenceCount(content), 0);
  if (languages * sentences <= LIMITS.automaticSentences) return;
  const most = Math.floor(LIMITS.automaticSentences / languages).toLocaleString('en');
  const count = `${languages} ${languages === 1 ? 'language' : 'languages'}`;
  const detail = `The segments have ${sentences.toLocaleString('en')} sentences. With automatic translation into ${count} they must have at most ${most}, or ${LIMITS.automaticSentences.toLocaleString('en')} over all languages. Divide the project.`;
  yield { pointer: '/segments', code: 'too-many', detail };
}
