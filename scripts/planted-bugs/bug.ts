/** A bug that would be bad, made by changing one place of the code. */
export interface PlantedBug {
  /** What is wrong with it. */
  readonly name: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** The tests that should find it, as few as possible. */
  readonly tests: readonly string[];
  /** Which of them by their names, as a regular expression; all unless given. */
  readonly named?: string;
}
