import { asObjects, type JsonObject, realProject, smallProject } from '../../test/support/projects.ts';

/**
 * Returns `cldr-large.json` as the body of a request, with dates from now on and a new custom id. It asks for no
 * automatic translation, so that Segue does nothing after the request.
 */
export function cldrLarge(): Buffer {
  const { targetLanguages, ...project } = realProject('cldr-large');
  const quiet = asObjects(targetLanguages).map(({ serviceAutomaticTranslation: _, ...language }) => language);
  return bytesOf({ ...project, targetLanguages: quiet });
}

/** Returns the same project without a custom id and with another content of its middle segment, as a put sends it. */
export function cldrWithOne(content: string): Buffer {
  const { customId: _, segments, ...project } = JSON.parse(cldrLarge().toString());
  const entries = asObjects(segments);
  const middle = entries.length >> 1;
  return bytesOf({ ...project, segments: entries.with(middle, { ...entries[middle], content }) });
}

/** Returns `cldr-large.json` as a project that asks for automatic translation into some languages. */
export function cldrAutomatic(languages: number): JsonObject {
  const { targetLanguages, ...project } = realProject('cldr-large');
  return { ...project, targetLanguages: asObjects(targetLanguages).slice(0, languages) };
}

/** Returns the bytes of a project with a number of segments. They repeat the segments of `cldr-large.json`. */
export function cldrOf(count: number): Buffer {
  const { segments, ...project } = realProject('cldr-large');
  const given = asObjects(segments);
  const entries = Array.from({ length: count }, (_, index) => given[index % given.length] ?? {});
  return bytesOf({ ...project, segments: entries });
}

/**
 * Returns the bytes of a project with one target language and one segment. It has no custom id, so it can be created
 * repeatedly.
 */
export function small(): Buffer {
  return bytesOf(smallProject());
}

function bytesOf(project: JsonObject): Buffer {
  return Buffer.from(JSON.stringify(project));
}
