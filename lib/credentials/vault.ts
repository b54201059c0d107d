/**
 * Keeps secrets at places that never hold anything else: what was read at one is what is there. Whatever its failures
 * are, they hold no secret.
 */
export interface Vault {
  /** @throws where there is nothing, or it cannot be read now */
  read(place: string): Promise<string>;
  /** Fills a place of which nobody knows yet. To fill it with the same again changes nothing. */
  write(place: string, text: string): Promise<void>;
  /** Empties a place for ever. To empty it again changes nothing. */
  erase(place: string): Promise<void>;
}
