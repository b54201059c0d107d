import type { JsonObject } from '../support/projects.ts';

/** Returns the project with segments that repeat a text, so that its JSON has exactly `bytes` bytes. */
export function filledTo(bytes: number, project: JsonObject, text: string): JsonObject {
  const width = Buffer.byteLength(JSON.stringify(text)) - 2;
  const content = text.repeat(Math.ceil(400_000 / width));
  const list = Array.from({ length: 8 }, () => ({ content }));
  const rest = bytes - Buffer.byteLength(JSON.stringify({ ...project, segments: [...list, { content: '' }] }));
  return {
    ...project,
    segments: [...list, { content: text.repeat(Math.floor(rest / width)) + 'x'.repeat(rest % width) }],
  };
}
