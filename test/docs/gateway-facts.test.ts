import { describe, expect, it } from 'vitest';
import { curl } from '../../scripts/docs/curl.ts';
import { gatewayFactsPage } from '../../scripts/docs/gateway-facts.ts';
import type { Exchange } from '../contract/facts/fact.ts';
import { FACT_GROUPS } from '../contract/facts/index.ts';
import { letters, zeros } from '../contract/facts/made.ts';

const sees = { status: 200 } as const;

describe('docs/gateway-facts.md', () => {
  const page = gatewayFactsPage();
  const rows = page.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| Fact'));

  it('has each fact in a row of its own, once', () => {
    const facts = FACT_GROUPS.flatMap((group) => group.facts.map(({ fact }) => fact.replaceAll('|', '\\|')));
    expect(new Set(facts).size).toBe(facts.length);
    expect(rows.map((row) => facts.find((fact) => row.startsWith(`| ${fact} | `)))).toEqual(facts);
  });

  it('says of each how it is asked for: the request and what it must be, or what to do by hand', () => {
    expect(rows.find((row) => row.startsWith('| `ANY` takes'))).toContain(
      '`curl -i -X PUT "$API/segments/projects"` is 405, `method-not-allowed`, `allow: /^POST, GET, HEAD$/`; ',
    );
    for (const row of rows) expect(row).toMatch(/ \| (yes|by hand|with `--(load|firewall)`) \|$/);
  });
});

describe('the requests of the page', () => {
  const cases: readonly (readonly [exchange: Exchange, command: string])[] = [
    [{ path: '/health', sees }, 'c "$API/health"'],
    [{ method: 'HEAD', path: '/health', anonymous: true, sees }, 'curl -i -I "$API/health"'],
    [{ path: '/segments/projects//', sees }, 'c --path-as-is "$API/segments/projects//"'],
    [{ path: '/x?y={', sees }, 'c -g "$API/x?y={"'],
    [{ path: '/x?y=\xe4', sees }, `c --request-target "$BASE/x?y=$(printf '\\344')" "$API"`],
    [{ method: 'PUT', path: '/x', body: 'y', sees }, `c -X PUT -d 'y' "$API/x"`],
    [{ method: 'POST', path: '/x', body: zeros(9), sees }, 'head -c 9 /dev/zero | c --data-binary @- "$API/x"'],
    [{ path: '/x', headers: [['User-Agent', '']], sees }, `c -H 'User-Agent:' "$API/x"`],
    [{ path: '/x', headers: [['A', '$AUTH']], sees }, 'c -H "A: $AUTH" "$API/x"'],
    [{ path: '/x', headers: [['A', letters(9)]], sees }, `c -H "A: $(head -c 9 /dev/zero | tr '\\0' x)" "$API/x"`],
  ];
  it.each(cases)('%j', (exchange, command) => {
    expect(curl(exchange)).toBe(command);
  });
});
