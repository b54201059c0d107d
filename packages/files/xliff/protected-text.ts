import { attributeValue, type XmlElement } from '../xml.ts';

/** The sources of a unit, or its targets. */
export interface Side {
  readonly isTarget: boolean;
  /** The ids of the markers after which no text is translated. In XLIFF 2, they may end in another segment. */
  readonly open: Set<string>;
}

/** Starts to read the sources or the targets of a unit. */
export function sideOf(isTarget: boolean): Side {
  return { isTarget, open: new Set() };
}

/** A unit in which markers are read. */
interface UnitTexts {
  /** The text of the file. */
  readonly text: string;
  /** The codes and the protected texts of the source, by their keys. */
  readonly known: ReadonlyMap<string, string>;
}

/** Notes which markers begin and end in an element. */
export function followMarkers(element: XmlElement, unit: UnitTexts, side: Side): void {
  if (element.name === 'sm' && isProtected(element, unit, side)) side.open.add(attributeValue(element, 'id'));
  if (element.name === 'em') side.open.delete(attributeValue(element, 'startRef'));
  for (const child of element.children) if (typeof child !== 'string') followMarkers(child, unit, side);
}

/** Whether the text of a marker must not be translated. In a target, a marker that the source lacks protects nothing. */
export function isProtected(marker: XmlElement, unit: UnitTexts, { isTarget }: Side): boolean {
  const isAsked = attributeValue(marker, 'translate') === 'no' || attributeValue(marker, 'mtype') === 'protected';
  return isAsked && (!isTarget || unit.known.has(markerKey(marker, unit)));
}

/** Returns a text that a marker shares with that of the other side. In XLIFF 1, a marker need not have an id. */
export function markerKey(marker: XmlElement, { text }: UnitTexts): string {
  const id = attributeValue(marker, 'id') || attributeValue(marker, 'mid');
  return `mrk ${id || text.slice(marker.contentStart, marker.contentEnd)}`;
}
