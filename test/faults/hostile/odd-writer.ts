import { gzipSync } from 'node:zlib';
import type { Random } from '../../../local/simulator/random.ts';
import type { Json } from '../../support/projects.ts';
import { words } from './texts.ts';

/** What may be wrong with a body, in one place of it. */
const SPOILS = ['key twice', 'number', 'text', 'surprise', 'null', 'bytes'] as const;
type Spoil = (typeof SPOILS)[number];

/** Numbers at the limits of ids and of what a number can hold, some of which are good ids, written as nobody would. */
const NUMBERS = words(`9007199254740991 9007199254740992 9007199254740993 9007199254740990.5 9007199254740991.0
  0.9007199254740991e16 12345678901234567890123456789 1e400 1e-400 1E+2 0.1e2 12e-1 100e-2 1.0000000000000000000000001
  -0 0 -1 01 +1 1. .5 0x1 NaN`);
/** Texts, between quotes, that are none, or that few readers get right. */
const TEXTS = [
  ...words(
    String.raw`\ud800 \udc00\ud800 \uD83D\uDE00 \ud83d\u0020 \u0000 \uffff\ufffe \uFEFF \x41 \u00e __proto__ \u005c\u0022`,
  ),
  ...['\ufeff', '\u2028\u2029', '\u007f\u0080\u009f', '\u{10ffff}', 'e\u0301\u0301\u0301', '\u202eabc', '\t', '\\'],
];
const SURPRISES = [
  '"__proto__":{"name":"other"}',
  '"constructor":1',
  '"toJSON":"x"',
  '"Name":"x"',
  '"name ":"x"',
  '"":0',
];
const SPACES = ['', '', '', ' ', '\n', '\t', '\r\n', '  '];

/** Writes a value as JSON in ways that nobody would, and may spoil it in one place. */
export class OddWriter {
  readonly #random: Random;
  readonly #spoil: Spoil | undefined;
  #isSpoilt = false;

  constructor(random: Random) {
    this.#random = random;
    this.#spoil = random.chance(0.4) ? random.pick(SPOILS) : undefined;
  }

  /** The body's bytes, gzip-encoded or not. */
  body(value: Json): Uint8Array {
    const text = Buffer.from(this.#space() + this.#write(value) + this.#space());
    const bytes = this.#spoil === 'bytes' ? this.#spoilt(text) : text;
    return this.#random.chance(0.3) ? gzipSync(bytes, { level: 1 }) : bytes;
  }

  /** Whether an object in the body has a name twice. */
  get hasKeyTwice(): boolean {
    return this.#isSpoilt && this.#spoil === 'key twice';
  }

  /** Cut off, followed by something, with a byte order mark, or with another byte. */
  #spoilt(text: Buffer): Buffer {
    const at = this.#random.below(text.length);
    const other = Buffer.from(text);
    other[at] = this.#random.below(256);
    const more = this.#random.pick(['}', '\0', ',', 'null', '\u00a0']);
    const [mark, end] = [Buffer.from('\ufeff'), Buffer.from(more)];
    return this.#random.pick([text.subarray(0, at), Buffer.concat([text, end]), Buffer.concat([mark, text]), other]);
  }

  #write(value: Json): string {
    if (typeof value === 'string') return this.#string(value);
    if (typeof value === 'number') return this.#number(value);
    if (Array.isArray(value)) return `[${value.map((entry) => this.#spaced(this.#write(entry))).join()}]`;
    if (typeof value === 'object' && value !== null) return this.#object(Object.entries(value));
    return String(value);
  }

  #object(entries: readonly (readonly [string, Json])[]): string {
    const members = entries.map(([name, value]) => {
      const text = this.#spoils('null', 0.05) ? 'null' : this.#write(value);
      return `${this.#spaced(this.#string(name))}:${this.#spaced(text)}`;
    });
    members.sort(() => this.#random.next() - 0.5);
    const [first] = entries;
    if (first && this.#spoils('key twice', 0.3)) {
      const [name, value] = this.#random.pick(entries);
      members.push(`${this.#string(name)}:${this.#write(this.#random.chance(0.5) ? value : 'other')}`);
    }
    if (this.#spoils('surprise', 0.3)) members.push(this.#random.pick(SURPRISES));
    return `{${members.join()}}`;
  }

  #number(value: number): string {
    if (this.#spoils('number', 0.2)) return this.#random.pick(NUMBERS);
    const digits = String(value);
    return this.#random.pick([
      `${digits}.0`,
      `${digits}${this.#random.pick(['e0', 'E+0', 'e-00', '.00E0'])}`,
      `${digits}000${this.#random.pick(['e-3', 'E-03'])}`,
      `${digits.slice(0, 1)}.${digits.slice(1) || '0'}e${digits.length - 1}`,
      digits,
      digits,
    ]);
  }

  #string(value: string): string {
    const spoil = this.#spoils('text', 0.05) ? this.#random.pick(TEXTS) : '';
    const isPlain = this.#random.chance(0.5);
    let text = '';
    for (const character of value) text += isPlain ? JSON.stringify(character).slice(1, -1) : this.#escaped(character);
    return `"${text}${spoil}"`;
  }

  #escaped(character: string): string {
    const plain = JSON.stringify(character).slice(1, -1);
    const unit = (code: number) => `\\u${this.#cased(code.toString(16).padStart(4, '0'))}`;
    const units = Array.from({ length: character.length }, (_, at) => unit(character.charCodeAt(at)));
    return this.#random.pick([units.join(''), character === '/' ? '\\/' : plain, plain, plain]);
  }

  #cased(hex: string): string {
    return this.#random.chance(0.5) ? hex.toUpperCase() : hex;
  }

  #spaced(text: string): string {
    return this.#space() + text + this.#space();
  }

  #space(): string {
    return this.#random.pick(SPACES);
  }

  /** Whether here is the place that is spoilt. */
  #spoils(spoil: Spoil, probability: number): boolean {
    const isHere = this.#spoil === spoil && !this.#isSpoilt && this.#random.chance(probability);
    this.#isSpoilt ||= isHere;
    return isHere;
  }
}
