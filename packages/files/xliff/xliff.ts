export { fillXliff } from './fill-xliff.ts';
export { readXliff, xliffTexts } from './read-xliff.ts';
export { writeXliff1, writeXliff2 } from './write-xliff.ts';
