/** Where a source's messages have their ids: in a header, or in a field of a JSON body. */
type MessageIdPlace = { readonly header: string } | { readonly path: readonly string[] };

const HEADER = /^header:([a-z0-9][a-z0-9_-]{0,63})$/i;
/** Matches `body.<name>.<name>`, the JSONata of a field. A name with other characters stands in backticks. */
const PATH = /^body(?:\.(?:[A-Za-z_]\w*|`[^`]+`)){1,16}$/;
const NAME = /\.(?:`([^`]+)`|(\w+))/g;

/** What an expression for the id of a message must be, for error messages. */
export const MESSAGE_ID_FORM =
  'header:<name>, or the simple path of a field of the body, such as body.event.id: only names with full stops between them, and up to 256 characters';

/** Parses the place of a message's id. @returns `undefined` if the text is neither of the two forms */
export function parseMessageId(text: string): MessageIdPlace | undefined {
  if (text.length > 256) return undefined;
  const header = HEADER.exec(text)?.[1];
  if (header !== undefined) return { header: header.toLowerCase() };
  if (!PATH.test(text)) return undefined;
  return { path: [...text.matchAll(NAME)].map(([, quoted, plain = '']) => quoted ?? plain) };
}

const MAX_ID_CHARACTERS = 256;

/**
 * Returns the id of a message. It parses the body only if the id is in the body.
 * @returns `undefined` if the message has no id there: none, an empty or long one, a number that JavaScript cannot hold
 * exactly, or a header twice
 */
export function messageIdOf(
  text: string,
  { headerValues, body }: { readonly headerValues: (name: string) => readonly string[]; readonly body: Uint8Array },
): string | undefined {
  const place = parseMessageId(text);
  if (!place) return undefined;
  const values = 'header' in place ? headerValues(place.header) : [fieldOf(body, place.path)];
  const [value, ...more] = values;
  const id = Number.isSafeInteger(value) ? String(value) : value;
  const isId = typeof id === 'string' && id !== '' && id.length <= MAX_ID_CHARACTERS && more.length === 0;
  return isId ? id : undefined;
}

function fieldOf(body: Uint8Array, path: readonly string[]): unknown {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = Object.getOwnPropertyDescriptor(value, name)?.value;
  }
  return value;
}
