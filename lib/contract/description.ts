import * as z from 'zod/mini';
import { required } from './fields.ts';

/** A description of the API in OpenAPI 3.1, as far as anybody here looks into it. */
export const Description = z.looseObject({
  openapi: required(z.string(), 'The version of OpenAPI.'),
  info: required(z.looseObject({ title: z.string(), version: z.string() }), 'What is described.'),
  servers: required(z.array(z.looseObject({ url: z.string() })), 'Where it is: the base URL that was asked.'),
  paths: required(z.looseObject({}), 'Every path, with its operations.'),
  components: required(z.looseObject({}), 'What the operations have in common.'),
});
