import type { Plugin } from 'esbuild';

/**
 * Leaves out the default validator of the SDK of the Model Context Protocol: 130 KB that compile JSON schemas. A server
 * needs it only to check the answers of its clients, and Segue asks its clients for nothing.
 */
export const withoutValidator: Plugin = {
  name: 'without-validator',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]@modelcontextprotocol[\\/]sdk[\\/].*[\\/]ajv-provider\.js$/ }, () => ({
      contents: `export class AjvJsonSchemaValidator { constructor() { throw new TypeError('Give the server a jsonSchemaValidator') } }`,
    }));
  },
};
