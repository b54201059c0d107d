import type { Exchange, Made } from '../../test/contract/facts/fact.ts';

/** The shell's command that sends the request of an exchange; `c` is curl with the company's credentials. */
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

/** curl leaves out a header that it is given without a value. */
function headerOf(name: string, value: string | Made): string {
  if (typeof value === 'object') return `"${name}: $(${value.command})"`;
  if (value.startsWith('$')) return `"${name}: ${value}"`;
  return `'${`${name}: ${value}`.trimEnd()}'`;
}

/** curl encodes the bytes of a URL that need it, and leaves a target alone. */
function targetOf(path: string): string {
  const inAscii = path.replace(/[^\x20-\x7e]/g, (byte) => `$(printf '\\${byte.charCodeAt(0).toString(8)}')`);
  return inAscii === path ? `"$API${path}"` : `--request-target "$BASE${inAscii}" "$API"`;
}
