import { asObjects, type JsonObject, realProject, smallProject } from '../../test/support/projects.ts';

/** Returns `cldr-large.json` as the body of a request, with dates from now on and a new custom id. */
export function cldrLarge(): Buffer {
  return bytesOf(realProject('cldr-large'));
}

/** Returns a project with this many segments, which are those of `cldr-large.json` in turn. */
export function cldrOf(count: number): Buffer {
  const { segments, ...project } = realProject('cldr-large');
  const given = asObjects(segments);
  const entries = Array.from({ length: count }, (_, index) => given[index % given.length] ?? {});
  return bytesOf({ ...project, segments: entries });
}

/**
 * Returns a project with one target language and one segment. It has no custom id, so it can be created again and
 * again.
 */
export function small(): Buffer {
  return bytesOf(smallProject());
}

function bytesOf(project: JsonObject): Buffer {
  return Buffer.from(JSON.stringify(project));
}
