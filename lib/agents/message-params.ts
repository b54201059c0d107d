import { fieldsOf } from '../contract/pointer.ts';

/**
 * Returns the parameters of a method that Segue uses, and no others, or a sentence about what is wrong with them.
 *
 * The schemas of the SDK check all of them, and collect every fault: a small message can have half a million. What Segue
 * does not use is left out, and so is never checked.
 */
export function usedParams(
  method: string,
  params: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> | string {
  switch (method) {
    case 'initialize': {
      const { protocolVersion } = params;
      if (typeof protocolVersion !== 'string') {
        return 'params of initialize must have protocolVersion (a text, such as "2025-11-25").';
      }
      // Segue asks nothing of its clients, whatever they can do and are called.
      return { protocolVersion, capabilities: {}, clientInfo: { name: 'client', version: '0' } };
    }
    case 'tools/call': {
      const { name } = params;
      const args = params['arguments'] ?? {};
      if ('task' in params) return 'Segue runs no tools as tasks. Call the tool without “task”, and use its answer.';
      const isRight = typeof name === 'string' && !Array.isArray(args) && fieldsOf(args) !== undefined;
      return isRight ? { name, arguments: args } : CALL;
    }
    default:
      return {};
  }
}

const CALL =
  'params of tools/call must have name (the name of a tool), and arguments: an object with the arguments by their names.';
