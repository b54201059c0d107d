// A file of its own, so that a bundle loads the compiler only when a schema is hot.
export { compile } from 'zod/mini';
