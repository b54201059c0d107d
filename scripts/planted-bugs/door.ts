import type { PlantedBug } from './bug.ts';

const BODY = 'test/local/body.test.ts';
const ROOM = 'test/local/room.test.ts';
const SHARES = 'test/local/sender-shares.test.ts';
const JSON_TEXT = 'test/lib/contract/json.test.ts';
const HOSTED = 'test/contract/hosted.test.ts';

/** Bugs of what is done before anybody has proved who they are. */
export const DOOR_BUGS: readonly PlantedBug[] = [
  {
    name: 'anonymous bodies share the room of companies',
    file: 'local/room.ts',
    find: 'const place = called.isAnonymous',
    replace: 'const place = called.isAnonymous && bytes < 0',
    tests: [ROOM],
  },
  {
    name: 'anonymous calls share the room of companies',
    file: 'local/room.ts',
    find: 'if (isAnonymous) return limits.mostBytes > 0 ? anonymousCalls : anonymousReads;',
    replace: '',
    tests: [ROOM],
  },
  {
    name: 'pages for everybody share the room of companies',
    file: 'local/room.ts',
    find: 'if (isAnonymous) return limits',
    replace: 'if (isAnonymous && limits.mostBytes > 0) return limits',
    tests: [ROOM],
  },
  {
    name: 'a body that no operation reads keeps its connection',
    file: 'local/pipeline.ts',
    find: 'const isAnonymous = identity === null;',
    replace: "const isAnonymous = identity === null && route.body !== 'none';",
    tests: [ROOM],
  },
  {
    name: 'gzip of a few bytes takes the room of a project',
    file: 'local/room.ts',
    find: 'Math.min(mostUnpackedBytes(length), limits.mostBytes)',
    replace: 'mostUnpackedBytes(length)',
    tests: [ROOM],
  },
  {
    name: 'one sender may take the room of all senders',
    file: 'local/sender-shares.ts',
    find: 'new Admission({ ...this.#options, budget })',
    replace: 'new Admission(this.#options)',
    tests: [SHARES],
  },
  {
    name: 'a refused sender keeps its share',
    file: 'local/sender-shares.ts',
    find: '        own.leave();\n        throw error;',
    replace: '        throw error;',
    tests: [SHARES],
  },
  {
    name: 'slow anonymous uploads keep every connection',
    file: 'local/gateway.ts',
    find: 'oldest?.destroy();',
    replace: '',
    tests: [ROOM],
  },
  {
    name: 'connections that are closed already are to give way',
    file: 'local/gateway.ts',
    find: 'expendable.delete(socket);\n      for (const settle',
    replace: 'for (const settle',
    tests: [ROOM],
  },
  {
    name: 'an anonymous body is read to its end',
    file: 'local/body.ts',
    find: 'if (mostSentBytes !== undefined) {',
    replace: 'if (mostSentBytes === null) {',
    tests: [BODY],
  },
  {
    name: 'anonymous gzip is unpacked to its end',
    file: 'local/body.ts',
    find: 'if (length >= mostBytes) return Buffer.concat(pieces, mostBytes);',
    replace: '',
    tests: [BODY],
  },
  {
    name: 'a sign-in is unpacked before its size is looked at',
    file: 'lib/http/middleware/json-body.ts',
    find: 'if (Buffer.byteLength(text, encoding) > mostSentBytes)',
    replace: 'if (Buffer.byteLength(text, encoding) > Infinity)',
    tests: [HOSTED],
    named: 'sign-in and refresh bodies',
  },
  {
    name: 'a sign-in unpacks as far as a project',
    file: 'lib/http/middleware/json-body.ts',
    find: 'unpack(bytes, mostBytes) : bytes;\n  if (plain.length > mostBytes)',
    replace: 'unpack(bytes, 4_194_304) : bytes;\n  if (plain.length > 4_194_304)',
    tests: [HOSTED],
    named: 'sign-in and refresh bodies|signInBytes',
  },
  {
    name: 'the values of a body are not counted',
    file: 'lib/contract/json.ts',
    find: 'if (values > mostValues)',
    replace: 'if (values > Infinity)',
    tests: [JSON_TEXT],
  },
  {
    name: 'the names of a body are not counted',
    file: 'lib/contract/json.ts',
    find: 'members > MANY_FIELDS && ',
    replace: 'members > Infinity && ',
    tests: [JSON_TEXT],
  },
  {
    name: 'empty lists and objects count twice',
    file: 'lib/contract/json-outline.ts',
    find: 'if (closesEmpty(text, at)) empty++;',
    replace: '',
    tests: [JSON_TEXT],
  },
];
