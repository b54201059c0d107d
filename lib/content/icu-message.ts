import { isPluralElement, isSelectElement, type MessageFormatElement, parse } from '@formatjs/icu-messageformat-parser';

/** A text with the choices in it. A text without choices is a message with one part. */
export type Message = readonly (string | Choice)[];

/** An argument of an ICU message that chooses one of several messages: `{count, plural, one {# file} other {# files}}`. */
export interface Choice {
  readonly raw: string;
  /** The syntax, as it was written, and the messages to choose from. */
  readonly parts: readonly (string | Message)[];
}

/** The maximum depth of choices in choices. */
const MAX_DEPTH = 8;

/** Returns whether a text has more characters that begin an element of a message than a maximum. */
function hasMoreElements(text: string, max: number): boolean {
  let count = 0;
  for (const _ of text.matchAll(/[{#]/g)) if (++count > max) return true;
  return false;
}

/**
 * Parses an ICU message with choices.
 * @returns why the text cannot be read: it is no ICU message, is nested too deeply, or has more elements than `max`
 */
export function parseMessage(text: string, max: number): Message | 'message-unreadable' | 'too-complex' {
  // The parser needs 500 bytes for each element, so they are counted before.
  if (hasMoreElements(text, max)) return 'too-complex';
  try {
    const elements = parse(text, {
      captureLocation: true,
      ignoreTag: true,
      requiresOtherClause: false,
      shouldParseSkeletons: false,
    });
    return messageOf(text, elements, { start: 0, end: text.length, depth: 0 });
  } catch {
    // The parser calls itself for each level, so a deep text ends in a stack overflow.
    return 'message-unreadable';
  }
}

interface Range {
  readonly start: number;
  readonly end: number;
  readonly depth: number;
}

function messageOf(text: string, elements: readonly MessageFormatElement[], { start, end, depth }: Range): Message {
  if (depth > MAX_DEPTH) throw new RangeError('Too many choices in choices');
  const parts: (string | Choice)[] = [];
  let at = start;
  for (const element of elements) {
    if (!isPluralElement(element) && !isSelectElement(element)) continue;
    const { start: from, end: to } = located(element);
    parts.push(text.slice(at, from.offset), choiceOf(text, element, { start: from.offset, end: to.offset, depth }));
    at = to.offset;
  }
  return [...parts, text.slice(at, end)];
}

function choiceOf(
  text: string,
  { options }: Pick<Extract<MessageFormatElement, { options: object }>, 'options'>,
  { start, end, depth }: Range,
): Choice {
  const parts: (string | Message)[] = [];
  let at = start;
  for (const option of Object.values(options).sort((one, other) => startOf(one) - startOf(other))) {
    const inside = { start: startOf(option) + 1, end: located(option).end.offset - 1, depth: depth + 1 };
    parts.push(text.slice(at, inside.start), messageOf(text, option.value, inside));
    at = inside.end;
  }
  return { raw: text.slice(start, end), parts: [...parts, text.slice(at, end)] };
}

type Located = Pick<MessageFormatElement, 'location'>;

const startOf = (element: Located) => located(element).start.offset;

function located({ location }: Located) {
  // The parser was told to add locations.
  if (!location) throw new TypeError('The parser of ICU messages left out a location');
  return location;
}
