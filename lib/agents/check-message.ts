import { invalidHeader } from '../contract/failures.ts';
import type { HttpRequest } from '../http/request.ts';

/** An origin on this machine, whatever its port. */
const THIS_MACHINE = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;

/**
 * Whether a page of another site sends the message. Such a page may reach a server on the reader's machine by a name that
 * it lets resolve to 127.0.0.1, so the name of the server says nothing (DNS rebinding). Programs send no `Origin`.
 */
export function isFromOtherSite({ headerValues, baseUrl }: HttpRequest): boolean {
  const own = baseUrl.startsWith('https://') ? new URL(baseUrl).origin : undefined;
  return headerValues('origin').some((origin) => origin !== own && !THIS_MACHINE.test(origin));
}

/**
 * Refuses a version of the protocol that Segue does not speak. `initialize` has its version in the message.
 * @throws {Problem} `invalid-header`
 */
export function requireVersion({ header }: HttpRequest, method: string, versions: readonly string[]): void {
  const version = header('mcp-protocol-version');
  if (version === undefined || method === 'initialize' || versions.includes(version)) return;
  throw invalidHeader({
    'MCP-Protocol-Version': `The header MCP-Protocol-Version must be one of ${versions.join(', ')}. Segue did nothing.`,
  });
}
