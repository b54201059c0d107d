import type { Exchange, Made } from '../../test/contract/facts/fact.ts';

/**
 * Returns the shell command that sends an exchange's request. The command `c` stands for curl with the company's
 * credentials.
 */
export function curl({ method = 'GET', path, anonymous, headers = [], body }: Exchange): string {
  const isMade = typeof body === 'object';
  const usual = body === undefined ? 'GET' : 'POST';
  const words = [
    anonymous ? 'curl -i' : 'c',
    ...(/\/\.|\/\//.test(path) ? ['--path-as-is'] : []),
    ...(/[{}]/.test(path) ? ['-g'] : []),
    ...(method === 'HEAD' ? ['-I'] : method === usual ? [] : [`-X ${method}`]),
    ...headers.map(([name, value]) => `-H ${headerOf(name, value)}`),
    ...(isMade ? ['--data-binary @-'] : body === undefined ? [] : [`-d '${body}'`]),
    targetOf(path),
  ];
  return [...(isMade ? [body.command, '|'] : []), ...words].join(' ');
}

/** Formats a header for the shell. Without a value, the header has no space after the colon, and curl leaves it out. */
function headerOf(name: string, value: string | Made): string {
  if (typeof value === 'object') return `"${name}: $(${value.command})"`;
  if (value.startsWith('$')) return `"${name}: ${value}"`;
  return `'${`${name}: ${value}`.trimEnd()}'`;
}

/**
 * Formats the URL for the shell. If curl would change the path by encoding bytes, the path becomes a
 * `--request-target`.
 */
function targetOf(path: string): string {
  const inAscii = path.replace(/[^\x20-\x7e]/g, (byte) => `$(printf '\\${byte.charCodeAt(0).toString(8)}')`);
  return inAscii === path ? `"$API${path}"` : `--request-target "$BASE${inAscii}" "$API"`;
}
