import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { run } from '../../cli/run.ts';
import { visible, visibleLines } from '../../cli/visible.ts';
import { temporaryFolder } from '../lib/storage/folder.ts';
import { segueHere } from '../support/segue.ts';

/** What must not reach a terminal: controls, escapes, format and bidirectional characters, line separators, half pairs. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;
const UNSAFE_IN_LINES = /[^\P{Cc}\n]|[\p{Cf}\p{Cs}\u2028\u2029]/u;

/** Any text, with what is unsafe more often than by chance. */
const unsafe = fc.string({
  unit: fc.oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
    fc.constantFrom(
      '\x1b',
      '\x1b]0;PWNED\x07',
      '\u009b2J',
      '\u202e',
      '\u2066',
      '\u200f',
      '\u2028',
      '\ud800',
      '\u{e0041}',
      '\r',
      '\n',
      '\x7f',
    ),
  ),
});

describe('a text from outside', () => {
  it.each([
    ['\x1b]0;PWNED\x07', '\\u001b]0;PWNED\\u0007'],
    ['a\u202eb\u2066c', 'a\\u202eb\\u2066c'],
    ['a\nb\tc\r', 'a\\u000ab\\u0009c\\u000d'],
    ['\u009b1m\u2028\ud800x', '\\u009b1m\\u2028\\ud800x'],
    ['\u{e0041}', '\\udb40\\udc41'],
    ['Größe 漢字 😀 e\u0301 שלום', 'Größe 漢字 😀 e\u0301 שלום'],
  ])('%j is shown as %s', (text, shown) => expect(visible(text)).toBe(shown));

  it('has nothing left that a terminal obeys or hides, and is one line', () => {
    fc.assert(
      fc.property(unsafe, (text) => !UNSAFE.test(visible(text))),
      { numRuns: 2_000 },
    );
  });

  it('keeps its lines where it may have some, and means the same where it is JSON', () => {
    fc.assert(
      fc.property(unsafe, (text) => {
        const json = JSON.stringify({ text }, undefined, 2);
        expect(visibleLines(json)).not.toMatch(UNSAFE_IN_LINES);
        expect(JSON.parse(visibleLines(json))).toEqual(JSON.parse(json));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('every command prints only what is visible', () => {
  const name = '\x1b]0;PWNED\x07\u202e';

  it('of the field names of a manifest', async () => {
    const folder = temporaryFolder();
    const manifest = join(folder, 'manifest.jsonl');
    writeFileSync(manifest, `${JSON.stringify({ create: { [name]: 1 } })}\n`);
    const { stderr, stdout } = await segueHere(folder, 'bulk', manifest);
    expect(stderr).toContain('/\\u001b]0;PWNED\\u0007\\u202e unknown-field');
    expect(stderr + stdout).not.toMatch(UNSAFE_IN_LINES);
  });

  it.each<[string, readonly string[]]>([
    ['a file', ['bulk', `${name}.jsonl`]],
    ['a command', [name]],
    ['an option', ['bulk', `--${name}`]],
    ['a company', ['company', 'add', name]],
    ['a sample', ['source', 'test', 'cms', '--sample', name, '--mapping', name]],
    ['a source', ['dead-letters', 'show', name, 'id']],
  ])('of the name of %s', async (_, args) => {
    const { code, stdout, stderr } = await segueHere(temporaryFolder(), ...args);
    expect(code).not.toBe(0);
    expect(stdout + stderr).not.toMatch(UNSAFE_IN_LINES);
  });

  it('of a field name with line feeds, which makes no line of its own', async () => {
    const folder = temporaryFolder();
    const manifest = join(folder, 'manifest.jsonl');
    writeFileSync(manifest, `${JSON.stringify({ create: { 'a\nsegue: all is well': 1 } })}\n`);
    let err = '';
    await run(['bulk', manifest], {
      env: { SEGUE_DATA_DIR: folder },
      out: () => {},
      err(text) {
        err += text;
      },
    });
    expect(err).not.toMatch(/^segue: all is well/m);
  });
});
