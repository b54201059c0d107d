import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { RowHeights } from './row-heights.ts';

/** How far above and below the window rows are in the document, in CSS pixels. */
const MARGIN_PX = 600;
/** The height of a row before any is measured, in CSS pixels. */
const FIRST_ESTIMATE_PX = 64;
/** The rows of a part of a list. A browser lays out no element that is taller than some ten million pixels. */
const PART = 50_000;

interface ListProps {
  readonly label: string;
  readonly count: number;
  /** Returns the content of a row. A row is as tall as its content. */
  readonly row: (index: number) => ComponentChildren;
}

/** A list of any length that scrolls with the page, and has only the rows near the window in the document. */
export function VirtualList({ label, count, row }: ListProps) {
  const [part, setPart] = useState(0);
  const first = Math.min(part, Math.max(0, Math.ceil(count / PART) - 1)) * PART;
  const last = Math.min(count, first + PART);
  return (
    <>
      <Rows key={first} label={label} count={count} first={first} last={last} row={row} />
      {count > PART && (
        <div class="toolbar list-parts">
          <button type="button" disabled={first === 0} onClick={() => setPart(first / PART - 1)}>
            Previous part
          </button>
          <span role="status">
            {(first + 1).toLocaleString('en')} to {last.toLocaleString('en')} of {count.toLocaleString('en')}
          </span>
          <button type="button" disabled={last === count} onClick={() => setPart(first / PART + 1)}>
            Next part
          </button>
        </div>
      )}
    </>
  );
}

interface RowsProps extends ListProps {
  /** The first row of the part, and the row after its last one. */
  readonly first: number;
  readonly last: number;
}

function Rows({ label, count, first, last, row }: RowsProps) {
  const list = useRef<HTMLUListElement>(null);
  const [estimatePx, setEstimatePx] = useState<number>();
  const heights = useMemo(() => new RowHeights(PART, estimatePx ?? FIRST_ESTIMATE_PX), [estimatePx]);
  const [range, setRange] = useState<Range>({ start: 0, end: 0 });
  const rows = last - first;
  const end = Math.min(range.end, rows);
  const start = Math.min(range.start, end);

  // The first rows tell how tall the others are.
  useLayoutEffect(() => {
    if (estimatePx === undefined && end > 0 && list.current) setEstimatePx(list.current.clientHeight / end);
  }, [estimatePx, end]);

  useLayoutEffect(() => {
    const element = list.current;
    if (!element) return undefined;
    const look = () => setRange(rangeAround(windowIn(element, heights, start), heights, range, rows));
    const measure = () => {
      measureInPlace(element, heights, start);
      look();
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    addEventListener('keydown', scrollToEnds);
    return () => {
      observer.disconnect();
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
      removeEventListener('keydown', scrollToEnds);
    };
  }, [heights, range, rows]);

  return (
    <div class="list">
      <div style={{ height: `${heights.offsetOf(start)}px` }} />
      <ul ref={list} aria-label={label}>
        {Array.from({ length: end - start }, (_, offset) => {
          const index = first + start + offset;
          return (
            <li key={index} aria-setsize={count} aria-posinset={index + 1}>
              {row(index)}
            </li>
          );
        })}
      </ul>
      <div style={{ height: `${heights.offsetOf(rows) - heights.offsetOf(end)}px` }} />
    </div>
  );
}

/** The rows in the document, from `start` to before `end`. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** The top and the bottom of the window, in pixels from the top of the first row. */
interface Span {
  readonly top: number;
  readonly bottom: number;
}

/** Returns where the window is in a list. @param start the first row in the document */
function windowIn(list: HTMLElement, heights: RowHeights, start: number): Span {
  const top = heights.offsetOf(start) - list.getBoundingClientRect().top;
  return { top, bottom: top + innerHeight };
}

/** Returns the rows around the window, or the known ones while they reach far enough, so that few steps render. */
function rangeAround(span: Span, heights: RowHeights, known: Range, rows: number): Range {
  const within = (marginPx: number) => ({
    start: Math.min(heights.indexAt(span.top - marginPx), rows),
    end: Math.min(heights.indexAt(span.bottom + marginPx) + 1, rows),
  });
  const needed = within(MARGIN_PX / 2);
  return known.start <= needed.start && known.end >= needed.end && known.end <= rows ? known : within(MARGIN_PX);
}

/** Measures the rows in the document. If those above the window have another height, the window moves with its rows. */
function measureInPlace(list: HTMLElement, heights: RowHeights, start: number): void {
  const visible = heights.indexAt(windowIn(list, heights, start).top);
  const before = heights.offsetOf(visible);
  for (const [offset, item] of [...list.children].entries()) {
    heights.set(start + offset, item.getBoundingClientRect().height);
  }
  const moved = heights.offsetOf(visible) - before;
  if (moved !== 0) scrollBy(0, moved);
}

/**
 * Takes the reader to the top or the bottom of the page at once. A browser would scroll there through all rows, and stop
 * beside the end that it knew at first, because they turn out to be taller.
 */
function scrollToEnds(event: KeyboardEvent): void {
  const { key, target, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (altKey || ctrlKey || metaKey || shiftKey || (key !== 'Home' && key !== 'End')) return;
  if (target instanceof Element && target.closest('input, textarea, select, dialog, [contenteditable]')) return;
  event.preventDefault();
  scrollTo({ top: key === 'Home' ? 0 : document.documentElement.scrollHeight, behavior: 'instant' });
}
