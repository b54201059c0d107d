/** A manifest as a whole cannot be worked on, or no longer. The message is for the person who asked. */
export class ManifestUnusable extends Error {
  override readonly name = 'ManifestUnusable';
}

/** Some entries were not carried out. The message is for the person who asked. */
export class LinesFailed extends Error {
  override readonly name = 'LinesFailed';
}
