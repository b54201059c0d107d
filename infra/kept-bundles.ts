import { hash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import * as z from 'zod/mini';
import { type Bundle, ROOT } from './bundle.ts';

const Bytes = z.instanceof(Uint8Array);
const Kept = z.object({
  bundle: z.object({
    code: Bytes,
    chunks: z.array(z.object({ name: z.string(), contents: Bytes, isForStart: z.boolean() })),
    sources: z.array(z.string()),
    parts: z.record(z.string(), z.record(z.string(), z.number())),
  }),
  /** Of all that it was made from. */
  hash: z.string(),
});

/** What decides what becomes of the sources. The one that npm writes says which packages are installed. */
const SETTINGS = ['infra/bundle.ts', 'package.json', 'tsconfig.json', 'node_modules/.package-lock.json'];

/**
 * Bundles that are kept in a folder, each with a hash of every byte that it was made from: to compare takes a twentieth
 * of the time that bundling takes. An object serves one round of bundling, in which each source is read once.
 */
export class KeptBundles {
  readonly #folder: string;
  readonly #beganMs: number;
  readonly #hashes = new Map<string, string>();

  /** @param beganMs milliseconds since 1970; what changes from now on is not kept */
  constructor(folder: string, beganMs: number) {
    this.#folder = folder;
    this.#beganMs = beganMs;
  }

  /** The bundle that is kept under a name, where what it was made from is the same; or else one that is made, and kept. */
  async getOr(name: string, make: () => Promise<Bundle>): Promise<Bundle> {
    const path = resolve(this.#folder, name);
    const kept = read(path);
    if (kept && kept.hash === this.#hashOf(kept.bundle)) return kept.bundle;
    const bundle = await make();
    if (!this.#hasChanged(bundle)) this.#keep(path, { bundle, hash: this.#hashOf(bundle) });
    return bundle;
  }

  /** Keeps a bundle as a whole or not at all. Where nothing can be written, it is made again the next time. */
  #keep(path: string, kept: { readonly bundle: Bundle; readonly hash: string }): void {
    const unfinished = `${path}.${randomUUID()}`;
    try {
      mkdirSync(this.#folder, { recursive: true });
      writeFileSync(unfinished, serialize(kept));
      renameSync(unfinished, path);
    } catch {
      if (existsSync(unfinished)) rmSync(unfinished);
    }
  }

  #hashOf({ sources }: Bundle): string {
    const lines = [...SETTINGS, ...sources].map((path) => {
      const known = this.#hashes.get(path) ?? hashOfFile(path);
      this.#hashes.set(path, known);
      return `${known} ${path}\n`;
    });
    return hash('sha256', lines.join(''));
  }

  /** Whether a source is another since this began: it may have been hashed before that and bundled after it. */
  #hasChanged({ sources }: Bundle): boolean {
    return sources.some((path) => statSync(resolve(ROOT, path)).ctimeMs >= this.#beganMs);
  }
}

function read(path: string) {
  try {
    return Kept.parse(deserialize(readFileSync(path)));
  } catch {
    return undefined; // there is none, or one of another version
  }
}

function hashOfFile(path: string): string {
  try {
    return hash('sha256', readFileSync(resolve(ROOT, path)));
  } catch {
    return 'none';
  }
}
