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

const [LESS_THAN, GREATER_THAN, SLASH, SPACE, LINE_FEED, RETURN] = [0x3c, 0x3e, 0x2f, 0x20, 0x0a, 0x0d];

/**
 * Counts the sentences of a content, without deciding whether it is HTML: texts with a visible character that end at a
 * line break, at a tag of a block such as `<p>`, `<li>` or `<br>`, or at the end of the content.
 */
export function sentenceCount(content: string): number {
  let count = 0;
  let hasText = false;
  let isInTag = false;
  for (let at = 0; at < content.length; at++) {
    const code = content.charCodeAt(at);
    if (code > GREATER_THAN) {
      hasText ||= !isInTag;
      continue;
    }
    let isEnd = code === LINE_FEED || code === RETURN;
    if (code === LESS_THAN) {
      const nameAt = content.charCodeAt(at + 1) === SLASH ? at + 2 : at + 1;
      let end = nameAt;
      let hash = 0;
      for (let next = content.charCodeAt(end); isNameCode(next); next = content.charCodeAt(++end)) {
        hash = withLetter(hash, next | 0x20);
      }
      isInTag = end > nameAt;
      isEnd = isInTag && BLOCK_HASHES.has(hash);
      at = end - 1;
    } else if (isEnd || code === GREATER_THAN) isInTag = false;
    else if (code > SPACE && !isInTag) hasText = true;
    if (!isEnd || !hasText) continue;
    count += 1;
    hasText = false;
  }
  return hasText ? count + 1 : count;
}

/** Whether a code is that of a Latin letter or of a digit, which `| 0x20` leaves as it is. */
function isNameCode(code: number): boolean {
  const lower = code | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (code >= 0x30 && code <= 0x39);
}

/** Yields a fault if a project has too many sentences that an engine has to translate, over all languages. */
export function* sentenceFaults(
  targetLanguages: readonly TargetLanguageRequest[],
  segments: readonly SegmentRequest[],
): Generator<Fault> {
  const languages = targetLanguages.filter((entry) => entry.serviceAutomaticTranslation === true).length;
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
