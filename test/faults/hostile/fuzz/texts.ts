/** Splits a text into words. */
export function words(text: string): string[] {
  return text.trim().split(/\s+/);
}

/** JSON texts: valid ones, broken ones, and some that RFC 8259 leaves to the parser. */
const JSON_TEXTS = [
  ...words(String.raw`
    null true false [] {} [[]] [[],[]] [{}] [null] [1,2] [true,false,null] [0,[1,[2]]] {"a":1} {"a":{}} {"a":[]}
    {"a":null} {"a":1,"b":2} {"":0} 0 -0 7 -7 10 0.0 -0.0 0.5 -12.75 1e0 1E2 1e+2 1e-2 1E00 1e007 0e0 0E+1 0e-999
    -0e-0 1.0e1 123.456e-7 9007199254740991 -9007199254740991 5e-324 1.7976931348623157e308 [0,-1,2.5e3] {"n":-0.25}
    "" "a" "\"" "\\" "\/" "/" "\b\f\n\r\t" "\u0000" "\u001f" "\u0041" "\u00e9\u00C9" "\u0022\u005c\u005C" "\\u0041"
    "\\\"\\" "\uD834\uDD1E" "\ud83d\ude00" "\udbff\udfff" "\uFFFE\uFFFF" "\uFDD0" "\u2028\u2029"
    "\u200b\u202e\ufeff" "//" "[{]}:," "null" "'" "<script>&amp;</script>" "{{a}}" ["\u0061","a"]
    {"\u0061":"\u0062"} {"__proto__":1} {"__proto__":null} {"__proto__":{"polluted":true}}
    {"\u005f_proto__":{"polluted":true}} {"constructor":{"prototype":{"polluted":true}}} {"prototype":[]}
    {"toString":1,"valueOf":2} {"hasOwnProperty":false} {"toJSON":1} {"then":1} {"length":-1} {"__defineGetter__":0}
    {"0":1,"00":2,"-0":3} {"a":1,"A":2} {"a":{"a":{"a":1}}} [{"a":1},{"a":1}] {"a":"a","b":["a","a"]}
    {"a/b":1,"a~b":2,"~1":3} {"\u0000":1} {"a\"b":1} [ ] { } [[] []] {}} {{} [} {] [1} {"a":1] [{]} [,] [1,] [,1]
    [1,,2] [1;2] [1:2] ["a":1] [1 [1, {,} {"a":1,} {"a":1,,"b":2} {,"a":1} {"a":1;"b":2} {"a"} {"a":} {"a"::1} {:1}
    {"a":1:2} {"a",1} {"a"=1} {"a"=>1} {a:1} {'a':1} {1:1} {null:1} {[]:1} {{}:1} {"a":1 {"a": {"a" {" {"a":[} {}{}
    [][] {}1 {}; {}, , : True TRUE False FALSE Null NULL nul nulll tru truefalse [nul] {"a":truth} undefined None
    nil {}// /**/{} {"a":/**/1} {}# <a/> <!---->{} ... [...[]] {...{}} * @ %7B%7D a=1&b=2 )]}',{} callback({}) 01
    -01 00 -00.5 1. -1. .1 -.1 1.e1 .e1 +1 +0 - + --1 -+1 1e 1E+ 1e- e1 1ee1 1e1.5 1e+-1 1e1e1 0x10 0X1F 0b1 0o7 0e
    1_000 1,000 1'000 1.2.3 NaN -NaN nan Infinity -Infinity +Infinity inf 1f 1.0d 1n 1L 1/2 1-1 1+1 (1) 1% $1 1a [-]
    [01] [1.] [.5] [1e] [0x1] {"n":+1} {"n":1.} " "a a" a """ "a"b "a"+"b" "\" "\ "\\\" "\a" "\v" "\0" "\1" "\x41"
    "\'" "\u" "\u0" "\u00" "\u004" "\u00g1" "\u+041" "\u-001" "\u{41}" "\U0041" "\uD834\u" "\uD834\uD" "\uD834\"
    \u0041 'a' &quot;a&quot; ["a] ["a",] {"\q":1} {"a":1,"a":} {"__proto__"} {__proto__:1} {"constructor":}
    9007199254740993 -9007199254740993 9223372036854775808 -9223372036854775809 18446744073709551616
    100000000000000000000000000000000000000000000000001 1e400 -1e400 1E+9999999999 0.1e-400 -1e-400 1e-9999999999
    123123e100000 [1e999,-1e999] "\ud800" "\udc00" "\uDFFF" "\ud800\ud800" "\udc00\ud800" "\ud800x" "x\udfff"
    "\ud800\n" "\ud83d\u0041" "\uDBFF\uDBFF\uDFFF" ["\ud800"] {"\udfff":1} {"a":"\ud800\\udc00"} {"a":1,"a":1}
    {"a":1,"a":2} {"a":1,"b":2,"a":3} {"a":1,"a":2,"a":3} {"a":null,"a":null} {"a":[],"a":{}} {"a":1,"\u0061":2}
    {"\u0061":1,"\u0061":2} {"/":1,"\/":2} {"\u00E9":1,"\u00e9":2} {"\ud800":1,"\uD800":2} {"\u0000":1,"\u0000":2}
    {"":1,"":2} {"0":1,"0":2} {"__proto__":1,"__proto__":2} {"__proto__":{},"__pro\u0074o__":{}}
    {"constructor":1,"constructor":2} {"toString":1,"toString":2} {"a":{"b":1,"b":2}} [{"a":1,"a":2}]
    [[{"a":[{"b":1,"b":1}]}]]`),
  ...[' [] ', '\t\r\n {} \n\r\t', '[ ]', '{ }', '[\n]', '{\r\n\t}', '[ 1 , 2 ]', '{ "a" : 1 }', '{"a":\n1}'],
  ...['" "', '"\u2028\u2029"', '"\u007f"', '"\u0080\u0085\u009f"', '"\ufeff"', '"\ufffe\uffff"'],
  ...['"\u{10ffff}\u{1ffff}"', '"\ufdd0"', '"\u200b\u200d\u202e"', '"\u0300"', '"é e\u0301"', '"人権"', '"😀"'],
  ...['"שלום"', '"/* */"', '{"é":1,"e\u0301":2}', '{" ":1,"  ":2}'],
  ...['', ' ', '\r\n', '[1 2]', '[1,\n2\n,', '{"a":1 "b":2}', '{"a" 1}', '{}\n{}', '1 2', 'null null'],
  ...['new Date()', '//\n{}', '---\n', 'a: 1', '\u000c{}', '[\u000b]', '{}\u000c', '[\u00a01]', '[\u0085]'],
  ...['[\u1680]', '[\u180e]', '[\u2003]', '[\u2028]', '[\u3000]', '[\u200b]', '[\u0008]', '\u001b[2J', '- 1'],
  ...['1 e1', '1e 1', '1 000', '∞', '１', '٣', '−1', '½', '1\u0000', '"a" "b"', '"\\ "', '"\\\n"', '"\\é"'],
  ...['"\\😀"', '"\\u 041"', '"\u0000"', '"\u0001"', '"\u0008"', '"\t"', '"\n"', '"\r"', '"\r\n"', '"\u000b"'],
  ...['"\u000c"', '"\u001b"', '"\u001f"', '`a`', '“a”', '«a»', '{"a\n":1}'],
  ...['0.1000000000000000055511151231257827021181583404541015625001'],
  ...['{"é":1,"\\u00e9":2}', '{"😀":1,"\\ud83d\\ude00":2}'],
];

/** Texts that are not UTF-8, or that an editor might change, as hexadecimal bytes. */
const HEX_TEXTS = words(`
  227f22 22c28022 22dfbf22 22e0a08022 22ed9fbf22 22ee808022 22efbbbf22 22efbfbf22 22f090808022 22f48fbfbf22
  7b22c3a9223a22c3a9227d 5b005d 00 7b7d00 5befbbbf5d 7b7defbbbf 1e7b7d0a efbbbf ff 5bff5d 5b805d 5be45d 7b7dff c3
  e5 efbb fffe7b007d00 feff007b007d fffe00007b0000007d000000 0000feff0000007b0000007d 22ff22 22fe22 228022 22bf22
  22e922 22c322 22c32822 22e28222 22e228a122 22f09f9822 22f0288cbc22 22c08022 22c0a222 22c1bf22 22e0808022
  22e09fbf22 22f080808022 22f08fbfbf22 22eda08022 22edbfbf22 22eda0bdedb88022 22f490808022 22f580808022
  22f88880808022 22fc848080808022 22c2a0a022 2241f09f9880f09f98 7b22ff223a317d 7b22eda080223a317d`);

/** Bodies that are JSON, or nearly. */
export const TEXTS: readonly Buffer[] = [
  ...JSON_TEXTS.map((text) => Buffer.from(text)),
  ...HEX_TEXTS.map((digits) => Buffer.from(digits, 'hex')),
  ...['['.repeat(17), `${'{"a":'.repeat(16)}{}${'}'.repeat(16)}`, `1e${'0'.repeat(500)}1`].map((text) =>
    Buffer.from(text),
  ),
];
