import type { FaultCode } from '../../../../lib/contract/fault.ts';

/** What becomes of a text: it is read, or refused with this fault. */
export type Verdict = 'read' | Extract<FaultCode, 'syntax' | 'encoding' | 'too-deep' | 'too-many' | 'duplicate-key'>;

/** A text that is too long, or too strange, to be its own name. */
interface Named {
  readonly name: string;
  readonly bytes: Uint8Array;
}
type Texts = readonly (string | Named)[];

/** Texts about one thing, in the categories of the public parsing suites, by what becomes of them here. */
export interface Chapter {
  readonly about: string;
  /** Every parser must accept them. */
  readonly y: Texts;
  /** Every parser must reject them. */
  readonly n: Partial<Record<Exclude<Verdict, 'read'>, Texts>>;
  /** RFC 8259 leaves them to the parser: this is our choice, for good. */
  readonly i: Partial<Record<Verdict, Texts>>;
}

export interface JsonText extends Named {
  readonly category: 'y' | 'n' | 'i';
  readonly verdict: Verdict;
}

/** Bytes that are no text of UTF-8, or that no editor should touch. */
export function hex(bytes: string): Named {
  return { name: `the bytes ${bytes}`, bytes: Buffer.from(bytes.replaceAll(' ', ''), 'hex') };
}

export function named(name: string, text: string): Named {
  return { name, bytes: Buffer.from(text) };
}

/** Every text of a chapter. */
export function textsOf({ about, y, n, i }: Chapter): JsonText[] {
  const told = (category: JsonText['category'], verdict: Verdict, texts: Texts): JsonText[] =>
    texts.map((text) => {
      const { name, bytes } = typeof text === 'string' ? named(JSON.stringify(text), text) : text;
      return { name: `${category} ${about}: ${name}`, bytes, category, verdict };
    });
  return [
    ...told('y', 'read', y),
    ...VERDICTS.flatMap((verdict) => told('n', verdict, (verdict === 'read' ? undefined : n[verdict]) ?? [])),
    ...VERDICTS.flatMap((verdict) => told('i', verdict, i[verdict] ?? [])),
  ];
}

const VERDICTS: readonly Verdict[] = ['read', 'syntax', 'encoding', 'too-deep', 'too-many', 'duplicate-key'];
