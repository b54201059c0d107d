import { loadSourceCodec } from '../codecs.ts';
import type { SourceFormat } from '../source-file.ts';
import { fileOf, translated } from './files.ts';

/** Returns the texts of a file, without their places. */
export async function textsIn(format: SourceFormat, text: string | Uint8Array, sourceLanguageCode = 'en') {
  const { texts } = await loadSourceCodec(format);
  return texts(Buffer.from(text), sourceLanguageCode).texts.map(({ place: _, ...rest }) => rest);
}

/** Makes the project of a file, and fills translations into the file. */
export async function fill(format: SourceFormat, text: string, translate: (content: string, index: number) => string) {
  const codec = await loadSourceCodec(format);
  const segments = codec.texts(Buffer.from(text), 'en').texts.map(({ customId, content }, index) => {
    return { customId, content, translation: translated(translate(content, index)) };
  });
  const file = fileOf(segments);
  const filled = codec.fill(Buffer.from(text), { ...file, project: { ...file.project, sourceLanguageCode: 'en' } });
  return { ...filled, text: Buffer.from(filled.file).toString() };
}
