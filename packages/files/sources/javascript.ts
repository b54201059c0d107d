/** A bracket, or what begins or ends a string, a template, a comment or a regular expression. */
const MARK = /\\["'`\\$]|["'`\n()[\]{}]|\$\{|\/\*|\*\/|(?<!:)\/\/|\//g;
/** A string or a regular expression in a line. An apostrophe in a word begins no string. */
const LITERAL =
  /(?<![\p{L}\p{N}])(?:'[^'\\\n]*(?:\\.[^'\\\n]*)*'|"[^"\\\n]*(?:\\.[^"\\\n]*)*")|(?<=[(,=]\s?)\/(?![*/])[^/\\\n]*(?:\\.[^/\\\n]*)*\//uy;
/** The ends of text that may have several lines. */
const TEXT_ENDS: Readonly<Record<string, string>> = { '`': '`', '/*': '*/', '//': '\n' };
const OPENERS: Readonly<Record<string, string>> = { '}': '{', ']': '[', ')': '(' };

/** Reads JavaScript in parts, and knows which brackets are open. Those in strings, templates and comments do not count. */
export class BracketReader {
  /** The open brackets, and the text that is read. */
  readonly #open: string[] = [];
  #braces = 0;
  readonly #hasLines: boolean;

  /** @param hasLines whether the parts have their line breaks, or are lines. Otherwise `//` begins no comment */
  constructor({ hasLines }: { readonly hasLines: boolean }) {
    this.#hasLines = hasLines;
  }

  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  /** Whether a template or a comment goes on, so that even a blank line belongs to it. */
  get isInText(): boolean {
    return (this.#open.at(-1) ?? '') in TEXT_ENDS;
  }

  /** Reads a line. */
  readLine(line: string): void {
    for (let at = 0; at < line.length; ) at = this.read(line, at);
  }

  /** Reads from an index on, until the last bracket closes. @returns the index after it, or that of the text's end */
  read(text: string, start: number): number {
    for (let at = start; ; ) {
      MARK.lastIndex = at;
      const found = MARK.exec(text);
      if (!found) break;
      at = MARK.lastIndex;
      LITERAL.lastIndex = found.index;
      if (this.isInText) this.#readText(found[0]);
      else if (LITERAL.test(text)) at = LITERAL.lastIndex;
      else if (this.#readCode(found[0])) return at;
    }
    if (this.#open.at(-1) === '//') this.#open.pop();
    return text.length;
  }

  #readText(mark: string): void {
    const text = this.#open.at(-1) ?? '';
    if (mark === TEXT_ENDS[text]) this.#open.pop();
    else if (mark === '${' && text === '`') this.#openBrace();
  }

  /** @returns whether it was the end of the last bracket */
  #readCode(mark: string): boolean {
    const opener = OPENERS[mark];
    if (opener === undefined) {
      const isText = mark in TEXT_ENDS && (mark !== '//' || this.#hasLines);
      if (mark.endsWith('{')) this.#openBrace();
      else if (isText || mark === '(' || mark === '[') this.#open.push(mark);
      return false;
    }
    // A bracket in prose may lack its partner. A brace ends those that were opened in it.
    if (mark === '}' && this.#braces > 0) while (this.#open.at(-1) !== opener) this.#open.pop();
    if (this.#open.at(-1) !== opener) return false;
    this.#open.pop();
    if (mark === '}') this.#braces -= 1;
    return !this.isOpen;
  }

  #openBrace(): void {
    this.#open.push('{');
    this.#braces += 1;
  }
}

const STRING_OR_BRACE = /"[^"]*"|'[^']*'|\{/g;

/** Replaces each character of the expressions in tags by a digit, so that it is no text. */
export function maskBraces(tags: string): string {
  let [masked, end] = ['', 0];
  for (const { 0: found, index } of tags.matchAll(STRING_OR_BRACE)) {
    if (found !== '{' || index < end) continue;
    const expressionEnd = new BracketReader({ hasLines: true }).read(tags, index);
    masked += tags.slice(end, index) + '0'.repeat(expressionEnd - index);
    end = expressionEnd;
  }
  return masked + tags.slice(end);
}

/** How many braces of a text may turn out not to be JavaScript. Each of them is read to the end. */
const MAX_FAILURES = 8;

/** Returns a function that finds the end of the brace at an index: in JavaScript, or otherwise in prose. */
export function braceEnds(text: string): (start: number) => number | undefined {
  const ends = new Map<number, number | undefined>();
  const endInProse = proseBraceEnds(text);
  let failures = 0;
  const find = (start: number) => {
    if (failures >= MAX_FAILURES) return endInProse.get(start);
    const reader = new BracketReader({ hasLines: false });
    const end = reader.read(text, start);
    if (!reader.isOpen) return end;
    failures += 1;
    return endInProse.get(start);
  };
  return (start) => {
    if (text[start] !== '{') return undefined;
    if (!ends.has(start)) ends.set(start, find(start));
    return ends.get(start);
  };
}

/** Returns the ends of balanced braces by their starts. */
function proseBraceEnds(text: string): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const open: number[] = [];
  for (const { 0: brace, index } of text.matchAll(/[{}]/g)) {
    if (brace === '{') open.push(index);
    else ends.set(open.pop() ?? -1, index + 1);
  }
  return ends;
}
