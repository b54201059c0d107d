import { asObjects, type JsonObject, realProject, smallProject } from '../../test/support/projects.ts';

/** `cldr-large.json` as a request's body: dates of now, a custom id of its own. */
export function cldrLarge(): Buffer {
  return bytesOf(realProject('cldr-large'));
}

/** A project of so many segments, taken from `cldr-large.json` in turn. */
export function cldrOf(count: number): Buffer {
  const { segments, ...project } = realProject('cldr-large');
  const given = asObjects(segments);
  const entries = Array.from({ length: count }, (_, index) => given[index % given.length] ?? {});
  return bytesOf({ ...project, segments: entries });
}

/** A project with one of everything. It has no custom id, so the same bytes can be sent again and again. */
export function small(): Buffer {
  return bytesOf(smallProject());
}

function bytesOf(project: JsonObject): Buffer {
  return Buffer.from(JSON.stringify(project));
}
