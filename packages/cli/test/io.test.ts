import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/lib/storage/folder.ts';
import { segueHere } from '../../../test/support/segue.ts';
import { escapeControls, escapeControlsInLines } from '../io.ts';

/**
 * A pattern for unsafe characters: controls, escapes, format and bidirectional ones, line separators, lone surrogates.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u;
const UNSAFE_IN_LINES = /[^\P{Cc}\n]|[\p{Cf}\p{Cs}\u2028\u2029]/u;
const ATTACK = '\x1b]0;PWNED\x07';

/** Any text, with many unsafe characters. */
const SAMPLES = [ATTACK, '\x1b', '\u009b2J', '\u202e', '\u2066', '\u2028', '\ud800', '\u{e0041}', '\r', '\n', '\x7f'];
const unsafe = fc.string({
  unit: fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), fc.constantFrom(...SAMPLES)),
});

describe('text from outside', () => {
  it.each([
    [ATTACK, '\\u001b]0;PWNED\\u0007'],
    ['a\u202eb\u2066c', 'a\\u202eb\\u2066c'],
    ['a\nb\tc\r', 'a\\u000ab\\u0009c\\u000d'],
    ['\u009b1m\u2028\ud800x', '\\u009b1m\\u2028\\ud800x'],
    ['\u{e0041}', '\\udb40\\udc41'],
    ['Größe 漢字 😀 e\u0301 שלום', 'Größe 漢字 😀 e\u0301 שלום'],
  ])('%j is printed as %s', (text, printed) => expect(escapeControls(text)).toBe(printed));

  it('becomes one line without unsafe characters; with lines kept, JSON keeps its value', () => {
    fc.assert(
      fc.property(unsafe, (text) => {
        expect(escapeControls(text)).not.toMatch(UNSAFE);
        const json = JSON.stringify({ text }, undefined, 2);
        expect(escapeControlsInLines(json)).not.toMatch(UNSAFE_IN_LINES);
        expect(JSON.parse(escapeControlsInLines(json))).toEqual(JSON.parse(json));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('every command escapes unsafe characters', () => {
  const name = `${ATTACK}\u202e`;
  const manifest = (field: string) => {
    const path = join(temporaryFolder(), 'manifest.jsonl');
    writeFileSync(path, `${JSON.stringify({ create: { [field]: 1 } })}\n`);
    return path;
  };

  it('escapes the name of a field', async () => {
    const { stdout, stderr } = await segueHere(temporaryFolder(), 'bulk', manifest(name));
    expect(stderr).toContain('/\\u001b]0;PWNED\\u0007\\u202e unknown-field');
    expect(stdout + stderr).not.toMatch(UNSAFE_IN_LINES);
  });

  it.each<[string, readonly string[]]>([
    ['a file', ['bulk', `${name}.jsonl`]],
    ['a command', [name]],
    ['an option', ['bulk', `--${name}`]],
    ['a company', ['company', 'add', name]],
    ['a sample', ['source', 'test', 'cms', '--sample', name, '--mapping', name]],
    ['a source', ['dead-letters', 'show', name, 'id']],
  ])('escapes the name of %s', async (_, args) => {
    const { code, stdout, stderr } = await segueHere(temporaryFolder(), ...args);
    expect(code).not.toBe(0);
    expect(stdout + stderr).not.toMatch(UNSAFE_IN_LINES);
  });

  it('escapes line feeds in a field name, which cannot forge a line', async () => {
    const { stderr } = await segueHere(temporaryFolder(), 'bulk', manifest('a\nsegue: all is well'));
    expect(stderr).toContain('/a\\u000asegue: all is well unknown-field');
    expect(stderr).not.toMatch(/^segue: all is well/m);
  });
});
