import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { program } from '../../cli/program.ts';
import { LIMITS } from '../../lib/contract/limits.ts';
import { PROBLEMS } from '../../lib/contract/problems.ts';
import { routeOf } from '../../lib/contract/routes.ts';
import { MAPPING_BYTES } from '../../lib/webhooks/administration.ts';
import { SCHEME_NAMES } from '../../lib/webhooks/schemes/settings.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8');
const source = program({ env: {}, out: () => {}, err: () => {} }).commands.find(
  (command) => command.name() === 'source',
);

describe('docs/webhooks.md', () => {
  it('has every command, and no option that there is not', () => {
    const commands = source?.commands ?? [];
    expect(commands.length).toBeGreaterThan(0);
    for (const command of commands) {
      const words = [
        'source',
        command.name(),
        ...command.registeredArguments.map((argument) => `<${argument.name()}>`),
      ];
      expect(PAGE).toContain(`\`npm run segue -- ${words.join(' ')}\``);
    }
    const there = commands.flatMap(({ options }) => options.map(({ long }) => long));
    // curl has options of its own
    const named = PAGE.replaceAll(/^curl .*$/gm, '').match(/(?<= |`)--[a-z]+(?:-[a-z]+)*/g) ?? [];
    expect(
      [...new Set(named)].filter((option) => option !== '--stack' && !there.some((known) => known === option)),
    ).toEqual([]);
    expect(there.filter((option) => option !== undefined && !named.some((known) => known === option))).toEqual([]);
  });

  it('has every scheme', () => {
    const rows = [...PAGE.matchAll(/^\| `([a-z][a-z-]*)` \|/gm)].map(([, name]) => name);
    expect(rows).toEqual([...SCHEME_NAMES]);
  });

  it('has every problem that is an answer of this door alone, with its status', () => {
    for (const type of routeOf('receiveWebhook').problems) {
      const { status } = PROBLEMS[type];
      if (status < 500) expect(PAGE).toContain(`| ${status} [\`${type}\`](problems/${type}.md) |`);
    }
  });

  it('has the limits as they are', () => {
    for (const bytes of [LIMITS.webhookBytes, MAPPING_BYTES])
      expect(PAGE).toContain(`${bytes.toLocaleString('en')} bytes`);
  });
});
