// What only messages need, in one module: it is loaded with the first of them.

export { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js';
export { default as description } from '../contract/openapi.json' with { type: 'json' };
export { answerTo } from './one-message.ts';
export { agentServer } from './server.ts';
export { toolsOf } from './tools.ts';
