import { jsonSteps } from '../../../contract/json-steps.ts';
import { decodeFile } from '../decode.ts';
import { parseJsonText } from '../json.ts';
import { type Span, spanCodec } from './span-file.ts';

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/y;

/**
 * Texts in JSON, flat or nested: each string is a text, and its custom id is its path, such as `home.title`. Keys that
 * begin with `@` are metadata, as in ARB files.
 */
export const jsonTexts = spanCodec((bytes) => {
  const file = decodeFile(bytes);
  parseJsonText(file.text);
  const spans: Span[] = [];
  for (const { kind, index, path } of jsonSteps(file.text)) {
    STRING.lastIndex = index;
    const quoted = kind === 'value' ? STRING.exec(file.text)?.[0] : undefined;
    if (quoted === undefined) continue;
    const content: unknown = JSON.parse(quoted);
    const keys = path().map(String);
    if (typeof content !== 'string' || content.trim() === '' || keys.some((key) => key.startsWith('@'))) continue;
    spans.push({ start: index, end: index + quoted.length, customId: keys.join('.'), content, write: JSON.stringify });
  }
  return { file, spans };
});
